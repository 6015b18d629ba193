#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "storage/relation/schema.h"
#include "storage/statistics/hyper_log_log.h"
#include "storage/statistics/reservoir_sample.h"
#include "storage/statistics/statistics_snapshot.h"

namespace gnomon::storage {

/// The statistics of a relation: number of rows, a sample of them, and for each column a sketch and the number of
/// nulls.
///
/// Source: paper 2, section 3.2. Told by writers of every row they insert, change or delete, uncommitted inserts
/// included; who rolls back tells the reverse. Departure: sketches and null counts are fed with all rows of a small
/// relation only, then with every second one, and so on down to one in 32. Which ones, their ids say, so deletes know
/// them again. When the share is halved, the counters are (HyperLogLog::halve): which of the rows up to then are still
/// counted is not known, so removing many of them leaves errors; a writer that reads the relation anyway builds the
/// statistics anew. What the rows that were not fed hold is inferred (StatisticsSnapshot). Rows fed are also compared
/// with the next of their batch: columns whose equal values stand together are known by that.
/// Shape: 4 KiB for each column, 16 KiB, and the sample's rows. Threads: any number of writers (the on... functions)
/// and readers (snapshot, serialise) at once, with one lock that is taken only when a row is chosen for the sample. A
/// writer uses one of 16 places, each on cache lines of its own, for its row count, its random numbers and its skip in
/// the sample. clear and changeSchema: no writer is at work.
class RelationStatistics {
 public:
  /// The same seed and the same calls by one thread give the same statistics.
  explicit RelationStatistics(RelationSchema schema, uint64_t seed = randomSeed());
  /// Opens what serialise() gave. Failure: XX001 when the bytes are damaged or belong to another schema.
  RelationStatistics(RelationSchema schema, std::span<const std::byte> bytes, uint64_t seed = randomSeed());
  RelationStatistics(const RelationStatistics&) = delete;
  RelationStatistics& operator=(const RelationStatistics&) = delete;

  /// Rows were appended (shape as in RelationAppender::appendBatch); their ids follow one another from `first`.
  void onInsertBatch(TupleId first, const Datum* values, const uint8_t* null_flags, size_t row_count);
  void onDelete(TupleId id, const Datum* values, const uint8_t* null_flags);
  /// The values of `columns`, all that have changed, before and after; none unless needsValues().
  void onUpdate(TupleId id, std::span<const uint32_t> columns, const Datum* old_values, const uint8_t* old_nulls,
                const Datum* new_values, const uint8_t* new_nulls);

  /// The relation has a newer schema; every row has the missing value in columns that were added.
  void changeSchema(const RelationSchema& schema);

  /// Whether sketches hold the row with this id.
  [[nodiscard]] bool isFed(TupleId id) const { return isFed(id, feed_shift_.load(std::memory_order_relaxed)); }
  /// Whether a change of the tuple has to be told with its values; onDelete and onUpdate do otherwise without.
  [[nodiscard]] bool needsValues(TupleId id) const { return isFed(id); }

  /// The statistics as they are, or as they were at most 5 % of the rows ago. `read`: what reads sampled rows that have
  /// changed; null: the sample has them as they were.
  [[nodiscard]] std::shared_ptr<const StatisticsSnapshot> snapshot(const ReservoirSample::Read& read = nullptr);
  [[nodiscard]] uint64_t rowCount() const;

  /// Layout: magic "GNOMSTAT", XXH3 of what follows it, version (4 bytes), columns (4 bytes), rows, removed (8 bytes
  /// each), feed shift (4 bytes); for each column kind (1 byte), nulls, repeated (8 bytes each), sketch; the sample.
  /// Writers may be at work. `read`: as snapshot().
  [[nodiscard]] std::vector<std::byte> serialise(const ReservoirSample::Read& read = nullptr);

 private:
  struct Column {
    HyperLogLog sketch;
    std::atomic<int64_t> null_count{0};       ///< of the rows fed
    std::atomic<uint64_t> repeated_count{0};  ///< rows fed whose successor has the same value
  };
  /// Layout: two cache lines, since neighbouring lines are fetched in pairs.
  struct alignas(128) Writer {
    std::atomic<bool> is_busy{false};
    std::atomic<int64_t> row_count{0};  ///< inserted less deleted here: may be negative
    std::atomic<uint64_t> change_count{0};
    std::atomic<uint64_t> removed_count{0};  ///< of the changes, deletes and updates
    RandomWords random;
    ReservoirSample::Cursor cursor;
  };
  class WriterGuard;
  class AllWritersGuard;
  static constexpr unsigned kWriterCount = 16;
  static constexpr size_t kBlockRows = 64;
  static constexpr uint64_t kRefreshPercent = 5;
  static constexpr uint64_t kRefreshChangesMin = 256;
  static constexpr unsigned kFeedShiftMax = 5;
  static constexpr uint64_t kFedRowsMax = 16 << 10;  ///< more, and half of them are fed, down to one in 32
  /// A shorter history is exact, or nearly so, and not worth clearing when the relation becomes empty.
  static constexpr uint64_t kClearChangesMin = 4096;

  /// Rows of a batch that are fed, and how many rows the batch has.
  struct Block {
    std::array<uint32_t, kBlockRows> rows;
    size_t count = 0;
    size_t batch_rows = 0;
  };

  static uint64_t randomSeed();
  /// The ids' multiples of the golden ratio are spread evenly, whatever the pattern of their rows.
  static bool isFed(TupleId id, unsigned shift) {
    return (id.value * 0x9e3779b97f4a7c15ULL) >> (64 - kFeedShiftMax) < (1U << kFeedShiftMax) >> shift;
  }
  void feedBatch(RandomWords& random, TupleId first, const Datum* values, const uint8_t* null_flags, size_t row_count);
  void insertBlock(RandomWords& random, const Datum* values, const uint8_t* null_flags, const Block& block);
  [[nodiscard]] uint64_t countRepeated(size_t index, const Datum* values, const uint8_t* null_flags,
                                       const Block& block) const;
  void removeValues(HyperLogLog::CounterLimit limit, const Datum* values, const uint8_t* null_flags);
  [[nodiscard]] bool feedsTooMany() const;
  void halveFeed();
  void clearColumnsAndSample();
  void clearWhenEmpty();
  void read(std::span<const std::byte> bytes);
  std::shared_ptr<const StatisticsSnapshot> takeSnapshot() const;
  [[nodiscard]] uint64_t sumOf(std::atomic<uint64_t> Writer::* count) const;
  [[nodiscard]] uint64_t changeCount() const { return sumOf(&Writer::change_count); }

  std::array<Writer, kWriterCount> writers_;
  ReservoirSample sample_;

  std::mutex mutex_;  ///< guards the cached snapshot; held by who changes schema_ and columns_
  RelationSchema schema_;
  std::vector<std::unique_ptr<Column>> columns_;
  std::shared_ptr<const StatisticsSnapshot> cached_;
  uint64_t cached_change_count_ = 0;

  std::atomic<unsigned> feed_shift_{0};            ///< one row in 2^shift is fed; changed while no writer is at work
  std::atomic<uint64_t> cleared_change_count_{0};  ///< changes when it was last cleared
};

}  // namespace gnomon::storage
