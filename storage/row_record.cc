#include "storage/row_record.h"

#include <cstring>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "storage/relation/leaf.h"

namespace gnomon::storage {

namespace {

[[noreturn]] void raiseDamaged() {
  throw SqlError(sqlstate::kDataCorrupted, "a log record's meaning is damaged");
}

RowBefore::Value valueFormat(StoredKind kind) {
  if (kind == StoredKind::String) return RowBefore::Value::Text;
  return kind == StoredKind::Int128 || kind == StoredKind::Interval ? RowBefore::Value::TwoWords
                                                                    : RowBefore::Value::Word;
}

}  // namespace

RowRange RowRange::read(wal::Bytes meaning) {
  RowRange range{};
  if (meaning.size() != sizeof(range)) raiseDamaged();
  std::memcpy(&range, meaning.data(), sizeof(range));
  return range;
}

RowBefore::RowBefore(TupleId id, const Leaf& leaf, const std::byte* page, uint32_t row, const RelationSchema& schema,
                     std::span<const uint32_t> columns)
    : id_(id) {
  // As much as they may take, at first.
  constexpr uint64_t kColumnBytesMax = 2 * kNumberBytesMax + sizeof(Value) + sizeof(Datum);
  bytes_.resize(2 * kNumberBytesMax + columns.size() * kColumnBytesMax);
  std::byte* at = writeNumber(writeNumber(bytes_.data(), id.value), columns.size());
  const auto put = [&at](const void* from, uint64_t count) {
    std::memcpy(at, from, count);
    at += count;
  };
  for (const uint32_t column : columns) {
    bool is_null = false;
    const Datum datum = readValue(page, schema, leaf.layout(), column, row, is_null);
    const Value format = is_null ? Value::Null : valueFormat(schema[column].kind);
    at = writeNumber(at, column);
    put(&format, sizeof(format));
    if (format == Value::Word) put(&datum.lo, sizeof(datum.lo));
    if (format == Value::TwoWords) put(&datum, sizeof(datum));
    if (format != Value::Text) continue;
    const StringValue text(datum.lo, datum.hi);
    at = writeNumber(at, text.length());
    const auto used = at - bytes_.data();
    bytes_.resize(bytes_.size() + text.length());
    at = bytes_.data() + used;
    put(text.view().data(), text.length());
  }
  bytes_.resize(static_cast<size_t>(at - bytes_.data()));
}

RowBefore::RowBefore(wal::Bytes meaning, const RelationSchema& schema) {
  RecordReader reader(meaning);
  id_ = TupleId{reader.number()};
  for (uint64_t count = reader.number(); count > 0 && reader.isSound(); --count) {
    const uint64_t column = reader.number();
    const auto format = reader.plain<Value>();
    if (column >= schema.size() || (!columns_.empty() && column <= columns_.back())) raiseDamaged();
    if (format != Value::Null && format != valueFormat(schema[column].kind)) raiseDamaged();
    Datum datum;
    if (format == Value::Word) datum.lo = reader.plain<uint64_t>();
    if (format == Value::TwoWords) datum = reader.plain<Datum>();
    if (format == Value::Text) {
      const StringValue text = StringValue::refer(reader.text(reader.number()), StringValue::Storage::Temporary);
      datum = {text.lo(), text.hi()};
    }
    columns_.push_back(static_cast<uint32_t>(column));
    values_.push_back(datum);
    null_flags_.push_back(format == Value::Null ? 1 : 0);
  }
  if (!reader.isSound() || !reader.isAtEnd()) raiseDamaged();
}

}  // namespace gnomon::storage
