// Point lookups and random-order inserts of 8-byte keys and values: Gnomon's index beside LMDB, RocksDB and
// absl::btree_map, in one process, one after the other. Prints nanoseconds per operation and thread count, and ratios.
//
//   index_benchmark DIRECTORY [KEYS] [SYSTEM...]

#include <absl/container/btree_map.h>
#include <fmt/format.h>
#include <lmdb.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "storage/index/index_tree.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint64_t kGiB = uint64_t{1} << 30;

/// Keys are a permutation of spread numbers: random order without a shuffled array that would cost cache misses itself.
uint64_t keyOf(uint64_t number) {
  uint64_t key = number * 0x9E3779B97F4A7C15;
  key ^= key >> 32;
  return key * 0xD6E8FEB86659FD93;
}
struct KeyBytes {
  explicit KeyBytes(uint64_t key) : big_endian(std::byteswap(key)) {}
  [[nodiscard]] std::string_view view() const { return {reinterpret_cast<const char*>(&big_endian), 8}; }
  uint64_t big_endian;
};

void require(bool condition, const char* what) {
  if (condition) return;
  fmt::print(stderr, "failed: {}\n", what);
  std::abort();
}

/// A store under test. Ranges are of key numbers.
class Store {
 public:
  virtual ~Store() = default;
  virtual void insert(uint64_t begin, uint64_t end) = 0;
  /// Looks up keys from the range in random order, `count` of them; all are there.
  virtual void lookup(uint64_t keys, uint64_t count, uint64_t seed) = 0;
  /// After all inserts, before lookups.
  virtual void settle() {}
};

class GnomonStore : public Store {
 public:
  explicit GnomonStore(const std::filesystem::path& directory)
      : buffers_(directory, {.pool_bytes = 4 * kGiB}), tree_(buffers_, gnomon::storage::RelationId{1}, true) {}
  void insert(uint64_t begin, uint64_t end) override {
    for (uint64_t number = begin; number < end; ++number)
      require(!tree_.insert(KeyBytes(keyOf(number)).view(), gnomon::storage::TupleId{number}), "insert");
  }
  void lookup(uint64_t keys, uint64_t count, uint64_t seed) override {
    std::mt19937_64 random(seed);
    for (; count > 0; --count) {
      const uint64_t number = random() % keys;
      require(tree_.lookup(KeyBytes(keyOf(number)).view()) == gnomon::storage::TupleId{number}, "lookup");
    }
  }

 private:
  gnomon::storage::BufferManager buffers_;
  gnomon::storage::IndexTree tree_;
};

/// As fast as LMDB goes: a writable map, no syncs, one transaction for many inserts, one read transaction per thread.
class LmdbStore : public Store {
 public:
  explicit LmdbStore(const std::filesystem::path& directory) {
    require(mdb_env_create(&environment_) == 0, "mdb_env_create");
    require(mdb_env_set_mapsize(environment_, 4 * kGiB) == 0, "mdb_env_set_mapsize");
    require(mdb_env_open(environment_, directory.c_str(), MDB_WRITEMAP | MDB_NOSYNC | MDB_NORDAHEAD, 0644) == 0,
            "mdb_env_open");
    MDB_txn* transaction = nullptr;
    require(mdb_txn_begin(environment_, nullptr, 0, &transaction) == 0, "mdb_txn_begin");
    require(mdb_dbi_open(transaction, nullptr, 0, &database_) == 0, "mdb_dbi_open");
    require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit");
  }
  ~LmdbStore() override { mdb_env_close(environment_); }
  void insert(uint64_t begin, uint64_t end) override {
    constexpr uint64_t kInsertsPerTransaction = 10'000;
    for (uint64_t number = begin; number < end;) {
      MDB_txn* transaction = nullptr;
      require(mdb_txn_begin(environment_, nullptr, 0, &transaction) == 0, "mdb_txn_begin");
      for (uint64_t in_transaction = 0; in_transaction < kInsertsPerTransaction && number < end; ++in_transaction) {
        const KeyBytes key(keyOf(number));
        MDB_val key_value{8, const_cast<char*>(key.view().data())}, value{8, &number};
        require(mdb_put(transaction, database_, &key_value, &value, MDB_NOOVERWRITE) == 0, "mdb_put");
        ++number;
      }
      require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit");
    }
  }
  void lookup(uint64_t keys, uint64_t count, uint64_t seed) override {
    std::mt19937_64 random(seed);
    MDB_txn* transaction = nullptr;
    require(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction) == 0, "mdb_txn_begin");
    for (; count > 0; --count) {
      const uint64_t number = random() % keys;
      const KeyBytes key(keyOf(number));
      MDB_val key_value{8, const_cast<char*>(key.view().data())}, value{};
      require(mdb_get(transaction, database_, &key_value, &value) == 0, "mdb_get");
      require(std::memcmp(value.mv_data, &number, 8) == 0, "mdb_get");
    }
    mdb_txn_abort(transaction);
  }

 private:
  MDB_env* environment_ = nullptr;
  MDB_dbi database_ = 0;
};

