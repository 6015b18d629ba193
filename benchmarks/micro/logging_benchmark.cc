// What the log costs those who change pages: index entries, appended rows, rows updated in place; with the log and
// without it in turns, in one process. logging_benchmark FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <random>
#include <vector>

#include "base/string_value.h"
#include "storage/index/index_tree.h"
#include "storage/relation/appender.h"
#include "storage/relation/editor.h"

namespace {

using namespace gnomon;
using namespace gnomon::storage;

constexpr int kRounds = 7;

double secondsOf(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// A directory of its own, with a log or without.
class Store {
 public:
  Store(const std::filesystem::path& directory, bool is_logged) {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    buffers = std::make_unique<BufferManager>(directory, BufferOptions{.pool_bytes = uint64_t{1} << 30});
    if (!is_logged) return;
    wal = std::make_unique<wal::WriteAheadLog>(wal::LogScan(directory / "wal"), wal::WalOptions{});
    buffers->log().attach(wal.get());
    writer = wal->lease();
  }
  ~Store() {
    writer.reset();
    buffers.reset();
  }
  /// The seconds of an action that is one transaction, its commit without waiting included.
  double run(const std::function<void()>& action) {
    const uint64_t before = logBytes();
    const double seconds = secondsOf([&] {
      if (!writer) return action();
      writer->begin(wal::TransactionNumber{++transactions_});
      {
        const PageLog::Scope scope(buffers->log(), *writer);
        action();
      }
      writer->commit(wal::Visibility::BeforeStable);
    });
    if (wal) wal->flushAll();
    log_bytes = logBytes() - before;
    return seconds;
  }

  std::unique_ptr<wal::WriteAheadLog> wal;
  std::unique_ptr<BufferManager> buffers;
  std::unique_ptr<wal::LogWriter> writer;
  uint64_t log_bytes = 0;

 private:
  [[nodiscard]] uint64_t logBytes() const { return wal ? wal->counts().written_bytes : 0; }
  uint64_t transactions_ = 0;
};

/// Runs `measure` with and without the log in turns; it returns the operations, the seconds and the bytes changed.
struct Measured {
  uint64_t operations;
  double seconds;
  uint64_t bytes;
};
void compare(const std::filesystem::path& folder, const char* name, const std::function<Measured(Store&)>& measure) {
  std::vector<double> ratios, plain, logged;
  double bytes_ratio = 0;
  uint64_t operations = 0;
  for (int round = 0; round < kRounds; ++round) {
    double seconds[2];
    for (const bool is_logged : {false, true}) {
      Store store(folder / "store", is_logged);
      const Measured measured = measure(store);
      seconds[is_logged] = measured.seconds;
      operations = measured.operations;
      if (is_logged) bytes_ratio = static_cast<double>(store.log_bytes) / static_cast<double>(measured.bytes);
    }
    plain.push_back(seconds[0] / static_cast<double>(operations) * 1e9);
    logged.push_back(seconds[1] / static_cast<double>(operations) * 1e9);
    ratios.push_back(seconds[1] / seconds[0]);
  }
  fmt::print("{:42} {:8.0f} ns plain {:8.0f} ns logged  ratio {:.2f}  log bytes / data bytes {:.2f}\n", name,
             median(plain), median(logged), median(ratios), bytes_ratio);
}

const RelationSchema& rowSchema() {
  static const RelationSchema schema = {{StoredKind::Int64, false},
                                        {StoredKind::Int32, false},
                                        {StoredKind::Int64, true},
                                        {StoredKind::Float64, false},
                                        {StoredKind::String, false}};
  return schema;
}

struct Rows {
  explicit Rows(uint64_t count) : text("a text of forty bytes, more or less, xyz") {
    const StringValue value = StringValue::refer(text, StringValue::Storage::Temporary);
    for (uint64_t row = 0; row < count; ++row) {
      for (const Datum& datum :
           {Datum{row, 0}, Datum{row % 1000, 0}, Datum{row * 7, 0}, Datum{row, 0}, Datum{value.lo(), value.hi()}})
        values.push_back(datum);
      null_flags.insert(null_flags.end(), {0, 0, 0, 0, 0});
    }
  }
  static constexpr uint64_t kRowBytes = 8 + 4 + 8 + 8 + 16 + 40 + 8;
  const std::string text;
  std::vector<Datum> values;
  std::vector<uint8_t> null_flags;
};

Measured insertEntries(Store& store, bool is_ascending) {
  constexpr uint64_t kCount = 400'000;
  IndexTree tree(*store.buffers, RelationId{1}, true);
  std::mt19937_64 random(1);
  const double seconds = store.run([&] {
    for (uint64_t i = 0; i < kCount; ++i) {
      const uint64_t key = std::byteswap(is_ascending ? i : random());
      tree.insert({reinterpret_cast<const char*>(&key), sizeof(key)}, TupleId{i});
    }
  });
  return {kCount, seconds, kCount * 24};
}

Measured appendRows(Store& store, uint64_t batch) {
  const uint64_t count = batch == 1 ? 300'000 : 1'500'000;
  Relation relation(*store.buffers, RelationId{1}, rowSchema());
  RelationAppender appender(relation);
  const Rows rows(batch);
  const double seconds = store.run([&] {
    for (uint64_t done = 0; done < count; done += batch)
      appender.appendBatch(rows.values.data(), rows.null_flags.data(), batch);
  });
  return {count, seconds, count * Rows::kRowBytes};
}

Measured updateRows(Store& store) {
  constexpr uint64_t kRows = 200'000, kUpdates = 400'000;
  Relation relation(*store.buffers, RelationId{1}, rowSchema());
  RelationAppender appender(relation);
  const Rows rows(500);
  for (uint64_t done = 0; done < kRows; done += 500)
    appender.appendBatch(rows.values.data(), rows.null_flags.data(), 500);
  RelationEditor editor(relation);
  std::mt19937_64 random(1);
  const uint32_t column = 2;
  const uint8_t null_flag = 0;
  const double seconds = store.run([&] {
    for (uint64_t i = 0; i < kUpdates; ++i) {
      const Datum value{random(), 0};
      editor.update(TupleId{random() % kRows}, {{&column, 1}, &value, &null_flag});
    }
  });
  return {kUpdates, seconds, kUpdates * 8};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  compare(folder, "index insert, random keys of 8 bytes", [](Store& store) { return insertEntries(store, false); });
  compare(folder, "index insert, ascending keys of 8 bytes", [](Store& store) { return insertEntries(store, true); });
  compare(folder, "append, batches of 500 rows of 92 bytes", [](Store& store) { return appendRows(store, 500); });
  compare(folder, "append, one row of 92 bytes at a time", [](Store& store) { return appendRows(store, 1); });
  compare(folder, "update of one column of 8 bytes", [](Store& store) { return updateRows(store); });
}
