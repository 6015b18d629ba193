#include "codegen/executor/morsel_source.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace gnomon::codegen {

void Morsel::reset() {
  data = nullptr;
  begin = end = 0;
  claim = {};
  leaf.release();
  rows.reset();
  is_suspended = false;
  tuples.clear();
  next_tuple = 0;
  claimed_end = 0;
  part = 0;
}

void LeafSource::setPiece(Morsel& morsel, const txn::VisibleRows::Piece& piece) {
  morsel.data = piece.access;
  morsel.begin = piece.begin;
  morsel.end = piece.end;
}

void LeafSource::clear(Morsel& morsel) {
  morsel.begin = morsel.end = 0;
  morsel.rows.clear();
  morsel.leaf.release();
}

void TableSource::attachRows(Morsel& morsel) const {
  using Order = txn::VisibleRows::Order;
  morsel.rows.attach(morsel.leaf, table().schema(), snapshot(), table().transactions().epochs(), columns_,
                     morsel.is_whole ? Order::Any : Order::TupleIds);
}

/// The next leaf's versions are fetched, if this one's had to be looked at, the chains of the one after that, and so
/// on. What is farthest away comes last: generated code begins meanwhile, where a latch would wait for it.
void TableSource::prefetchAhead(const Morsel& morsel) const {
  using Ahead = txn::VisibleRows::Ahead;
  constexpr std::array kOrder = {Ahead::Versions, Ahead::Chains, Ahead::Map, Ahead::Frame};
  const bool is_fresh = storage::RelationScan::isFresh(morsel.claim);
  for (const Ahead what : kOrder) {
    if (what == Ahead::Versions && !morsel.rows.hasReadVersions()) continue;
    const auto distance = static_cast<size_t>(what);
    for (size_t leaves = is_fresh ? 0 : distance; leaves <= distance; ++leaves)
      if (storage::Frame* const frame = storage::RelationScan::ahead(morsel.claim, leaves))
        txn::VisibleRows::prefetch(*frame, what, snapshot(), table().transactions().epochs(), columns_);
  }
}

/// Lets go of a leaf that was looked at as a whole.
void TableSource::leave(Morsel& morsel) const {
  if (!morsel.leaf.holds() || !morsel.rows.isWorthPruning()) return;
  storage::Frame& frame = morsel.leaf.frame();
  const storage::PageId page = frame.page_id.load();
  clear(morsel);
  table().relation().tryPrune(frame, page);
}

bool TableSource::take(Morsel& morsel, const txn::VisibleRows::Piece& piece) const {
  setPiece(morsel, piece);
  table().activity().add(txn::TableCount::SequentialRows, piece.end - piece.begin);
  return true;
}

bool TableSource::next(Morsel& morsel) {
  for (;;) {
    txn::VisibleRows::Piece piece{};
    if (morsel.rows.next(piece)) return take(morsel, piece);
    leave(morsel);
    if (!scan_.next(morsel.claim, morsel.leaf)) return morsel.rows.takeGathered(piece) && take(morsel, piece);
    morsel.end_id = storage::TupleId{morsel.leaf.tupleId(morsel.leaf.access().row_end - 1).value + 1};
    // While versions are looked at the memory would have nothing to do.
    if (morsel.leaf.frame().version_map.load(std::memory_order_relaxed)) scan_.prefetchFurther(morsel.leaf);
    attachRows(morsel);
    prefetchAhead(morsel);
  }
}

void TableSource::suspend(Morsel& morsel) {
  if (!morsel.leaf.holds()) return;
  const auto* const access = static_cast<const storage::LeafAccess*>(morsel.data);
  morsel.resume_at = morsel.begin < morsel.end ? txn::VisibleRows::tupleId(*access, static_cast<uint32_t>(morsel.begin))
                                               : morsel.rows.nextId(morsel.end_id);
  morsel.is_suspended = morsel.resume_at < morsel.end_id;
  clear(morsel);
}

void TableSource::resume(Morsel& morsel) {
  if (!morsel.is_suspended) return;
  morsel.is_suspended = false;
  // The tuple is still there, since the snapshot sees it; but others may have changed it, or moved it to another page.
  table().relation().attach(morsel.resume_at, morsel.end_id, morsel.leaf);
  attachRows(morsel);
  txn::VisibleRows::Piece piece{};
  if (morsel.rows.next(piece)) setPiece(morsel, piece);
}

uint64_t RowListSource::rowCount() const {
  uint64_t rows = 0;
  for (const std::vector<char*>* list : lists_) rows += list->size();
  return rows;
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
