// What the parts of multi-versioning cost transactions that change much. Each reads ten accounts by an index, changes
// three columns of each, and appends a row to a journal; its commit is not waited for. By turns
//   none        without transactions: changes are made where the tuples lie, and seen at once; they are logged
//   + lists     transactions and snapshots begin and end in the lists of the transaction manager
//   + latches   and hold the lock of all writers and those of the tables
//   + snapshots and keep before-images, look for conflicts and for what their snapshot sees, stamp, collect: all there
//   is
//   - in place  the same, an update being a deletion and a new tuple
// Paper 1, section 4.3.1 (table 1) has the experiment: each line has what the ones before have. The first three leave
// out only what is named: index, leaves, log and statistics are the same.
//   ablation_benchmark DIRECTORY [TRANSACTIONS [RUNS [CLIENTS [ACCOUNTS]]]]

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "base/string_value.h"
#include "storage/index/index_cursor.h"
#include "storage/page_log.h"
#include "storage/relation/appender.h"
#include "storage/relation/editor.h"
#include "txn/change_scope.h"
#include "txn/database_storage.h"
#include "txn/visible_rows.h"
#include "txn/write_statement.h"
#include "wal/write_ahead_log.h"

namespace {

using namespace gnomon;
using storage::StoredKind;
using storage::TupleId;
using txn::Datum;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kPoolBytes = uint64_t{4} << 30;
constexpr uint64_t kLogBytesMax = uint64_t{16} << 30;
constexpr size_t kUpdates = 10;
constexpr size_t kLoadBatch = 500;
constexpr uint64_t kRawTransactionMin = uint64_t{1} << 40;
const CancelToken kCalm;

// key, balance, changes, last, name
const storage::RelationSchema kAccounts = {{StoredKind::Int64, false},
                                           {StoredKind::Int64, false},
                                           {StoredKind::Int64, false},
                                           {StoredKind::Int32, false},
                                           {StoredKind::String, false}};
constexpr size_t kAccountColumns = 5;
constexpr std::array<uint32_t, 3> kChanged = {1, 2, 3};
// key, amount, client
const storage::RelationSchema kJournal = {
    {StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::Int32, false}};

enum class Step : uint8_t { None, Lists, Latches, Snapshots, NotInPlace };
constexpr size_t kSteps = 5;
constexpr std::array<const char*, kSteps> kStepNames = {"none", "+ lists", "+ latches", "+ snapshots", "- in place"};

/// The tables of one step.
struct Tables {
  std::shared_ptr<txn::Table> accounts, journal;
};

txn::IndexDefinition uniqueKey() {
  txn::IndexDefinition definition;
  definition.columns = {0};
  definition.parts = {{StoredKind::Int64, false, false}};
  definition.is_unique = true;
  definition.duplicate = [](const Datum*, const uint8_t*, bool) {
    return SqlError(sqlstate::kUniqueViolation, "there is one");
  };
  return definition;
}

Datum textOf(std::string_view text) {
  const StringValue value = StringValue::refer(text, StringValue::Storage::Temporary);
  return {value.lo(), value.hi()};
}

/// One client's part of a step: its accounts are its own, so nobody waits for another.
template <Step kStep>
class Client {
 public:
  Client(txn::DatabaseStorage& storage, const Tables& tables, uint64_t first_account, uint64_t account_count,
         uint64_t number)
      : manager_(storage.transactions()),
        accounts_(*tables.accounts),
        journal_(*tables.journal),
        index_(*accounts_.indexes().front()),
        first_account_(first_account),
        account_count_(account_count),
        number_(number),
        random_(number),
        owner_(manager_.locks()),
        raw_number_(kRawTransactionMin * (number + 1)) {}

  void run(uint64_t transactions) {
    for (uint64_t i = 0; i < transactions; ++i) {
      begin();
      for (size_t update = 0; update < kUpdates; ++update) change(pick(), static_cast<int64_t>(random_() % 1000));
      append();
      commit();
    }
  }

 private:
  static constexpr bool kIsVersioned = kStep >= Step::Snapshots;

