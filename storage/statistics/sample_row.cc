#include "storage/statistics/sample_row.h"

#include <algorithm>

#include "base/string_value.h"
#include "storage/statistics/value_hash.h"

namespace gnomon::storage {
namespace {

bool hasTwoWords(StoredKind kind) {
  return kind == StoredKind::Int128 || kind == StoredKind::Interval;
}

SampleValue decodeText(ByteReader& in) {
  const auto length = in.number<uint32_t>();
  const auto bytes = in.take(std::min(length, kSampleTextBytesMax));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const StringValue header = StringValue::refer(text, StringValue::Storage::Persistent);
  SampleValue value;
  value.datum = {header.lo(), header.hi()};
  value.is_cut = length > kSampleTextBytesMax;
  value.hash = value.is_cut ? in.number<uint64_t>() : value_hash::of(StoredKind::String, value.datum);
  return value;
}

}  // namespace

void encodeSampleValue(ByteWriter& out, StoredKind kind, Datum value, bool is_null) {
  out.number(static_cast<uint8_t>(is_null ? 1 : 0));
  if (is_null) return;
  if (kind == StoredKind::String) {
    const StringValue text(value.lo, value.hi);
    out.number(text.length());
    out.append(text.view().data(), std::min(text.length(), kSampleTextBytesMax));
    if (text.length() > kSampleTextBytesMax) out.number(value_hash::of(kind, value));
    return;
  }
  out.number(value.lo);
  if (hasTwoWords(kind)) out.number(value.hi);
}

SampleRowBytes encodeSampleRow(const RelationSchema& schema, const Datum* values, const uint8_t* null_flags) {
  constexpr size_t kUsualBytes = 12;  // of a value
  SampleRowBytes row;
  row.reserve(schema.size() * kUsualBytes);
  ByteWriter out(row);
  for (size_t column = 0; column < schema.size(); ++column)
    encodeSampleValue(out, schema[column].kind, values[column], null_flags[column] != 0);
  return row;
}

SampleValue decodeSampleValue(ByteReader& in, StoredKind kind) {
  const auto flag = in.number<uint8_t>();
  if (flag > 1) throw SqlError(sqlstate::kDataCorrupted, "damaged statistics: a sampled value with an unknown flag");
  if (flag == 0 && kind == StoredKind::String) return decodeText(in);
  SampleValue value;
  value.is_null = flag == 1;
  value.hash = value_hash::kNull;
  if (value.is_null) return value;
  value.datum.lo = in.number<uint64_t>();
  if (hasTwoWords(kind)) value.datum.hi = in.number<uint64_t>();
  value.hash = value_hash::of(kind, value.datum);
  return value;
}

}  // namespace gnomon::storage
