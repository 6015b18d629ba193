#pragma once

#include <cstdint>

#include "codegen/runtime/register_value.h"

/// Functions of bytea: positions count bytes from 1, indexes count bytes and bits from 0, the lowest bit of a byte
/// first.
namespace gnomon::codegen::rt {

/// Failure: 22011 for a negative count.
StringValue substringBytesFrom(uint64_t lo, uint64_t hi, int32_t start);
StringValue substringBytesFor(uint64_t lo, uint64_t hi, int32_t start, int32_t count);
/// `count` bytes from `start` on, or as many as the part has, are replaced by the part. Failure: 22011 for a start
/// below 1; 22003.
StringValue overlayBytes(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, Arena* arena);
StringValue overlayBytesFor(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, int32_t count,
                            Arena* arena);
int32_t positionBytes(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi);
StringValue trimBytesBoth(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi);
StringValue trimBytesLeft(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi);
StringValue trimBytesRight(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi);
/// Also of text. Failure: 22003.
int32_t bitLength(uint64_t lo, uint64_t hi);
int64_t bitCount(uint64_t lo, uint64_t hi);
/// Failure: 2202E for an index outside; 22023 for a new bit other than 0 and 1. Of a new byte the low 8 bits count.
int32_t getByte(uint64_t lo, uint64_t hi, int32_t index);
StringValue setByte(uint64_t lo, uint64_t hi, int32_t index, int32_t byte, Arena* arena);
int32_t getBit(uint64_t lo, uint64_t hi, int64_t index);
StringValue setBit(uint64_t lo, uint64_t hi, int64_t index, int32_t bit, Arena* arena);

/// encode and decode: see sql/types/binary_encoding.h. Failure: also 54000 for a result over 1 GB.
StringValue encodeBytes(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena);
StringValue decodeBytes(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena);

/// Conversions between encodings. Failure: as sql::convertEncoding.
StringValue convertBytes(uint64_t lo, uint64_t hi, uint64_t from_lo, uint64_t from_hi, uint64_t to_lo, uint64_t to_hi,
                         Arena* arena);
StringValue convertFrom(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena);
StringValue convertTo(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi, Arena* arena);
/// Characters of the bytes in that encoding.
int32_t encodedLength(uint64_t lo, uint64_t hi, uint64_t encoding_lo, uint64_t encoding_hi);

}  // namespace gnomon::codegen::rt
