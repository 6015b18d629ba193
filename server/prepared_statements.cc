#include "server/prepared_statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/copy/default_values.h"
#include "sql/bind/session_binder.h"
#include "sql/parse/inner_statement.h"

namespace gnomon::server {

PreparedStatement& PreparedStatements::find(std::string_view name) {
  // Mostly the same as the last time.
  if (last_found_ == statements_.end() || last_found_->first != name) last_found_ = statements_.find(name);
  if (last_found_ != statements_.end()) [[likely]]
    return last_found_->second;
  if (name.empty()) throw SqlError(sqlstate::kInvalidSqlStatementName, "unnamed prepared statement does not exist");
  throw SqlError(sqlstate::kInvalidSqlStatementName, fmt::format("prepared statement \"{}\" does not exist", name));
}

const PreparedStatement* PreparedStatements::peek(std::string_view name) const {
  const auto found = statements_.find(name);
  return found != statements_.end() ? &found->second : nullptr;
}

void PreparedStatements::requireFree(std::string_view name) {
  if (name.empty()) return drop(name);
  if (statements_.contains(name))
    throw SqlError(sqlstate::kDuplicatePreparedStatement,
                   fmt::format("prepared statement \"{}\" already exists", name));
}

void PreparedStatements::add(const std::string& name, PreparedStatement statement) {
  statement.prepared_us = session_.status.queryBegunUs();
  if (!statement.shown_text) statement.shown_text = statement.text;
  statements_.insert_or_assign(name, std::move(statement));
}

StatementSource innerStatement(const StatementSource& source, std::vector<sql::Type> types) {
  const sql::ParsedStatement& outer = source.parsed;
  auto text = std::make_shared<std::string>(source.text->substr(0, outer.offset + outer.length));
  const size_t begin = outer.offset + sql::innerStatementBegin(std::string_view(*text).substr(outer.offset));
  std::fill_n(text->begin(), begin, ' ');
  StatementSource inner;
  inner.parsed = sql::parse(*text).at(0);
  inner.text = std::move(text);
  inner.parameter_types = std::move(types);
  inner.is_whole_text = true;
  return inner;
}

void PreparedStatements::prepare(const sql::PrepareStatement& prepare, const StatementSource& source) {
  StatementSource inner = innerStatement(source, prepare.types);
  inner.parameter_domains = sql::parameterDomains(source.parsed);
  std::shared_ptr<sql::BoundStatement> bound = Planner(session_).bind(inner);
  requireFree(prepare.name);
  PreparedStatement prepared{.text = source.text, .statement = nullptr};
  prepared.statement = std::make_shared<DescribedStatement>(std::move(inner), bound, resultShape(session_, *bound));
  prepared.statement->has_name = true;
  prepared.fresh = std::move(bound);
  prepared.is_from_sql = true;
  add(prepare.name, std::move(prepared));
}

void PreparedStatements::drop(std::string_view name) {
  drop(statements_.find(name));
}

void PreparedStatements::drop(Statements::iterator statement) {
  if (statement == statements_.end()) return;
  const DescribedStatement* const described = statement->second.statement.get();
  if (described && described->kept.query) session_.parked.forget(described->kept.query.get());
  statements_.erase(statement);
  last_found_ = statements_.end();
}

void PreparedStatements::clear() {
  statements_.clear();
  last_found_ = statements_.end();
  session_.parked.forget(nullptr);
}

void PreparedStatements::forgetPlans() {
  for (auto& [name, statement] : statements_)
    if (statement.statement) statement.statement->kept = {};
  session_.parked.forget(nullptr);
}

void PreparedStatements::revalidate(PreparedStatement& statement) const {
  if (!statement.statement) return;
  const DescribedStatement& known = *statement.statement;
  const Planner planner(session_);
  if (known.asks_session) {
    const ResultShape shape = resultShape(session_, *known.bound);
    if (shape.returns_rows == known.returns_rows &&
        std::ranges::equal(shape.columns, known.columns(), &ResultColumn::looksLike))
      return;
    statement.statement = std::make_shared<DescribedStatement>(known.source, known.bound, shape);
    return;
  }
  // What the own transaction defines is in no version of the catalog.
  const uint64_t version = session_.transaction.catalog().isEmpty() ? session_.server.catalog.version() : 0;
  if (version != 0 && version == statement.catalog_version) return;
  statement.catalog_version = 0;
  if (planner.isCurrent(*known.bound) && planner.isAllowed(*known.bound)) {
    statement.catalog_version = version;
    return;
  }
  std::shared_ptr<sql::BoundStatement> bound = planner.bind(known.source);
  auto described = std::make_shared<DescribedStatement>(known.source, bound, resultShape(session_, *bound));
  if (!std::ranges::equal(described->columns(), known.columns(), &ResultColumn::looksLike))
    throw SqlError(sqlstate::kFeatureNotSupported, "cached plan must not change result type");
  described->has_name = known.has_name;
  if (known.kept.query) session_.parked.forget(known.kept.query.get());
  statement.statement = std::move(described);
  statement.fresh = std::move(bound);
}

PortalSource PreparedStatements::sourceOf(const sql::ExecuteStatement& execute, const StatementSource& source,
                                          const codegen::OutputFormat& format,
                                          std::shared_ptr<sql::BoundStatement>& fresh) {
  PreparedStatement& prepared = find(execute.name);
  if (!prepared.statement)
    throw SqlError(sqlstate::kInvalidSqlStatementName, "EXECUTE does not support variable-result cached plans");
  revalidate(prepared);
  ++prepared.execution_count;
  PortalSource result{.statement = prepared.statement, .parameters = {}, .format = format, .is_of_execute = true};
  const std::vector<sql::Type>& types = prepared.statement->bound->parameters;
  sql::BindContext context = Planner(session_).bindContext(source, {});
  const std::vector<uint32_t>& domains = prepared.statement->source.parameter_domains;
  for (const sql::ExpressionPtr& argument : sql::bindArguments(source.parsed, types, domains, context))
    result.parameters.push_back(evaluateOnce(session_, *argument));
  if (execute.use != sql::ExecuteStatement::Use::Run)
    result.statement = inPlaceOfExecute(execute, source, *prepared.statement, fresh);
  else
    fresh = std::move(prepared.fresh);
  return result;
}

/// EXPLAIN or CREATE TABLE ... AS of the prepared statement itself.
std::shared_ptr<DescribedStatement> PreparedStatements::inPlaceOfExecute(
    const sql::ExecuteStatement& execute, const StatementSource& source, const DescribedStatement& prepared,
    std::shared_ptr<sql::BoundStatement>& fresh) const {
  if (execute.use == sql::ExecuteStatement::Use::CreateTable && prepared.bound->command != "SELECT")
    throw SqlError(sqlstate::kWrongObjectType, "prepared statement is not a SELECT");
  const auto textOf = [](const StatementSource& statement) {
    return std::string_view(*statement.text).substr(statement.parsed.offset, statement.parsed.length);
  };
  StatementSource replaced;
  replaced.text =
      std::make_shared<const std::string>(sql::withQueryForExecute(textOf(source), textOf(prepared.source)));
  replaced.parsed = sql::parse(*replaced.text).at(0);
  replaced.parameter_types = prepared.bound->parameters;
  replaced.is_whole_text = true;
  fresh = Planner(session_).bind(replaced);
  return std::make_shared<DescribedStatement>(std::move(replaced), fresh, resultShape(session_, *fresh));
}

void PreparedStatements::forEach(
    const std::function<void(const std::string& name, const PreparedStatement&)>& visit) const {
  for (const auto& [name, statement] : statements_)
    if (!name.empty()) visit(name, statement);
}

}  // namespace gnomon::server
