#include "server/extended_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/pgwire/message_body.h"
#include "sql/types/text.h"
#include "sql/types/text_io.h"

namespace gnomon::server {

/// The formats of a message's values, read where they stand in it.
class ExtendedQuery::Formats {
 public:
  explicit Formats(MessageBody& body)
      : count_(body.takeNumber<uint16_t>()), codes_(body.takeBytes(count_ * sizeof(int16_t))) {}
  [[nodiscard]] size_t count() const { return count_; }
  /// None given is text, one is for all.
  [[nodiscard]] int16_t of(size_t value) const {
    if (count_ == 0) return 0;
    return readBigEndian<int16_t>(codes_.data() + (count_ == 1 ? 0 : value * sizeof(int16_t)));
  }

 private:
  size_t count_;
  std::string_view codes_;
};

namespace {

std::vector<sql::Type> takeParameterTypes(MessageBody& body) {
  std::vector<sql::Type> types(body.takeNumber<uint16_t>());
  for (sql::Type& type : types) {
    const auto oid = body.takeNumber<uint32_t>();
    if (oid != 0 && !sql::typeFromOid(oid, type))
      throwNotSupported(fmt::format("a parameter of the type with OID {}", oid));
  }
  return types;
}

[[noreturn, gnu::cold]] void raiseUnsupportedFormat(int16_t format) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unsupported format code: {}", format));
}

void checkFormat(int16_t format) {
  if (format != 0 && format != 1) raiseUnsupportedFormat(format);
}

sql::Value takeParameter(MessageBody& body, sql::Type type, int16_t format, unsigned number) {
  const auto bytes = body.takeNumber<int32_t>();
  if (bytes == -1) return sql::Value::null(type);
  if (bytes < 0) throw SqlError(sqlstate::kProtocolViolation, "invalid message format");
  const std::string_view value = body.takeBytes(static_cast<size_t>(bytes));
  checkFormat(format);
  if (format == 1 && !type.isString()) return sql::parseBinary(type, value, number);
  sql::checkUtf8(value);
  return format == 1 ? sql::parseBinary(type, value, number) : sql::parseText(type, value);
}

[[noreturn]] void raiseUnknownPortal(std::string_view name) {
  throw SqlError(sqlstate::kInvalidCursorName, fmt::format("portal \"{}\" does not exist", name));
}

}  // namespace

PreparedStatement& ExtendedQuery::findStatement(std::string_view name) {
  // Mostly the same as the last time.
  if (last_found_ == statements_.end() || last_found_->first != name) last_found_ = statements_.find(name);
  if (last_found_ != statements_.end()) [[likely]] {
    PreparedStatement& found = last_found_->second;
    if (text_ != found.text) text_ = found.text;
    return found;
  }
  if (name.empty()) throw SqlError(sqlstate::kInvalidSqlStatementName, "unnamed prepared statement does not exist");
  throw SqlError(sqlstate::kInvalidSqlStatementName, fmt::format("prepared statement \"{}\" does not exist", name));
}

void ExtendedQuery::parse(std::string_view message) {
  MessageBody body(message);
  const std::string name(body.takeString());
  auto text = std::make_shared<const std::string>(body.takeString());
  text_ = text;
  session_.status.beginQuery(text);
  std::vector<sql::Type> types = takeParameterTypes(body);
  body.finish();
  sql::checkUtf8(*text);
  session_.transaction.beginStatement();
  std::vector<sql::ParsedStatement> parsed = sql::parse(*text);
  if (parsed.empty() || !endsFailedBlock(parsed[0])) session_.transaction.requireUsable();
  if (parsed.size() > 1)
    throw SqlError(sqlstate::kSyntaxError, "cannot insert multiple commands into a prepared statement");
  if (name.empty()) {
    closeUnnamed();
  } else if (statements_.contains(name)) {
    throw SqlError(sqlstate::kDuplicatePreparedStatement,
                   fmt::format("prepared statement \"{}\" already exists", name));
  }
  PreparedStatement statement{
      .text = text, .statement = nullptr, .fresh = nullptr, .catalog_version = 0, .deallocate = {}};
  if (!parsed.empty())
    statement.deallocate = readDeallocate(std::string_view(*text_).substr(parsed[0].offset, parsed[0].length));
  if (!parsed.empty() && !statement.deallocate) {
    StatementSource source{.text = std::move(text),
                           .parsed = std::move(parsed[0]),
                           .parameter_types = std::move(types),
                           .is_whole_text = true};
    statement.fresh = Planner(session_).bind(source);
    statement.statement = std::make_shared<DescribedStatement>(std::move(source), statement.fresh);
    statement.statement->has_name = !name.empty();
  }
  statements_.insert_or_assign(name, std::move(statement));
  session_.writer.putEmpty('1');
}

