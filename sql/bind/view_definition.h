#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// CREATE VIEW. Failure: those of the query; 42701 for names that are there twice, 42601 for too many of them, 42P02
/// for parameters; of OR REPLACE 42809 for a table, 42P16 for columns that do not stay as they were, 42P17 for a view
/// of itself.
CreateViewStatement bindCreateView(BindState& state, const ast::CreateView& create);

/// The query of a view as it is stored, and what it reads. `text`: written out by the deparser. Failure: those of the
/// query.
ViewEntry bindStoredQuery(BindState& state, const std::string& text);

/// A view's query, parsed.
class StoredQuery {
 public:
  explicit StoredQuery(std::string_view text);
  [[nodiscard]] const ast::Query& tree() const;

 private:
  const std::vector<ParsedStatement> parsed_;
};

}  // namespace gnomon::sql
