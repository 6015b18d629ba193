#include "codegen/translate/tuple_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/assert.h"
#include "base/string_value.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

size_t TupleLayout::addField(const sql::Type& type, bool nullable) {
  fields_.push_back({type, materialisedBytes(type), nullable, 0, 0});
  return fields_.size() - 1;
}

size_t TupleLayout::addRaw(uint32_t bytes, std::vector<uint32_t> strings) {
  fields_.push_back({sql::Type{}, (bytes + 15) & ~15u, false, 0, 0, true, std::move(strings)});
  return fields_.size() - 1;
}

void TupleLayout::finish() {
  std::vector<size_t> order(fields_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return fields_[a].size != fields_[b].size ? fields_[a].size > fields_[b].size : a < b;
  });
  uint32_t offset = (header_bytes_ + 15) & ~15u;
  for (const size_t number : order) {
    fields_[number].offset = offset;
    offset += fields_[number].size;
  }
  for (Field& field : fields_)
    if (field.nullable) field.null_offset = offset++;
  bytes_ = (offset + 15) & ~15u;
}

RowFormat TupleLayout::format() const {
  RowFormat format;
  format.row_bytes = bytes_;
  format.is_movable = is_movable_;
  for (const Field& field : fields_) {
    const auto offset = static_cast<uint32_t>(field.offset);
    for (const uint32_t inside : field.strings) format.strings.push_back({offset + inside, RowFormat::kNeverNull});
    if (!field.is_raw && field.type.physical() == sql::Physical::String && !fitsInline(field.type))
      format.strings.push_back(
          {offset, field.nullable ? static_cast<int32_t>(field.null_offset) : RowFormat::kNeverNull});
  }
  return format;
}

void TupleLayout::store(CodeContext& context, size_t field, const SqlValue& value, ir::Value row) const {
  const Field& target = fields_[field];
  storeValue(context, value, row, target.offset);
  if (!target.nullable) return;
  ir::Builder& b = context.builder;
  b.store(value.isNullable() ? b.zext(value.is_null, ir::Type::I8) : b.constI8(0), row, target.null_offset);
}

void TupleLayout::store(const sql::Value& value, size_t field, char* row, Arena& arena) const {
  const Field& target = fields_[field];
  CHECK(value.type == target.type && (target.nullable || !value.is_null), "a value of the field's type");
  if (target.nullable) row[target.null_offset] = value.is_null ? 1 : 0;
  uint64_t words[2] = {value.lo, value.hi};
  if (value.is_null) {
    words[0] = words[1] = 0;
  } else if (target.type.physical() == sql::Physical::String) {
    const auto text = StringValue::refer(arena.copy(value.bytes), StringValue::Storage::Temporary);
    words[0] = text.lo();
    words[1] = text.hi();
  } else if (target.type.physical() == sql::Physical::Float32) {
    words[0] = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value.lo)));
  }
  std::memcpy(row + target.offset, words, target.size);
}

SqlValue TupleLayout::load(CodeContext& context, size_t field, ir::Value row) const {
  const Field& source = fields_[field];
  SqlValue value = loadValue(context, source.type, row, source.offset);
  value.is_durable = !is_passing_;
  if (source.nullable) {
    ir::Builder& b = context.builder;
    value.is_null = b.ne(b.load(ir::Type::I8, row, source.null_offset), b.constI8(0));
  }
  return value;
}

}  // namespace gnomon::codegen
