#pragma once

#include "txn/lock_manager.h"

namespace gnomon::server {

struct KeptPlan;

/// Rows of a transaction that are computed, and put into their table later, together.
///
/// Rule:  G1  nobody can tell: they are there before anything that could see them, or that they are missing, and their
///            errors come before those of what was done later; but random() may have been asked meanwhile
/// Threads: the session's.
class PendingRows : public txn::WaitObserver {
 public:
  virtual ~PendingRows() = default;
  /// They may stay where they are while the plan, a plain one, is executed.
  [[nodiscard]] virtual bool mayWaitFor(const KeptPlan& kept) = 0;
  /// Puts them into the table; there are none left, whatever happens. Failure: that of the statements they are of.
  virtual void put() = 0;
};

/// The one that a transaction has, if any.
class PendingRowsPlace {
 public:
  [[nodiscard]] PendingRows* pending() const { return pending_; }
  /// Null: there is none from now on.
  void setPending(PendingRows* rows) { pending_ = rows; }
  void putPending() {
    if (pending_ != nullptr) [[unlikely]]
      pending_->put();
  }
  /// Before the plan, which looks at nothing but its tables, is executed.
  void putPending(const KeptPlan& before) {
    if (pending_ != nullptr && !pending_->mayWaitFor(before)) pending_->put();
  }

 private:
  PendingRows* pending_ = nullptr;
};

}  // namespace gnomon::server
