#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "server/deferred_triggers.h"
#include "server/interrupts.h"
#include "server/pending_rows.h"
#include "server/server_context.h"
#include "server/session_status.h"
#include "server/table_uses.h"
#include "server/transaction_participant.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/statement.h"
#include "txn/deferred_references.h"
#include "txn/write_statement.h"

namespace gnomon::server {

/// 2000-01-01 in microseconds since 1970.
inline constexpr int64_t kPostgresEpochUs = int64_t{946684800} * 1'000'000;

/// The transaction of a session: a block from BEGIN to COMMIT, or that of the statements of one message or of one
/// pipeline up to Sync.
///
/// Rules:  S1  the engine's transaction begins with the first statement that writes
///         S2  locks and, above READ COMMITTED, the snapshot are kept until the transaction ends
///         S3  settings are part of it: SET is undone with it, SET LOCAL ends with it
///         S4  after an error a block takes nothing but its end, or ROLLBACK TO; what it did is undone at once, up to
///             its last savepoint
/// Threads: the session's.
class SessionTransaction : public PendingRowsPlace {
 public:
  enum class State : uint8_t { Idle, Implicit, Block, Failed };

  SessionTransaction(ServerContext& server, Settings& settings, Interrupts& interrupts, SessionStatus& status);
  SessionTransaction(const SessionTransaction&) = delete;
  SessionTransaction& operator=(const SessionTransaction&) = delete;
  /// What the session is known by; before its first statement. `uses` outlives it.
  void identify(int32_t id, const TableUses& uses);
  /// The session ends: what it had begun is undone.
  void leave() noexcept {
    rollBackAll();
    participant_ = nullptr;
  }
  /// And then, without portals: so do its temporary tables.
  void dropTemporary() noexcept;
  ~SessionTransaction() { rollBackAll(); }

