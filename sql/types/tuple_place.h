#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// A tid, "(block,offset)". It is held as its 6 bytes, big-endian.
///
/// A row's is made of its tuple id: 65535 ids are a block, whose offsets begin with 1. So it stays as long as the row
/// has that id, and no other row of the table ever gets it.
struct TuplePlace {
  uint32_t block = 0;
  uint16_t offset = 0;

  /// Failure: 54000 beyond the last block.
  static TuplePlace ofTuple(uint64_t id);

  /// Failure: 22P02.
  static TuplePlace parse(std::string_view text);
  static TuplePlace decode(std::string_view bytes);
  [[nodiscard]] std::string encoded() const;
  [[nodiscard]] std::string text() const;
};

}  // namespace gnomon::sql
