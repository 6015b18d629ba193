#include "server/extended_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/pgwire/message_body.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/domain_fields.h"
#include "sql/catalog/domain_tester.h"
#include "sql/catalog/user_types.h"
#include "sql/types/cast.h"
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

struct ParameterTypes {
  std::vector<sql::Type> types;
  std::vector<uint32_t> domains;
};

ParameterTypes takeParameterTypes(MessageBody& body) {
  ParameterTypes result;
  result.types.resize(body.takeNumber<uint16_t>());
  for (sql::Type& type : result.types) {
    const auto oid = body.takeNumber<uint32_t>();
    uint32_t domain = 0;
    if (oid != 0 && !sql::typeFromOid(oid, type) && !sql::userTypeFromOid(oid, type, domain))
      throwNotSupported(fmt::format("a parameter of the type with OID {}", oid));
    result.domains.push_back(domain);
    // The modifier of what is below a domain is applied where values come in.
    if (domain != 0 && type.modifier() != -1) type = sql::Type::of(type.kind);
  }
  return result;
}

[[noreturn, gnu::cold]] void raiseUnsupportedFormat(int16_t format) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unsupported format code: {}", format));
}

void checkFormat(int16_t format) {
  if (format != 0 && format != 1) raiseUnsupportedFormat(format);
}

/// `domain`: of an array what its elements have to do with a domain (sql::domainOid()).
sql::Value takeParameter(MessageBody& body, sql::Type type, int16_t format, unsigned number, uint32_t domain = 0) {
  const auto bytes = body.takeNumber<int32_t>();
  if (bytes == -1) return sql::Value::null(type);
  if (bytes < 0) throw SqlError(sqlstate::kProtocolViolation, "invalid message format");
  const std::string_view value = body.takeBytes(static_cast<size_t>(bytes));
  checkFormat(format);
  if (format == 1 && domain != 0 && type.isArray())
    return sql::parseBinary(type, sql::withoutElementDomain(value, domain, type.element()), number);
  if (format == 1 && !type.isString()) return sql::parseBinary(type, value, number);
  sql::checkUtf8(value);
  return format == 1 ? sql::parseBinary(type, value, number) : sql::parseText(type, value);
}

/// One of a domain, or an array of such. Failure: also XX000 where it is gone.
sql::Value takeDomain(MessageBody& body, uint32_t domain, sql::Type type, int16_t format, unsigned number) {
  sql::Type below;
  uint32_t found = 0;
  if (!sql::userTypeFromOid(domain, below, found))
    throw SqlError(sqlstate::kInternalError, fmt::format("cache lookup failed for type {}", domain));
  const sql::Value value = sql::castValue(takeParameter(body, type, format, number, domain), below, false);
  sql::catalogSession()->domains->require(value, domain);
  return sql::castValue(value, type, false);
}

/// Says of a portal that it runs.
class RunningMark {
 public:
  explicit RunningMark(BoundPortal& place) : place_(place) { place.is_running = true; }
  ~RunningMark() { place_.is_running = false; }
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;

 private:
  BoundPortal& place_;
};

[[noreturn]] void raiseUnknownPortal(std::string_view name) {
  throw SqlError(sqlstate::kInvalidCursorName, fmt::format("portal \"{}\" does not exist", name));
}

}  // namespace

PreparedStatement& ExtendedQuery::findStatement(std::string_view name) {
  PreparedStatement& found = session_.statements.find(name);
  if (text_ != found.text) text_ = found.text;
  return found;
}

