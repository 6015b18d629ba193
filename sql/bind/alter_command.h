#pragma once

#include <string_view>

#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

/// The commands of ALTER TABLE: their order, their names, what they may be done to.
namespace gnomon::sql {

/// Commands of a lower pass come first; those of kCheckPass follow the constraints of added columns.
inline constexpr int kPasses = 7, kCheckPass = 5;
int passOf(ast::AlterCommand::Kind kind);
/// What PostgreSQL calls a command that it does not do to every relation.
std::string_view commandName(ast::AlterCommand::Kind kind);
/// Views and materialized views take few commands. Failure: 42809, 0A000.
void requirePossible(const TableEntry& table, ast::AlterCommand::Kind kind);

}  // namespace gnomon::sql
