#include "txn/copied_rows.h"

#include <bit>
#include <cstring>

#include "base/assert.h"

namespace gnomon::txn {

using storage::Leaf;
using storage::TupleId;

bool CopiedRows::makeRoom(const storage::RelationSchema& schema, size_t rows, size_t spare) {
  if (schema_ == &schema && ids_.size() + rows <= capacity_) return true;
  if (!ids_.empty()) return false;
  begin(schema, rows + spare, 0);
  return true;
}

void CopiedRows::makeRoom(const storage::RelationSchema& schema) {
  if (schema_ != &schema || ids_.size() > capacity_) begin(schema, ids_.size(), 0);
}

/// A leaf without rows.
void CopiedRows::begin(const storage::RelationSchema& schema, size_t rows, uint64_t string_bytes) {
  // The same for leaves that are nearly alike, so that what is known of its layout can be kept.
  const auto capacity = static_cast<uint32_t>(std::bit_ceil(rows));
  const uint64_t fixed_bytes = storage::leafFixedBytes(schema, schema.version(), capacity);
  const bool is_like_the_last =
      schema_ == &schema && capacity_ == capacity && page_bytes_ >= fixed_bytes + string_bytes;
  if (page_bytes_ < fixed_bytes + string_bytes) {
    page_bytes_ = fixed_bytes + string_bytes;
    page_ = std::make_unique_for_overwrite<std::byte[]>(page_bytes_);
  }
  std::memset(page_.get(), 0, fixed_bytes);
  reinterpret_cast<storage::LeafHeader*>(page_.get())->page.type = storage::PageType::RelationLeaf;
  Leaf::initialise(page_.get(), page_bytes_, schema, capacity, TupleId{});
  if (!is_like_the_last) leaf_ = std::make_unique<Leaf>(page_.get(), schema);
  schema_ = &schema;
  capacity_ = capacity;
}

void CopiedRows::fill(const storage::RelationSchema& schema, const storage::Datum* values, const uint8_t* null_flags) {
  uint64_t string_bytes = 0;
  for (size_t row = 0; row < ids_.size(); ++row)
    string_bytes += storage::variableBytes(schema, values + row * schema.size(), null_flags + row * schema.size());
  begin(schema, ids_.size(), string_bytes);
  uint64_t bytes_added = 0;
  CHECK(leaf_->append(TupleId{}, values, null_flags, ids_.size(), page_bytes_, bytes_added) == ids_.size(), "R1");
}

void CopiedRows::finish() {
  static_assert(sizeof(TupleId) == sizeof(uint64_t));
  reinterpret_cast<storage::LeafHeader*>(page_.get())->tuple_count = size();
  std::memcpy(page_.get() + storage::LeafLayout::kTupleIdsOffset, ids_.data(), ids_.size() * sizeof(TupleId));
  view_.attachCopy(page_.get(), *schema_);
}

}  // namespace gnomon::txn
