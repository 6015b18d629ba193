#include "codegen/runtime/row_store.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace gnomon::codegen {

RowStore::RowStore(unsigned worker_count, uint64_t row_bytes, MemoryAccount& memory) : row_bytes_(row_bytes) {
  for (unsigned worker = 0; worker < worker_count; ++worker) {
    parts_.push_back(std::make_unique<Part>(memory));
    parts_.back()->rows.open(&parts_.back()->arena, row_bytes);
  }
}

uint64_t RowStore::rowCount() const {
  uint64_t count = 0;
  for (const auto& part : parts_) count += part->rows.rowCount() + rowCountOf(part->run);
  return count;
}

void RowStore::Part::open(uint64_t row_bytes, SpillArea& spill_area) {
  area = &spill_area;
  rows.open(&area->arena, row_bytes);
  rows.owner = this;
  // Rows with strings may be much larger than they look.
  constexpr uint64_t kRowsWithStringsMax = 64;
  if (!area->format().strings.empty()) rows.chunk_rows_max = kRowsWithStringsMax;
}

void RowStore::Part::makeRoom() {
  if (!area->isFull()) return;
  std::vector<char*> list;
  rows.listInto(list);
  SpillFile& file = area->file();
  for (const char* row : list) file.add(row);
  run.push_back(file.endSegment());
  file.finish();
  rows.clear();
  area->clear();
}

std::vector<RowStore::Piece> RowStore::pieces() {
  std::vector<Piece> result;
  for (const auto& part : parts_) {
    for (const SpilledSegment& segment : part->run)
      if (segment.row_count != 0) result.push_back({{}, segment, part->area});
    part->rows.seal();
    for (const RowBuffer::Chunk& chunk : part->rows.chunks)
      if (chunk.begin != chunk.end) result.push_back({chunk, {}, nullptr});
  }
  return result;
}

void RowStore::clear() {
  for (const auto& part : parts_) {
    RowBuffer& rows = part->rows;
    rows.arena->clear();
    rows.next = rows.end = nullptr;
    rows.chunks.clear();
  }
}

void RowStore::swap(RowStore& other) {
  CHECK(row_bytes_ == other.row_bytes_ && parts_.size() == other.parts_.size(), "the stores are alike");
  for (size_t worker = 0; worker < parts_.size(); ++worker) std::swap(parts_[worker]->rows, other.parts_[worker]->rows);
}

bool RowStoreSource::next(Morsel& morsel) {
  Part& part = parts_[morsel.worker];
  for (;;) {
    if (part.reader && readBatch(part, morsel)) return true;
    const std::scoped_lock guard(mutex_);
    if (!std::exchange(is_open_, true)) pieces_ = store_.pieces();
    if (piece_ == pieces_.size()) return false;
    RowStore::Piece& piece = pieces_[piece_];
    if (piece.area != nullptr) {
      MemoryAccount& account = piece.area->memory().account();
      if (!part.arena) part.rows.open(&part.arena.emplace(&account), store_.rowBytes());
      part.reader.emplace(SpilledRun{piece.segment}, piece.area->format(), account);
      ++piece_;
      continue;
    }
    RowBuffer::Chunk& chunk = piece.chunk;
    const uint64_t bytes = store_.rowBytes();
    const uint64_t rows = std::min(static_cast<uint64_t>(chunk.end - chunk.begin) / bytes, kMorselRows);
    morsel.data = chunk.begin;
    morsel.begin = 0;
    morsel.end = rows;
    chunk.begin += rows * bytes;
    if (chunk.begin == chunk.end) ++piece_;
    return true;
  }
}

/// The rows lie together: no more than the buffer's first chunk holds.
bool RowStoreSource::readBatch(Part& part, Morsel& morsel) const {
  part.rows.clear();
  part.arena->clear();
  uint64_t rows = 0;
  while (rows < kBatchRows && (rows == 0 || part.rows.hasRoom()) && part.reader->advance()) {
    part.reader->copyTo(part.rows);
    ++rows;
  }
  if (rows == 0) {
    part.reader.reset();
    return false;
  }
  morsel.data = part.rows.chunks.front().begin;
  morsel.begin = 0;
  morsel.end = rows;
  return true;
}

}  // namespace gnomon::codegen
