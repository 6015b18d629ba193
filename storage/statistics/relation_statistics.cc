#include "storage/statistics/relation_statistics.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "base/string_value.h"
#include "storage/statistics/value_hash.h"

namespace gnomon::storage {

/// Holds one writer's place; threads begin their search at different ones.
class RelationStatistics::WriterGuard {
 public:
  explicit WriterGuard(std::array<Writer, kWriterCount>& writers) {
    static std::atomic<unsigned> threads{0};
    thread_local const unsigned preferred = threads.fetch_add(1, std::memory_order_relaxed);
    for (unsigned attempt = 0;; ++attempt) {
      writer_ = &writers[(preferred + attempt) % kWriterCount];
      if (!writer_->is_busy.load(std::memory_order_relaxed) &&
          !writer_->is_busy.exchange(true, std::memory_order_acquire))
        return;
      if (attempt % kWriterCount == kWriterCount - 1) std::this_thread::yield();
    }
  }
  ~WriterGuard() { writer_->is_busy.store(false, std::memory_order_release); }
  WriterGuard(const WriterGuard&) = delete;
  WriterGuard& operator=(const WriterGuard&) = delete;
  Writer* operator->() const { return writer_; }

  void countInserted(uint64_t rows) {
    add(writer_->row_count, static_cast<int64_t>(rows));
    add(writer_->change_count, rows);
  }
  void countRemoved(uint64_t rows) {
    add(writer_->row_count, -static_cast<int64_t>(rows));
    countUpdated(rows);
  }
  void countUpdated(uint64_t rows) {
    countChanged(rows);
    add(writer_->removed_count, rows);
  }
  /// Of which no sketch knows.
  void countChanged(uint64_t rows) { add(writer_->change_count, rows); }

