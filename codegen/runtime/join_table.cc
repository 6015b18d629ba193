#include "codegen/runtime/join_table.h"

#include <atomic>
#include <bit>
#include <cstring>

#include "base/large_memory.h"

namespace gnomon::codegen {

JoinTable::~JoinTable() {
  if (storage_) freeLarge(storage_, storage_bytes_);
  memory_.release(reserved_bytes_);
}

uint64_t JoinTable::totalRows() const {
  uint64_t total = 0;
  for (const RowBuffer* builder : builders_) total += builder->rowCount();
  return total;
}

void* JoinTable::reserve(uint64_t bytes) {
  memory_.charge(bytes);
  reserved_bytes_ += bytes;
  storage_ = allocateLarge(bytes);
  storage_bytes_ = bytes;
  if (!storage_) throw SqlError(sqlstate::kOutOfMemory, "out of memory");
  return storage_;
}

void JoinTable::insertChunk(const RowBuffer::Chunk& chunk, uint64_t row_bytes) {
  // Entries are written to in no order: they are asked for some rows ahead.
  constexpr uint64_t kRowsAhead = 16;
  const char* ahead = chunk.begin;
  for (char* row = chunk.begin; row != chunk.end; row += row_bytes) {
    uint64_t hash;
    while (ahead != chunk.end && static_cast<uint64_t>(ahead - row) <= kRowsAhead * row_bytes) {
      std::memcpy(&hash, ahead + 8, 8);
      __builtin_prefetch(shared_.directory + (hash >> shared_.shift), 1);
      ahead += row_bytes;
    }
    std::memcpy(&hash, row + 8, 8);
    std::atomic_ref<uint64_t> entry(shared_.directory[hash >> shared_.shift]);
    const uint64_t tag = uint64_t{1} << (kTagShift + (hash & 15));
    uint64_t old = entry.load(std::memory_order_relaxed);
    uint64_t desired;
    do {
      const uint64_t first = old & kAddressMask;
      std::memcpy(row, &first, 8);
      desired = reinterpret_cast<uint64_t>(row) | (old & ~kAddressMask) | tag;
    } while (!entry.compare_exchange_weak(old, desired, std::memory_order_release, std::memory_order_relaxed));
  }
}

void JoinTable::openDirectory(uint64_t total) {
  const uint64_t entries = std::bit_ceil(std::max<uint64_t>(total + total / 2, 2));
  shared_.shift = static_cast<uint64_t>(64 - std::countr_zero(entries));
  shared_.directory = static_cast<uint64_t*>(reserve(entries * 8));
  shared_.row_count = total;
}

void JoinTable::buildDirectoryAlone() {
  openDirectory(totalRows());
  for (RowBuffer* builder : builders_) {
    builder->seal();
    for (const auto& chunk : builder->chunks) insertChunk(chunk, builder->row_bytes);
  }
}

void JoinTable::buildDirectory(WorkerPool& workers) {
  const uint64_t total = totalRows();
  openDirectory(total);
  struct Piece {
    RowBuffer::Chunk chunk;
    uint64_t row_bytes;
  };
  std::vector<Piece> pieces;
  for (RowBuffer* builder : builders_) {
    builder->seal();
    for (const auto& chunk : builder->chunks) pieces.push_back({chunk, builder->row_bytes});
  }
  constexpr uint64_t kParallelRowsMin = 20000;
  std::atomic<size_t> next{0};
  const auto work = [&](unsigned) {
    for (size_t i = next.fetch_add(1); i < pieces.size(); i = next.fetch_add(1))
      insertChunk(pieces[i].chunk, pieces[i].row_bytes);
  };
  if (total < kParallelRowsMin) {
    work(0);
  } else {
    workers.run(work);
  }
}

const std::vector<char*>& JoinTable::listRows() {
  const uint64_t bytes = totalRows() * sizeof(char*);
  memory_.charge(bytes);
  reserved_bytes_ += bytes;
  row_list_.reserve(totalRows());
  for (RowBuffer* builder : builders_) {
    builder->seal();
    for (const auto& chunk : builder->chunks)
      for (char* row = chunk.begin; row != chunk.end; row += builder->row_bytes) row_list_.push_back(row);
  }
  return row_list_;
}

void JoinTable::buildRowList() {
  const uint64_t total = totalRows();
  shared_.rows = static_cast<char**>(reserve(total * sizeof(char*) + 1));
  for (RowBuffer* builder : builders_) {
    builder->seal();
    for (const auto& chunk : builder->chunks)
      for (char* row = chunk.begin; row != chunk.end; row += builder->row_bytes)
        shared_.rows[shared_.row_count++] = row;
  }
}

}  // namespace gnomon::codegen
