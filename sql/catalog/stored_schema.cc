#include "sql/catalog/stored_schema.h"

#include <fmt/format.h>

#include <bit>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/catalog/schema_entry.h"
#include "sql/types/array_value.h"
#include "sql/types/big_numeric.h"
#include "sql/types/collation.h"
#include "sql/types/decimal.h"
#include "sql/types/jsonb_value.h"
#include "sql/types/record_value.h"

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

namespace {

/// Layout: each element as a part of a key, NULLs last; a zero byte, which is before all of these; then the number of
/// dimensions in a byte, their lengths and their lower bounds, big-endian.
void appendArray(std::string_view bytes, uint64_t element_bits, storage::EncodedKey& key) {
  const Type element = std::bit_cast<Type>(element_bits);
  const ArrayView array(element, StringValue::refer(bytes, StringValue::Storage::Transient));
  const storage::KeyEncoder encoder({keyPart(element, false, false)});
  storage::EncodedKey part;
  for (size_t i = 0; i < array.size(); ++i) {
    const RegisterPair value = array.at(i);
    const StringValue string(value.lo, value.hi);
    storage::KeyValue element_value{{value.lo, value.hi}, {}, array.isNull(i)};
    if (storedKind(element) == storage::StoredKind::String) element_value.string = string.view();
    part.clear();
    encoder.encode({&element_value, 1}, part);
    key.append(part.view());
  }
  key.append('\0');
  key.append(static_cast<char>(array.dimensions().size()));
  const auto appendInteger = [&](uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) key.append(static_cast<char>(number >> shift));
  };
  for (const ArrayDimension& dimension : array.dimensions()) appendInteger(static_cast<uint32_t>(dimension.length));
  for (const ArrayDimension& dimension : array.dimensions())
    appendInteger(static_cast<uint32_t>(dimension.lower) ^ 0x80000000U);
}

/// Layout: each field as a part of a key, NULLs last. Records of an index have the same types of fields.
void appendRecord(std::string_view bytes, uint64_t, storage::EncodedKey& key) {
  const RecordView record(StringValue::refer(bytes, StringValue::Storage::Transient));
  storage::EncodedKey part;
  for (size_t i = 0; i < record.size(); ++i) {
    const Type type = record.type(i);
    const RegisterPair value = record.isNull(i) ? RegisterPair{0, 0} : record.at(i);
    const StringValue string(value.lo, value.hi);
    storage::KeyValue field{{value.lo, value.hi}, {}, record.isNull(i)};
    if (storedKind(type) == storage::StoredKind::String && !record.isNull(i)) field.string = string.view();
    part.clear();
    storage::KeyEncoder({keyPart(type, false, false)}).encode({&field, 1}, part);
    key.append(part.view());
  }
}

}  // namespace

storage::KeyPart keyPart(Type type, bool descending, bool nulls_first) {
  storage::KeyPart part{storedKind(type), descending, nulls_first, type.kind == TypeKind::Char};
  if (type.isBig())
    part.append_ordered = [](std::string_view bytes, uint64_t, storage::EncodedKey& key) {
      std::string ordered;
      BigNumeric::decode(bytes).appendOrdered(ordered);
      key.append(ordered);
    };
  if (type.isRecord()) part.append_ordered = appendRecord;
  if (type.kind == TypeKind::Jsonb)
    part.append_ordered = [](std::string_view bytes, uint64_t, storage::EncodedKey& key) {
      std::string ordered;
      appendOrderedJsonb(JsonbView(bytes), ordered);
      key.append(ordered);
    };
  if (type.isArray()) {
    part.append_ordered = appendArray;
    part.bytes_type = std::bit_cast<uint64_t>(type.element());
  }
  return part;
}

void storeNewColumns(std::vector<ColumnEntry>& columns) {
  for (ColumnEntry& column : columns) {
    column.stored = {storedKind(column.type), !column.not_null};
    column.stored.greatest_is_nan = column.type.may_be_nan != 0;
  }
}

