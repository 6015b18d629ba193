#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/trigger_statement.h"

/// Statements that define triggers.
namespace gnomon::sql {

/// Failure: 42P01, 42809, 42501; 42704, 42710, 42883, 42P17, 0A000; those of expressions.
DefineTriggersStatement bindCreateTrigger(BindState& state, const ast::CreateTrigger& create);
DefineTriggersStatement bindDropTrigger(BindState& state, const ast::DropTrigger& drop);
DefineTriggersStatement bindRenameTrigger(BindState& state, const ast::RenameTrigger& rename);
DefineTriggersStatement bindTriggerFiring(BindState& state, const ast::TriggerFiring& firing);

}  // namespace gnomon::sql
