#pragma once

#include <string_view>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"
#include "sql/table_statement.h"

/// The commands of ALTER TABLE: their order, their names, what they may be done to.
namespace gnomon::sql {

/// Commands of a lower pass come first; those of kCheckPass follow the constraints of added columns.
inline constexpr int kPasses = 7, kCheckPass = 5;
int passOf(ast::AlterCommand::Kind kind);
/// Which part of these commands does it, where they are done part by part.
AlterPart partOf(const ast::AlterCommand& command, const std::vector<ast::AlterCommand>& commands);
/// Whether they are: rows get other types, and something else is done that cannot be done meanwhile.
bool areInParts(const std::vector<ast::AlterCommand>& commands);
/// Whether rows can be written anew with the command.
bool isBesideRewrite(ast::AlterCommand::Kind kind);
/// What PostgreSQL calls a command that it does not do to every relation.
std::string_view commandName(ast::AlterCommand::Kind kind);
/// Views and materialized views take few commands. Failure: 42809, 0A000.
void requirePossible(const TableEntry& table, ast::AlterCommand::Kind kind);

}  // namespace gnomon::sql
