#pragma once

#include "sql/bind/bind_state.h"
#include "sql/bind/query_binder.h"

namespace gnomon::sql {

/// The tables of WITH can be named while it lives.
class CommonTables {
 public:
  /// Failure: what is wrong with their queries; 42712 for a name that is there twice.
  CommonTables(BindState& state, const std::vector<ast::CommonTable>& tables);
  ~CommonTables() { state_.common_tables.resize(tables_before_); }
  CommonTables(const CommonTables&) = delete;
  CommonTables& operator=(const CommonTables&) = delete;

 private:
  BindState& state_;
  const size_t tables_before_;
};

/// The innermost table of the name; null: there is none.
CommonTableScope* findCommonTable(BindState& state, const ast::RelationName& name);
/// Its query, bound once more, whose columns have the table's names. Failure: 0A000 for a second reference to what may
/// be executed only once.
QueryBinder::Result bindCommonTable(BindState& state, CommonTableScope& scope);

}  // namespace gnomon::sql
