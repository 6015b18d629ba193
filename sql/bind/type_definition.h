#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

/// Statements that define types.
namespace gnomon::sql {

/// CREATE TYPE. Failure: 42710, 42P07 for names that are taken; 42701, 42602; those of columns.
DefineTypeStatement bindCreateType(BindState& state, const ast::CreateType& create);
/// CREATE DOMAIN. Failure: 42710, 42804; those of defaults and checks.
DefineTypeStatement bindCreateDomain(BindState& state, const ast::CreateDomain& create);
/// Failure of all: 42704 when there is no such type, 42809 when it is of another form.
DefineTypeStatement bindAlterEnum(BindState& state, const ast::AlterEnum& alter);
DefineTypeStatement bindAlterDomain(BindState& state, const ast::AlterDomain& alter);
/// Failure: 0A000 when columns have such values.
DefineTypeStatement bindAlterComposite(BindState& state, const ast::AlterComposite& alter);
DefineTypeStatement bindRenameType(BindState& state, const ast::RenameType& rename);
DropTypeStatement bindDropType(const ast::DropType& drop);

/// What the domain, and those below it, want of a value.
DomainRules domainRules(BindState& state, uint32_t domain);

}  // namespace gnomon::sql
