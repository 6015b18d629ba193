#include "server/session_transaction.h"

#include <fmt/format.h>
#include <utility>

#include <algorithm>
#include <ranges>

#include <spdlog/spdlog.h>

#include "base/metrics.h"
#include "server/text_style_setting.h"
#include "sql/bind/binder.h"
#include "sql/catalog/define_alone.h"
#include "txn/database_storage.h"
#include "txn/rollback.h"

namespace gnomon::server {

namespace {

SqlError noBlock() {
  return {sqlstate::kNoActiveSqlTransaction, "there is no transaction in progress"};
}

[[noreturn]] void raiseOnlyInBlock(std::string_view command) {
  throw SqlError(sqlstate::kNoActiveSqlTransaction, fmt::format("{} can only be used in transaction blocks", command));
}

}  // namespace

SessionTransaction::SessionTransaction(ServerContext& server, Settings& settings, Interrupts& interrupts,
                                       SessionStatus& status)
    : server_(server),
      settings_(settings),
      interrupts_(interrupts),
      status_(status),
      owner_(server.transactions.locks()),
      database_(std::shared_ptr<void>(), &server.catalog),
      catalog_(std::in_place, server.catalog) {}

void SessionTransaction::enter(std::shared_ptr<sql::Catalog> database) {
  database_ = std::move(database);
  catalog_.emplace(*database_);
}

void SessionTransaction::raiseFailed() {
  throw SqlError(sqlstate::kInFailedSqlTransaction,
                 "current transaction is aborted, commands ignored until end of transaction block");
}

txn::Patience SessionTransaction::patience() const {
  return {.cancel = interrupts_.cancelToken(),
          .lock_timeout = std::chrono::milliseconds(settings_.integer(SettingId::LockTimeout)),
          .deadlock_timeout = std::chrono::milliseconds(settings_.integer(SettingId::DeadlockTimeout)),
          .observer = pending()};
}

bool SessionTransaction::isReadCommitted() const {
  if (isolation_version_ != settings_.version()) {
    is_read_committed_ =
        sql::isolationLevel(settings_.text(SettingId::TransactionIsolation)) != sql::IsolationLevel::RepeatableRead;
    isolation_version_ = settings_.version();
  }
  return is_read_committed_;
}

/// The modes of a transaction are what the defaults say, until somebody says otherwise.
void SessionTransaction::startModes() {
  if (modes_version_ == settings_.version()) return;
  constexpr std::pair<SettingId, SettingId> kModes[] = {
      {SettingId::TransactionIsolation, SettingId::DefaultTransactionIsolation},
      {SettingId::TransactionReadOnly, SettingId::DefaultTransactionReadOnly},
      {SettingId::TransactionDeferrable, SettingId::DefaultTransactionDeferrable}};
  for (const auto& [mode, standard] : kModes)
    if (settings_.text(mode) != settings_.text(standard)) settings_.setInternal(mode, settings_.text(standard));
  modes_version_ = settings_.version();
}

SessionTransaction::Modes SessionTransaction::currentModes() const {
  return {settings_.text(SettingId::TransactionIsolation), settings_.text(SettingId::TransactionReadOnly),
          settings_.text(SettingId::TransactionDeferrable), is_bulk_ ? "on" : "off"};
}

/// Those of the transaction before.
void SessionTransaction::takeModes(const Modes& modes) {
  is_chained_ = true;
  status_.beginTransaction();
  settings_.setInternal(SettingId::TransactionIsolation, modes[0]);
  settings_.setInternal(SettingId::TransactionReadOnly, modes[1]);
  settings_.setInternal(SettingId::TransactionDeferrable, modes[2]);
  is_bulk_ = modes[3] == "on";
}

void SessionTransaction::beginImplicit() {
  state_ = State::Implicit;
  status_.beginTransaction();
  startModes();
}

void SessionTransaction::completeStatement() {
  if (is_last_statement_) endImplicit();
}

void SessionTransaction::endImplicit() {
  if (state_ == State::Implicit) commitAll();
}

void SessionTransaction::begin(const sql::TransactionModes& modes) {
  applyModes(modes);
  state_ = State::Block;
}

void SessionTransaction::applyModes(const sql::TransactionModes& modes) {
  const bool is_other = modes.isolation && (is_chained_ || settings_.text(SettingId::TransactionIsolation) !=
                                                               sql::isolationName(*modes.isolation));
  if (is_other) {
    if (has_snapshot_)
      throw SqlError(sqlstate::kActiveSqlTransaction,
                     "SET TRANSACTION ISOLATION LEVEL must be called before any query");
    if (!savepoints_.empty())
      throw SqlError(sqlstate::kActiveSqlTransaction,
                     "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
    settings_.setInternal(SettingId::TransactionIsolation, sql::isolationName(*modes.isolation));
  }
  if (modes.is_deferrable) {
    if (has_snapshot_)
      throw SqlError(sqlstate::kActiveSqlTransaction,
                     "SET TRANSACTION [NOT] DEFERRABLE must be called before any query");
    if (!savepoints_.empty())
      throw SqlError(sqlstate::kActiveSqlTransaction,
                     "SET TRANSACTION [NOT] DEFERRABLE cannot be called within a subtransaction");
    settings_.setInternal(SettingId::TransactionDeferrable, *modes.is_deferrable ? "on" : "off");
  }
  if (modes.is_bulk) {
    if (has_snapshot_)
      throw SqlError(sqlstate::kActiveSqlTransaction, "SET TRANSACTION BULK WRITE must be called before any query");
    if (!savepoints_.empty())
      throw SqlError(sqlstate::kActiveSqlTransaction,
                     "SET TRANSACTION BULK WRITE must not be called in a subtransaction");
  }
  applyReadOnly(modes);
  // Nothing failed.
  if (modes.is_bulk) is_bulk_ = true;
}

void SessionTransaction::applyReadOnly(const sql::TransactionModes& modes) {
  if (!modes.is_read_only) return;
  const bool is_read_only = settings_.flag(SettingId::TransactionReadOnly);
  if (is_read_only && !*modes.is_read_only && !savepoints_.empty())
    throw SqlError(sqlstate::kActiveSqlTransaction,
                   "cannot set transaction read-write mode inside a read-only transaction");
  if (is_read_only && !*modes.is_read_only && has_snapshot_)
    throw SqlError(sqlstate::kActiveSqlTransaction, "transaction read-write mode must be set before any query");
  settings_.setInternal(SettingId::TransactionReadOnly, *modes.is_read_only ? "on" : "off");
}

void SessionTransaction::setModes(const sql::TransactionModes& modes, std::optional<SqlError>& warning) {
  if (!isLasting())
    warning = SqlError(sqlstate::kNoActiveSqlTransaction, "SET TRANSACTION can only be used in transaction blocks");
  applyModes(modes);
}

bool SessionTransaction::commit(bool chain, std::optional<SqlError>& warning) {
  const bool was_failed = state_ == State::Failed;
  if (!isInBlock()) {
    if (chain) raiseOnlyInBlock("COMMIT AND CHAIN");
    warning = noBlock();
  }
  const Modes modes = currentModes();
  if (was_failed)
    rollBackAll();
  else
    commitAll();
  if (chain) {
    state_ = State::Block;
    takeModes(modes);
  }
  return !was_failed;
}

void SessionTransaction::rollBack(bool chain, std::optional<SqlError>& warning) {
  if (!isInBlock()) {
    if (chain) raiseOnlyInBlock("ROLLBACK AND CHAIN");
    warning = noBlock();
  }
  const Modes modes = currentModes();
  rollBackAll();
  if (chain) {
    state_ = State::Block;
    takeModes(modes);
  }
}

std::vector<SessionTransaction::Savepoint>::iterator SessionTransaction::findSavepoint(const std::string& name) {
  const auto found = std::ranges::find(savepoints_ | std::views::reverse, name, &Savepoint::name);
  if (found == savepoints_.rend())
    throw SqlError(sqlstate::kInvalidSavepoint, fmt::format("savepoint \"{}\" does not exist", name));
  return std::prev(found.base());
}

void SessionTransaction::setSavepoint(const std::string& name) {
  if (!isInBlock()) raiseOnlyInBlock("SAVEPOINT");
  if (isToBeBulk()) throwNotSupported("SAVEPOINT in a bulk transaction");
  addSavepoint(name);
}

size_t SessionTransaction::beginPart() {
  if (isToBeBulk() || isBulk()) throwNotSupported("EXCEPTION of a block in a bulk transaction");
  addSavepoint({});
  return savepoints_.size() - 1;
}

void SessionTransaction::endPart(size_t part) noexcept {
  if (part < savepoints_.size()) release(savepoints_.begin() + static_cast<ptrdiff_t>(part));
}

/// A subtransaction that was made read only was so for itself.
void SessionTransaction::release(std::vector<Savepoint>::iterator savepoint) {
  const std::string_view before = savepoint->settings->text(SettingId::TransactionReadOnly);
  if (settings_.text(SettingId::TransactionReadOnly) != before)
    settings_.setInternal(SettingId::TransactionReadOnly, before);
  savepoints_.erase(savepoint, savepoints_.end());
}

void SessionTransaction::undoPart(size_t part) noexcept {
  undoTo(savepoints_[part]);
  last_portal_kept_ = std::min(last_portal_kept_, savepoints_[part].portal);
  endPart(part);
}

void SessionTransaction::turn(bool is_rollback, bool chain) {
  const Modes modes = currentModes();
  if (is_rollback)
    rollBackAll();
  else
    commitAll(true);
  beginStatement();
  if (chain) takeModes(modes);
}

void SessionTransaction::addSavepoint(const std::string& name) {
  putPending();
  keepSettings();
  savepoints_.push_back({.name = name,
                         .version = transaction_ ? transaction_->newest() : nullptr,
                         .definitions = catalog_->mark(),
                         .locks = owner_.mark(),
                         .participant = participant_->mark(),
                         .portal = portal_count_,
                         .settings = kept(settings_),
                         .settings_after = settings_after_,
                         .has_local_settings = has_local_settings_,
                         .deferred = deferred_.mark(),
                         .deferred_triggers = deferred_triggers_.mark(),
                         .constraint_modes = deferred_.modes()});
}

void SessionTransaction::releaseSavepoint(const std::string& name) {
  if (!isInBlock()) raiseOnlyInBlock("RELEASE SAVEPOINT");
  release(findSavepoint(name));
}

void SessionTransaction::rollBackTo(const std::string& name) {
  if (!isInBlock()) raiseOnlyInBlock("ROLLBACK TO SAVEPOINT");
  const auto savepoint = findSavepoint(name);
  savepoints_.erase(std::next(savepoint), savepoints_.end());
  undoTo(savepoints_.back());
  last_portal_kept_ = std::min(last_portal_kept_, savepoints_.back().portal);
  state_ = State::Block;
}

void SessionTransaction::findTimeZone() {
  const TimeZone* zone = TimeZone::find(settings_.text(SettingId::TimeZone));
  time_zone_ = zone != nullptr ? zone : &TimeZone::utc();
  text_style_ = textStyleOf(settings_);
  time_zone_version_ = settings_.version();
}

void SessionTransaction::keepSettings() {
  if (!settings_before_) settings_before_ = kept(settings_);
  if (!settings_after_) settings_after_ = kept(settings_);
}

std::shared_ptr<const Settings> SessionTransaction::kept(const Settings& settings) {
  if (!last_kept_ || last_kept_->version() != settings.version())
    last_kept_ = std::make_shared<const Settings>(settings);
  return last_kept_;
}

SessionTransaction::KeptSetting SessionTransaction::keepSetting(std::string_view name) {
  keepSettings();
  return {settings_.keep(name), settings_after_->changeOf(name)};
}

void SessionTransaction::putBackSetting(const KeptSetting& kept) {
  if (settings_after_ && settings_after_->changeOf(kept.value.name) == kept.change) settings_.putBack(kept.value);
}

void SessionTransaction::undoTo(const txn::Version* version, size_t definitions) noexcept {
  if (!transaction_) return;
  // Rows first: they are in the tables that were defined.
  txn::rollBack(server_.transactions, *transaction_, version);
  if (catalog_->mark() != definitions) server_.plans.clear();
  catalog_->undoTo(definitions);
  server_.transactions.locks().noteRollback(transaction_->id());
}

void SessionTransaction::undoTo(const Savepoint& savepoint) noexcept {
  undoTo(savepoint.version, savepoint.definitions);
  participant_->undoTo(savepoint.participant);
  owner_.releaseAfter(savepoint.locks);
  if (settings_.version() != savepoint.settings->version()) settings_.restore(*savepoint.settings);
  settings_after_ = savepoint.settings_after;
  has_local_settings_ = savepoint.has_local_settings;
  deferred_.undoTo(savepoint.deferred, savepoint.constraint_modes);
  deferred_triggers_.undoTo(savepoint.deferred_triggers);
}

void SessionTransaction::identify(int32_t id, const TableUses& uses) {
  catalog_->serve(settings_, fmt::format("pg_temp_{}", id));
  uses_ = &uses;
}

void SessionTransaction::dropTemporary() noexcept {
  if (!catalog_->mayHaveTemporary()) return;
  const std::string schema = catalog_->searchPath().temporary;
  try {
    const CancelToken patient;
    sql::defineAlone(*database_, server_.transactions, patient,
                     [&](auto& definitions, const auto& context) { definitions.dropTemporarySchema(schema, context); });
    server_.plans.clear();
  } catch (const std::exception& error) {
    // Their rows are of no use to anybody, and the next start drops what no table has.
    spdlog::warn("temporary tables of schema \"{}\" are left behind: {}", schema, error.what());
  }
}

void SessionTransaction::countEnd(CounterId of_all, sql::DatabaseActivity::Count of_database) noexcept {
  Metrics::instance().add(of_all);
  database_->activity().add(of_database);
}

/// What ON COMMIT says.
void SessionTransaction::finishTemporary() {
  const std::vector<sql::TablePtr> tables = catalog_->tablesToFinish();
  if (tables.empty()) return;
  for (const sql::TablePtr& table : tables) uses_->requireUnused(*table, "COMMIT");
  define([&](sql::CatalogTransaction& catalog, const auto& context) { catalog.finishTemporary(tables, context); });
}

void SessionTransaction::commitAll(bool is_turn) {
  try {
    participant_->beforeCommit();
    if (catalog_->mayHaveTemporary()) finishTemporary();
  } catch (...) {
    rollBackAll();
    throw;
  }
  // Storage that a definition gives up is gone at once.
  using txn::CommitWait;
  const CommitWait wait = !catalog_->isEmpty()                                    ? CommitWait::Here
                          : settings_.text(SettingId::SynchronousCommit) == "off" ? CommitWait::Never
                          : participant_->hasToAnnounce()                         ? CommitWait::Here
                          : is_turn || participant_->mayAcknowledgeLater()        ? CommitWait::Elsewhere
                                                                                  : CommitWait::Here;
  wal::CommitTicket ticket;
  if (transaction_) {
    const txn::Committed committed = server_.transactions.commit(std::move(transaction_), wait);
    seen_ = std::max(seen_, committed.at);
    ticket = committed.ticket;
  }
  if (wait != CommitWait::Never) ticket.join({.foreign = sequences_logged_});
  if (wait == CommitWait::Here)
    server_.transactions.waitForStable(ticket);
  else
    participant_->requireStable(ticket);
  if (!catalog_->isEmpty()) {
    server_.plans.clear();
    catalog_->commit();
  }
  participant_->committed();
  if (has_local_settings_) settings_.restore(*settings_after_);
  if (state_ != State::Idle) countEnd(CounterId::TransactionsCommitted, sql::DatabaseActivity::Count::Commits);
  end();
}

void SessionTransaction::rollBackAll() noexcept {
  if (state_ != State::Idle) countEnd(CounterId::TransactionsRolledBack, sql::DatabaseActivity::Count::Rollbacks);
  undoAll();
}

void SessionTransaction::undoAll() noexcept {
  undoTo(nullptr, 0);
  if (participant_ != nullptr) participant_->rolledBack();
  if (settings_before_ && settings_.version() != settings_before_->version()) settings_.restore(*settings_before_);
  end();
}

void SessionTransaction::end() noexcept {
  if (transaction_) server_.transactions.abandon(std::move(transaction_));
  snapshot_.release();
  owner_.releaseAll();
  savepoints_.clear();
  deferred_.clear();
  deferred_triggers_.clear();
  settings_before_.reset();
  settings_after_.reset();
  has_local_settings_ = false;
  has_snapshot_ = false;
  is_chained_ = false;
  is_bulk_ = false;
  sequences_logged_ = wal::Gsn{0};
  state_ = State::Idle;
  status_.endTransaction();
  ++end_count_;
  // Readers leave that to others, and writers what is in the caches of others' processors.
  if (std::exchange(has_written_, false)) server_.transactions.collect(&owner_);
  startModes();
}

void SessionTransaction::fail() noexcept {
  switch (state_) {
    case State::Idle:
    case State::Failed:
      return;
    case State::Implicit:
      return rollBackAll();
    case State::Block:
      if (!savepoints_.empty()) {
        undoTo(savepoints_.back());
      } else if (is_chained_) {
        const Modes modes = currentModes();
        undoAll();
        takeModes(modes);
      } else {
        undoAll();
      }
      state_ = State::Failed;
  }
}

void SessionTransaction::requireMayWrite(std::string_view command) const {
  if (settings_.flag(SettingId::TransactionReadOnly))
    throw SqlError(sqlstate::kReadOnlySqlTransaction,
                   fmt::format("cannot execute {} in a read-only transaction", command));
}

void SessionTransaction::requireNoBlock(std::string_view command) const {
  if (routine_depth_ > 0)
    throw SqlError(sqlstate::kActiveSqlTransaction, fmt::format("{} cannot be executed from a function", command));
  if (isInBlock() || transaction_ || is_one_of_many_)
    throw SqlError(sqlstate::kActiveSqlTransaction, fmt::format("{} cannot run inside a transaction block", command));
}

/// Whether a statement with so many rows is a transaction of its own, and large.
bool SessionTransaction::isAll(uint64_t rows) const {
  const auto rows_min = static_cast<uint64_t>(settings_.integer(SettingId::AutoBulkRows));
  return state_ == State::Implicit && is_last_statement_ && !is_one_of_many_ && rows_min != 0 && rows >= rows_min;
}

void SessionTransaction::beginWriting(double expected_rows) {
  const bool is_first = !transaction_;
  has_written_ = true;
  if (is_first) {
    // A session that waits for its client after each message does not get into others' way.
    const bool shares_log =
        settings_.text(SettingId::SynchronousCommit) != "off" || !participant_ || !participant_->mayAcknowledgeLater();
    transaction_ = server_.transactions.begin(owner_, shares_log);
    status_.setTransaction(transaction_->id());
  }
  if (is_first && isToBeBulk()) {
    // SET LOCAL bulk_write came behind it.
    if (!savepoints_.empty()) throwNotSupported("SAVEPOINT in a bulk transaction");
    server_.transactions.beginBulk(*transaction_, patience());
  } else if (is_first && isAll(static_cast<uint64_t>(std::min(expected_rows, 1e18)))) {
    server_.transactions.tryBeginBulk(*transaction_);
  }
  if (transaction_->bulkEpoch() != 0) {
    ++bulk_statement_count_;
  } else if (writers_lock_held_ != owner_.releaseCount()) {
    owner_.acquire(server_.transactions.writersLock(), txn::LockMode::RowExclusive, patience());
    writers_lock_held_ = owner_.releaseCount();
  }
}

std::optional<int64_t> SessionTransaction::number(bool is_wanted) {
  if (!transaction_ && is_wanted) beginWriting();
  if (!transaction_) return {};
  return static_cast<int64_t>(transaction_->id() - txn::kTransactionIdMin);
}

void SessionTransaction::tryBulk(uint64_t rows) {
  if (isAll(rows)) server_.transactions.tryBeginBulk(*transaction_);
}

txn::TransactionManager::SnapshotGuard SessionTransaction::takeSnapshot(bool is_reading) {
  txn::TransactionManager& transactions = server_.transactions;
  txn::TransactionManager::SnapshotGuard guard = transactions.takeSnapshot(&owner_);
  if (transactions.hasUnstable()) [[unlikely]] {
    std::optional<txn::TransactionManager::SnapshotGuard> stable;
    if (is_reading) stable = transactions.takeStableSnapshot(&owner_, seen_);
    if (stable)
      guard = std::move(*stable);
    else
      participant_->requireStable(transactions.unstable());
  }
  seen_ = std::max(seen_, guard.snapshot().start);
  return guard;
}

SessionTransaction::Mark SessionTransaction::mark() {
  putPending();
  return {transaction_ ? transaction_->newest() : nullptr, catalog_->mark()};
}

txn::Snapshot SessionTransaction::takeSnapshot(txn::TransactionManager::SnapshotGuard& guard) {
  putPending();
  return takeSnapshotBeside(guard);
}

txn::Snapshot SessionTransaction::takeSnapshotBeside(txn::TransactionManager::SnapshotGuard& guard) {
  const bool is_kept = !isReadCommitted();
  // A transaction that keeps its snapshot is to conflict with as little as can be.
  if (!is_kept)
    guard = takeSnapshot(!transaction_);
  else if (!has_snapshot_)
    snapshot_ = takeSnapshot(settings_.flag(SettingId::TransactionReadOnly));
  has_snapshot_ = true;
  txn::Snapshot snapshot = is_kept ? snapshot_.snapshot() : guard.snapshot();
  if (transaction_) {
    snapshot.own = transaction_->id();
    snapshot.command = transaction_->beginCommand();
    if (transaction_->bulkEpoch() != 0) snapshot.epoch = transaction_->bulkEpoch() + 1;
  }
  return snapshot;
}

txn::WriteContext SessionTransaction::writeContext(const txn::Snapshot& snapshot, MemoryAccount* memory) {
  return {.manager = server_.transactions,
          .transaction = *transaction_,
          .snapshot = snapshot,
          .patience = patience(),
          .is_read_committed = isReadCommitted(),
          .memory = memory,
          .deferred = &deferred_};
}

}  // namespace gnomon::server
