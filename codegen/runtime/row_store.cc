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
  for (const auto& part : parts_) count += part->rows.rowCount();
  return count;
}

std::vector<RowBuffer::Chunk> RowStore::chunks() {
  std::vector<RowBuffer::Chunk> result;
  for (const auto& part : parts_) {
    part->rows.seal();
    for (const RowBuffer::Chunk& chunk : part->rows.chunks)
      if (chunk.begin != chunk.end) result.push_back(chunk);
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
  const std::scoped_lock guard(mutex_);
  if (!std::exchange(is_open_, true)) chunks_ = store_.chunks();
  if (chunk_ == chunks_.size()) return false;
  RowBuffer::Chunk& chunk = chunks_[chunk_];
  const uint64_t bytes = store_.rowBytes();
  const uint64_t rows = std::min(static_cast<uint64_t>(chunk.end - chunk.begin) / bytes, kMorselRows);
  morsel.data = chunk.begin;
  morsel.begin = 0;
  morsel.end = rows;
  chunk.begin += rows * bytes;
  if (chunk.begin == chunk.end) ++chunk_;
  return true;
}

}  // namespace gnomon::codegen