  /// No account twice in a transaction.
  uint64_t pick() {
    const uint64_t share = account_count_ / kUpdates;
    const uint64_t part = picked_++ % kUpdates;
    return first_account_ + part * share + random_() % share;
  }
  void begin() {
    if constexpr (kStep == Step::None) {
      writer_ = manager_.log()->wal().lease();
      writer_->begin(wal::TransactionNumber{raw_number_++});
    } else {
      transaction_ = manager_.begin(owner_);
      if constexpr (kStep >= Step::Latches) {
        owner_.acquire(manager_.writersLock(), txn::LockMode::RowExclusive, patience_);
        owner_.acquire(accounts_.lock(), txn::LockMode::RowExclusive, patience_);
        owner_.acquire(journal_.lock(), txn::LockMode::RowExclusive, patience_);
      }
      snapshot_ = manager_.takeSnapshot(&owner_);
    }
  }
  void commit() {
    if constexpr (kStep == Step::None) {
      writer_->commit(wal::Visibility::BeforeStable);
      writer_.reset();
    } else {
      manager_.commit(std::move(transaction_), txn::CommitWait::Never);
      snapshot_.release();
      manager_.collect();
      owner_.releaseAll();
    }
  }
  [[nodiscard]] txn::WriteContext context() {
    txn::Snapshot snapshot = snapshot_.snapshot();
    snapshot.own = transaction_->id();
    snapshot.command = transaction_->beginCommand();
    return {.manager = manager_,
            .transaction = *transaction_,
            .snapshot = snapshot,
            .patience = patience_,
            .is_read_committed = false};
  }
  /// Calls `use` while the log knows whose changes they are.
  template <typename Use>
  void logged(Use&& use) {
    if constexpr (kStep == Step::None) {
      const storage::PageLog::Scope scope(*manager_.log(), *writer_);
      use();
    } else {
      const txn::ChangeScope scope(manager_, *transaction_);
      use();
    }
  }

  /// The tuples that an entry of the index leads to, until one of them is seen.
  template <typename Look>
  TupleId find(uint64_t account, Look&& look) {
    const storage::KeyValue value{{account, 0}, {}, false};
    index_.encoder().encode({&value, 1}, key_);
    storage::EncodedKey end = key_;
    CHECK(end.makePrefixEnd(), "a number is not the last key");
    const storage::KeyRange range{{storage::KeyBound::Kind::Inclusive, key_.view()},
                                  {storage::KeyBound::Kind::Exclusive, end.view()}};
    storage::IndexCursor cursor(index_.tree(), range);
    storage::IndexEntry entry;
    while (cursor.next(entry)) {
      uint32_t row = 0;
      if (!accounts_.relation().findStored(entry.id, leaf_, row)) continue;
      const bool is_seen = look(row);
      leaf_.release();
      if (is_seen) return entry.id;
    }
    CHECK(false, "every account is there");
    return {};
  }
  void read(const storage::LeafView& view, uint32_t row) {
    bool is_null = false;
    for (const uint32_t column : kChanged) row_[column] = view.value(column, row, is_null);
  }
  void change(uint64_t account, int64_t amount) {
    if constexpr (kIsVersioned) {
      const txn::WriteContext own = context();
      const TupleId id = find(account, [&](uint32_t row) {
        txn::VisibleRows::Piece piece{};
        if (!rows_.attachRow(leaf_, row, accounts_.schema(), own.snapshot, manager_.epochs(), piece)) return false;
        read(rows_.viewOf(piece, leaf_), piece.begin);
        return true;
      });
      txn::WriteStatement statement(accounts_, own);
      compute(account, amount);
      if constexpr (kStep == Step::NotInPlace) {
        statement.remove(id);
        statement.append(row_.data(), kNoNulls.data());
      } else {
        statement.update(id, {kChanged, row_.data() + kChanged.front(), kNoNulls.data()});
      }
      statement.finish();
    } else {
      const TupleId id = find(account, [&](uint32_t row) {
        if (leaf_.isDeleted(row)) return false;
        read(leaf_, row);
        return true;
      });
      storage::RelationEditor editor(accounts_.relation());
      compute(account, amount);
      logged([&] { editor.update(id, {kChanged, row_.data() + kChanged.front(), kNoNulls.data()}); });
      accounts_.countChange(txn::Version(0, 0, txn::Version::Kind::Updated, id));
    }
  }
  void compute(uint64_t account, int64_t amount) {
    row_[0] = {account, 0};
    row_[1].lo += static_cast<uint64_t>(amount);
    ++row_[2].lo;
    row_[3] = {number_, 0};
    row_[4] = textOf("the holder of an account");
  }
  void append() {
    const std::array<Datum, 3> values = {Datum{appended_++, 0}, Datum{random_() % 1000, 0}, Datum{number_, 0}};
    if constexpr (kIsVersioned) {
      const txn::WriteContext own = context();
      txn::WriteStatement statement(journal_, own);
      statement.append(values.data(), kNoNulls.data());
      statement.finish();
    } else {
      storage::RelationAppender appender(journal_.relation());
      TupleId first;
      logged([&] { first = appender.appendBatch(values.data(), kNoNulls.data(), 1); });
      journal_.countAppended(first, values.data(), kNoNulls.data(), 1);
    }
  }

