#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "base/failpoint.h"
#include "base/string_value.h"
#include "storage/relation/scan.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"

/// A server that is killed at any time loses no transaction that it acknowledged, and keeps none by half.
/// ThreadSanitizer does not follow forks.
#if !__has_feature(thread_sanitizer)

namespace gnomon::txn {
namespace {

using storage::StoredKind;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using storage::testing::testSeed;
using ::testing::IsEmpty;

constexpr size_t kWorkers = 3;
constexpr uint64_t kAccounts = 40;  ///< of each worker
constexpr uint64_t kWindow = 300;   ///< of a worker's journal, the rest is deleted
constexpr uint64_t kSweep = 40;     ///< at each such transaction most of the journal is deleted
constexpr RelationId kAccountsId{kFirstUserRelationId};
constexpr RelationId kJournalId{kFirstUserRelationId + 1};
constexpr RelationId kIndexId{kFirstUserRelationId + 2};
const CancelToken kCalm;

const RelationSchema kAccountsSchema = {{StoredKind::Int64, false}};
/// Worker and number in one, and a text.
const RelationSchema kJournalSchema = {{StoredKind::Int64, false}, {StoredKind::String, true}};

/// What transaction `number` of a worker does follows from these.
struct Plan {
  uint64_t from, to, amount;
  uint64_t changed;  ///< a journal entry that gets another text, so many before; 0: none
  size_t text_bytes, new_text_bytes;
  uint64_t bonus;  ///< of all accounts

  Plan(size_t worker, uint64_t number) {
    std::mt19937_64 random(worker * 1'000'003 + number);
    from = random() % kAccounts;
    to = random() % kAccounts;
    amount = random() % 1000;
    changed = random() % 3 == 0 ? 0 : random() % 50;
    text_bytes = random() % 4 == 0 ? random() % 3000 : random() % 40;
    new_text_bytes = random() % 4 == 0 ? random() % 5000 : random() % 60;
    bonus = random() % 3 == 0 ? random() % 10 : 0;
  }
  static std::string text(size_t bytes, uint64_t number) {
    std::string text(bytes, static_cast<char>('a' + number % 26));
    return text;
  }
};

/// The state after a number of transactions.
struct Expected {
  std::array<int64_t, kAccounts> balances{};
  std::map<uint64_t, std::string> journal;

  Expected(size_t worker, uint64_t count) {
    for (uint64_t number = 1; number <= count; ++number) {
      const Plan plan(worker, number);
      balances[plan.from] -= static_cast<int64_t>(plan.amount);
      balances[plan.to] += static_cast<int64_t>(plan.amount);
      for (int64_t& balance : balances) balance += static_cast<int64_t>(plan.bonus);
      journal[number] = Plan::text(plan.text_bytes, number);
      const auto changed = journal.find(number - plan.changed);
      if (plan.changed != 0 && changed != journal.end()) changed->second = Plan::text(plan.new_text_bytes, number);
      if (number % kSweep == 0) journal.erase(journal.begin(), journal.lower_bound(number - kSweep / 4));
      if (number > kWindow) journal.erase(number - kWindow);
    }
  }
};

IndexDefinition journalIndex() {
  return {.columns = {0},
          .parts = {{.kind = StoredKind::Int64}},
          .is_unique = true,
          .duplicate = [](const Datum*, const uint8_t*, bool) {
            return SqlError(sqlstate::kUniqueViolation, "duplicate key");
          }};
}

struct Database {
  std::unique_ptr<DatabaseStorage> storage;
  std::shared_ptr<Table> accounts, journal;

