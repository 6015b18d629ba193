#include "txn/garbage_collector.h"

#include <chrono>
#include <utility>

#include "base/wait_event.h"
#include "txn/table.h"

namespace gnomon::txn {

namespace {
/// Between what is worth collecting and doing so: readers that end every few microseconds wake nobody.
constexpr auto kPause = std::chrono::milliseconds(10);
}  // namespace

GarbageCollector::GarbageCollector(TransactionManager& transactions)
    : transactions_(transactions), thread_([this] { run(); }) {
  transactions_.setCollector(this);
}

GarbageCollector::~GarbageCollector() {
  transactions_.setCollector(nullptr);
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void GarbageCollector::wake() noexcept {
  if (is_wanted_.load(std::memory_order_relaxed) || is_wanted_.exchange(true)) return;
  {
    const std::scoped_lock lock(mutex_);
  }
  wake_.notify_one();
}

bool GarbageCollector::takeTable(const std::shared_ptr<Table>& table) {
  if (std::this_thread::get_id() == thread_.get_id()) return false;
  {
    const std::scoped_lock lock(mutex_);
    tables_.insert(table);
  }
  wake();
  return true;
}

void GarbageCollector::run() {
  const BackgroundThread self("garbage collector");
  std::unique_lock lock(mutex_);
  const auto isEnding = [&] {
    const WaitScope idle(WaitEvent::GarbageCollectorMain);
    wake_.wait(lock, [this] { return is_ending_ || is_wanted_.load(); });
    return wake_.wait_for(lock, kPause, [this] { return is_ending_; });
  };
  while (!isEnding()) {
    is_wanted_ = false;
    const auto tables = std::exchange(tables_, {});
    lock.unlock();
    transactions_.collect();
    transactions_.collectPruned();
    for (const auto& each : tables)
      if (const auto table = each.lock()) table->cleanUp();
    lock.lock();
  }
}

}  // namespace gnomon::txn
