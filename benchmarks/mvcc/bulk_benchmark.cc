// What versions cost a load: TPC-H's lineitem from its file into a table without indexes, by turns
//   none      without versions: tuples are appended as they are, everybody sees them at once
//   regular   by an ordinary transaction
//   bulk      by a bulk transaction
//   bulk_benchmark DIRECTORY LINEITEM [RUNS]
// Paper 1, section 4.4 (table 2) has the experiment. All three parse the file with the same code, log what they append,
// feed the statistics and end with a commit that waits for the disk; then the table goes and a checkpoint is taken.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/string_value.h"
#include "storage/relation/appender.h"
#include "txn/change_scope.h"
#include "txn/database_storage.h"
#include "txn/write_statement.h"

namespace {

using namespace gnomon;
using storage::StoredKind;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kPoolBytes = uint64_t{4} << 30;
constexpr size_t kBatchRows = 512;
constexpr size_t kChunkBytes = 256 << 10;
const CancelToken kCalm;

enum class Field : uint8_t { Number, Amount, Text, Date };
constexpr Field kFields[] = {Field::Number, Field::Number, Field::Number, Field::Number, Field::Amount, Field::Amount,
                             Field::Amount, Field::Amount, Field::Text,   Field::Text,   Field::Date,   Field::Date,
                             Field::Date,   Field::Text,   Field::Text,   Field::Text};
constexpr size_t kColumns = std::size(kFields);

storage::RelationSchema lineitemSchema() {
  std::vector<storage::StoredColumn> columns;
  for (const Field field : kFields)
    columns.push_back({field == Field::Text     ? StoredKind::String
                       : field == Field::Amount ? StoredKind::Int64
                                                : StoredKind::Int32,
                       false});
  return storage::RelationSchema(std::move(columns));
}

txn::Datum parseField(Field field, std::string_view text) {
  if (field == Field::Text) {
    const StringValue value = StringValue::refer(text, StringValue::Storage::Temporary);
    return {value.lo(), value.hi()};
  }
  int64_t number = 0;
  for (const char digit : text)
    if (digit >= '0' && digit <= '9') number = number * 10 + (digit - '0');
  return {static_cast<uint64_t>(number), 0};
}

/// Rows of the file, a batch at a time; texts refer to the chunk at hand.
class Reader {
 public:
  explicit Reader(const char* path) : file_(path, std::ios::binary), values_(kBatchRows * kColumns) {
    CHECK(file_.is_open(), "the file is there");
  }
  /// False: there are no more.
  template <typename Append>
  bool next(Append&& append) {
    const size_t kept = chunk_.size() - at_;
    std::copy(chunk_.begin() + static_cast<ptrdiff_t>(at_), chunk_.end(), chunk_.begin());
    chunk_.resize(kept + kChunkBytes);
    file_.read(chunk_.data() + kept, kChunkBytes);
    chunk_.resize(kept + static_cast<size_t>(file_.gcount()));
    at_ = 0;
    if (file_.gcount() == 0) return false;
    size_t rows = 0;
    const char* const end = chunk_.data() + chunk_.size();
    for (;;) {
      const char* cursor = chunk_.data() + at_;
      const auto* line_end = static_cast<const char*>(memchr(cursor, '\n', static_cast<size_t>(end - cursor)));
      if (!line_end) break;
      for (size_t column = 0; column < kColumns; ++column) {
        const auto* field_end = static_cast<const char*>(memchr(cursor, '|', static_cast<size_t>(end - cursor)));
        const char* const stop = field_end && field_end < line_end ? field_end : line_end;
        values_[rows * kColumns + column] = parseField(kFields[column], {cursor, stop});
        cursor = stop + 1;
      }
      at_ = static_cast<size_t>(line_end + 1 - chunk_.data());
      if (++rows < kBatchRows) continue;
      append(values_.data(), rows);
      rows = 0;
    }
    if (rows > 0) append(values_.data(), rows);
    return true;
  }