  explicit Database(const std::filesystem::path& directory) {
    const wal::WalOptions wal{
        .segment_bytes = kMiB, .buffer_bytes = kMiB / 4, .logs_max = 3, .spares_kept = 1, .on_fatal = nullptr};
    storage = DatabaseStorage::open(directory, {.pool_bytes = 3 * kMiB}, {.wal = wal, .log_bytes_max = 8 * kMiB});
    if (storage->isNew()) {
      accounts = storage->createTable(kAccountsSchema);
      journal = storage->createTable(kJournalSchema);
      storage->createIndex(*journal, journalIndex(), kCalm);
      LoneStatement statement(*accounts, kCalm);
      const Datum zero{};
      const uint8_t null_flag = 0;
      for (uint64_t account = 0; account < kWorkers * kAccounts; ++account) statement->append(&zero, &null_flag);
      statement.commit();
      storage->finishCreation();
    } else {
      accounts = storage->openTable(kAccountsId);
      journal = storage->openTable(kJournalId);
      storage->openIndex(*journal, kIndexId, journalIndex());
      storage->dropUnclaimed();
    }
  }
};

/// What a worker finds when it begins.
struct WorkerState {
  std::array<int64_t, kAccounts> balances{};
  std::map<uint64_t, std::pair<TupleId, std::string>> journal;
  [[nodiscard]] uint64_t count() const { return journal.empty() ? 0 : journal.rbegin()->first; }
};

std::array<WorkerState, kWorkers> readAll(Database& database) {
  std::array<WorkerState, kWorkers> states;
  storage::RowCursor account(database.accounts->relation(), database.accounts->readBound());
  while (account.next()) {
    const uint64_t number = account.tupleId().value;
    states[number / kAccounts].balances[number % kAccounts] = static_cast<int64_t>(account.value(0).lo);
  }
  storage::RowCursor entry(database.journal->relation(), database.journal->readBound());
  while (entry.next()) {
    const uint64_t key = entry.value(0).lo;
    const Datum text = entry.value(1);
    states[key >> 32].journal[key & UINT32_MAX] = {entry.tupleId(), std::string(StringValue(text.lo, text.hi).view())};
  }
  return states;
}

class Worker {
 public:
  Worker(Database& database, size_t worker, WorkerState state, uint64_t seed)
      : database_(database), worker_(worker), state_(std::move(state)), random_(seed + worker) {}

  [[noreturn]] void run(int pipe) {
    for (;;) {
      const uint64_t number = state_.count() + 1;
      constexpr std::array kWaits{CommitWait::Here, CommitWait::Here, CommitWait::Elsewhere, CommitWait::Never};
      const CommitWait wait = kWaits[random_() % kWaits.size()];
      if (random_() % 6 == 0) attempt(number + 1000, std::nullopt);
      const wal::CommitTicket ticket = attempt(number, wait);
      // Those before it are told of with it.
      if (wait == CommitWait::Never || (wait == CommitWait::Elsewhere && random_() % 3 != 0)) continue;
      database_.storage->transactions().waitForStable(ticket);
      const uint64_t key = uint64_t{worker_} << 32 | number;
      if (::write(pipe, &key, sizeof(key)) != sizeof(key)) std::_Exit(2);
    }
  }

 private:
  void update(WriteStatement& statement, uint64_t account, int64_t balance) {
    const uint32_t column = 0;
    const Datum value{static_cast<uint64_t>(balance), 0};
    const uint8_t null_flag = 0;
    statement.update(TupleId{worker_ * kAccounts + account}, {{&column, 1}, &value, &null_flag});
  }
  /// Neighbours are changed together, and have one record.
  void updateAll(WriteStatement& statement, std::span<const int64_t> balances) {
    const uint32_t column = 0;
    const uint8_t null_flag = 0;
    std::vector<Datum> values;
    for (const int64_t balance : balances) values.push_back({static_cast<uint64_t>(balance), 0});
    std::vector<storage::RowUpdate> rows;
    for (size_t account = 0; account < values.size(); ++account)
      rows.push_back({TupleId{worker_ * kAccounts + account}, {{&column, 1}, &values[account], &null_flag}});
    for (std::span<const storage::RowUpdate> left = rows; !left.empty();) {
      const size_t count = statement.updateRun(left);
      if (count == 0) statement.update(left.front().id, left.front().change);
      left = left.subspan(std::max<size_t>(count, 1));
    }
  }
  static Datum datumOf(const std::string& text) {
    const StringValue value = StringValue::refer(text, StringValue::Storage::Temporary);
    return {value.lo(), value.hi()};
  }