void ExtendedQuery::bind(std::string_view message) {
  MessageBody body(message);
  const std::string_view portal_name = body.takeString();
  const std::string_view statement_name = body.takeString();
  session_.transaction.beginStatement();
  PreparedStatement& statement = findStatement(statement_name);
  session_.status.beginQuery(statement.text);
  requireUsable(statement.statement.get());
  revalidate(statement);
  const DescribedStatement* const described = statement.statement.get();
  const Formats parameter_formats(body);
  const size_t parameter_count = body.takeNumber<uint16_t>();
  if (parameter_formats.count() > 1 && parameter_formats.count() != parameter_count)
    throw SqlError(sqlstate::kProtocolViolation, fmt::format("bind message has {} parameter formats but {} parameters",
                                                             parameter_formats.count(), parameter_count));
  const size_t wanted = described ? described->bound->parameters.size() : 0;
  if (parameter_count != wanted)
    throw SqlError(sqlstate::kProtocolViolation,
                   fmt::format("bind message supplies {} parameters, but prepared statement \"{}\" requires {}",
                               parameter_count, statement_name, wanted));
  BoundPortal& place = portals_.make(portal_name);
  try {
    bindPlace(place, statement, body, parameter_formats, parameter_count);
  } catch (...) {
    portals_.erase(portal_name);
    throw;
  }
  session_.writer.putEmpty('2');
}

/// Reads the parameters' values and the formats of the result.
void ExtendedQuery::bindPlace(BoundPortal& place, PreparedStatement& statement, MessageBody& body,
                              const Formats& parameter_formats, size_t parameter_count) {
  PortalSource& source = place.source;
  if (source.statement != statement.statement) source.statement = statement.statement;
  DescribedStatement* const described = source.statement.get();
  for (size_t i = 0; i < parameter_count; ++i)
    source.parameters.push_back(
        takeParameter(body, described->bound->parameters[i], parameter_formats.of(i), static_cast<unsigned>(i + 1)));
  const Formats result_formats(body);
  body.finish();
  const size_t columns = described ? described->columns().size() : 0;
  if (result_formats.count() > 1 && result_formats.count() != columns)
    throw SqlError(
        sqlstate::kProtocolViolation,
        fmt::format("bind message has {} result formats but query has {} columns", result_formats.count(), columns));
  source.format.column_formats.resize(columns);
  for (size_t i = 0; i < columns; ++i) source.format.column_formats[i] = result_formats.of(i);
  if (statement.deallocate) place.deallocate = statement.deallocate;
  place.number = session_.transaction.numberPortal();
  if (!described) return;
  place.portal.emplace(session_, source, std::move(statement.fresh));
  statement.fresh = nullptr;
  // What a block does later, a portal does not see.
  if (session_.transaction.isInBlock()) place.portal->begin();
}

void ExtendedQuery::revalidate(PreparedStatement& statement) const {
  if (!statement.statement) return;
  const DescribedStatement& known = *statement.statement;
  // What the own transaction defines is in no version of the catalog.
  const uint64_t version = session_.transaction.catalog().isEmpty() ? session_.server.catalog.version() : 0;
  if (version != 0 && version == statement.catalog_version) return;
  const Planner planner(session_);
  statement.catalog_version = 0;
  if (planner.isCurrent(*known.bound)) {
    statement.catalog_version = version;
    return;
  }
  std::shared_ptr<sql::BoundStatement> bound = planner.bind(known.source);
  auto described = std::make_shared<DescribedStatement>(known.source, bound);
  if (!std::ranges::equal(described->columns(), known.columns(), &ResultColumn::looksLike))
    throw SqlError(sqlstate::kFeatureNotSupported, "cached plan must not change result type");
  described->has_name = known.has_name;
  if (known.kept.query) session_.parked.forget(known.kept.query.get());
  statement.statement = std::move(described);
  statement.fresh = std::move(bound);
}

