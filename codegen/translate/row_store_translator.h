#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codegen/translate/plan_translator.h"
#include "codegen/translate/spill_slots.h"
#include "codegen/translate/tuple_layout.h"

namespace gnomon::codegen {

/// Rows that one pipeline stores and others scan.
class RowStoreTranslator {
 public:
  struct Field {
    sql::Type type;
    bool is_nullable;
  };
  /// `may_spill`: all rows are stored before the first is scanned, and they stay.
  RowStoreTranslator(PlanTranslator& translator, const std::vector<Field>& fields, bool may_spill);

  /// Emits the storing of a row; its strings are copied.
  void append(Pipeline& pipeline, const std::vector<SqlValue>& values) const;
  struct Scan {
    size_t source_slot;
    std::vector<size_t> limit_slots;  ///< as of the pipeline
  };
  /// A pipeline over the rows; `units` are bound to fields.
  Scan scan(const std::vector<std::pair<sql::Iu, size_t>>& units, const std::string& text, bool is_ordered,
            const Consumer& consumer) const;

  [[nodiscard]] const TupleLayout& layout() const { return layout_; }
  /// Rows without columns are counted all the same.
  [[nodiscard]] uint32_t rowBytes() const { return std::max<uint32_t>(layout_.bytes(), 16); }
  /// Global slot of the RowStore.
  [[nodiscard]] size_t slot() const { return store_slot_; }

 private:
  PlanTranslator& translator_;
  TupleLayout layout_{0};
  SpillSlots spill_;
  size_t store_slot_ = 0;
  size_t buffer_slot_ = 0;
};

/// Emits a new row at the end of a RowBuffer; its address.
ir::Value appendRow(Pipeline& pipeline, ir::Value buffer, uint32_t row_bytes);

}  // namespace gnomon::codegen