  wal::CommitTicket attempt(uint64_t number, std::optional<CommitWait> commits) {
    const Plan plan(worker_, number);
    LocalTransaction transaction(database_.storage->transactions(), kCalm);
    WorkerState after = state_;
    // A statement that fails leaves no trace.
    if (random_() % 5 == 0) {
      WriteStatement failing(*database_.accounts, transaction.context());
      update(failing, plan.from, -1);
      update(failing, (plan.from + 1) % kAccounts, -2);
    }
    if (random_() % 5 == 0) {
      WriteStatement failing(*database_.accounts, transaction.context());
      updateAll(failing, std::array<int64_t, kAccounts>{});
    }
    if (random_() % 5 == 0) {
      WriteStatement failing(*database_.journal, transaction.context());
      appendEntry(failing, number + 100, "fails");
      appendEntry(failing, number + 101, std::string(500, 'f'));
      // Their entries are one record.
      if (random_() % 2 == 0) appendEntries(failing, number + 102, 2 + random_() % 8);
    }
    {
      WriteStatement statement(*database_.accounts, transaction.context());
      after.balances[plan.from] -= static_cast<int64_t>(plan.amount);
      after.balances[plan.to] += static_cast<int64_t>(plan.amount);
      update(statement, plan.from, after.balances[plan.from]);
      if (plan.to != plan.from) update(statement, plan.to, after.balances[plan.to]);
      statement.finish();
    }
    if (plan.bonus != 0) {
      WriteStatement statement(*database_.accounts, transaction.context());
      for (int64_t& balance : after.balances) balance += static_cast<int64_t>(plan.bonus);
      updateAll(statement, after.balances);
      statement.finish();
    }
    {
      WriteStatement statement(*database_.journal, transaction.context());
      const std::string text = Plan::text(plan.text_bytes, number);
      after.journal[number] = {appendEntry(statement, number, text), text};
      statement.finish();
    }
    // Now and then what is not committed comes to the disk.
    if (random_() % 16 == 0) database_.storage->buffers().log().wal().flushAll();
    changeJournal(transaction, after, plan, number);
    if (!commits) return {};
    const wal::CommitTicket ticket = transaction.commit(*commits).ticket;
    state_ = std::move(after);
    return ticket;
  }

  TupleId appendEntry(WriteStatement& statement, uint64_t number, const std::string& text) {
    const Datum values[] = {{uint64_t{worker_} << 32 | number, 0}, datumOf(text)};
    const uint8_t null_flags[] = {0, 0};
    return statement.append(values, null_flags);
  }

  void appendEntries(WriteStatement& statement, uint64_t first, uint64_t count) {
    std::vector<Datum> values;
    for (uint64_t i = 0; i < count; ++i) {
      values.push_back({uint64_t{worker_} << 32 | (first + i), 0});
      values.push_back(datumOf("together"));
    }
    const std::vector<uint8_t> null_flags(values.size());
    statement.appendBatch(values.data(), null_flags.data(), count);
  }

  void changeJournal(LocalTransaction& transaction, WorkerState& after, const Plan& plan, uint64_t number) {
    WriteStatement statement(*database_.journal, transaction.context());
    if (plan.changed != 0 && number > plan.changed) {
      if (const auto found = after.journal.find(number - plan.changed); found != after.journal.end()) {
        const uint32_t column = 1;
        const std::string text = Plan::text(plan.new_text_bytes, number);
        const Datum value = datumOf(text);
        const uint8_t null_flag = 0;
        statement.update(found->second.first, {{&column, 1}, &value, &null_flag});
        found->second.second = text;
      }
    }
    if (number % kSweep == 0) {
      // All but the last ones, together where they stand side by side.
      std::vector<TupleId> ids;
      const auto end = after.journal.lower_bound(number - kSweep / 4);
      for (auto each = after.journal.begin(); each != end; ++each) ids.push_back(each->second.first);
      std::ranges::sort(ids);
      for (std::span<const TupleId> left = ids; !left.empty();) {
        const size_t count = left.size() > 1 ? statement.removeRun(left) : 0;
        if (count == 0) statement.remove(left.front());
        left = left.subspan(std::max<size_t>(count, 1));
      }
      after.journal.erase(after.journal.begin(), end);
    }
    if (number > kWindow) {
      if (const auto found = after.journal.find(number - kWindow); found != after.journal.end()) {
        statement.remove(found->second.first);
        after.journal.erase(found);
      }
    }
    statement.finish();
  }

