#pragma once

#include <string>
#include <string_view>

#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_session.h"
#include "sql/plpgsql/catalog_types.h"

namespace gnomon::sql::plpgsql {

/// A catalog without storage with what a text of CREATE statements defines. For as long as it lives, the thread works
/// for a session that sees it.
class TestCatalog {
 public:
  explicit TestCatalog(std::string_view definitions);

  RoutineCatalog& types() { return types_; }
  /// A type by its text, or as relation.column%type.
  VariableType typeOfText(std::string_view text);

 private:
  Catalog catalog_;
  Settings settings_;
  CatalogSession session_{catalog_, settings_};
  CatalogSessionScope scope_{&session_};
  CatalogTypes types_{catalog_};
};

/// tests/corpus_setup.sql.
std::string corpusDefinitions();

}  // namespace gnomon::sql::plpgsql
