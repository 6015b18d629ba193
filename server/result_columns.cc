#include "server/result_columns.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <limits>

#include "base/settings.h"
#include "sql/catalog/catalog_session.h"

namespace gnomon::server {
namespace {

ResultColumn textColumn(std::string name) {
  return {std::move(name), 0, 0, sql::Type::of(sql::TypeKind::Text)};
}

std::vector<ResultColumn> outputColumns(const sql::Plan& plan) {
  std::vector<ResultColumn> columns;
  if (plan.root->kind != sql::Operator::Kind::Output) return columns;
  const auto& output = static_cast<const sql::Output&>(*plan.root);
  for (const sql::Output::Column& column : std::span(output.columns).first(output.shownCount()))
    columns.push_back({column.name, column.table_oid, column.attribute, column.iu->type});
  return columns;
}

}  // namespace

std::vector<ResultColumn> resultColumns(const sql::BoundStatement& statement) {
  if (const auto* query = std::get_if<sql::QueryStatement>(&statement.body)) return outputColumns(*query->plan);
  if (const auto* explain = std::get_if<sql::ExplainStatement>(&statement.body)) {
    ResultColumn column = textColumn("QUERY PLAN");
    if (explain->options.format == sql::ExplainOptions::Format::Json) column.type = sql::Type::of(sql::TypeKind::Json);
    return {std::move(column)};
  }
  if (std::holds_alternative<sql::ExplainRoutineStatement>(statement.body)) return {textColumn("QUERY PLAN")};
  if (const auto* execute = std::get_if<sql::ExecuteStatement>(&statement.body);
      execute != nullptr && execute->use == sql::ExecuteStatement::Use::Explain)
    return {textColumn("QUERY PLAN")};
  if (const auto* call = std::get_if<sql::CallStatement>(&statement.body)) {
    std::vector<ResultColumn> columns;
    for (const sql::RoutineEntry::Parameter* output : call->routine->routine->outputs())
      columns.push_back({.name = output->name.empty() ? fmt::format("column{}", columns.size() + 1) : output->name,
                         .type = output->type});
    return columns;
  }
  if (const auto* show = std::get_if<sql::ShowStatement>(&statement.body)) {
    if (show->name == "all") return {textColumn("name"), textColumn("setting"), textColumn("description")};
    return {textColumn(sql::requiredCatalogSession().settings.shownName(show->name))};
  }
  return {};
}

bool returnsRows(const sql::BoundStatement& statement) {
  if (const auto* query = std::get_if<sql::QueryStatement>(&statement.body))
    return query->plan->root->kind == sql::Operator::Kind::Output;
  if (const auto* execute = std::get_if<sql::ExecuteStatement>(&statement.body))
    return execute->use == sql::ExecuteStatement::Use::Explain;
  if (const auto* call = std::get_if<sql::CallStatement>(&statement.body)) return !call->outputs.empty();
  return std::holds_alternative<sql::ExplainStatement>(statement.body) ||
         std::holds_alternative<sql::ExplainRoutineStatement>(statement.body) ||
         std::holds_alternative<sql::ShowStatement>(statement.body);
}

bool isDefining(const sql::BoundStatement& statement) {
  const auto& body = statement.body;
  return std::holds_alternative<sql::CreateTableStatement>(body) ||
         std::holds_alternative<sql::CreateTableAsStatement>(body) ||
         std::holds_alternative<sql::CreateViewStatement>(body) ||
         std::holds_alternative<sql::RefreshViewStatement>(body) ||
         std::holds_alternative<sql::DropTableStatement>(body) ||
         std::holds_alternative<sql::CreateIndexStatement>(body) ||
         std::holds_alternative<sql::DropIndexStatement>(body) ||
         std::holds_alternative<sql::CreateSequenceStatement>(body) ||
         std::holds_alternative<sql::AlterSequenceStatement>(body) ||
         std::holds_alternative<sql::DropSequenceStatement>(body) ||
         std::holds_alternative<sql::CreateSchemaStatement>(body) ||
         std::holds_alternative<sql::AlterSchemaStatement>(body) ||
         std::holds_alternative<sql::DropSchemaStatement>(body) || std::holds_alternative<sql::MoveStatement>(body) ||
         std::holds_alternative<sql::CreateDatabaseStatement>(body) ||
         std::holds_alternative<sql::AlterDatabaseStatement>(body) ||
         std::holds_alternative<sql::DatabaseSettingStatement>(body) ||
         std::holds_alternative<sql::DropDatabaseStatement>(body) ||
         std::holds_alternative<sql::CommentStatement>(body) || std::holds_alternative<sql::ExtensionStatement>(body) ||
         std::holds_alternative<sql::DefineTypeStatement>(body) ||
         std::holds_alternative<sql::DropTypeStatement>(body) ||
         std::holds_alternative<sql::DefineRoutineStatement>(body) ||
         std::holds_alternative<sql::DropRoutineStatement>(body) ||
         std::holds_alternative<sql::DefineTriggersStatement>(body) ||
         std::holds_alternative<sql::AlterTableStatement>(body) ||
         std::holds_alternative<sql::PartitionStatement>(body) ||
         std::holds_alternative<sql::AttachIndexStatement>(body) ||
         std::holds_alternative<sql::CreateRoleStatement>(body) ||
         std::holds_alternative<sql::AlterRoleStatement>(body) ||
         std::holds_alternative<sql::RenameRoleStatement>(body) ||
         std::holds_alternative<sql::RoleSettingStatement>(body) ||
         std::holds_alternative<sql::DropRoleStatement>(body) ||
         std::holds_alternative<sql::GrantRoleStatement>(body) || std::holds_alternative<sql::GrantStatement>(body) ||
         std::holds_alternative<sql::DefaultPrivilegesStatement>(body) ||
         std::holds_alternative<sql::OwnerStatement>(body) || std::holds_alternative<sql::OwnedStatement>(body) ||
         std::holds_alternative<sql::TruncateStatement>(body);
}

void writeRowDescription(MessageWriter& writer, std::span<const ResultColumn> columns,
                         std::span<const int16_t> formats) {
  writer.begin('T');
  writer.putNumber(static_cast<int16_t>(columns.size()));
  for (size_t i = 0; i < columns.size(); ++i) {
    const ResultColumn& column = columns[i];
    writer.putString(column.name);
    writer.putNumber(column.table_oid);
    writer.putNumber(column.attribute);
    // An untyped literal goes to the client as text.
    const sql::Type type =
        column.type.kind == sql::TypeKind::Unknown ? sql::Type::of(sql::TypeKind::Text) : column.type;
    writer.putNumber(type.oid());
    writer.putNumber(type.wireLength());
    writer.putNumber(type.modifier());
    writer.putNumber(formats.empty() ? int16_t{0} : formats[i]);
  }
  writer.end();
}

void writeCommandComplete(MessageWriter& writer, std::string_view tag, std::optional<uint64_t> rows) {
  char behind[1 + std::numeric_limits<uint64_t>::digits10 + 1 + 1];
  char* end = behind;
  if (rows) {
    *end++ = ' ';
    end = std::to_chars(end, std::end(behind), *rows).ptr;
  }
  *end++ = '\0';
  writer.begin('C');
  writer.putBytes(tag);
  writer.putBytes({behind, end});
  writer.end();
}

void writeTextRow(MessageWriter& writer, std::span<const std::string> values) {
  writer.begin('D');
  writer.putNumber(static_cast<int16_t>(values.size()));
  for (const std::string& value : values) {
    writer.putNumber(static_cast<int32_t>(value.size()));
    writer.putBytes(value);
  }
  writer.end();
}

}  // namespace gnomon::server
