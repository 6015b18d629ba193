#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "storage/statistics/random.h"
#include "storage/statistics/sample_row.h"

namespace gnomon::storage {

/// A uniform random sample of up to 1024 rows of a relation. Its writers say which rows it has, and which of them have
/// changed; these are read again when somebody wants the sample (refresh), since hot rows change more often than that.
///
/// Source: skips by Li's Algorithm L, handed out to writers as by Birler, Radke and Neumann, "Concurrent online
/// sampling for all, for free", DaMoN 2020: a writer draws under the lock how many of its own rows it passes over, then
/// counts them down alone. Deletes by random pairing (Gemulla, Lehner and Haas, VLDB 2006): a deleted row's place, in
/// the sample or outside it, is taken by a later insert, so the sample stays uniform but stays small until rows come
/// back. Departure: what other writers' unfinished skips cover counts as seen, which makes late rows up to (writers /
/// 1024) less likely. Invariants: R1  rows + vacancies in the sample <= 1024, with equality once 1024 rows have been
/// inserted
///             R2  a sampled row is counted in members_
/// Threads: any. The lock is taken when a row is chosen, in the first 1024 rows, when a sampled row is changed or
/// deleted, and for inserts as long as a row deleted from the sample has not been replaced.
class ReservoirSample {
 public:
  static constexpr uint32_t kCapacity = 1024;

  /// One writer's place in the skips. Threads: one at a time.
  struct Cursor {
    uint64_t skip = 0;        ///< rows to pass over before the next chosen one
    uint64_t generation = 0;  ///< of the sample the skip was drawn for; 0: none
  };
  struct Row {
    TupleId id;
    SampleRowBytes bytes;
    bool is_outdated = false;  ///< the row has changed since
  };
  /// Encodes row `index` of the batch at hand.
  using Encode = std::function<SampleRowBytes(uint64_t index)>;

  explicit ReservoirSample(uint64_t seed) : random_(seed) {}

  /// Rows with ids first, first + 1, ... were inserted.
  void insert(Cursor& cursor, TupleId first, uint64_t row_count, const Encode& encode) {
    if (cursor.skip >= row_count && cursor.generation == generation_.load(std::memory_order_relaxed) &&
        vacancies_.load(std::memory_order_relaxed) == 0) {
      cursor.skip -= row_count;
      return;
    }
    insertSlowly(cursor, first, row_count, encode);
  }
  void remove(TupleId id);
  /// The row has other values now: its bytes are those of before until refresh().
  void noteUpdate(TupleId id);
  /// A row as it is now; nothing: it cannot be read.
  using Read = std::function<std::optional<SampleRowBytes>(TupleId id)>;
  /// Reads the sampled rows that have changed. Nobody is kept from writing meanwhile. `read`: null: nothing happens.
  void refresh(const Read& read);
  /// The relation is empty: starts anew.
  void clear();

  [[nodiscard]] uint32_t size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::vector<Row> rows() const;
  /// Changes the bytes of all rows, for a changed schema.
  void rewrite(const std::function<SampleRowBytes(const SampleRowBytes&)>& change);

  void write(ByteWriter& out) const;
  /// Takes over what write() wrote; the rows' bytes are for the caller to check. Failure: XX001. Threads: alone.
  void read(ByteReader& in);

 private:
  /// Deleted rows whose place no insert has taken yet. Layout: outside the sample (53 bits) | in it (11 bits).
  static constexpr unsigned kInsideBits = 11;
  static constexpr uint64_t kInsideMask = (uint64_t{1} << kInsideBits) - 1;
  static constexpr uint64_t kOneOutside = uint64_t{1} << kInsideBits;
  /// What sampled ids with the same place have in common: their number (4 bits, which stays where it is full), and what
  /// their marks (12 bits) are together, added bit by bit.
  static constexpr unsigned kPlaceBits = 13;
  static constexpr unsigned kMarkBits = 12;
  static constexpr uint16_t kManyMembers = (1u << (16 - kMarkBits)) - 1;

  void insertSlowly(Cursor& cursor, TupleId first, uint64_t row_count, const Encode& encode);
  uint64_t fillVacancies(TupleId first, uint64_t row_count, const Encode& encode);
  bool passOverOutside(uint64_t row_count, uint64_t& passed);
  uint64_t drawPairingSkip(uint64_t inside, uint64_t outside);
  void drawSkip(Cursor& cursor);
  void choose(Row row);
  void append(Row row);
  void replace(size_t position, Row row);
  void erase(size_t position);
  void startSkipsWhenFull();
  static uint64_t hashOf(TupleId id) { return id.value * 0x9e3779b97f4a7c15ULL; }
  static uint16_t markOf(TupleId id) {
    return static_cast<uint16_t>(hashOf(id) >> (64 - kPlaceBits - kMarkBits) & ((1u << kMarkBits) - 1));
  }
  std::atomic<uint16_t>& membersAt(TupleId id) { return members_[hashOf(id) >> (64 - kPlaceBits)]; }
  void addMember(TupleId id);
  void dropMember(TupleId id);
  /// False: the id is not sampled.
  bool mayBeMember(TupleId id);

  /// By places: tells without the lock of nearly all ids that they are not sampled.
  std::array<std::atomic<uint16_t>, 1u << kPlaceBits> members_{};
  std::atomic<uint64_t> vacancies_{0};
  std::atomic<uint64_t> generation_{1};
  std::atomic<uint32_t> size_{0};  ///< of rows_

  mutable std::mutex mutex_;  ///< guards what follows
  RandomWords random_;
  std::vector<Row> rows_;
  std::unordered_map<uint64_t, uint32_t> positions_;  ///< tuple id to index in rows_
  bool has_outdated_ = false;
  uint32_t filled_ = 0;  ///< inserts of the first 1024
  double weight_ = 1;    ///< Algorithm L's W: the chance that the next row is chosen
};

}  // namespace gnomon::storage
