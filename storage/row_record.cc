#include "storage/row_record.h"

#include <cstring>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "storage/page_change.h"

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

namespace {

uint64_t bytesMax(const TupleChange& before, const RelationSchema& schema) {
  constexpr uint64_t kColumnBytesMax = 2 * kNumberBytesMax + sizeof(RowBefore::Value) + sizeof(Datum);
  uint64_t bytes = 2 * kNumberBytesMax + before.columns.size() * kColumnBytesMax;
  for (size_t i = 0; i < before.columns.size(); ++i)
    if (schema[before.columns[i]].kind == StoredKind::String && before.null_flags[i] == 0)
      bytes += StringValue(before.values[i].lo, before.values[i].hi).length();
  return bytes;
}

std::byte* writeBefore(std::byte* at, const RowUpdate& row, const RelationSchema& schema) {
  const TupleChange& before = row.change;
  at = writeNumber(writeNumber(at, row.id.value), before.columns.size());
  for (size_t i = 0; i < before.columns.size(); ++i) {
    using Value = RowBefore::Value;
    const uint32_t column = before.columns[i];
    const Datum& datum = before.values[i];
    const Value format = before.null_flags[i] != 0 ? Value::Null : valueFormat(schema[column].kind);
    at = writeNumber(at, column);
    *at++ = static_cast<std::byte>(format);
    if (format == Value::Word || format == Value::TwoWords) {
      const uint64_t bytes = format == Value::Word ? sizeof(datum.lo) : sizeof(datum);
      // As much as there is room for: without a call.
      std::memcpy(at, &datum, sizeof(datum));
      at += bytes;
    }
    if (format != Value::Text) continue;
    const StringValue text(datum.lo, datum.hi);
    at = writeNumber(at, text.length());
    std::memcpy(at, text.view().data(), text.length());
    at += text.length();
  }
  return at;
}

Datum readBefore(RecordReader& reader, RowBefore::Value format) {
  Datum datum;
  switch (format) {
    case RowBefore::Value::Null:
      return datum;
    case RowBefore::Value::Word:
      datum.lo = reader.plain<uint64_t>();
      return datum;
    case RowBefore::Value::TwoWords:
      return reader.plain<Datum>();
    case RowBefore::Value::Text:
      const StringValue text = StringValue::refer(reader.text(reader.number()), StringValue::Storage::Temporary);
      return {text.lo(), text.hi()};
  }
  raiseDamaged();
}

}  // namespace

uint64_t RowBefore::write(PageChange& change, std::span<const RowUpdate> befores, const RelationSchema& schema) {
  uint64_t bytes_max = 0;
  for (const RowUpdate& row : befores) bytes_max += bytesMax(row.change, schema);
  std::byte* const begin = change.beginMeaning(bytes_max);
  if (begin == nullptr) return 0;
  std::byte* at = begin;
  for (const RowUpdate& row : befores) at = writeBefore(at, row, schema);
  change.endMeaning(at);
  return static_cast<uint64_t>(at - begin);
}

std::vector<RowBefore> RowBefore::read(wal::Bytes meaning, const RelationSchema& schema) {
  std::vector<RowBefore> rows;
  RecordReader reader(meaning);
  do rows.push_back(RowBefore(reader, schema));
  while (!reader.isAtEnd());
  return rows;
}

RowBefore::Summary RowBefore::summary(wal::Bytes meaning) {
  Summary summary;
  RecordReader reader(meaning);
  for (; !reader.isAtEnd(); ++summary.row_count) {
    summary.last = TupleId{reader.number()};
    if (summary.row_count == 0) summary.first = summary.last;
    summary.column_count = reader.number();
    for (uint64_t left = summary.column_count; left > 0 && reader.isSound(); --left) {
      reader.number();
      readBefore(reader, reader.plain<Value>());
    }
  }
  if (!reader.isSound()) raiseDamaged();
  return summary;
}

RowBefore::RowBefore(RecordReader& reader, const RelationSchema& schema) : id_(reader.number()) {
  for (uint64_t count = reader.number(); count > 0 && reader.isSound(); --count) {
    const uint64_t column = reader.number();
    const auto format = reader.plain<Value>();
    if (column >= schema.size() || (!columns_.empty() && column <= columns_.back())) raiseDamaged();
    if (format != Value::Null && format != valueFormat(schema[column].kind)) raiseDamaged();
    columns_.push_back(static_cast<uint32_t>(column));
    values_.push_back(readBefore(reader, format));
    null_flags_.push_back(format == Value::Null ? 1 : 0);
  }
  if (!reader.isSound()) raiseDamaged();
}

}  // namespace gnomon::storage
