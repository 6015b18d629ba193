#include "sql/bind/standard_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/change_binder.h"
#include "sql/bind/insert_binder.h"
#include "sql/bind/merge_binder.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/stored_uses.h"
#include "sql/bound_statement.h"
#include "sql/catalog/search_path.h"
#include "sql/parse/ast_statement.h"

namespace gnomon::sql {
namespace {

/// Statements that are bound before they are refused.
bool isAnalysed(const ast::Statement& statement) {
  const auto& body = statement.body;
  return std::holds_alternative<ast::Explain>(body) || std::holds_alternative<ast::CreateTableAs>(body) ||
         std::holds_alternative<ast::DeclareCursor>(body) || std::holds_alternative<ast::Call>(body);
}

/// Makes what is stored of the statements, one after the other.
class BodyWriter {
 public:
  BodyWriter(BindContext& context, const RoutineEntry& routine)
      : context_(context), routine_(routine), inputs_(inputsOf(routine)) {}

  void add(const ast::BodyStatement& statement) {
    const std::vector<ParsedStatement> parsed = parse(statement.text);
    CHECK(parsed.size() == 1, "one statement is written out");
    context_.text = statement.text;
    BindState own(context_);
    const RoutineFrame frame{&routine_, &inputs_};
    own.routine = &frame;
    const StoredText written(own);
    own.made_references = &references_;
    try {
      if (parsed.front().rejection) throw SqlError(*parsed.front().rejection);
      std::visit([&](const auto& node) { bindNode(own, node); }, parsed.front().tree->body);
    } catch (SqlError& error) {
      // As it was written, it was bound.
      if (error.state() == sqlstate::kFeatureNotSupported) throw error.dropPosition();
      throw SqlError(sqlstate::kFeatureNotSupported, "storing this statement is not supported").detail(error.message());
    }
    noteUses(own);
    statements_.append(statements_.empty() ? "" : ";\n").append(written.write(statement.text));
  }

  [[nodiscard]] std::string statements() const { return references_.with(statements_); }
  [[nodiscard]] const std::vector<ViewEntry::Use>& uses() const { return uses_; }
  [[nodiscard]] const std::vector<TablePtr>& tables() const { return tables_; }

 private:
  static void bindNode(BindState& own, const ast::QueryPtr& query) {
    own.top_with = &query->with;
    QueryBinder(own).bind(*query);
  }
  static void bindNode(BindState& own, const ast::Insert& insert) {
    own.top_with = &insert.with;
    InsertBinder(own).bind(insert);
  }
  static void bindNode(BindState& own, const ast::Update& update) {
    own.top_with = &update.with;
    ChangeBinder(own).bind(update);
  }
  static void bindNode(BindState& own, const ast::Delete& node) {
    own.top_with = &node.with;
    ChangeBinder(own).bind(node);
  }
  static void bindNode(BindState& own, const ast::Merge& merge) {
    own.top_with = &merge.with;
    MergeBinder(own).bind(merge);
  }
  template <typename Other>
  static void bindNode(BindState& /*own*/, const Other& /*other*/) {
    throwNotSupported("such a statement in a body");
  }

  /// Names, and columns that are mentioned.
  void noteUses(const BindState& own) {
    const auto isOwn = [&own](uint32_t oid) { return own.own_tables.contains(oid); };
    addNamedUses(own, uses_);
    for (const TablePtr& table : own.tables)
      if (isOwn(table->oid) && std::ranges::find(tables_, table->oid, &TableEntry::oid) == tables_.end())
        tables_.push_back(table);
    own.access.forEachOwnColumn([&](const TableEntry& table, uint32_t column) {
      if (isOwn(table.oid) && column < table.columns.size()) addUse(uses_, {table.oid, column});
    });
  }

  BindContext& context_;
  const RoutineEntry& routine_;
  const std::vector<ExpressionPtr> inputs_;
  StoredReferences references_;
  std::string statements_;
  std::vector<ViewEntry::Use> uses_;
  std::vector<TablePtr> tables_;
};

}  // namespace

std::vector<ExpressionPtr> inputsOf(const RoutineEntry& routine) {
  std::vector<ExpressionPtr> inputs;
  for (const RoutineEntry::Parameter* each : routine.inputs()) {
    auto input = std::make_unique<Expression>();
    input->kind = Expression::Kind::Parameter;
    input->parameter = static_cast<uint32_t>(inputs.size());
    input->type = each->type;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

BodyText::BodyText(const RoutineEntry& routine) : text_(routine.body) {
  if (!StoredBody::isOne(routine)) return;
  stored_ = StoredBody::of(routine);
  references_.emplace(stored_->statements);
}

StoredBody bindStandardBody(BindState& state, const ast::StandardBody& body, const RoutineEntry& routine,
                            std::vector<TablePtr>& used) {
  BindContext context = state.context;
  const auto entry = std::make_shared<TableEntry>();
  entry->routine = std::make_shared<const RoutineEntry>(routine);
  context.routine = entry;
  context.parameter_types.clear();
  for (const RoutineEntry::Parameter* input : routine.inputs()) {
    if (input->type.isPolymorphic())
      throw SqlError(SqlState("42P13"), "SQL function with unquoted function body cannot have polymorphic arguments");
    context.parameter_types.push_back(input->type);
  }
  StoredBody result;
  result.is_atomic = body.is_atomic;
  // As they were written, for the positions of errors.
  for (const ast::BodyStatement& statement : body.statements) {
    const bool is_other = !statement.command.empty();
    if (!is_other || (statement.parsed.tree && isAnalysed(*statement.parsed.tree))) bind(statement.parsed, context);
    if (is_other)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("{} is not yet supported in unquoted SQL function body", statement.command));
  }
  context.routine = {};
  BodyWriter writer(context, *entry->routine);
  for (uint32_t i = 0; i < body.statements.size(); ++i) {
    if (body.statements[i].is_return) result.returns.push_back(i);
    writer.add(body.statements[i]);
  }
  for (const TablePtr& table : writer.tables()) {
    if (table->is_temporary) throwNotSupported("a body that uses temporary relations, types or functions");
    used.push_back(table);
  }
  result.uses = writer.uses();
  result.statements = writer.statements();
  return result;
}

}  // namespace gnomon::sql
