#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "txn/transaction.h"

namespace gnomon::txn {

/// Does away in the background with what becomes visible to all when a reader ends, so that readers do not pay for what
/// writers leave, and reads relations for their dead tuples, so that a commit does not. Writers collect what they have
/// left themselves as they end, and what is left of others' is collected here: nothing piles up behind one thread.
///
/// Source: paper 1, section 3.1.2. Threads: any.
class GarbageCollector {
 public:
  /// The manager outlives this, and tells it from now on.
  explicit GarbageCollector(TransactionManager& transactions);
  ~GarbageCollector();
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  /// There is something to collect. Costs a look at a flag where that is known.
  void wake() noexcept;
  /// Cleans the table up soon. False: this is the thread that does so.
  bool takeTable(const std::shared_ptr<Table>& table);

 private:
  void run();

  TransactionManager& transactions_;
  std::atomic<bool> is_wanted_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::set<std::weak_ptr<Table>, std::owner_less<>> tables_;
  bool is_ending_ = false;
  std::thread thread_;  ///< last: it uses all the others
};

}  // namespace gnomon::txn
