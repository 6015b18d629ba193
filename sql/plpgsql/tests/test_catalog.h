#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sql/parse/ast.h"
#include "sql/plpgsql/routine_catalog.h"

namespace gnomon::sql::plpgsql {

/// The tables, composite types and domains that a text of CREATE statements defines, without a server. Schemas are
/// taken for "public"; collations are those that need no locale.
class TestCatalog : public RoutineCatalog {
 public:
  explicit TestCatalog(std::string_view definitions);

  VariableType typeOf(const ast::TypeName& name) override;
  std::optional<VariableType> columnType(std::string_view schema, std::string_view relation,
                                         std::string_view column) override;
  VariableType rowType(std::string_view schema, std::string_view relation) override;
  void requireCollation(std::span<const std::string> names) override;

  /// A type by its text.
  VariableType typeOfText(std::string_view text);

 private:
  using Columns = std::map<std::string, VariableType, std::less<>>;
  void define(const std::string& name, const std::vector<ast::ColumnDefinition>& columns);

  std::map<std::string, Columns, std::less<>> relations_;
  std::map<std::string, VariableType, std::less<>> domains_;
};

/// tests/corpus_setup.sql.
std::string corpusDefinitions();

}  // namespace gnomon::sql::plpgsql