 private:
  /// Only the holder of the place writes, so a load and a store do.
  template <typename Number>
  static void add(std::atomic<Number>& count, Number number) {
    count.store(count.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
  }

  Writer* writer_;
};

/// Holds the places of all writers: nobody else is inside a call. Taken in order, under mutex_.
class RelationStatistics::AllWritersGuard {
 public:
  explicit AllWritersGuard(std::array<Writer, kWriterCount>& writers) : writers_(writers) {
    for (Writer& writer : writers_)
      while (writer.is_busy.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  ~AllWritersGuard() {
    for (Writer& writer : writers_) writer.is_busy.store(false, std::memory_order_release);
  }
  AllWritersGuard(const AllWritersGuard&) = delete;
  AllWritersGuard& operator=(const AllWritersGuard&) = delete;

 private:
  std::array<Writer, kWriterCount>& writers_;
};

/// The system is asked once, which takes as long as making the statistics of a small table.
uint64_t RelationStatistics::randomSeed() {
  static const uint64_t first = [] {
    std::random_device device;
    return uint64_t{device()} << 32 | device();
  }();
  static std::atomic<uint64_t> count{0};
  return RandomWords(first + count.fetch_add(1, std::memory_order_relaxed)).next();
}

RelationStatistics::RelationStatistics(RelationSchema schema, uint64_t seed)
    : sample_(seed), schema_(std::move(schema)) {
  RandomWords seeds(~seed);
  for (Writer& writer : writers_) writer.random = RandomWords(seeds.next());
  for (size_t i = 0; i < schema_.size(); ++i) columns_.push_back(std::make_unique<Column>());
}

RelationStatistics::RelationStatistics(RelationSchema schema, std::span<const std::byte> bytes, uint64_t seed)
    : RelationStatistics(std::move(schema), seed) {
  read(bytes);
}

void RelationStatistics::onInsertBatch(TupleId first, const Datum* values, const uint8_t* null_flags,
                                       size_t row_count) {
  {
    WriterGuard writer(writers_);
    feedBatch(writer->random, first, values, null_flags, row_count);
    // One captured reference fits into std::function without an allocation.
    const size_t width = columns_.size();
    const auto encode = [&](uint64_t row) {
      return encodeSampleRow(schema_, values + row * width, null_flags + row * width);
    };
    sample_.insert(writer->cursor, first, row_count, [&encode](uint64_t row) { return encode(row); });
    writer.countInserted(row_count);
  }
  if (feedsTooMany()) halveFeed();
}

void RelationStatistics::feedBatch(RandomWords& random, TupleId first, const Datum* values, const uint8_t* null_flags,
                                   size_t row_count) {
  const unsigned shift = feed_shift_.load(std::memory_order_relaxed);
  Block block;
  block.batch_rows = row_count;
  for (size_t row = 0; row < row_count; ++row) {
    // Stored always, kept if fed: a branch would be mispredicted for many rows.
    block.rows[block.count] = static_cast<uint32_t>(row);
    block.count += isFed(TupleId{first.value + row}, shift) ? 1 : 0;
    if (block.count < kBlockRows) continue;
    insertBlock(random, values, null_flags, block);
    block.count = 0;
  }
  if (block.count != 0) insertBlock(random, values, null_flags, block);
}

/// Feeds the sketches column by column, from rows few enough to stay in the first cache.
void RelationStatistics::insertBlock(RandomWords& random, const Datum* values, const uint8_t* null_flags,
                                     const Block& block) {
  std::array<HyperLogLog::CounterLimit, kBlockRows> limits;
  for (size_t i = 0; i < block.count; ++i) limits[i] = HyperLogLog::drawLimit(random);
  const size_t width = columns_.size();
  const std::span<const uint32_t> rows(block.rows.data(), block.count);
  std::array<uint32_t, kBlockRows> with_value;
  for (size_t index = 0; index < width; ++index) {
    Column& column = *columns_[index];
    std::span<const uint32_t> fed = rows;
    if (schema_[index].nullable) {
      size_t count = 0;
      // The bits of a null are no value that could be hashed.
      for (const uint32_t row : rows)
        if (!null_flags[row * width + index]) with_value[count++] = row;
      if (count != rows.size())
        column.null_count.fetch_add(static_cast<int64_t>(rows.size() - count), std::memory_order_relaxed);
      fed = {with_value.data(), count};
    }
    // Hashed and inserted in one loop, so that the multiplications of one row overlap the counting of another.
    value_hash::forEach(schema_[index].kind, values + index, width, fed,
                        [&](size_t i, uint64_t hash) { column.sketch.insert(hash, limits[i]); });
    const uint64_t repeated = countRepeated(index, values, null_flags, block);
    if (repeated != 0) column.repeated_count.fetch_add(repeated, std::memory_order_relaxed);
  }
}

uint64_t RelationStatistics::countRepeated(size_t index, const Datum* values, const uint8_t* null_flags,
                                           const Block& block) const {
  const size_t width = columns_.size();
  const bool is_text = schema_[index].kind == StoredKind::String;
  uint64_t repeated = 0;
  for (size_t i = 0; i < block.count; ++i) {
    const size_t here = block.rows[i] * width + index;
    if (block.rows[i] + 1 >= block.batch_rows || values[here].lo != values[here + width].lo) continue;
    if (null_flags[here] || null_flags[here + width]) continue;
    const Datum& one = values[here];
    const Datum& other = values[here + width];
    const bool is_equal =
        is_text ? StringValue(one.lo, one.hi).view() == StringValue(other.lo, other.hi).view() : one.hi == other.hi;
    repeated += is_equal ? 1 : 0;
  }
  return repeated;
}

bool RelationStatistics::feedsTooMany() const {
  const unsigned shift = feed_shift_.load(std::memory_order_relaxed);
  return shift < kFeedShiftMax && rowCount() > kFedRowsMax << shift;
}

void RelationStatistics::halveFeed() {
  const std::lock_guard lock(mutex_);
  const AllWritersGuard writers(writers_);
  while (feedsTooMany()) {
    for (const auto& column : columns_) {
      column->sketch.halve(writers_.front().random);
      column->null_count.store(column->null_count.load(std::memory_order_relaxed) / 2, std::memory_order_relaxed);
      column->repeated_count.store(column->repeated_count.load(std::memory_order_relaxed) / 2,
                                   std::memory_order_relaxed);
    }
    feed_shift_.fetch_add(1, std::memory_order_relaxed);
  }
}

void RelationStatistics::removeValues(HyperLogLog::CounterLimit limit, const Datum* values, const uint8_t* null_flags) {
  for (size_t index = 0; index < columns_.size(); ++index) {
    if (null_flags[index])
      columns_[index]->null_count.fetch_sub(1, std::memory_order_relaxed);
    else
      columns_[index]->sketch.remove(value_hash::of(schema_[index].kind, values[index]), limit);
  }
}

void RelationStatistics::onDelete(TupleId id, const Datum* values, const uint8_t* null_flags) {
  {
    WriterGuard writer(writers_);
    if (isFed(id)) removeValues(HyperLogLog::drawLimit(writer->random), values, null_flags);
    sample_.remove(id);
    writer.countRemoved(1);
  }
  clearWhenEmpty();
}

void RelationStatistics::onUpdate(TupleId id, std::span<const uint32_t> columns, const Datum* old_values,
                                  const uint8_t* old_nulls, const Datum* new_values, const uint8_t* new_nulls) {
  WriterGuard writer(writers_);
  sample_.noteUpdate(id);
  if (!isFed(id)) return writer.countChanged(1);
  const HyperLogLog::CounterLimit limit = HyperLogLog::drawLimit(writer->random);
  for (size_t i = 0; i < columns.size(); ++i) {
    Column& column = *columns_[columns[i]];
    const StoredKind kind = schema_[columns[i]].kind;
    const bool was_null = old_nulls[i] != 0, is_null = new_nulls[i] != 0;
    // The same bits are the same value.
    if (was_null == is_null && old_values[i].lo == new_values[i].lo && old_values[i].hi == new_values[i].hi) continue;
    const uint64_t old_hash = was_null ? value_hash::kNull : value_hash::of(kind, old_values[i]);
    const uint64_t new_hash = is_null ? value_hash::kNull : value_hash::of(kind, new_values[i]);
    if (was_null == is_null && old_hash == new_hash) continue;
    if (was_null != is_null) column.null_count.fetch_add(is_null ? 1 : -1, std::memory_order_relaxed);
    if (!was_null) column.sketch.remove(old_hash, limit);
    if (!is_null) column.sketch.insert(new_hash, limit);
  }
  writer.countUpdated(1);
}

uint64_t RelationStatistics::rowCount() const {
  int64_t rows = 0;
  for (const Writer& writer : writers_) rows += writer.row_count.load(std::memory_order_relaxed);
  return static_cast<uint64_t>(std::max<int64_t>(rows, 0));
}

uint64_t RelationStatistics::sumOf(std::atomic<uint64_t> Writer::* count) const {
  uint64_t sum = 0;
  for (const Writer& writer : writers_) sum += (writer.*count).load(std::memory_order_relaxed);
  return sum;
}

/// Ends the history of a relation whose last row went away: no error of a counter outlives it, and the sample is filled
/// again from the first row on.
void RelationStatistics::clearWhenEmpty() {
  const auto isDue = [this] {
    return sample_.size() == 0 && rowCount() == 0 &&
           changeCount() - cleared_change_count_.load(std::memory_order_relaxed) > kClearChangesMin;
  };
  if (!isDue()) return;
  const std::lock_guard lock(mutex_);
  const AllWritersGuard writers(writers_);
  if (isDue()) clearColumnsAndSample();
}

void RelationStatistics::clearColumnsAndSample() {
  for (const auto& column : columns_) {
    column->sketch.clear();
    column->null_count.store(0, std::memory_order_relaxed);
    column->repeated_count.store(0, std::memory_order_relaxed);
  }
  feed_shift_.store(0, std::memory_order_relaxed);
  for (Writer& writer : writers_) writer.removed_count.store(0, std::memory_order_relaxed);
  sample_.clear();
  cleared_change_count_.store(changeCount(), std::memory_order_relaxed);
  cached_.reset();
}

void RelationStatistics::changeSchema(const RelationSchema& schema) {
  const std::lock_guard lock(mutex_);
  const AllWritersGuard writers(writers_);
  const size_t begin = schema_.size();
  CHECK(schema.size() >= begin, "schemas only grow");
  const uint64_t rows = rowCount() >> feed_shift_.load(std::memory_order_relaxed);
  for (size_t index = begin; index < schema.size(); ++index) {
    auto added = std::make_unique<Column>();
    if (const OwnedValue* missing = schema[index].missing.get())
      added->sketch.insertRepeated(value_hash::of(schema[index].kind, missing->datum()), rows, writers_.front().random);
    else
      added->null_count.store(static_cast<int64_t>(rows), std::memory_order_relaxed);
    columns_.push_back(std::move(added));
  }
  sample_.rewrite([&](const SampleRowBytes& row) {
    SampleRowBytes longer = row;
    ByteWriter out(longer);
    for (size_t index = begin; index < schema.size(); ++index) {
      const OwnedValue* missing = schema[index].missing.get();
      encodeSampleValue(out, schema[index].kind, missing ? missing->datum() : Datum{}, missing == nullptr);
    }
    return longer;
  });
  schema_ = schema;
  cached_.reset();
}

std::shared_ptr<const StatisticsSnapshot> RelationStatistics::snapshot(const ReservoirSample::Read& read) {
  const auto isDue = [this] {
    const uint64_t changes_since = changeCount() - cached_change_count_;
    const uint64_t changes_min = cached_ && !cached_->sampleIsComplete() ? kRefreshChangesMin : 0;
    return !cached_ || (changes_since * 100 > cached_->rowCount() * kRefreshPercent && changes_since >= changes_min);
  };
  {
    const std::lock_guard lock(mutex_);
    if (!isDue()) return cached_;
  }
  // Pages may have to be read, and latches to be waited for.
  sample_.refresh(read);
  const std::lock_guard lock(mutex_);
  if (isDue()) {
    const uint64_t changes = changeCount();
    cached_ = takeSnapshot();
    cached_change_count_ = changes;
  }
  return cached_;
}

std::shared_ptr<const StatisticsSnapshot> RelationStatistics::takeSnapshot() const {
  const unsigned shift = feed_shift_.load(std::memory_order_relaxed);
  const uint64_t row_count = rowCount();
  auto sample = sample_.rows();
  // A complete sample says all of this itself, and sketches take their time.
  const bool is_complete = sample.size() == row_count;
  std::vector<ColumnEstimate> estimates;
  for (const auto& column : columns_) {
    const int64_t nulls = column->null_count.load(std::memory_order_relaxed);
    estimates.push_back({static_cast<uint64_t>(std::max<int64_t>(nulls, 0)) << shift,
                         is_complete ? 0 : column->sketch.estimate(),
                         column->repeated_count.load(std::memory_order_relaxed) << shift});
  }
  return std::make_shared<StatisticsSnapshot>(
      schema_, StatisticsSnapshot::History{row_count, sumOf(&Writer::removed_count), shift}, std::move(estimates),
      std::move(sample));
}

}  // namespace gnomon::storage