  static constexpr std::array<uint8_t, kAccountColumns> kNoNulls{};
  txn::TransactionManager& manager_;
  txn::Table& accounts_;
  txn::Table& journal_;
  txn::TableIndex& index_;
  const uint64_t first_account_, account_count_, number_;
  std::mt19937_64 random_;
  uint64_t picked_ = 0, appended_ = 0;
  txn::LockOwner owner_;
  const txn::Patience patience_{kCalm};
  std::shared_ptr<txn::Transaction> transaction_;
  txn::TransactionManager::SnapshotGuard snapshot_;
  std::unique_ptr<wal::LogWriter> writer_;
  uint64_t raw_number_;
  storage::EncodedKey key_;
  storage::LeafView leaf_;
  txn::VisibleRows rows_;
  std::array<Datum, kAccountColumns> row_{};
};

Tables makeTables(txn::DatabaseStorage& storage, uint64_t accounts) {
  Tables tables{storage.createTable(kAccounts), storage.createTable(kJournal)};
  storage.createIndex(*tables.accounts, uniqueKey(), kCalm);
  txn::TransactionManager& manager = storage.transactions();
  txn::LockOwner owner(manager.locks());
  const txn::Patience patience{kCalm};
  auto transaction = manager.begin(owner);
  {
    const txn::WriteContext context{
        .manager = manager, .transaction = *transaction, .snapshot = {}, .patience = patience};
    txn::WriteStatement statement(*tables.accounts, context);
    const std::vector<uint8_t> null_flags(kLoadBatch * kAccountColumns);
    std::vector<Datum> values;
    for (uint64_t first = 0; first < accounts; first += kLoadBatch) {
      values.clear();
      for (uint64_t key = first; key < first + kLoadBatch; ++key)
        values.insert(values.end(), {{key, 0}, {0, 0}, {0, 0}, {0, 0}, textOf("the holder of an account")});
      statement.appendBatch(values.data(), null_flags.data(), kLoadBatch);
    }
    statement.finish();
  }
  manager.commit(std::move(transaction));
  manager.collect();
  return tables;
}

struct Sample {
  double wall_us, cpu_us;  ///< for a transaction
};

/// Of the calling thread: threads of the log also write what was changed in the turn before.
double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

template <Step kStep>
class Clients {
 public:
  Clients(txn::DatabaseStorage& storage, uint64_t accounts, uint64_t clients) : tables_(makeTables(storage, accounts)) {
    for (uint64_t i = 0; i < clients; ++i)
      clients_.push_back(
          std::make_unique<Client<kStep>>(storage, tables_, i * (accounts / clients), accounts / clients, i));
  }
  Sample run(uint64_t transactions) {
    const Clock::time_point begin = Clock::now();
    std::vector<std::thread> threads;
    std::atomic<double> cpu_seconds = 0;
    const uint64_t share = transactions / clients_.size();
    for (auto& client : clients_) {
      threads.emplace_back([&cpu_seconds, &client, share] {
        client->run(share);
        cpu_seconds += cpuSeconds();
      });
    }
    for (std::thread& thread : threads) thread.join();
    const auto count = static_cast<double>(share * clients_.size());
    return {std::chrono::duration<double>(Clock::now() - begin).count() * 1e6 / count, cpu_seconds * 1e6 / count};
  }
  /// Nothing that was changed is lost, or there twice.
  void check(uint64_t transactions) {
    uint64_t changes = 0, journal = 0;
    storage::RowCursor accounts(tables_.accounts->relation(), tables_.accounts->readBound());
    while (accounts.next()) changes += accounts.value(2).lo;
    storage::RowCursor entries(tables_.journal->relation(), tables_.journal->readBound());
    while (entries.next()) ++journal;
    const uint64_t done = transactions / clients_.size() * clients_.size();
    CHECK(changes == done * kUpdates && journal == done, "every change is there, once");
  }

