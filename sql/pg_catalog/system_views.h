#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gnomon::sql::pg_catalog {

/// A relation that is a query over others: its columns have these types whatever the query's have.
struct SystemView {
  uint32_t oid;
  std::string_view schema;
  std::string_view name;
  std::string_view columns;  ///< as RelationFacts has them
  std::string_view query;
};
std::span<const SystemView> systemViews();
/// Those of information_schema about rights: privilege_views.cc.
std::span<const SystemView> privilegeViews();

}  // namespace gnomon::sql::pg_catalog