void ExtendedQuery::describeStatement(const PreparedStatement& statement) {
  MessageWriter& writer = session_.writer;
  const DescribedStatement* const described = statement.statement.get();
  writer.begin('t');
  if (!described) {
    writer.putNumber(int16_t{0});
  } else {
    writer.putNumber(static_cast<uint16_t>(described->bound->parameters.size()));
    for (const sql::Type& type : described->bound->parameters) writer.putNumber(type.oid());
  }
  writer.end();
  if (described && described->returns_rows) {
    writeRowDescription(writer, described->columns(), {});
  } else {
    writer.putEmpty('n');
  }
}

void ExtendedQuery::describe(std::string_view message) {
  MessageBody body(message);
  const char kind = body.takeNumber<char>();
  const std::string_view name = body.takeString();
  body.finish();
  if (kind == 'S') {
    const PreparedStatement& statement = findStatement(name);
    if (statement.statement && statement.statement->returns_rows) session_.transaction.requireUsable();
    return describeStatement(statement);
  }
  if (kind != 'P')
    throw SqlError(sqlstate::kProtocolViolation,
                   fmt::format("invalid DESCRIBE message subtype {}", static_cast<int>(kind)));
  BoundPortal* const found = portals_.find(name);
  if (!found) raiseUnknownPortal(name);
  if (found->portal && found->portal->returnsRows())
    found->portal->describe();
  else
    session_.writer.putEmpty('n');
}

void ExtendedQuery::requireUsable(const DescribedStatement* statement) const {
  const bool is_failed = session_.transaction.state() == SessionTransaction::State::Failed;
  if (is_failed && (!statement || !endsFailedBlock(*statement->bound))) session_.transaction.requireUsable();
}

void ExtendedQuery::execute(std::string_view message) {
  MessageBody body(message);
  const std::string_view name = body.takeString();
  const auto row_limit = body.takeNumber<int32_t>();
  body.finish();
  session_.transaction.beginStatement();
  BoundPortal* const found = portals_.find(name);
  requireUsable(found && found->portal ? found->source.statement.get() : nullptr);
  if (!found) raiseUnknownPortal(name);
  if (found->deallocate) return deallocate(*found->deallocate);
  if (!found->portal) return session_.writer.putEmpty('I');
  Portal& portal = *found->portal;
  for (int16_t format : portal.formats()) checkFormat(format);
  if (text_ != portal.text()) text_ = portal.text();
  if (session_.status.state() != SessionStatus::State::Active) session_.status.beginQuery(text_);
  session_.transaction.setPlace(false, false);
  portal.execute(row_limit > 0 ? static_cast<uint64_t>(row_limit) : 0, false);
}

void ExtendedQuery::close(std::string_view message) {
  MessageBody body(message);
  const char kind = body.takeNumber<char>();
  const std::string name(body.takeString());
  body.finish();
  if (kind == 'S') {
    drop(statements_.find(name));
  } else if (kind == 'P') {
    portals_.erase(name);
  } else {
    throw SqlError(sqlstate::kProtocolViolation,
                   fmt::format("invalid CLOSE message subtype {}", static_cast<int>(kind)));
  }
  session_.writer.putEmpty('3');
}

void ExtendedQuery::endSomePortals() {
  SessionTransaction& transaction = session_.transaction;
  if (transaction.endCount() != transactions_ended_)
    portals_.clear();
  else
    portals_.eraseAfter(transaction.lastPortalKept());
  transaction.forgetPortals();
  transactions_ended_ = transaction.endCount();
}

void ExtendedQuery::deallocate(const Deallocate& statement) {
  if (statement.name.empty()) {
    statements_.clear();
    last_found_ = statements_.end();
    session_.parked.forget(nullptr);
    return writeCommandComplete(session_.writer, "DEALLOCATE ALL");
  }
  findStatement(statement.name);
  drop(statements_.find(statement.name));
  writeCommandComplete(session_.writer, "DEALLOCATE");
}

void ExtendedQuery::closeUnnamed() {
  drop(statements_.find(std::string_view()));
}

void ExtendedQuery::drop(Statements::iterator statement) {
  if (statement == statements_.end()) return;
  const DescribedStatement* const described = statement->second.statement.get();
  if (described && described->kept.query) session_.parked.forget(described->kept.query.get());
  statements_.erase(statement);
  last_found_ = statements_.end();
}

}  // namespace gnomon::server
