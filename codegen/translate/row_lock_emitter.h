#pragma once

#include "codegen/translate/plan_translator.h"

namespace gnomon::codegen {

/// The tuples behind the rows of an output, to be locked when all rows are there.
class RowLockEmitter {
 public:
  RowLockEmitter(PlanTranslator& translator, const sql::Output& output);

  /// Adds the units of their ids.
  void require(UnitSet& required) const;
  /// Notes those of the row at hand.
  void emit(Pipeline& pipeline) const;
  /// Global, the RowLocks. Only where there are locks.
  [[nodiscard]] size_t slot() const { return locks_slot_; }

 private:
  const sql::Output& output_;
  size_t list_slot_ = 0;
  size_t locks_slot_ = 0;
};

}  // namespace gnomon::codegen
