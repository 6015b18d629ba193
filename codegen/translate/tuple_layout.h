#pragma once

#include <cstdint>
#include <vector>

#include "base/arena.h"
#include "codegen/runtime/row_format.h"
#include "codegen/translate/code_context.h"
#include "sql/types/value.h"

namespace gnomon::codegen {

/// How a materialised row lies in memory: a header the structure defines, then values by falling size, then one byte
/// per nullable value (1: NULL). Rows are aligned to and a multiple of 16 bytes.
class TupleLayout {
 public:
  explicit TupleLayout(uint32_t header_bytes) : header_bytes_(header_bytes) {}

  /// Returns the field's number. Before finish().
  size_t addField(const sql::Type& type, bool nullable);
  /// Room for a structure of generated code's own, aligned to 16; zero in a zeroed row.
  /// `strings`: offsets of string headers in it.
  size_t addRaw(uint32_t bytes, std::vector<uint32_t> strings = {});
  /// Room for a state that refers to memory outside of the row in its own way.
  size_t addBound(uint32_t bytes) {
    is_movable_ = false;
    return addRaw(bytes);
  }
  void finish();

  /// How rows are moved. After finish().
  [[nodiscard]] RowFormat format() const;
  /// Rows may be gone before the execution ends: what is read from them is copied where it is kept.
  void setPassing() { is_passing_ = true; }

  [[nodiscard]] uint32_t bytes() const { return bytes_; }
  [[nodiscard]] int64_t offset(size_t field) const { return fields_[field].offset; }
  [[nodiscard]] const sql::Type& type(size_t field) const { return fields_[field].type; }

  /// Stores the value and its NULL byte; string bytes are the caller's (copyValue).
  void store(CodeContext& context, size_t field, const SqlValue& value, ir::Value row) const;
  [[nodiscard]] SqlValue load(CodeContext& context, size_t field, ir::Value row) const;
  /// Stores a value from outside generated code, of the field's type; string bytes are copied into the arena.
  void store(const sql::Value& value, size_t field, char* row, Arena& arena) const;

 private:
  struct Field {
    sql::Type type;
    uint32_t size;
    bool nullable;
    int64_t offset;
    int64_t null_offset;
    bool is_raw = false;
    std::vector<uint32_t> strings = {};
  };
  const uint32_t header_bytes_;
  uint32_t bytes_ = 0;
  bool is_movable_ = true;
  bool is_passing_ = false;
  std::vector<Field> fields_;
};

}  // namespace gnomon::codegen
