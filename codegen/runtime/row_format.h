#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/arena.h"
#include "base/string_value.h"

namespace gnomon::codegen {

/// What of a materialised row lies outside of it, for those who move rows: the bytes of long strings. Those of class
/// persistent stay where they are, since they outlive the execution.
struct RowFormat {
  struct StringField {
    uint32_t offset;
    int32_t null_offset;  ///< of the NULL byte; kNeverNull: there is none
  };
  static constexpr int32_t kNeverNull = -1;

  uint64_t row_bytes = 0;
  std::vector<StringField> strings;
  bool is_movable = true;  ///< false: the row holds addresses that nobody else knows how to follow

  /// Calls visit(string's header) for each string whose bytes move with the row.
  template <typename Visit>
  void forEachString(const char* row, Visit&& visit) const {
    for (const StringField& field : strings) {
      if (field.null_offset != kNeverNull && row[field.null_offset] != 0) continue;
      uint64_t words[2];
      std::memcpy(words, row + field.offset, sizeof(words));
      const StringValue value(words[0], words[1]);
      if (!value.isInline() && value.storage() != StringValue::Storage::Persistent) visit(field.offset, value);
    }
  }
  /// A copy, with its strings in `arena`: they are transient.
  void copy(const char* from, char* to, Arena& arena) const {
    std::memcpy(to, from, row_bytes);
    forEachString(from, [&](uint32_t offset, const StringValue& value) {
      setString(to, offset, StringValue::refer(arena.copy(value.view()), StringValue::Storage::Transient));
    });
  }
  static void setString(char* row, uint32_t offset, const StringValue& value) {
    const uint64_t words[2] = {value.lo(), value.hi()};
    std::memcpy(row + offset, words, sizeof(words));
  }
};

}  // namespace gnomon::codegen
