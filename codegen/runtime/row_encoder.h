#pragma once

#include <cstdint>

#include "base/int128.h"
#include "codegen/runtime/wire_buffer.h"

namespace gnomon::codegen::rt {

/// DataRow messages of the wire protocol, column by column.
/// Shape: 'D', int32 length (patched by endRow), int16 columns, then per column int32 length (-1: NULL) and bytes.
void beginRow(WireBuffer* buffer, int32_t columns);
/// Failure: 54000 when the row exceeds 1 GB.
void endRow(WireBuffer* buffer);
void appendNull(WireBuffer* buffer);

/// Values in text format.
void appendBooleanText(WireBuffer* buffer, bool value);
void appendIntegerText(WireBuffer* buffer, int64_t value);
void appendSmallDecimalText(WireBuffer* buffer, int64_t value, uint32_t scale);
void appendWideDecimalText(WireBuffer* buffer, int128 value, uint32_t scale);
void appendNumericText(WireBuffer* buffer, uint64_t lo, uint64_t hi);
void appendRealText(WireBuffer* buffer, double value);
void appendDoubleText(WireBuffer* buffer, double value);
void appendDateText(WireBuffer* buffer, int32_t date);
void appendTimestampText(WireBuffer* buffer, int64_t timestamp);
void appendTimestampTzText(WireBuffer* buffer, int64_t timestamp);
void appendTimeText(WireBuffer* buffer, int64_t time);
void appendIntervalText(WireBuffer* buffer, uint64_t lo, uint64_t hi);
void appendUuidText(WireBuffer* buffer, int128 uuid);
/// Failure: 54000 when the text would be longer than a string may be.
void appendByteaText(WireBuffer* buffer, bool is_escape, uint64_t lo, uint64_t hi);
/// text, varchar, char: the same bytes in both formats; bytea in binary.
void appendString(WireBuffer* buffer, uint64_t lo, uint64_t hi);
/// Of any type, whose bits are `type`.
void appendAnyText(WireBuffer* buffer, uint64_t type, bool is_escape, uint64_t lo, uint64_t hi);
void appendAnyBinary(WireBuffer* buffer, uint64_t type, uint64_t lo, uint64_t hi);

/// Beside the protocol's text, 0, and binary, 1, for receivers inside of the server: values as records hold them
/// (sql::heldInRecord), two words or a string's bytes.
inline constexpr int16_t kHeldFormat = 2;
void appendWords(WireBuffer* buffer, uint64_t lo, uint64_t hi);

/// Values in binary format.
void appendBooleanBinary(WireBuffer* buffer, bool value);
void appendSmallintBinary(WireBuffer* buffer, int16_t value);
void appendIntegerBinary(WireBuffer* buffer, int32_t value);
void appendBigintBinary(WireBuffer* buffer, int64_t value);
void appendSmallDecimalBinary(WireBuffer* buffer, int64_t value, uint32_t scale);
void appendWideDecimalBinary(WireBuffer* buffer, int128 value, uint32_t scale);
void appendNumericBinary(WireBuffer* buffer, uint64_t lo, uint64_t hi);
void appendRealBinary(WireBuffer* buffer, double value);
void appendDoubleBinary(WireBuffer* buffer, double value);
void appendDateBinary(WireBuffer* buffer, int32_t date);
void appendTimestampBinary(WireBuffer* buffer, int64_t timestamp);
void appendIntervalBinary(WireBuffer* buffer, uint64_t lo, uint64_t hi);
void appendUuidBinary(WireBuffer* buffer, int128 uuid);

}  // namespace gnomon::codegen::rt