  void setParticipant(TransactionParticipant& participant) { participant_ = &participant; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool isInBlock() const { return state_ == State::Block || state_ == State::Failed; }
  /// As ReadyForQuery says it.
  [[nodiscard]] char status() const { return state_ == State::Failed ? 'E' : state_ == State::Block ? 'T' : 'I'; }
  /// Failure: 25P02 in a block that failed.
  void requireUsable() const {
    if (state_ == State::Failed) [[unlikely]]
      raiseFailed();
  }

  /// A statement is about to run: an implicit transaction begins where there is none.
  void beginStatement() {
    if (state_ == State::Idle) beginImplicit();
    seeAccess();
    seeSettings();
  }
  /// What the thread knows of the settings is as they are now.
  void seeSettings() {
    if (settings_.version() != time_zone_version_) findTimeZone();
    SessionTimeZone::change(*time_zone_);
    TextStyleScope::change(text_style_, status_.transactionBegunUs() - kPostgresEpochUs);
  }
  /// Where the statement at hand stands. `is_last`: of its message; an implicit transaction is committed before the
  /// client is told of the statement's end. `is_one_of_many`: of a message; they are nearly a block.
  void setPlace(bool is_last, bool is_one_of_many) {
    is_last_statement_ = is_last;
    is_one_of_many_ = is_one_of_many;
  }
  /// What is said for a transaction has one to last for.
  [[nodiscard]] bool isLasting() const { return isInBlock() || is_one_of_many_ || routine_depth_ > 0; }
  /// Statements of routines are parts of one.
  void enterRoutine() { ++routine_depth_; }
  void leaveRoutine() { --routine_depth_; }
  void completeStatement();
  /// The end of a message or pipeline: an implicit transaction is committed.
  void endImplicit();
  /// A statement failed.
  void fail() noexcept;

  /// What a statement executes; `warning`: what is to be said of it. Failure: 25001, 25P01, 3B001.
  void begin(const sql::TransactionModes& modes);
  /// False: it was a failed block, which is rolled back.
  bool commit(bool chain, std::optional<SqlError>& warning);
  void rollBack(bool chain, std::optional<SqlError>& warning);
  void setSavepoint(const std::string& name);
  void releaseSavepoint(const std::string& name);
  void rollBackTo(const std::string& name);
  /// A part of the transaction that may be undone by itself: a block of a routine that handles errors. Returns what the
  /// part is known by; its end ends those that have begun since. Failure: 0A000 in a bulk transaction.
  size_t beginPart();
  void endPart(size_t part) noexcept;
  /// Undoes what was done since it began, and ends it.
  void undoPart(size_t part) noexcept;
  /// COMMIT and ROLLBACK of a procedure: another transaction begins at once. Failure: that of the commit.
  void turn(bool is_rollback, bool chain);
  /// SET TRANSACTION. Failure: 25001.
  void setModes(const sql::TransactionModes& modes, std::optional<SqlError>& warning);

  /// Changes the session's settings as a part of the transaction. `is_local`: until its end.
  template <typename Change>
  void changeSettings(bool is_local, Change&& change) {
    keepSettings();
    change(settings_);
    has_local_settings_ = has_local_settings_ || is_local;
    if (is_local) return;
    const auto after = std::make_shared<Settings>(*settings_after_);
    change(*after);
    settings_after_ = after;
  }

  /// A setting as it is before a routine changes it for as long as its call lasts.
  struct KeptSetting {
    Settings::Kept value;
    uint64_t change;  ///< the last that was to stay when the transaction ends
  };
  /// Failure: 42704.
  [[nodiscard]] KeptSetting keepSetting(std::string_view name);
  /// Unless it has been changed meanwhile by what stays.
  void putBackSetting(const KeptSetting& kept);
  /// As CatalogTransaction::setDefiner().
  void setDefiner(uint32_t role) { catalog_->setDefiner(role); }

  [[nodiscard]] auto& owner(this auto& self) { return self.owner_; }
  [[nodiscard]] int32_t processId() const { return owner_.processId(); }
  [[nodiscard]] txn::Locker locker() { return {owner_, patience()}; }
  [[nodiscard]] txn::Patience patience() const;
  /// Failure: 25006.
  void requireMayWrite(std::string_view command) const;
  [[nodiscard]] bool isReadCommitted() const;
  /// What it writes has virtual versions.
  [[nodiscard]] bool isBulk() const { return transaction_ && transaction_->bulkEpoch() != 0; }
  /// The session works in this database from now on; what catalog() refers to stays where it is. Before identify().
  void enter(std::shared_ptr<sql::Catalog> database);
  [[nodiscard]] const std::shared_ptr<sql::Catalog>& database() const { return database_; }
  /// The catalog as the transaction sees it.
  [[nodiscard]] const sql::CatalogTransaction& catalog() const { return *catalog_; }
  void seeAccess() { catalog_->seeAccess(); }
  void setFirstSchema(const std::string& schema) { catalog_->setFirstSchema(schema); }
  /// Whether it has made or emptied the table since its last savepoint.
  [[nodiscard]] bool hasMade(const sql::TableEntry& table) const {
    return catalog_->hasMadeSince(savepoints_.empty() ? 0 : savepoints_.back().definitions, table);
  }
  /// Of a statement that defines something: `define` gets the CatalogTransaction and the DefinitionContext.
  template <typename Define>
  auto define(Define&& define) {
    beginWriting();
    txn::TransactionManager::SnapshotGuard guard;
    takeSnapshot(guard);
    return define(*catalog_, sql::DefinitionContext{server_.transactions, *transaction_, patience()});
  }
  /// Failure: 25001 in a block, or behind what is not committed.
  void requireNoBlock(std::string_view command) const;

  /// What a statement sees, kept by `guard` or the transaction. Who has written sees commits of CommitWait::Elsewhere,
  /// and so waits for them himself; who only reads does not.
  txn::Snapshot takeSnapshot(txn::TransactionManager::SnapshotGuard& guard);
  /// The same, behind putPending(before).
  txn::Snapshot takeSnapshotBeside(txn::TransactionManager::SnapshotGuard& guard);
  /// Of a statement that writes; before its snapshot is taken. A transaction that is to be a bulk operation becomes
  /// one, and so does one of which this is all, when so many rows are expected and nobody else is writing. Failure: as
  /// Patience says; 40001, 53100.
  void beginWriting(double expected_rows = 0);
  /// What clients know the transaction by, as pg_stat_activity shows it. One that has written nothing has none, unless
  /// it `is_wanted`: then it is as good as one that writes. Failure: as beginWriting.
  std::optional<int64_t> number(bool is_wanted);
  /// A statement that is all of its transaction has written many rows: it goes on as a bulk operation if it can.
  void tryBulk(uint64_t rows);
  /// Grows with each statement of a bulk transaction that writes: what it changed is seen by its older portals, which
  /// must not go on.
  [[nodiscard]] uint64_t bulkStatementCount() const { return bulk_statement_count_; }
  [[nodiscard]] txn::WriteContext writeContext(const txn::Snapshot& snapshot, MemoryAccount* memory);

  /// A point in the transaction that a statement which starts again goes back to.
  struct Mark {
    const txn::Version* version;
    size_t definitions;
  };
  [[nodiscard]] Mark mark();
  /// Undoes what was changed since.
  void undoTo(const Mark& mark) noexcept { undoTo(mark.version, mark.definitions); }

  /// What foreign keys have put off.
  [[nodiscard]] txn::DeferredReferences& deferred() { return deferred_; }
  [[nodiscard]] DeferredTriggers& deferredTriggers() { return deferred_triggers_; }

  /// A value of a sequence was given to the client: the commit is not acknowledged before the logs are stable up to
  /// there.
  void noteSequence(wal::Gsn logged) { sequences_logged_ = std::max(sequences_logged_, logged); }

  /// Grows with each end of a transaction: portals end then.
  [[nodiscard]] uint64_t endCount() const { return end_count_; }
  /// Portals are numbered, so that those that are younger than a savepoint end with it.
  uint64_t numberPortal() { return ++portal_count_; }
  [[nodiscard]] uint64_t lastPortalKept() const { return last_portal_kept_; }
  void forgetPortals() { last_portal_kept_ = UINT64_MAX; }

 private:
  struct Savepoint {
    std::string name;
    const txn::Version* version;
    size_t definitions;
    size_t locks;
    TransactionParticipant::Mark participant;
    uint64_t portal;
    std::shared_ptr<const Settings> settings, settings_after;
    bool has_local_settings;
    size_t deferred;
    DeferredTriggers::Mark deferred_triggers;
    txn::DeferredReferences::Modes constraint_modes;
  };
  [[noreturn]] static void raiseFailed();
  void beginImplicit();
  [[nodiscard]] txn::TransactionManager::SnapshotGuard takeSnapshot(bool is_reading);
  /// Isolation, read only, deferrable, bulk.
  using Modes = std::array<std::string, 4>;
  [[nodiscard]] Modes currentModes() const;
  void takeModes(const Modes& modes);
  void keepSettings();
  /// A copy, shared with whoever has made one since they were changed.
  [[nodiscard]] std::shared_ptr<const Settings> kept(const Settings& settings);
  void findTimeZone();
  void applyModes(const sql::TransactionModes& modes);
  void applyReadOnly(const sql::TransactionModes& modes);
  void startModes();
  [[nodiscard]] bool isToBeBulk() const { return is_bulk_ || settings_.flag(SettingId::BulkWrite); }
  [[nodiscard]] bool isAll(uint64_t rows) const;
  void undoTo(const txn::Version* version, size_t definitions) noexcept;
  void undoTo(const Savepoint& savepoint) noexcept;
  void addSavepoint(const std::string& name);
  /// `is_turn`: nothing is acknowledged by it.
  void commitAll(bool is_turn = false);
  void countEnd(CounterId of_all, sql::DatabaseActivity::Count of_database) noexcept;
  void finishTemporary();
  void rollBackAll() noexcept;
  void undoAll() noexcept;
  void end() noexcept;
  std::vector<Savepoint>::iterator findSavepoint(const std::string& name);
  void release(std::vector<Savepoint>::iterator savepoint);

  ServerContext& server_;
  Settings& settings_;
  const TimeZone* time_zone_ = nullptr;  ///< as the settings of that version say, and so is the style
  TextStyle text_style_;
  uint64_t time_zone_version_ = UINT64_MAX;
  Interrupts& interrupts_;
  SessionStatus& status_;
  txn::LockOwner owner_;
  std::shared_ptr<sql::Catalog> database_;
  std::optional<sql::CatalogTransaction> catalog_;  ///< always there
  const TableUses* uses_ = nullptr;
  mutable uint64_t isolation_version_ = UINT64_MAX;  ///< of the settings that say so of is_read_committed_
  mutable bool is_read_committed_ = false;
  State state_ = State::Idle;
  uint32_t routine_depth_ = 0;
  bool is_last_statement_ = false;
  bool is_one_of_many_ = false;
  std::shared_ptr<txn::Transaction> transaction_;  ///< null: nothing was written yet
  txn::TransactionManager::SnapshotGuard snapshot_;
  bool is_bulk_ = false;        ///< BULK WRITE was said
  uint64_t modes_version_ = 0;  ///< of the settings: startModes() changes nothing of them
  wal::Gsn sequences_logged_{0};
  uint64_t bulk_statement_count_ = 0;
  uint64_t writers_lock_held_ = 0;  ///< LockOwner::releaseCount() when the writers' lock was held
  bool is_chained_ = false;         ///< its modes are those of the one before: PostgreSQL lets nobody repeat them
  bool has_written_ = false;        ///< or was about to
  txn::Timestamp seen_ = 0;         ///< what was seen or committed last
  bool has_snapshot_ = false;       ///< a statement has taken one, of its own or the transaction's
  std::vector<Savepoint> savepoints_;
  txn::DeferredReferences deferred_;
  DeferredTriggers deferred_triggers_;
  std::shared_ptr<const Settings> settings_before_;  ///< once the transaction may have changed one
  std::shared_ptr<const Settings> settings_after_;   ///< what they are to be after COMMIT
  std::shared_ptr<const Settings> last_kept_;        ///< by kept()
  bool has_local_settings_ = false;
  uint64_t end_count_ = 0;
  uint64_t portal_count_ = 0;
  TransactionParticipant* participant_ = nullptr;
  uint64_t last_portal_kept_ = UINT64_MAX;
};

}  // namespace gnomon::server