  Database& database_;
  const size_t worker_;
  WorkerState state_;
  std::mt19937_64 random_;
};

[[noreturn]] void workUntilKilled(const std::filesystem::path& directory, int pipe, const std::string& failpoint,
                                  uint64_t seed) {
  armFailpoint(failpoint);
  Database database(directory);
  std::array<WorkerState, kWorkers> states = readAll(database);
  std::vector<std::thread> threads;
  for (size_t worker = 0; worker < kWorkers; ++worker)
    threads.emplace_back([&, worker] { Worker(database, worker, states[worker], seed).run(pipe); });
  for (std::thread& thread : threads) thread.join();
  std::_Exit(1);
}

/// The last transaction of each worker that it acknowledged until it was killed.
std::array<uint64_t, kWorkers> runUntilKilled(const std::filesystem::path& directory, const std::string& failpoint,
                                              useconds_t us, uint64_t seed) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    workUntilKilled(directory, ends[1], failpoint, seed);
  }
  ::close(ends[1]);
  std::array<uint64_t, kWorkers> acknowledged{};
  std::thread killer([&] {
    ::usleep(us);
    ::kill(child, SIGKILL);
  });
  for (uint64_t key; ::read(ends[0], &key, sizeof(key)) == sizeof(key);)
    acknowledged[key >> 32] = std::max(acknowledged[key >> 32], key & UINT32_MAX);
  ::close(ends[0]);
  killer.join();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status << " at " << failpoint;
  return acknowledged;
}

TEST(Recovery, AKilledServerLosesNothingThatItAcknowledgedAndKeepsNothingByHalf) {
  const TemporaryDirectory parent;
  const std::filesystem::path directory = parent.path() / "data";
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  std::array<uint64_t, kWorkers> acknowledged{};
  {
    const Database made(directory);
  }
  const std::vector<std::string> failpoints = {"pages.log_flushed",
                                               "doublewrite.torn",
                                               "doublewrite.home_written",
                                               "checkpoint.pages_written",
                                               "checkpoint.numbers_written",
                                               "checkpoint.written",
                                               "recovery.redone",
                                               "recovery.undone",
                                               "wal.released",
                                               "wal.written"};
  for (int round = 0; round < 24; ++round) {
    std::string failpoint;
    if (round % 2 == 1) failpoint = failpoints[random() % failpoints.size()] + ":" + std::to_string(1 + random() % 3);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " round " << round << " " << failpoint);
    const auto told = runUntilKilled(directory, failpoint, 200'000 + random() % 800'000, seed + round);
    for (size_t worker = 0; worker < kWorkers; ++worker)
      acknowledged[worker] = std::max(acknowledged[worker], told[worker]);
    if (round % 3 == 0) continue;
    Database database(directory);
    const std::array<WorkerState, kWorkers> states = readAll(database);
    for (size_t worker = 0; worker < kWorkers; ++worker) {
      const WorkerState& state = states[worker];
      ASSERT_GE(state.count(), acknowledged[worker]) << "worker " << worker;
      const Expected expected(worker, state.count());
      ASSERT_EQ(state.balances, expected.balances) << "worker " << worker << " at " << state.count();
      std::map<uint64_t, std::string> journal;
      for (const auto& [number, entry] : state.journal) journal[number] = entry.second;
      ASSERT_TRUE(journal == expected.journal) << "worker " << worker << " at " << state.count();
    }
    storage::Findings findings;
    database.storage->check(findings);
    ASSERT_THAT(findings.problems, IsEmpty());
    if (round % 5 == 0) database.storage->checkpointAndClose();
  }
  for (const uint64_t count : acknowledged) EXPECT_GT(count, 10u);
}

