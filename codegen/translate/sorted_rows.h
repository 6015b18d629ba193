#pragma once

#include <utility>
#include <vector>

#include "codegen/translate/plan_translator.h"
#include "codegen/translate/spill_slots.h"
#include "codegen/translate/tuple_layout.h"

namespace gnomon::codegen {

/// Rows of a pipeline that are materialised and put in order: a pipeline that stores them, a generated comparator and
/// a step that sorts.
///
/// Life: addKey, addUnit, addValue, addRoom, setLimit; produce(); read(). Without keys rows stay as they came.
class SortedRows {
 public:
  explicit SortedRows(PlanTranslator& translator) : translator_(translator), program_(translator.program()) {}

  /// The next key. A plain column can be read above as well.
  void addKey(const sql::Expression& expression, bool descending, bool nulls_first);
  /// A unit of the input that is read above.
  void addUnit(sql::Iu unit);
  /// Another value of the input's rows; its field.
  size_t addValue(const sql::Expression& expression);
  /// Room for a value that is computed later; its field.
  size_t addRoom(const sql::Type& type, bool nullable) { return layout_.addField(type, nullable); }
  /// bigint, no columns; null: none. They outlive the translation.
  void setLimit(const sql::Expression* limit, const sql::Expression* offset) {
    limit_ = limit;
    offset_ = offset;
  }

  /// They are only read once, by read(): what finds no room in memory may be spilled. Before produce().
  void allowSpill() { may_spill_ = true; }

  /// Emits everything up to the sorted rows.
  void produce(const sql::Operator& input);
  /// Emits a pipeline over them, in order, that hands the units and those in `more`, with their fields, to the
  /// consumer.
  void read(const std::vector<std::pair<sql::Iu, size_t>>& more, bool is_ordered, const Consumer& consumer);

  [[nodiscard]] const TupleLayout& layout() const { return layout_; }
  /// Global: Sorter.
  [[nodiscard]] size_t sorterSlot() const { return sorter_slot_; }
  /// bool(left row, right row): left sorts before right by the first `count` keys.
  CodeUnit* emitComparator(size_t count);
  /// The one of all keys, which the rows were sorted by; null: there are none.
  [[nodiscard]] CodeUnit* comparator() const { return comparator_; }

 private:
  struct Key {
    const sql::Expression* expression;
    bool descending, nulls_first;
    size_t field;
  };
  struct Stored {
    const sql::Expression* expression;
    size_t field;
  };

  [[nodiscard]] const size_t* fieldOf(sql::Iu unit) const;
  void addRuntimeSlots();
  void addOpenStep(double rows);
  void addSortStep();
  void materialise(Pipeline& pipeline);

  PlanTranslator& translator_;
  QueryProgram& program_;
  UnitSet below_;
  TupleLayout layout_{0};
  std::vector<Key> keys_;
  std::vector<Stored> values_;
  std::vector<std::pair<sql::Iu, size_t>> unit_fields_;  ///< among them those that are keys
  const sql::Expression* limit_ = nullptr;
  const sql::Expression* offset_ = nullptr;
  CodeUnit* comparator_ = nullptr;
  bool may_spill_ = false;
  SpillSlots spill_;
  size_t sorter_slot_ = 0, order_slot_ = 0, local_slot_ = 0, limit_slot_ = 0;
};

}  // namespace gnomon::codegen
