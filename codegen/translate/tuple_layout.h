#pragma once

#include <cstdint>
#include <vector>

#include "base/arena.h"
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
  size_t addRaw(uint32_t bytes);
  void finish();

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
  };
  const uint32_t header_bytes_;
  uint32_t bytes_ = 0;
  std::vector<Field> fields_;
};

}  // namespace gnomon::codegen
