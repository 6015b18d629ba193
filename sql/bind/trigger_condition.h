#pragma once

#include "sql/algebra/check_expressions.h"
#include "sql/bind/bind_state.h"
#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

/// WHEN of triggers.
namespace gnomon::sql {

/// Binds a condition over the rows "old" and "new" of a table; `units` gets one for each column of the old row, and
/// then of the new one, its number as id. Failure: those of expressions.
ExpressionPtr bindTriggerCondition(BindState& state, const TableEntry& table, const ast::Expression& node,
                                   std::deque<InformationUnit>& units);

/// The stored condition of a trigger, which has one, in both forms for a session's rows: FALSE unless it is TRUE. Its
/// rows are the old one's values and those of the new one behind them.
CheckForms triggerConditionForms(BindState& state, const TableEntry& table, const TriggerEntry& trigger);

/// The stored condition with a column's new name.
std::string withRenamedRowColumn(const std::string& text, std::string_view from, std::string_view to);
/// The triggers of the table that name the column, behind UPDATE OF or in their conditions.
std::vector<TriggerEntry> triggersNaming(const TableEntry& table, uint32_t column);

}  // namespace gnomon::sql
