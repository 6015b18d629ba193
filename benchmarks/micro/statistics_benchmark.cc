// What the statistics of a relation cost a writer, in nanoseconds a row: batches of rows like TPC-H's lineitem (16
// columns, 5 of them texts) are made outside the clock and fed inside it. Also prints the estimates beside the truth.
//   statistics_benchmark [rows, default 6000000] [threads, default 1] [rows in a batch, default 512]

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/string_value.h"
#include "storage/statistics/relation_statistics.h"

namespace {

using namespace gnomon;
using namespace gnomon::storage;
using Clock = std::chrono::steady_clock;

const RelationSchema kLineitem = {
    {StoredKind::Int32, false},  {StoredKind::Int32, false},  {StoredKind::Int32, false},  {StoredKind::Int32, false},
    {StoredKind::Int64, false},  {StoredKind::Int64, false},  {StoredKind::Int64, false},  {StoredKind::Int64, false},
    {StoredKind::String, false}, {StoredKind::String, false}, {StoredKind::Int32, false},  {StoredKind::Int32, false},
    {StoredKind::Int32, false},  {StoredKind::String, false}, {StoredKind::String, false}, {StoredKind::String, false}};

/// Processor time of this thread: other load on the machine does not count.
double threadNanoseconds() {
  timespec time;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Rows of one batch, in memory that is used again for the next.
class LineitemBatch {
 public:
  LineitemBatch(size_t row_count, uint64_t seed)
      : random_(seed), values_(row_count * kLineitem.size()), nulls_(values_.size(), 0), comments_(row_count) {}

  void fill(uint64_t first) {
    static const char* const kInstructions[] = {"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"};
    static const char* const kModes[] = {"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"};
    for (size_t row = 0; row < comments_.size(); ++row) {
      Datum* value = values_.data() + row * kLineitem.size();
      const uint64_t part = random_.nextBelow(200'000), supplier = (part + random_.nextBelow(4) * 2500) % 10'000;
      const uint64_t ship_date = random_.nextBelow(2526), quantity = 1 + random_.nextBelow(50);
      const uint64_t numbers[] = {(first + row) / 4,
                                  part,
                                  supplier,
                                  (first + row) % 4 + 1,
                                  quantity * 100,
                                  quantity * (90'000 + part % 20'000),
                                  random_.nextBelow(11),
                                  random_.nextBelow(9)};
      for (size_t column = 0; column < 8; ++column) value[column] = {numbers[column], 0};
      value[8] = text(ship_date < 1263 ? (ship_date & 1 ? "A" : "R") : "N");
      value[9] = text(ship_date < 1263 ? "F" : "O");
      for (size_t column = 10; column < 13; ++column) value[column] = {ship_date + random_.nextBelow(30), 0};
      value[13] = text(kInstructions[random_.nextBelow(4)]);
      value[14] = text(kModes[random_.nextBelow(7)]);
      comments_[row].assign(10 + random_.nextBelow(34), 'c');
      const uint64_t word = random_.next();
      comments_[row].replace(0, 8, reinterpret_cast<const char*>(&word), 8);
      value[15] = text(comments_[row]);
    }
  }
  [[nodiscard]] const Datum* values() const { return values_.data(); }
  [[nodiscard]] const uint8_t* nulls() const { return nulls_.data(); }
  [[nodiscard]] size_t rowCount() const { return comments_.size(); }

 private:
  static Datum text(std::string_view bytes) {
    const StringValue value = StringValue::refer(bytes, StringValue::Storage::Temporary);
    return {value.lo(), value.hi()};
  }

  RandomWords random_;
  std::vector<Datum> values_;
  std::vector<uint8_t> nulls_;
  std::vector<std::string> comments_;
};

/// One writer: prints the cost of each stretch of rows, since counters move less the fuller they are.
void feed(RelationStatistics& statistics, std::atomic<uint64_t>& next, uint64_t row_count, size_t batch_rows,
          uint64_t seed, bool prints) {
  LineitemBatch batch(batch_rows, seed);
  double total_ns = 0, stretch_ns = 0;
  uint64_t total_rows = 0, stretch_rows = 0, stretch_end = 10'000;
  for (;;) {
    const uint64_t first = next.fetch_add(batch_rows);
    if (first >= row_count) break;
    batch.fill(first);
    const double start = threadNanoseconds();
    statistics.onInsertBatch(TupleId{first}, batch.values(), batch.nulls(), batch_rows);
    const double ns = threadNanoseconds() - start;
    total_ns += ns, stretch_ns += ns, total_rows += batch_rows, stretch_rows += batch_rows;
    if (!prints || total_rows < stretch_end) continue;
    std::printf("up to row %9lu  %6.1f ns a row\n", static_cast<unsigned long>(total_rows),
                stretch_ns / static_cast<double>(stretch_rows));
    stretch_ns = 0, stretch_rows = 0, stretch_end *= 10;
  }
  if (prints && total_rows)
    std::printf("all rows             %6.1f ns a row\n", total_ns / static_cast<double>(total_rows));
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t row_count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 6'000'000;
  const unsigned thread_count = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 1;
  const size_t batch_rows = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 512;
  RelationStatistics statistics(kLineitem, 1);
  std::atomic<uint64_t> next{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < thread_count; ++thread)
    threads.emplace_back([&, thread] { feed(statistics, next, row_count, batch_rows, thread + 1, thread == 0); });
  for (std::thread& thread : threads) thread.join();

  auto start = Clock::now();
  const auto snapshot = statistics.snapshot();
  std::printf("snapshot             %6.0f us\n",
              std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  start = Clock::now();
  const size_t bytes = statistics.serialise().size();
  std::printf("serialise            %6.0f us, %zu bytes\n",
              std::chrono::duration<double, std::micro>(Clock::now() - start).count(), bytes);
  const auto rows = static_cast<unsigned long>(snapshot->rowCount());
  std::printf("orderkey %.0f of %lu, partkey %.0f of 200000, suppkey %.0f of 10000, linenumber %.0f of 4\n",
              snapshot->column(0).distinct_count, rows / 4, snapshot->column(1).distinct_count,
              snapshot->column(2).distinct_count, snapshot->column(3).distinct_count);
  const uint32_t part_supplier[] = {1, 2}, flags[] = {8, 9}, order_line[] = {0, 3};
  start = Clock::now();
  const double parts = snapshot->groupCount(part_supplier);
  const double us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  std::printf("partkey, suppkey %.0f of 800000 (%.0f us); flag, status %.0f of 3; orderkey, linenumber %.0f of %lu\n",
              parts, us, snapshot->groupCount(flags), snapshot->groupCount(order_line), rows);
}
