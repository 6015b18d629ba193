#include "codegen/executor/morsel_source.h"

#include <algorithm>

#include "base/assert.h"

namespace gnomon::codegen {

bool TableSource::next(Morsel& morsel) {
  if (!scan_.next(morsel.claim, morsel.leaf)) return false;
  morsel.data = &morsel.leaf.access();
  morsel.begin = morsel.leaf.access().row_begin;
  morsel.end = morsel.leaf.access().row_end;
  return true;
}

void LeafSource::suspend(Morsel& morsel) {
  if (!morsel.leaf.holds()) return;
  morsel.resume_at = morsel.leaf.tupleId(static_cast<uint32_t>(morsel.begin));
  morsel.leaf.release();
}

void LeafSource::resume(Morsel& morsel) {
  if (morsel.leaf.holds() || morsel.begin >= morsel.end) return;
  const uint64_t rows_left = morsel.end - morsel.begin;
  uint32_t row = 0;
  const bool found = table_.relation().findStored(morsel.resume_at, morsel.leaf, row);
  CHECK(found, "a tuple below the bound stays where a scan can find it");
  morsel.data = &morsel.leaf.access();
  morsel.begin = row;
  morsel.end = row + rows_left;
}

bool RowListSource::next(Morsel& morsel) {
  const std::scoped_lock guard(mutex_);
  while (list_ < lists_.size() && row_ == lists_[list_]->size()) {
    ++list_;
    row_ = 0;
  }
  if (list_ == lists_.size()) return false;
  const std::vector<char*>& rows = *lists_[list_];
  morsel.data = rows.data();
  morsel.begin = row_;
  morsel.end = std::min<uint64_t>(rows.size(), row_ + kMorselRows);
  row_ = morsel.end;
  return true;
}

bool CountedSource::next(Morsel& morsel) {
  const uint64_t begin = next_.fetch_add(kMorselRows);
  if (begin >= row_count_) return false;
  morsel.data = data_;
  morsel.begin = begin;
  morsel.end = std::min(row_count_, begin + kMorselRows);
  return true;
}

}  // namespace gnomon::codegen
