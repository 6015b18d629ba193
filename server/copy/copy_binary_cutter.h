#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "server/copy/copy_splitter.h"

namespace gnomon::server {

/// Cuts COPY's binary format into rows and fields, with PostgreSQL 15's errors.
///
/// Shape, all numbers in network byte order: "PGCOPY\n\377\r\n\0", 4 bytes of flags, 4 bytes length of more header, and
/// that; rows: 2 bytes number of fields, each 4 bytes length (-1: NULL) and bytes; 2 bytes -1 at the end. Threads: one.
/// Failure: 22P04.
class CopyBinaryCutter {
 public:
  using Outcome = CopySplitter::Outcome;
  struct Field {
    std::string_view bytes;  ///< in the input
    bool is_null = false;
  };

  explicit CopyBinaryCutter(size_t column_count) : fields_(column_count) {}

  /// As CopySplitter::next().
  Outcome next(const char*& cursor, const char* end, bool is_last);
  [[nodiscard]] std::span<const Field> fields() const { return fields_; }
  /// From 1; 0: in the header.
  [[nodiscard]] uint64_t rowNumber() const { return row_number_; }
  /// Where the last row is broken; none: in no field of it.
  [[nodiscard]] std::optional<size_t> brokenColumn() const { return broken_column_; }

 private:
  bool takeHeader(const char*& cursor, const char* end, bool is_last);

  std::vector<Field> fields_;
  uint64_t row_number_ = 0;
  std::optional<size_t> broken_column_;
  bool has_header_ = false;
  bool is_finished_ = false;
};

}  // namespace gnomon::server