void ExtendedQuery::parse(std::string_view message) {
  MessageBody body(message);
  const std::string name(body.takeString());
  auto text = std::make_shared<const std::string>(body.takeString());
  text_ = text;
  session_.status.beginQuery(text);
  ParameterTypes parameters = takeParameterTypes(body);
  body.finish();
  sql::checkUtf8(*text);
  session_.transaction.beginStatement();
  std::vector<sql::ParsedStatement> parsed = sql::parse(*text);
  if (parsed.empty() || !endsFailedBlock(parsed[0])) session_.transaction.requireUsable();
  if (parsed.size() > 1)
    throw SqlError(sqlstate::kSyntaxError, "cannot insert multiple commands into a prepared statement");
  session_.statements.requireFree(name);
  PreparedStatement statement{.text = text, .statement = nullptr};
  if (!parsed.empty()) {
    StatementSource source{.text = std::move(text),
                           .parsed = std::move(parsed[0]),
                           .parameter_types = std::move(parameters.types),
                           .parameter_domains = std::move(parameters.domains),
                           .is_whole_text = true};
    statement.fresh = Planner(session_).bind(source);
    statement.statement = std::make_shared<DescribedStatement>(std::move(source), statement.fresh,
                                                               resultShape(session_, *statement.fresh));
    statement.statement->has_name = !name.empty();
  }
  session_.statements.add(name, std::move(statement));
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
  session_.statements.revalidate(statement);
  ++statement.execution_count;
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
  BoundPortal& place = session_.portals.make(portal_name);
  try {
    bindPlace(place, statement, body, parameter_formats, parameter_count);
  } catch (...) {
    session_.portals.erase(portal_name);
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
  for (size_t i = 0; i < parameter_count; ++i) {
    const sql::Type type = described->bound->parameters[i];
    const uint32_t domain = described->domainOfParameter(i);
    const auto number = static_cast<unsigned>(i + 1);
    source.parameters.push_back(domain == 0 ? takeParameter(body, type, parameter_formats.of(i), number)
                                            : takeDomain(body, domain, type, parameter_formats.of(i), number));
  }
  const Formats result_formats(body);
  body.finish();
  const size_t columns = described ? described->columns().size() : 0;
  if (result_formats.count() > 1 && result_formats.count() != columns)
    throw SqlError(
        sqlstate::kProtocolViolation,
        fmt::format("bind message has {} result formats but query has {} columns", result_formats.count(), columns));
  source.format.column_formats.resize(columns);
  for (size_t i = 0; i < columns; ++i) source.format.column_formats[i] = result_formats.of(i);
  place.number = session_.transaction.numberPortal();
  place.bound_us = session_.status.queryBegunUs();
  if (!described) return;
  place.portal.emplace(session_, source, std::move(statement.fresh));
  statement.fresh = nullptr;
  // What a block does later, a portal does not see.
  if (session_.transaction.isInBlock()) place.portal->begin();
}

void ExtendedQuery::describeStatement(const PreparedStatement& statement) {
  MessageWriter& writer = session_.writer;
  const DescribedStatement* const described = statement.statement.get();
  writer.begin('t');
  if (!described) {
    writer.putNumber(int16_t{0});
  } else {
    writer.putNumber(static_cast<uint16_t>(described->bound->parameters.size()));
    for (size_t i = 0; i < described->bound->parameters.size(); ++i) writer.putNumber(described->oidOfParameter(i));
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
  BoundPortal* const found = session_.portals.find(name);
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

std::optional<SqlError> ExtendedQuery::execute(std::string_view message) {
  MessageBody body(message);
  const std::string_view name = body.takeString();
  const auto row_limit = body.takeNumber<int32_t>();
  body.finish();
  session_.transaction.beginStatement();
  BoundPortal* const found = session_.portals.find(name);
  requireUsable(found && found->portal ? found->source.statement.get() : nullptr);
  if (!found) raiseUnknownPortal(name);
  if (!found->portal) {
    session_.writer.putEmpty('I');
    return std::nullopt;
  }
  Portal& portal = *found->portal;
  for (int16_t format : portal.formats()) checkFormat(format);
  if (text_ != portal.text()) text_ = portal.text();
  if (session_.status.state() != SessionStatus::State::Active) session_.status.beginQuery(text_);
  session_.transaction.setPlace(false, false);
  const uint64_t rows_max = row_limit > 0 ? static_cast<uint64_t>(row_limit) : 0;
  std::optional<SqlError> failure;
  if (found->cursor) {
    executeCursor(*found, rows_max);
    return failure;
  }
  const RunningMark running(*found);
  portal.execute(rows_max, false, &failure);
  return failure;
}

/// A portal that somebody has gone through by name, or that DECLARE made.
void ExtendedQuery::executeCursor(BoundPortal& place, uint64_t row_limit) {
  ClientRows client(session_.writer);
  const sql::FetchStatement next{.cursor = {},
                                 .count = row_limit == 0 ? sql::FetchStatement::kAll : static_cast<int64_t>(row_limit)};
  const uint64_t count = place.cursor->fetch(next, client);
  if (!place.cursor->isAtEnd()) return session_.writer.putEmpty('s');
  writeCommandComplete(session_.writer, "SELECT", count);
}

void ExtendedQuery::close(std::string_view message) {
  MessageBody body(message);
  const char kind = body.takeNumber<char>();
  const std::string name(body.takeString());
  body.finish();
  if (kind == 'S') {
    session_.statements.drop(name);
  } else if (kind == 'P') {
    session_.portals.erase(name);
  } else {
    throw SqlError(sqlstate::kProtocolViolation,
                   fmt::format("invalid CLOSE message subtype {}", static_cast<int>(kind)));
  }
  session_.writer.putEmpty('3');
}

void ExtendedQuery::endSomePortals() {
  SessionTransaction& transaction = session_.transaction;
  if (transaction.endCount() != transactions_ended_)
    session_.portals.endTransaction();
  else
    session_.portals.eraseAfter(transaction.lastPortalKept());
  transaction.forgetPortals();
  transactions_ended_ = transaction.endCount();
}

void ExtendedQuery::closeUnnamed() {
  session_.statements.drop(std::string_view());
}

}  // namespace gnomon::server