TEST(Recovery, ADirectoryWhoseCreationWasKilledIsMadeAnewAndHoldsNothingElse) {
  for (const char* failpoint : {"structure.changed:3", "checkpoint.numbers_written", "checkpoint.written:2"}) {
    SCOPED_TRACE(failpoint);
    const TemporaryDirectory parent;
    const std::filesystem::path directory = parent.path() / "data";
    runUntilKilled(directory, failpoint, 2'000'000, 1);
    const Database database(directory);
    EXPECT_TRUE(database.storage->isNew());
    storage::Findings findings;
    database.storage->check(findings);
    EXPECT_THAT(findings.problems, IsEmpty());
  }
}

/// A log that finds no room on the disk fails the statement that needs it, and nothing else.
TEST(Recovery, AFullDiskUnderTheLogFailsTheStatementThatWritesAndNothingElse) {
  const TemporaryDirectory parent;
  const std::filesystem::path directory = parent.path() / "data";
  const std::string text(2000, 't');
  const StringValue value = StringValue::refer(text, StringValue::Storage::Temporary);
  const uint8_t null_flags[] = {0, 0};
  const auto append = [&](WriteStatement& statement, uint64_t key) {
    const Datum values[] = {{key, 0}, {value.lo(), value.hi()}};
    statement.append(values, null_flags);
  };
  uint64_t committed = 0;
  {
    Database database(directory);
    for (int round = 0; round < 3; ++round) {
      armFailpoint("wal.preallocate=28");
      const uint64_t before = committed;
      EXPECT_STREQ(storage::testing::errorOf([&] {
                     for (uint64_t key = committed;; ++key) {
                       LoneStatement statement(*database.journal, kCalm);
                       append(*statement, key);
                       statement.commit();
                       committed = key + 1;
                     }
                   })
                       .state()
                       .text(),
                   "53100");
      // What takes no room goes on.
      EXPECT_EQ(readAll(database)[0].journal.size(), committed);
      armFailpoint("");
      LoneStatement statement(*database.journal, kCalm);
      for (uint64_t key = committed; key < committed + 700; ++key) append(*statement, key);
      statement.commit();
      committed += 700;
      EXPECT_GT(committed, before + 700);
      database.storage->checkpoint();
    }
    storage::Findings findings;
    database.storage->check(findings);
    EXPECT_THAT(findings.problems, IsEmpty());
  }
  Database database(directory);
  EXPECT_EQ(readAll(database)[0].journal.size(), committed);
}

/// What was made for a table that did not come to be is gone after a crash, and so is what was dropped.
TEST(Recovery, RelationsThatNobodyClaimsAreDropped) {
  const TemporaryDirectory parent;
  const std::filesystem::path directory = parent.path() / "data";
  {
    Database database(directory);
    const auto dropped = database.storage->createTable(kAccountsSchema);
    const auto unclaimed = database.storage->createTable(kJournalSchema);
    database.storage->createIndex(*unclaimed, journalIndex(), kCalm);
    LoneStatement statement(*dropped, kCalm);
    const Datum zero{};
    const uint8_t null_flag = 0;
    for (int row = 0; row < 50'000; ++row) statement->append(&zero, &null_flag);
    statement.commit();
    database.storage->dropTable(dropped);
    database.storage->buffers().log().wal().flushAll();
  }
  Database database(directory);
  storage::Findings findings;
  database.storage->check(findings);
  EXPECT_THAT(findings.problems, IsEmpty());
  EXPECT_EQ(database.storage->createTable(kAccountsSchema)->id(), RelationId{kFirstUserRelationId + 6});
}

}  // namespace
}  // namespace gnomon::txn

#endif