/// No log, no compression, bloom filters, a block cache for everything; compacted before the lookups.
class RocksStore : public Store {
 public:
  explicit RocksStore(const std::filesystem::path& directory) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(4 * kGiB);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.write_buffer_size = 256 << 20;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* database = nullptr;
    require(rocksdb::DB::Open(options, directory, &database).ok(), "DB::Open");
    database_.reset(database);
  }
  void insert(uint64_t begin, uint64_t end) override {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    for (uint64_t number = begin; number < end; ++number) {
      const KeyBytes key(keyOf(number));
      const rocksdb::Slice value(reinterpret_cast<const char*>(&number), 8);
      require(database_->Put(options, {key.view().data(), 8}, value).ok(), "Put");
    }
  }
  void settle() override {
    require(database_->Flush({}).ok(), "Flush");
    require(database_->CompactRange({}, nullptr, nullptr).ok(), "CompactRange");
  }
  void lookup(uint64_t keys, uint64_t count, uint64_t seed) override {
    std::mt19937_64 random(seed);
    rocksdb::PinnableSlice value;
    for (; count > 0; --count) {
      const uint64_t number = random() % keys;
      const KeyBytes key(keyOf(number));
      value.Reset();
      require(database_->Get({}, database_->DefaultColumnFamily(), {key.view().data(), 8}, &value).ok(), "Get");
      require(std::memcmp(value.data(), &number, 8) == 0, "Get");
    }
  }

 private:
  std::unique_ptr<rocksdb::DB> database_;
};

/// In memory only, integer keys, no disk, no pages: a lower bound. With threads one lock, taken per operation.
class BtreeMapStore : public Store {
 public:
  explicit BtreeMapStore(bool is_shared) : is_shared_(is_shared) {}
  void insert(uint64_t begin, uint64_t end) override {
    for (uint64_t number = begin; number < end; ++number) {
      std::unique_lock lock(mutex_, std::defer_lock);
      if (is_shared_) lock.lock();
      require(map_.emplace(keyOf(number), number).second, "emplace");
    }
  }
  void lookup(uint64_t keys, uint64_t count, uint64_t seed) override {
    std::mt19937_64 random(seed);
    for (; count > 0; --count) {
      const uint64_t number = random() % keys;
      std::shared_lock lock(mutex_, std::defer_lock);
      if (is_shared_) lock.lock();
      const auto found = map_.find(keyOf(number));
      require(found != map_.end() && found->second == number, "find");
    }
  }

 private:
  const bool is_shared_;
  std::shared_mutex mutex_;
  absl::btree_map<uint64_t, uint64_t> map_;
};

/// Wall time per operation when `threads` threads share the work.
double nanosecondsPerOperation(unsigned threads, uint64_t operations,
                               const std::function<void(unsigned thread, uint64_t begin, uint64_t end)>& work) {
  const auto start = Clock::now();
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; ++thread)
    running.emplace_back(work, thread, operations * thread / threads, operations * (thread + 1) / threads);
  for (std::thread& thread : running) thread.join();
  const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
  return spent.count() / static_cast<double>(operations);
}

struct Figures {
  std::string name;
  double insert[2];
  double lookup[2];
};

Figures measure(const std::string& name, uint64_t keys,
                const std::function<std::unique_ptr<Store>(const std::filesystem::path&, unsigned threads)>& open,
                const std::filesystem::path& parent) {
  Figures figures{name, {}, {}};
  for (unsigned threads = 1; threads <= 2; ++threads) {
    const std::filesystem::path directory = parent / fmt::format("{}-{}", name, threads);
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    std::unique_ptr<Store> store = open(directory, threads);
    figures.insert[threads - 1] = nanosecondsPerOperation(
        threads, keys, [&](unsigned, uint64_t begin, uint64_t end) { store->insert(begin, end); });
    store->settle();
    store->lookup(keys, keys / 10, 1);
    figures.lookup[threads - 1] = nanosecondsPerOperation(
        threads, keys,
        [&](unsigned thread, uint64_t begin, uint64_t end) { store->lookup(keys, end - begin, thread + 2); });
    store.reset();
    std::filesystem::remove_all(directory);
    fmt::print("{:12} {} threads: insert {:7.1f} ns, lookup {:7.1f} ns\n", name, threads, figures.insert[threads - 1],
               figures.lookup[threads - 1]);
    std::fflush(stdout);
  }
  return figures;
}

}  // namespace

int main(int argument_count, char** arguments) {
  require(argument_count >= 2, "usage: index_benchmark DIRECTORY [KEYS] [SYSTEM...]");
  const std::filesystem::path directory = arguments[1];
  const uint64_t keys = argument_count >= 3 ? std::stoull(arguments[2]) : 10'000'000;
  const auto isWanted = [&](std::string_view name) {
    if (argument_count <= 3) return true;
    for (int index = 3; index < argument_count; ++index)
      if (name == arguments[index]) return true;
    return false;
  };
  std::vector<Figures> all;
  using Path = std::filesystem::path;
  if (isWanted("gnomon"))
    all.push_back(measure(
        "gnomon", keys, [](const Path& path, unsigned) { return std::make_unique<GnomonStore>(path); }, directory));
  if (isWanted("lmdb"))
    all.push_back(
        measure("lmdb", keys, [](const Path& path, unsigned) { return std::make_unique<LmdbStore>(path); }, directory));
  if (isWanted("rocksdb"))
    all.push_back(measure(
        "rocksdb", keys, [](const Path& path, unsigned) { return std::make_unique<RocksStore>(path); }, directory));
  if (isWanted("btree_map"))
    all.push_back(measure(
        "btree_map", keys, [](const Path&, unsigned threads) { return std::make_unique<BtreeMapStore>(threads > 1); },
        directory));
  fmt::print("\ntimes as long as {}, {} keys    insert 1   insert 2   lookup 1   lookup 2 (threads)\n", all[0].name,
             keys);
  for (const Figures& figures : all)
    fmt::print("{:35} {:9.2f}  {:9.2f}  {:9.2f}  {:9.2f}\n", figures.name, figures.insert[0] / all[0].insert[0],
               figures.insert[1] / all[0].insert[1], figures.lookup[0] / all[0].lookup[0],
               figures.lookup[1] / all[0].lookup[1]);
}
