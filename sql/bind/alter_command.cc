#include "sql/bind/alter_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/dependent_views.h"

namespace gnomon::sql {

using Kind = ast::AlterCommand::Kind;

int passOf(Kind kind) {
  switch (kind) {
    case Kind::DropColumn:
    case Kind::DropConstraint:
    case Kind::DropNotNull:
    case Kind::DropDefault:
    case Kind::DropExpression:
      return 0;
    case Kind::AddColumn:
    case Kind::SetType:
      return 1;
    case Kind::SetNotNull:
      return 2;
    case Kind::AddKey:
      return 3;
    case Kind::SetDefault:
    case Kind::AddIdentity:
    case Kind::SetIdentity:
    case Kind::DropIdentity:
      return 4;
    case Kind::AddCheck:
    case Kind::AddForeignKey:
      return kCheckPass;
    case Kind::ValidateConstraint:
    case Kind::SetParameters:
    case Kind::ResetParameters:
    case Kind::AttachPartition:
    case Kind::DetachPartition:
      return 6;
  }
  __builtin_unreachable();
}

bool isBesideRewrite(Kind kind) {
  return kind == Kind::SetType || kind == Kind::SetDefault || kind == Kind::DropDefault || kind == Kind::SetNotNull ||
         kind == Kind::DropNotNull || kind == Kind::AddColumn;
}

bool areInParts(const std::vector<ast::AlterCommand>& commands) {
  const auto isBeside = [](const ast::AlterCommand& command) {
    return isBesideRewrite(command.kind) && command.kind != Kind::AddColumn;
  };
  return std::ranges::find(commands, Kind::SetType, &ast::AlterCommand::kind) != commands.end() &&
         !std::ranges::all_of(commands, isBeside);
}

AlterPart partOf(const ast::AlterCommand& command, const std::vector<ast::AlterCommand>& commands) {
  if (command.kind == Kind::SetType) return AlterPart::Rewrite;
  if (passOf(command.kind) == 0) return AlterPart::Drops;
  if (command.kind != Kind::AddColumn) return AlterPart::Rest;
  // All of them together, so that they stay in order.
  const auto isGenerated = [](const ast::AlterCommand& each) {
    return each.kind == Kind::AddColumn && each.column.generated != nullptr;
  };
  const bool has_types = std::ranges::find(commands, Kind::SetType, &ast::AlterCommand::kind) != commands.end();
  return !has_types || std::ranges::any_of(commands, isGenerated) ? AlterPart::Rewrite : AlterPart::Rest;
}

std::string_view commandName(Kind kind) {
  switch (kind) {
    case Kind::AddColumn:
      return "ADD COLUMN";
    case Kind::DropColumn:
      return "DROP COLUMN";
    case Kind::SetDefault:
    case Kind::DropDefault:
      return "ALTER COLUMN ... SET DEFAULT";
    case Kind::SetNotNull:
      return "ALTER COLUMN ... SET NOT NULL";
    case Kind::DropNotNull:
      return "ALTER COLUMN ... DROP NOT NULL";
    case Kind::AddKey:
    case Kind::AddCheck:
    case Kind::AddForeignKey:
      return "ADD CONSTRAINT";
    case Kind::ValidateConstraint:
      return "VALIDATE CONSTRAINT";
    case Kind::DropConstraint:
      return "DROP CONSTRAINT";
    case Kind::AddIdentity:
      return "ALTER COLUMN ... ADD IDENTITY";
    case Kind::SetIdentity:
      return "ALTER COLUMN ... SET";
    case Kind::DropIdentity:
      return "ALTER COLUMN ... DROP IDENTITY";
    case Kind::DropExpression:
      return "ALTER COLUMN ... DROP EXPRESSION";
    case Kind::SetType:
      return "ALTER COLUMN ... SET DATA TYPE";
    case Kind::SetParameters:
      return "SET";
    case Kind::ResetParameters:
      return "RESET";
    case Kind::AttachPartition:
      return "ATTACH PARTITION";
    case Kind::DetachPartition:
      return "DETACH PARTITION";
  }
  __builtin_unreachable();
}

void requirePossible(const TableEntry& table, Kind kind) {
  const bool is_parameter = kind == Kind::SetParameters || kind == Kind::ResetParameters;
  if (table.view && is_parameter) throwNotSupported("ALTER VIEW ... SET");
  if (table.view ? kind == Kind::SetDefault || kind == Kind::DropDefault : is_parameter || !table.materialized) return;
  throw SqlError(sqlstate::kWrongObjectType,
                 fmt::format("ALTER action {} cannot be performed on relation \"{}\"", commandName(kind), table.name))
      .detail(fmt::format("This operation is not supported for {}s.", kindName(table)));
}

}  // namespace gnomon::sql
