#include "sql/catalog/stored_schema.h"

namespace gnomon::sql {

storage::StoredKind storedKind(Type type) {
  using storage::StoredKind;
  switch (type.physical()) {
    case Physical::Bool:
      return StoredKind::Bool1;
    case Physical::Int16:
      return StoredKind::Int16;
    case Physical::Int32:
      return StoredKind::Int32;
    case Physical::Int64:
      return StoredKind::Int64;
    case Physical::Int128:
      return StoredKind::Int128;
    case Physical::Float32:
      return StoredKind::Float32;
    case Physical::Float64:
      return StoredKind::Float64;
    case Physical::Interval:
      return StoredKind::Interval;
    case Physical::String:
      break;
  }
  return StoredKind::String;
}

storage::RelationSchema storedSchema(const std::vector<ColumnEntry>& columns) {
  storage::RelationSchema schema;
  for (const ColumnEntry& column : columns) schema.push_back({storedKind(column.type), !column.not_null});
  return schema;
}

}  // namespace gnomon::sql
