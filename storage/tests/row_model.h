#pragma once

#include <bit>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "base/string_value.h"
#include "storage/relation/appender.h"
#include "storage/relation/scan.h"

namespace gnomon::storage::testing {

/// One value as a test thinks of it: null, a text, or two words of bits.
struct ModelValue {
  bool is_null = false;
  bool is_text = false;
  Datum bits;
  std::string text;
  bool operator==(const ModelValue&) const = default;
};
using ModelRow = std::vector<ModelValue>;

inline const RelationSchema& everyKindSchema() {
  static const RelationSchema schema = {
      {StoredKind::Bool1, true},   {StoredKind::Int16, false},   {StoredKind::Int32, true},
      {StoredKind::Int64, false},  {StoredKind::Int128, true},   {StoredKind::Float32, true},
      {StoredKind::Float64, true}, {StoredKind::Interval, true}, {StoredKind::String, true},
      {StoredKind::String, false}, {StoredKind::Bool1, false}};
  return schema;
}

inline RelationSchema withLeafClass(const RelationSchema& schema, SizeClass leaf_class) {
  return RelationSchema({schema.begin(), schema.end()}, leaf_class);
}

/// Random rows of a schema.
class RowGenerator {
 public:
  RowGenerator(const RelationSchema& schema, uint64_t seed) : schema_(schema), random_(seed) {}

  std::mt19937_64& random() { return random_; }
  uint64_t below(uint64_t limit) { return random_() % limit; }
  std::string text(size_t length) {
    std::string result(length, ' ');
    for (char& letter : result) letter = static_cast<char>('!' + random_() % 90);
    return result;
  }
  ModelRow row(size_t text_bytes_max) {
    ModelRow result;
    for (const StoredColumn& column : schema_) result.push_back(value(column, text_bytes_max));
    return result;
  }

 private:
  ModelValue value(const StoredColumn& column, size_t text_bytes_max) {
    ModelValue value;
    if (column.nullable && below(4) == 0) {
      value.is_null = true;
      return value;
    }
    const uint64_t word = random_();
    switch (column.kind) {
      case StoredKind::Bool1:
        value.bits.lo = word & 1;
        break;
      case StoredKind::Int16:
        value.bits.lo = static_cast<uint64_t>(int64_t{static_cast<int16_t>(word)});
        break;
      case StoredKind::Int32:
        value.bits.lo = static_cast<uint64_t>(int64_t{static_cast<int32_t>(word)});
        break;
      case StoredKind::Int64:
        value.bits.lo = word;
        break;
      case StoredKind::Float32:
        value.bits.lo = std::bit_cast<uint64_t>(double{static_cast<float>(word) / 3});
        break;
      case StoredKind::Float64:
        value.bits.lo = std::bit_cast<uint64_t>(static_cast<double>(word) / 3);
        break;
      case StoredKind::Int128:
      case StoredKind::Interval:
        value.bits = {word, random_()};
        break;
      case StoredKind::String:
        value.is_text = true;
        value.text = text(below(text_bytes_max + 1));
        break;
    }
    return value;
  }

  const RelationSchema& schema_;
  std::mt19937_64 random_;
};

/// Rows in the form that RelationAppender takes. Texts are referred to: the rows must stay.
struct Batch {
  std::vector<Datum> values;
  std::vector<uint8_t> null_flags;

  void add(const ModelRow& row) {
    for (const ModelValue& value : row) {
      null_flags.push_back(value.is_null ? 1 : 0);
      if (!value.is_text) {
        values.push_back(value.bits);
        continue;
      }
      const StringValue header = StringValue::refer(value.text, StringValue::Storage::Temporary);
      values.push_back({header.lo(), header.hi()});
    }
  }
};

/// New values for some columns of a row, in the form that Relation::update takes. Texts are referred to: `row` must
/// stay.
class ModelChange {
 public:
  ModelChange(const ModelRow& row, std::vector<uint32_t> columns) : columns_(std::move(columns)) {
    for (const uint32_t column : columns_) {
      const ModelValue& value = row[column];
      null_flags_.push_back(value.is_null ? 1 : 0);
      const StringValue header = StringValue::refer(value.text, StringValue::Storage::Temporary);
      values_.push_back(value.is_text ? Datum{header.lo(), header.hi()} : value.bits);
    }
  }
  [[nodiscard]] TupleChange change() const { return {columns_, values_.data(), null_flags_.data()}; }
  [[nodiscard]] const std::vector<uint32_t>& columns() const { return columns_; }

 private:
  std::vector<uint32_t> columns_;
  std::vector<Datum> values_;
  std::vector<uint8_t> null_flags_;
};

inline ModelValue fromDatum(const StoredColumn& column, Datum datum, bool is_null) {
  ModelValue value;
  value.is_null = is_null;
  if (is_null) return value;
  if (column.kind == StoredKind::String) {
    const StringValue text(datum.lo, datum.hi);
    value.is_text = true;
    value.text = text.view();
  } else {
    value.bits = datum;
  }
  return value;
}

inline ModelRow readRow(const RelationSchema& schema, const RowCursor& cursor) {
  ModelRow row;
  for (uint32_t column = 0; column < schema.size(); ++column)
    row.push_back(fromDatum(schema[column], cursor.value(column), cursor.isNull(column)));
  return row;
}

}  // namespace gnomon::storage::testing
