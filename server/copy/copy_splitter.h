#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "sql/statement.h"

namespace gnomon::server {

/// A field of a row of COPY data, still as the client wrote it. Points into the input.
struct CopyField {
  const char* begin;
  uint32_t bytes;
  bool has_escape;  ///< must be decoded before use
  bool is_quoted;   ///< csv: never the NULL text. `begin` and `bytes` leave the quotes out unless has_escape
  [[nodiscard]] std::string_view raw() const { return {begin, bytes}; }
};

/// Cuts COPY's text and csv formats into rows and fields, with PostgreSQL 15's rules and errors.
///
/// Bytes are classified 64 at a time into a bit mask of those that mean something; all others are never looked at one
/// by one. A row that is not whole yet is cut again from its beginning when more has come.
/// Threads: one. Failure: 22P04; 22021 for a row that is not UTF-8.
class CopySplitter {
 public:
  enum class Outcome : uint8_t { Row, NeedMore, End };

  /// `column_count`: fields beyond it are counted but not kept.
  CopySplitter(const sql::CopyOptions& options, size_t column_count);

  /// Cuts the next row from the input in [cursor, end) and moves `cursor` behind it. `is_last`: nothing comes after
  /// `end`. kPaddingBytes bytes after `end` must be readable. After End (also by `\.`) there are no more rows.
  /// Fields are valid until the next call and while the input stays where it is.
  Outcome next(const char*& cursor, const char* end, bool is_last);
  /// To be called when the input has moved or grown.
  void inputChanged() { block_ = nullptr; }

  [[nodiscard]] std::span<const CopyField> fields() const { return {fields_.data(), kept_count_}; }
  /// Fields of the row, those that were not kept included.
  [[nodiscard]] size_t fieldCount() const { return field_count_; }
  /// The row as written, without its line end.
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Of the row cut last, counted from 1; quoted line ends count.
  [[nodiscard]] uint64_t lineNumber() const { return line_number_; }

  /// The value of a field with has_escape, in `arena`. Failure: 22021.
  std::string_view decode(const CopyField& field, Arena& arena) const;
  [[nodiscard]] bool isNull(const CopyField& field) const { return !field.is_quoted && field.raw() == null_text_; }

  static constexpr size_t kPaddingBytes = 64;

 private:
  enum class LineEnd : uint8_t { Unknown, LineFeed, CarriageReturn, Both };
  enum class Step : uint8_t { Continue, RowEnd, NeedMore };

  Outcome nextText(const char*& cursor, const char* end, bool is_last);
  Outcome nextCsv(const char*& cursor, const char* end, bool is_last);
  void beginRow(const char* cursor, const char* end);
  Outcome finishRow(const char*& cursor, const char* row_end, const char* next_row);
  void addField(const char* begin, const char* end, bool has_escape, bool is_quoted);
  /// The next byte at or after `position` that means something; `end` when there is none.
  const char* nextSpecial(const char* position, const char* end);
  void loadBlock(const char* position, const char* end);
  /// A line end at `position`, outside quotes: how many bytes it has, 0 when the next byte must be seen first.
  unsigned lineEndBytes(const char* position, const char* end, bool is_last);
  /// Whether `\.` at `position` ends the data. NeedMore: its line end has not come yet.
  Step endMarker(const char* position, const char* end, bool is_last, bool& is_marker);
  std::string_view decodeText(std::string_view raw, Arena& arena) const;
  std::string_view decodeCsv(std::string_view raw, Arena& arena) const;

  const bool is_csv_;
  const char delimiter_, quote_, escape_;
  const std::string null_text_;
  const size_t column_count_;

  std::vector<CopyField> fields_;
  size_t kept_count_ = 0;
  size_t field_count_ = 0;
  std::string_view line_;
  uint64_t line_number_ = 0;
  uint64_t quoted_lines_ = 0;
  LineEnd line_end_ = LineEnd::Unknown;
  bool is_finished_ = false;

  const char* block_ = nullptr;       ///< where the classified 64 bytes begin; null: none
  uint64_t special_mask_ = 0;         ///< bits of the block not handed out yet
  bool block_is_suspicious_ = false;  ///< holds bytes outside ASCII, or NUL
  bool row_is_suspicious_ = false;
};

}  // namespace gnomon::server
