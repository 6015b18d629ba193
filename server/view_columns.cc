#include "server/view_columns.h"

#include <string>

#include "sql/types/object_id.h"

namespace gnomon::server {

using sql::Type;
using sql::TypeKind;
using sql::Value;

std::vector<sql::ColumnEntry> viewColumns(std::initializer_list<ViewColumn> columns) {
  std::vector<sql::ColumnEntry> entries;
  for (const ViewColumn& column : columns)
    entries.push_back({std::string(column.name), Type::of(column.kind), false, ""});
  return entries;
}

Value viewNull(TypeKind kind) {
  return Value::null(Type::of(kind));
}

Value viewNumber(TypeKind kind, int64_t number) {
  return Value::fromInt(Type::of(kind), number);
}

Value viewBigint(uint64_t number) {
  return viewNumber(TypeKind::Bigint, static_cast<int64_t>(number));
}

Value viewFlag(bool value) {
  return viewNumber(TypeKind::Boolean, value ? 1 : 0);
}

Value viewText(std::string_view text) {
  return Value::fromString(Type::of(TypeKind::Text), text);
}

Value viewName(std::string_view name) {
  return Value::fromString(Type::of(TypeKind::Name), sql::fitName(name));
}

Value viewTextOrNull(std::string_view text) {
  return text.empty() ? viewNull(TypeKind::Text) : viewText(text);
}

Value viewTime(int64_t unix_us) {
  // PostgreSQL's timestamps count from 2000-01-01.
  constexpr int64_t kEpochUs = int64_t{946684800} * 1'000'000;
  if (unix_us == 0) return viewNull(TypeKind::TimestampTz);
  return viewNumber(TypeKind::TimestampTz, unix_us - kEpochUs);
}

}  // namespace gnomon::server
