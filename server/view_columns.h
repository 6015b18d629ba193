#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "sql/catalog/virtual_relation.h"

/// Columns and values of system views.
namespace gnomon::server {

struct ViewColumn {
  std::string_view name;
  sql::TypeKind kind;
};

/// The columns may all be NULL.
std::vector<sql::ColumnEntry> viewColumns(std::initializer_list<ViewColumn> columns);

sql::Value viewNull(sql::TypeKind kind);
sql::Value viewNumber(sql::TypeKind kind, int64_t number);
sql::Value viewBigint(uint64_t number);
sql::Value viewFlag(bool value);
sql::Value viewText(std::string_view text);
sql::Value viewName(std::string_view name);
/// NULL for an empty one.
sql::Value viewTextOrNull(std::string_view text);
/// A timestamp with time zone; microseconds since 1970; 0: NULL.
sql::Value viewTime(int64_t unix_us);

}  // namespace gnomon::server