 private:
  Tables tables_;
  std::vector<std::unique_ptr<Client<kStep>>> clients_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void benchmark(const char* directory, uint64_t transactions, size_t runs, uint64_t clients, uint64_t accounts) {
  const auto storage =
      txn::DatabaseStorage::open(directory, {.pool_bytes = kPoolBytes}, {.wal = {}, .log_bytes_max = kLogBytesMax});
  storage->finishCreation();
  Clients<Step::None> none(*storage, accounts, clients);
  Clients<Step::Lists> lists(*storage, accounts, clients);
  Clients<Step::Latches> latches(*storage, accounts, clients);
  Clients<Step::Snapshots> snapshots(*storage, accounts, clients);
  Clients<Step::NotInPlace> not_in_place(*storage, accounts, clients);
  const std::array<std::function<Sample(uint64_t)>, kSteps> turns = {
      [&](uint64_t count) { return none.run(count); }, [&](uint64_t count) { return lists.run(count); },
      [&](uint64_t count) { return latches.run(count); }, [&](uint64_t count) { return snapshots.run(count); },
      [&](uint64_t count) { return not_in_place.run(count); }};
  std::array<std::vector<double>, kSteps> wall, cpu;
  // The first turn, which is not counted, fetches everything.
  for (size_t run = 0; run <= runs; ++run) {
    storage->checkpoint();
    for (size_t i = 0; i < kSteps; ++i) {
      // Each is the first of a turn in its time.
      const size_t step = (run + i) % kSteps;
      const Sample sample = turns[step](transactions);
      if (run == 0) continue;
      wall[step].push_back(sample.wall_us);
      cpu[step].push_back(sample.cpu_us);
    }
  }
  const uint64_t done = transactions * (runs + 1);
  none.check(done);
  lists.check(done);
  latches.check(done);
  snapshots.check(done);
  not_in_place.check(done);
  fmt::print("{} transactions by {} clients, {} accounts, medians of {} turns\n", transactions, clients, accounts,
             runs);
  fmt::print("{:>12} {:>12} {:>6} {:>10} {:>6}\n", "", "us, wall", "ratio", "us, CPU", "ratio");
  for (size_t step = 0; step < kSteps; ++step)
    fmt::print("{:>12} {:>12.2f} {:>6.3f} {:>10.2f} {:>6.3f}\n", kStepNames[step], median(wall[step]),
               median(wall[step]) / median(wall[0]), median(cpu[step]), median(cpu[step]) / median(cpu[0]));
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    fmt::print(stderr, "ablation_benchmark DIRECTORY [TRANSACTIONS [RUNS [CLIENTS [ACCOUNTS]]]]\n");
    return 2;
  }
  const auto number = [&](int place, uint64_t otherwise) {
    return argument_count > place ? std::strtoull(arguments[place], nullptr, 10) : otherwise;
  };
  benchmark(arguments[1], number(2, 20'000), number(3, 9), number(4, 1), number(5, 500'000));
  return 0;
}
