#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/int128.h"
#include "codegen/runtime/wire_buffer.h"

namespace gnomon::codegen::rt {

/// How COPY TO writes rows. Lifetime: the plan's.
struct CopyFormat {
  bool is_csv = false;
  char delimiter = '\t';
  char quote = '"';   ///< csv only
  char escape = '"';  ///< csv only
  std::string null_text = "\\N";
  bool is_single_column = false;  ///< csv: the value \. alone on its line must be quoted
  bool quotes_all = false;        ///< csv: every value is quoted

  /// Built by prepare(), which must be called when the members above are set.
  std::array<bool, 256> is_special{};  ///< bytes that are escaped (text) or make a value quoted (csv)
  bool are_numbers_plain = false;      ///< no text of a number, boolean, date or interval needs a look
  void prepare();
};

/// One CopyData message per row: 'd', int32 length, then the columns with delimiters and a line feed.
/// begin, then one append per column, then end. Values are escaped or quoted as PostgreSQL's COPY TO does.
void beginCopyRow(WireBuffer* buffer, const CopyFormat* format);
void endCopyRow(WireBuffer* buffer, const CopyFormat* format);
void copyNull(WireBuffer* buffer, const CopyFormat* format, bool is_first);
void copyBoolean(WireBuffer* buffer, const CopyFormat* format, bool is_first, bool value);
void copyInteger(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t value);
void copySmallDecimal(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t value, uint32_t scale);
void copyWideDecimal(WireBuffer* buffer, const CopyFormat* format, bool is_first, int128 value, uint32_t scale);
void copyNumeric(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t lo, uint64_t hi);
void copyReal(WireBuffer* buffer, const CopyFormat* format, bool is_first, double value);
void copyDouble(WireBuffer* buffer, const CopyFormat* format, bool is_first, double value);
void copyDate(WireBuffer* buffer, const CopyFormat* format, bool is_first, int32_t date);
void copyTimestamp(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t timestamp);
void copyTimestampTz(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t timestamp);
void copyTime(WireBuffer* buffer, const CopyFormat* format, bool is_first, int64_t time);
void copyUuid(WireBuffer* buffer, const CopyFormat* format, bool is_first, int128 uuid);
void copyInterval(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t lo, uint64_t hi);
/// Failure: 54000 when the text would be longer than a string may be.
void copyBytea(WireBuffer* buffer, const CopyFormat* format, bool is_first, bool is_escape, uint64_t lo, uint64_t hi);
/// Of any type, whose bits are `type`.
void copyAny(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t type, bool is_escape, uint64_t lo,
             uint64_t hi);
void copyString(WireBuffer* buffer, const CopyFormat* format, bool is_first, uint64_t lo, uint64_t hi);
/// COPY BINARY rows: beginCopyBinaryRow, then row_encoder.h's appendNull and append...Binary, then endCopyBinaryRow.
void beginCopyBinaryRow(WireBuffer* buffer, int32_t columns);
void endCopyBinaryRow(WireBuffer* buffer);

}  // namespace gnomon::codegen::rt
