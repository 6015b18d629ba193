#include "server/large_object_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "server/described_statement.h"
#include "server/query_run.h"
#include "server/session_context.h"
#include "sql/catalog/stored_acl.h"
#include "sql/catalog/system_tables.h"
#include "sql/parse/parser.h"

namespace gnomon::server {
namespace {

sql::Value oidValue(uint32_t oid) {
  return sql::Value::fromInt(sql::Type::of(sql::TypeKind::Oid), oid);
}

sql::Value numberValue(int64_t number) {
  return sql::Value::fromInt(sql::Type::of(sql::TypeKind::Integer), number);
}

sql::Value bytesValue(std::string_view bytes) {
  return sql::Value::fromString(sql::Type::of(sql::TypeKind::Bytea), bytes);
}

sql::Value textValue(const std::optional<std::string>& text) {
  const sql::Type type = sql::Type::of(sql::TypeKind::Text);
  return text ? sql::Value::fromString(type, *text) : sql::Value::null(type);
}

}  // namespace

struct LargeObjectStore::Prepared {
  std::unique_ptr<DescribedStatement> statement;
  codegen::OutputFormat format;
};

LargeObjectStore::LargeObjectStore(SessionContext& session) : session_(session) {}
LargeObjectStore::~LargeObjectStore() = default;

std::string_view LargeObjectStore::textOf(Statement statement) {
  switch (statement) {
    case Statement::Find:
      return "select loid, lomowner, lomacl, comment from pg_catalog.pg_largeobject_owners where loid = $1::oid";
    case Statement::OfRole:
      return "select loid, lomowner, lomacl, comment from pg_catalog.pg_largeobject_owners "
             "where lomowner = $1::oid or lomacl is not null order by loid";
    case Statement::Add:
      return "insert into pg_catalog.pg_largeobject_owners (loid, lomowner) values ($1::oid, $2::oid)";
    case Statement::Remove:
      return "delete from pg_catalog.pg_largeobject_owners where loid = $1::oid";
    case Statement::Change:
      return "update pg_catalog.pg_largeobject_owners set lomowner = $2::oid, lomacl = $3::text, comment = $4::text "
             "where loid = $1::oid";
    case Statement::RemovePages:
      return "delete from pg_catalog.pg_largeobject_pages where loid = $1::oid and pageno >= $2::integer";
    case Statement::LastPage:
      return "select pageno, pg_catalog.length(data) from pg_catalog.pg_largeobject_pages where loid = $1::oid "
             "order by pageno desc limit 1";
    case Statement::Page:
      return "select data from pg_catalog.pg_largeobject_pages where loid = $1::oid and pageno = $2::integer";
    case Statement::Pages:
      return "select pageno, data from pg_catalog.pg_largeobject_pages where loid = $1::oid "
             "and pageno between $2::integer and $3::integer order by pageno";
    case Statement::AddPage:
      return "insert into pg_catalog.pg_largeobject_pages values ($1::oid, $2::integer, $3::bytea)";
    case Statement::ChangePage:
      return "update pg_catalog.pg_largeobject_pages set data = $3::bytea where loid = $1::oid and pageno = "
             "$2::integer";
    case Statement::Count:
      break;
  }
  return {};
}

LargeObjectStore::Prepared& LargeObjectStore::prepared(Statement statement) {
  std::unique_ptr<Prepared>& known = prepared_[static_cast<size_t>(statement)];
  if (known) return *known;
  auto text = std::make_shared<const std::string>(textOf(statement));
  // No plan is found by the text: users who write the same do not see these tables.
  StatementSource source{.text = text, .parsed = sql::parse(*text).at(0), .parameter_types = {}};
  const auto bound = Planner(session_).bind(source);
  auto made = std::make_unique<Prepared>();
  made->statement = std::make_unique<DescribedStatement>(std::move(source), bound);
  made->statement->has_name = true;
  made->format = valueFormat(made->statement->columns());
  known = std::move(made);
  return *known;
}

LargeObjectStore::Result LargeObjectStore::run(Statement statement, std::vector<sql::Value> parameters,
                                               const txn::Snapshot* seen) {
  const sql::SystemTableScope system_tables;
  Prepared& prepared = this->prepared(statement);
  const bool returns_rows = prepared.statement->returns_rows;
  if (!returns_rows) ++change_count_;
  ValueRows rows(returns_rows ? SIZE_MAX : 0);
  QueryRun run(session_, *prepared.statement, prepared.format, parameters, nullptr, seen);
  run.run(0, rows);
  Result result;
  if (returns_rows)
    result.rows = rows.take(prepared.statement->columns());
  else
    result.row_count = run.rowCount();
  return result;
}

LargeObject LargeObjectStore::objectOf(const ValueRow& row) {
  LargeObject object{.owner = static_cast<uint32_t>(row[1].lo), .acl = nullptr, .comment = row[3].bytes};
  if (!row[2].is_null) object.acl = std::make_shared<const sql::Acl>(sql::readStoredAcl(row[2].bytes));
  return object;
}

std::optional<LargeObject> LargeObjectStore::find(uint32_t oid, const txn::Snapshot* seen) {
  const Result found = run(Statement::Find, {oidValue(oid)}, seen);
  return found.rows.empty() ? std::nullopt : std::optional(objectOf(found.rows[0]));
}

std::vector<std::pair<uint32_t, LargeObject>> LargeObjectStore::ofRole(uint32_t role) {
  std::vector<std::pair<uint32_t, LargeObject>> result;
  for (const ValueRow& row : run(Statement::OfRole, {oidValue(role)}).rows) {
    LargeObject object = objectOf(row);
    const bool is_in = object.acl && std::ranges::any_of(*object.acl, [role](const sql::AclItem& item) {
                         return item.grantee == role || item.grantor == role;
                       });
    if (object.owner == role || is_in) result.emplace_back(static_cast<uint32_t>(row[0].lo), std::move(object));
  }
  return result;
}

void LargeObjectStore::add(uint32_t oid, uint32_t owner) {
  try {
    run(Statement::Add, {oidValue(oid), oidValue(owner)});
  } catch (const SqlError& error) {
    if (!(error.state() == sqlstate::kUniqueViolation)) throw;
    throw SqlError(sqlstate::kUniqueViolation,
                   fmt::format("duplicate key value violates unique constraint \"{}\"", sql::kLargeObjectsIndex))
        .detail(fmt::format("Key (oid)=({}) already exists.", oid))
        .table(std::string(sql::kCatalogSchema), "pg_largeobject_metadata")
        .constraint(sql::kLargeObjectsIndex);
  }
}

bool LargeObjectStore::remove(uint32_t oid) {
  if (run(Statement::Remove, {oidValue(oid)}).row_count == 0) return false;
  run(Statement::RemovePages, {oidValue(oid), numberValue(0)});
  return true;
}

void LargeObjectStore::change(uint32_t oid, const LargeObject& object) {
  std::optional<std::string> acl, comment;
  if (object.acl) acl = sql::storedAcl(*object.acl);
  if (!object.comment.empty()) comment = object.comment;
  run(Statement::Change, {oidValue(oid), oidValue(object.owner), textValue(acl), textValue(comment)});
}

int64_t LargeObjectStore::size(uint32_t oid, const txn::Snapshot* seen) {
  const Result last = run(Statement::LastPage, {oidValue(oid)}, seen);
  return last.rows.empty() ? 0 : last.rows[0][0].asInt() * kPageBytes + last.rows[0][1].asInt();
}

std::string LargeObjectStore::read(uint32_t oid, int64_t offset, int64_t count, const txn::Snapshot* seen) {
  const int64_t end = std::min(offset + count, size(oid, seen));
  if (offset >= end) return {};
  std::string bytes(static_cast<size_t>(end - offset), '\0');
  const Result pages = run(
      Statement::Pages, {oidValue(oid), numberValue(offset / kPageBytes), numberValue((end - 1) / kPageBytes)}, seen);
  for (const ValueRow& page : pages.rows) {
    const int64_t begin = page[0].asInt() * kPageBytes;
    const std::string& data = page[1].bytes;
    const int64_t from = std::max(begin, offset);
    const int64_t to = std::min(begin + static_cast<int64_t>(data.size()), end);
    if (from < to)
      bytes.replace(static_cast<size_t>(from - offset), static_cast<size_t>(to - from), data,
                    static_cast<size_t>(from - begin), static_cast<size_t>(to - from));
  }
  return bytes;
}

void LargeObjectStore::putPage(uint32_t oid, int32_t number, bool is_there, std::string_view bytes) {
  run(is_there ? Statement::ChangePage : Statement::AddPage, {oidValue(oid), numberValue(number), bytesValue(bytes)});
}

void LargeObjectStore::write(uint32_t oid, int64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  const int64_t end = offset + static_cast<int64_t>(bytes.size());
  const auto first = static_cast<int32_t>(offset / kPageBytes), last = static_cast<int32_t>((end - 1) / kPageBytes);
  // Behind the object's end there is nothing to look for.
  const int64_t size_before = size(oid, nullptr);
  for (int32_t number = first; number <= last; ++number) {
    const int64_t begin = int64_t{number} * kPageBytes;
    const auto at = static_cast<size_t>(std::max(offset - begin, int64_t{0}));
    const size_t count = std::min(static_cast<size_t>(kPageBytes) - at, bytes.size());
    std::string page;
    bool is_there = false;
    if (begin <= size_before) {
      Result found = run(Statement::Page, {oidValue(oid), numberValue(number)});
      is_there = !found.rows.empty();
      if (is_there) page = std::move(found.rows[0][0].bytes);
    }
    if (page.size() < at + count) page.resize(at + count);
    page.replace(at, count, bytes.substr(0, count));
    putPage(oid, number, is_there, page);
    bytes.remove_prefix(count);
  }
}

void LargeObjectStore::truncate(uint32_t oid, int64_t length) {
  // A page is left where the object ends, though nothing may be in it.
  const auto number = static_cast<int32_t>(length / kPageBytes);
  Result found = run(Statement::Page, {oidValue(oid), numberValue(number)});
  std::string page = found.rows.empty() ? std::string() : std::move(found.rows[0][0].bytes);
  page.resize(static_cast<size_t>(length % kPageBytes));
  putPage(oid, number, !found.rows.empty(), page);
  if (number < INT32_MAX) run(Statement::RemovePages, {oidValue(oid), numberValue(number + 1)});
}

}  // namespace gnomon::server