void storeChangedColumns(const std::vector<ColumnEntry>& before, std::vector<ColumnEntry>& after,
                         const std::vector<Value>& values) {
  CHECK(after.size() == before.size() + values.size(), "a value for each added column");
  const uint32_t version = storedSchema(before).version() + 1;
  for (size_t i = 0; i < after.size(); ++i) {
    ColumnEntry& column = after[i];
    if (i < before.size()) {
      if (!column.isDropped() && !column.not_null && !column.stored.nullable) {
        column.stored.nullable = true;
        column.stored.nullable_since = version;
      }
      continue;
    }
    const Value& value = values[i - before.size()];
    const storage::StoredKind kind = storedKind(column.type);
    // A table without rows takes a NOT NULL column without a value; its leaves, which may hold deleted rows, say NULL.
    column.stored = {kind, !column.not_null || value.is_null, version, version, nullptr, column.type.may_be_nan != 0};
    if (value.is_null) continue;
    column.stored.missing = kind == storage::StoredKind::String
                                ? std::make_shared<const storage::OwnedValue>(value.bytes)
                                : std::make_shared<const storage::OwnedValue>(kind, storage::Datum{value.lo, value.hi});
  }
}

namespace {

/// Some type whose values lie like that.
Type typeStoredAs(storage::StoredKind kind) {
  using storage::StoredKind;
  switch (kind) {
    case StoredKind::Bool1:
      return Type::of(TypeKind::Boolean);
    case StoredKind::Int16:
      return Type::of(TypeKind::Smallint);
    case StoredKind::Int32:
      return Type::of(TypeKind::Integer);
    case StoredKind::Int64:
      return Type::of(TypeKind::Bigint);
    case StoredKind::Int128:
      return numericWithModifier(Type::kWideDigitsMax, 0);
    case StoredKind::Float32:
      return Type::of(TypeKind::Real);
    case StoredKind::Float64:
      return Type::of(TypeKind::Double);
    case StoredKind::Interval:
      return Type::of(TypeKind::Interval);
    case StoredKind::String:
      break;
  }
  return Type::of(TypeKind::Text);
}

}  // namespace

Type storedType(uint32_t oid, int32_t typmod) {
  Type type;
  if ((oid & ~(kRowTypeBit | kArrayTypeBit)) >= kFirstUserOid) {
    const bool is_row = (oid & kRowTypeBit) != 0;
    const uint32_t entry = oid & ~(kRowTypeBit | kArrayTypeBit);
    type = is_row ? Type::recordOf(entry) : Type::enumOf(entry);
    return (oid & kArrayTypeBit) != 0 ? type.array() : type;
  }
  if (!typeFromOid(oid, type)) throw SqlError(sqlstate::kDataCorrupted, fmt::format("the catalog names type {}", oid));
  if (type.kind == TypeKind::Numeric && typmod >= 0)
    return numericWithModifier(modifierPrecision(typmod), modifierScale(typmod));
  type.typmod = typmod;
  return type;
}

uint16_t storedCollation(std::string_view name) {
  if (name.empty()) return 0;
  const std::optional<uint16_t> collation = findCollation(name);
  if (!collation) throw SqlError(sqlstate::kDataCorrupted, fmt::format("the catalog names collation {}", name));
  return *collation;
}

void storeAsIn(const storage::RelationSchema& schema, std::vector<ColumnEntry>& columns) {
  if (columns.size() > schema.size())
    throw SqlError(sqlstate::kDataCorrupted, "the catalog has columns that a relation does not have");
  for (size_t i = 0; i < schema.size(); ++i) {
    if (i == columns.size()) columns.emplace_back().type = typeStoredAs(schema[i].kind);
    if (storedKind(columns[i].type) != schema[i].kind)
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has another type of a column than its relation");
    columns[i].stored = schema[i];
  }
}

storage::RelationSchema storedSchema(const std::vector<ColumnEntry>& columns, TableOptions options) {
  std::vector<storage::StoredColumn> stored;
  for (const ColumnEntry& column : columns) stored.push_back(column.stored);
  return storage::RelationSchema(std::move(stored), options.leaf_class);
}

}  // namespace gnomon::sql
