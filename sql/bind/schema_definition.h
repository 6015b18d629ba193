#pragma once

#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// CREATE, ALTER and DROP SCHEMA. Which schemas are there is seen when they are executed. Failure: 42939 for a name
/// that is the system's; 42704 for a role that is not there.
CreateSchemaStatement bindCreateSchema(const BindState& state, const ast::CreateSchema& create);
AlterSchemaStatement bindAlterSchema(const BindState& state, const ast::AlterSchema& alter);
DropSchemaStatement bindDropSchema(const ast::DropSchema& drop);

/// ALTER ... SET SCHEMA, and RENAME of views and indexes. Failure: 42P01, 42809, 3F000, 42501.
MoveStatement bindMove(BindState& state, const ast::Move& move);

}  // namespace gnomon::sql
