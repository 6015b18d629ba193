#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/check_expressions.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// The table that CHECK constraints are added to, as far as the statement has defined or changed it.
struct CheckedTable {
  const ObjectPath& path;
  const std::vector<ColumnEntry>& columns;
  std::vector<CheckEntry>& checks;
  const TableEntry* changed = nullptr;      ///< by ALTER TABLE; null: it is a new one
  std::vector<std::string> key_names = {};  ///< of its PRIMARY KEY and UNIQUE constraints
};

/// 42P16: a partitioned table has no CHECK ... NO INHERIT.
[[noreturn]] void raiseNoInherit(const std::string& table);
/// Whether one of the table's constraints has the name.
bool hasConstraint(const CheckedTable& table, const std::string& name);
/// Adds a constraint to the table's checks, in the order of names, under a name as PostgreSQL would choose it when it
/// has none; that name. Failure: 42710; those of expressions; 42P10 for system columns.
std::string bindCheck(BindState& state, const CheckedTable& table, const ast::CheckConstraint& check);

/// The conditions of checks, bound anew from their texts for no session in particular; null: there are none.
/// Failure: when the columns are no longer those that the texts were written for.
std::shared_ptr<const CheckExpressions> bindCheckExpressions(const TableEntry& table);

/// The same without conditions: each statement binds them for itself, or says why it cannot.
std::shared_ptr<const CheckExpressions> unboundChecks(const TableEntry& table);
/// The checks of a domain, or of a partition that rows are routed to, for code that is made for a session now: those
/// that call routines are bound for it; null: none. The statement has told of the routines by addRoutinesOfChecks().
std::shared_ptr<const CheckExpressions> sessionChecks(const TableEntry& entry);
/// Whether checks of the table, or the domain, call routines that users made.
bool checksCallRoutines(const TableEntry& entry);
/// The same of the domain (domainOid()) and of those below it.
bool domainCallsRoutines(uint32_t domain);
/// The statement calls what the checks of the domain call, or those of the partitions below the table.
void addRoutinesOfChecks(BindState& state, const TableEntry& entry);

/// The table's checks as the statement that is being bound must see them; null: it has none.
std::shared_ptr<const CheckExpressions> statementChecks(BindState& state, const TableEntry& table);
/// What an INSERT tests of each row.
RowChecks insertChecks(BindState& state, const TableEntry& table);
/// What an UPDATE of the columns, ascending, tests of each row: what it cannot break is left out.
RowChecks updateChecks(BindState& state, const TableEntry& table, const std::vector<uint32_t>& columns);
/// Both forms of checks for a session's rows that are tested one by one; null: there are none.
CheckForms checkForms(BindState& state, const std::vector<ColumnEntry>& columns, const std::vector<CheckEntry>& checks);

/// A condition that is to be TRUE for rows of the table, in both forms: FALSE for all others. `clause`, `word`: as
/// messages have them. Failure: those of expressions.
CheckForms conditionForms(BindState& state, const TableEntry& table, const ast::Expression& condition,
                          std::string_view clause, std::string_view word);

}  // namespace gnomon::sql
