#pragma once

#include <shared_mutex>
#include <span>

#include "storage/page.h"
#include "wal/write_ahead_log.h"

namespace gnomon::storage {

/// What the records of this room are about. The body of each is described in page_record.h.
namespace record_types {
/// Changes of pages that are redone and never undone: structure changes, and whatever no transaction answers for.
inline constexpr wal::RecordType kPages{16};
inline constexpr wal::RecordType kRowsAppended{17};
inline constexpr wal::RecordType kRowUpdated{18};
inline constexpr wal::RecordType kRowsDeleted{19};   ///< flagged
inline constexpr wal::RecordType kRowsRestored{20};  ///< the flag taken off
inline constexpr wal::RecordType kEntryInserted{21};
inline constexpr wal::RecordType kEntryErased{22};
/// Changes of the registry of relations, and pages that go with them.
inline constexpr wal::RecordType kRelations{23};
}  // namespace record_types

/// Where the changes of a buffer manager's pages are logged: in the write-ahead log, or nowhere.
///
/// Which log a change goes to is the thread's: the one of the Scope that it has open, else one that is leased for the
/// record. Threads: any, except attach().
class PageLog {
 public:
  /// While it lives, changes that this thread makes are the writer's transaction's and may be undone. Compensating:
  /// they undo the record at `undone`, which is not undone again after a crash; 0: such as may be. Scopes of a thread
  /// nest.
  class Scope {
   public:
    Scope(PageLog& log, wal::LogWriter& writer) : Scope(log, writer, false, {}) {}
    Scope(PageLog& log, wal::LogWriter& writer, wal::LogPosition undone) : Scope(log, writer, true, undone) {}
    ~Scope() { current_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    [[nodiscard]] wal::LogWriter& writer() const { return writer_; }
    [[nodiscard]] bool isCompensating() const { return is_compensating_; }
    [[nodiscard]] wal::LogPosition undone() const { return undone_; }

   private:
    friend class PageLog;
    Scope(PageLog& log, wal::LogWriter& writer, bool is_compensating, wal::LogPosition undone)
        : log_(log), writer_(writer), is_compensating_(is_compensating), undone_(undone), outer_(current_) {
      current_ = this;
    }
    PageLog& log_;
    wal::LogWriter& writer_;
    const bool is_compensating_;
    const wal::LogPosition undone_;
    Scope* const outer_;
  };

  /// While it lives, records of this thread count after a crash only if these do as well. Outlives nothing of it.
  class Dependence {
   public:
    explicit Dependence(std::span<const wal::RecordStamp> stamps) : outer_(dependence_) { dependence_ = stamps; }
    ~Dependence() { dependence_ = outer_; }
    Dependence(const Dependence&) = delete;
    Dependence& operator=(const Dependence&) = delete;

   private:
    const std::span<const wal::RecordStamp> outer_;
  };

  /// From now on changes are logged in `wal`, which outlives the pages' last change; null: nowhere. Nobody changes
  /// pages meanwhile.
  void attach(wal::WriteAheadLog* wal) { wal_ = wal; }
  [[nodiscard]] bool isOn() const { return wal_ != nullptr; }
  [[nodiscard]] wal::WriteAheadLog& wal() const { return *wal_; }
  /// The scope that this thread has open, of this log; null: none.
  [[nodiscard]] const Scope* scope() const { return current_ && &current_->log_ == this ? current_ : nullptr; }

  /// What this thread's records depend on.
  [[nodiscard]] static std::span<const wal::RecordStamp> dependence() { return dependence_; }

  /// Records to come have larger GSNs.
  [[nodiscard]] Gsn stable() const { return wal_ ? wal_->stableGsn() : Gsn{}; }
  /// By log, records that are stable with all they depend on: the last ones known. Empty without a log.
  [[nodiscard]] std::vector<Gsn> stableRecords() const { return wal_ ? wal_->stableRecords() : std::vector<Gsn>{}; }
  /// Before pages with changes up to `gsn` are written to disk. Failure: 58030.
  void flushUpTo(Gsn gsn) {
    if (wal_) wal_->flushUpTo(gsn);
  }

  /// Everything that was appended is stable when it returns, and records to come have larger GSNs. Failure: 58030.
  void flush() {
    if (wal_) wal_->flushAll();
  }

  /// Held shared from the appending of a record that says something of page numbers or relations until they are so in
  /// memory as well; taken exclusively by whoever is to see all that older records say.
  [[nodiscard]] std::shared_mutex& gate() { return gate_; }

 private:
  wal::WriteAheadLog* wal_ = nullptr;
  std::shared_mutex gate_;
  static thread_local constinit Scope* current_;
  static thread_local constinit std::span<const wal::RecordStamp> dependence_;
};

}  // namespace gnomon::storage
