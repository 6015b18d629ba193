#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast_routine.h"
#include "sql/routine_statement.h"

namespace gnomon::sql {

/// CREATE [OR REPLACE] FUNCTION, PROCEDURE. Failure: 42P13 for what does not fit together, 42704 for types and
/// languages; 0A000 for other languages.
DefineRoutineStatement bindCreateRoutine(BindState& state, const ast::CreateRoutine& create);
/// DO. Failure: as above.
DoStatement bindDo(BindState& state, const ast::DoBlock& block);
/// The body is bound once, over inputs of which nothing is known but their types. The routine is in the catalog
/// already: it may call itself. Failure: those of the body.
void checkRoutineBody(BindState& state, const DefineRoutineStatement& statement);
/// ALTER FUNCTION, PROCEDURE, ROUTINE. Failure: 42883, 42725, 42809.
DefineRoutineStatement bindAlterRoutine(BindState& state, const ast::AlterRoutine& alter);
/// DROP FUNCTION, PROCEDURE, ROUTINE. Failure: as above.
/// Failure: 42883, 42725; 0A000 for what has no code of its own.
ExplainRoutineStatement bindExplainRoutine(BindState& state, const ast::ExplainRoutine& explain);
DropRoutineStatement bindDropRoutine(BindState& state, const ast::DropRoutine& drop);
/// The routine that a statement names. Failure: as above.
TablePtr findRoutine(BindState& state, const ast::RoutineName& name, ast::RoutineKind kind);

}  // namespace gnomon::sql
