#pragma once

#include <memory>

#include "base/scratch_array.h"
#include "storage/relation/column_slots.h"
#include "storage/relation/leaf_view.h"

namespace gnomon::txn {

/// Rows that are put together in a leaf beside the relation's, of the same layout, which nobody else knows.
///
/// First there is room, then ids() says which tuples there are, their values are stored, and finish() lets them be
/// looked at. Memory is kept until destruction. Threads: one.
class CopiedRows {
 public:
  /// Of the rows that are there. Whoever adds to them stores the values of so many rows.
  [[nodiscard]] ScratchArray<storage::TupleId>& ids() { return ids_; }
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(ids_.size()); }
  [[nodiscard]] bool hasMemory() const { return page_ != nullptr; }
  void clear() { ids_.clear(); }

  /// Room for so many rows behind those that are there, of whose columns none that is stored is a string, and for
  /// `spare` others, should memory be needed. False: those that are there would have to be moved.
  bool makeRoom(const storage::RelationSchema& schema, size_t rows, size_t spare);
  /// Room for the rows of ids(), nothing of which is stored yet.
  void makeRoom(const storage::RelationSchema& schema);
  /// A column, which is no string: stored with the row's number, all rows before finish().
  [[nodiscard]] storage::ColumnSlots slots(uint32_t column) { return {page_.get(), *schema_, leaf_->layout(), column}; }
  /// All rows of ids(), which there were none of, row by row in all columns.
  void fill(const storage::RelationSchema& schema, const storage::Datum* values, const uint8_t* null_flags);
  /// They can be looked at, until others are added.
  void finish();

  [[nodiscard]] const storage::LeafAccess& access() const { return view_.access(); }
  [[nodiscard]] const storage::LeafView& view() const { return view_; }

 private:
  void begin(const storage::RelationSchema& schema, size_t rows, uint64_t string_bytes);

  ScratchArray<storage::TupleId> ids_;
  std::unique_ptr<std::byte[]> page_;
  uint64_t page_bytes_ = 0;
  uint32_t capacity_ = 0;
  const storage::RelationSchema* schema_ = nullptr;
  std::unique_ptr<storage::Leaf> leaf_;
  storage::LeafView view_;
};

}  // namespace gnomon::txn