 private:
  std::ifstream file_;
  std::vector<char> chunk_;
  size_t at_ = 0;
  std::vector<txn::Datum> values_;
};

enum class Mode : uint8_t { None, Regular, Bulk };
constexpr const char* kModeNames[] = {"none", "regular", "bulk"};

struct Load {
  double seconds;
  double cpu_seconds;  ///< of all threads
  uint64_t rows;
  uint64_t version_bytes;
};

double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Load load(txn::DatabaseStorage& storage, const char* path, Mode mode) {
  const auto table = storage.createTable(lineitemSchema());
  txn::TransactionManager& manager = storage.transactions();
  const std::vector<uint8_t> null_flags(kBatchRows * kColumns);
  const Clock::time_point begin = Clock::now();
  const double cpu_begin = cpuSeconds();
  Load done{};
  txn::LockOwner owner(manager.locks());
  const txn::Patience patience{kCalm};
  auto transaction = manager.begin(owner);
  if (mode == Mode::Bulk) manager.beginBulk(*transaction, patience);
  Reader reader(path);
  {
    const txn::WriteContext context{
        .manager = manager, .transaction = *transaction, .snapshot = {}, .patience = patience};
    txn::WriteStatement statement(*table, context);
    storage::RelationAppender appender(table->relation());
    const auto append = [&](const txn::Datum* values, size_t rows) {
      done.rows += rows;
      if (mode != Mode::None) {
        statement.appendBatch(values, null_flags.data(), rows);
        return;
      }
      const txn::ChangeScope logging(manager, *transaction);
      const storage::TupleId first = appender.appendBatch(values, null_flags.data(), rows);
      table->countAppended(first, values, null_flags.data(), rows);
    };
    while (reader.next(append)) continue;
    statement.finish();
  }
  done.version_bytes = manager.versionMemory().usedBytes();
  manager.commit(std::move(transaction));
  done.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  done.cpu_seconds = cpuSeconds() - cpu_begin;
  owner.releaseAll();
  manager.collect();
  CHECK(table->tupleCountEstimate() == done.rows, "every row is there");
  storage.dropTable(table);
  storage.checkpoint();
  return done;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 3) {
    fmt::print(stderr, "bulk_benchmark DIRECTORY LINEITEM [RUNS]\n");
    return 2;
  }
  const int runs = argument_count > 3 ? std::atoi(arguments[3]) : 5;
  const auto storage = txn::DatabaseStorage::open(arguments[1], {.pool_bytes = kPoolBytes});
  storage->finishCreation();
  std::vector<double> seconds[3], cpu_seconds[3];
  Load last[3]{};
  load(*storage, arguments[2], Mode::None);
  for (int run = 0; run < runs; ++run) {
    for (const Mode mode : {Mode::None, Mode::Regular, Mode::Bulk}) {
      const auto which = static_cast<size_t>(mode);
      last[which] = load(*storage, arguments[2], mode);
      seconds[which].push_back(last[which].seconds);
      cpu_seconds[which].push_back(last[which].cpu_seconds);
      fmt::print(stderr, "{:8} {:.2f} s\n", kModeNames[which], last[which].seconds);
    }
  }
  const double plain = median(seconds[0]);
  const double plain_cpu = median(cpu_seconds[0]);
  fmt::print("{:>8} {:>8} {:>10} {:>6} {:>12} {:>6} {:>14}\n", "versions", "seconds", "rows/s", "ratio", "CPU seconds",
             "ratio", "version bytes");
  for (size_t which = 0; which < 3; ++which) {
    const double taken = median(seconds[which]);
    const double cpu = median(cpu_seconds[which]);
    fmt::print("{:>8} {:>8.2f} {:>10.0f} {:>6.3f} {:>12.2f} {:>6.3f} {:>14}\n", kModeNames[which], taken,
               static_cast<double>(last[which].rows) / taken, taken / plain, cpu, cpu / plain_cpu,
               last[which].version_bytes);
  }
  storage->checkpointAndClose();
  return 0;
}
