#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "storage/relation/schema.h"
#include "storage/statistics/bytes.h"

namespace gnomon::storage {

/// A row as the sample keeps it, in bytes of its own.
///
/// Layout: one byte for each column in turn: 1 null, 0 a value, which follows:
///   String         length (4 bytes), then the text; of a text over 256 bytes its first 256, then its hash (8 bytes)
///   Int128, Interval  lo, hi
///   others         lo
using SampleRowBytes = std::vector<std::byte>;

inline constexpr uint32_t kSampleTextBytesMax = 256;

/// One value of a sampled row.
struct SampleValue {
  bool is_null = false;
  bool is_cut = false;  ///< `datum` is the start of a longer text
  Datum datum;          ///< a text refers to the encoded row
  uint64_t hash = 0;    ///< value_hash::of the whole value; value_hash::kNull for a null
};

void encodeSampleValue(ByteWriter& out, StoredKind kind, Datum value, bool is_null);
SampleRowBytes encodeSampleRow(const RelationSchema& schema, const Datum* values, const uint8_t* null_flags);

/// Reads the next value. Failure: XX001.
SampleValue decodeSampleValue(ByteReader& in, StoredKind kind);

}  // namespace gnomon::storage
