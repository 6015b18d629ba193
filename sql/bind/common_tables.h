#pragma once

#include "sql/bind/bind_state.h"
#include "sql/bind/query_binder.h"

namespace gnomon::sql {

/// The tables of WITH can be named while it lives.
///
/// The query of each becomes a shared plan, which its references scan. Of queries that read columns of queries around
/// them, or working rows of a recursion, and of those that are said not to be materialised, each reference gets a copy
/// instead.
class CommonTables {
 public:
  /// Failure: what is wrong with their queries; 42712 for a name that is there twice; 42P19 for recursions that
  /// PostgreSQL does not know.
  CommonTables(BindState& state, const ast::With& with);
  ~CommonTables() { state_.common_tables.resize(tables_before_); }
  /// Binds a table of WITH RECURSIVE that another one reads before its turn, unless it reads itself. Failure: 0A000
  /// when they read each other.
  void bindEarly(const ast::CommonTable& table);
  CommonTables(const CommonTables&) = delete;
  CommonTables& operator=(const CommonTables&) = delete;

 private:
  void add(const ast::CommonTable& table);
  void bindTable(const ast::CommonTable& table);
  [[nodiscard]] size_t numberOf(const ast::CommonTable& table) const;
  /// A data-modifying query.
  CommonTableScope addChange(const ast::CommonTable& table);
  QueryBinder::Result bindRecursive(size_t number);
  QueryBinder::Result bindRecursion(size_t number, QueryBinder::Result initial, const ast::Query& query);

  BindState& state_;
  const size_t tables_before_;
  const bool is_top_;  ///< of the statement itself
  const ast::With& with_;
  const size_t outer_levels_;
  std::vector<const ast::CommonTable*> binding_;  ///< those that are bound now, each for the one before it
};

/// The innermost table of the name; null: there is none.
CommonTableScope* findCommonTable(BindState& state, const ast::RelationName& name);
/// A reference to the table: its rows, with columns that have its names. Failure: 42P19 where a recursion must not be
/// read; 0A000 for a change without RETURNING, and for a second reference to what may be executed only once.
QueryBinder::Result bindCommonTable(BindState& state, CommonTableScope& scope, int32_t position);

/// A query inside of the statement that locks rows becomes a plan of its own, executed once, whose rows are read when
/// all are locked. Others stay as they are. Failure: 0A000 when it reads columns of queries around it.
void shareLocking(BindState& state, QueryBinder::Result& query);

/// Tables that are being defined by recursion must not be read while it lives.
class RecursionBarrier {
 public:
  /// `where`: "an outer join", ...; empty: it bars nothing.
  RecursionBarrier(BindState& state, std::string_view where) : state_(state), before_(state.recursion_barrier) {
    if (!where.empty()) state.recursion_barrier = where;
  }
  ~RecursionBarrier() { state_.recursion_barrier = before_; }
  RecursionBarrier(const RecursionBarrier&) = delete;
  RecursionBarrier& operator=(const RecursionBarrier&) = delete;

 private:
  BindState& state_;
  const std::string_view before_;
};

}  // namespace gnomon::sql
