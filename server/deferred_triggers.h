#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "base/memory_account.h"
#include "codegen/runtime/trigger_queue.h"

namespace gnomon::server {

/// The constraint triggers that a transaction has put off, in the order of their events. Threads: the session's.
/// Failure: 53200 where they find no room.
class DeferredTriggers {
 public:
  /// The rows of the call are copied. `memory_max`: bytes that all of them may take.
  void add(const codegen::TriggerCall& call, uint64_t memory_max);
  /// The first that `isWanted` and has not been fired; null: there is none. It counts as fired from now on.
  template <typename Wanted>
  const codegen::TriggerCall* take(Wanted&& isWanted) {
    const auto found =
        std::ranges::find_if(events_, [&](const Event& event) { return !event.is_fired && isWanted(event.call); });
    if (found == events_.end()) return nullptr;
    found->is_fired = true;
    fired_.push_back(static_cast<size_t>(found - events_.begin()));
    return &found->call;
  }
  /// Whether rows of the table have events that have not been fired.
  [[nodiscard]] bool isPending(uint32_t table) const {
    return std::ranges::any_of(
        events_, [table](const Event& event) { return !event.is_fired && event.call.table->oid == table; });
  }
  /// How many there were, and how many of them were fired.
  struct Mark {
    size_t events, fired;
  };
  [[nodiscard]] Mark mark() const { return {events_.size(), fired_.size()}; }
  /// The transaction goes back to a mark. What was fired since waits again.
  void undoTo(const Mark& mark);
  void clear();

 private:
  struct Event {
    codegen::TriggerCall call;
    bool is_fired = false;
  };
  std::unique_ptr<MemoryAccount> memory_;    ///< null: there were none
  std::unique_ptr<codegen::KeptRows> rows_;  ///< likewise
  std::deque<Event> events_;
  std::vector<size_t> fired_;  ///< numbers of events, in the order in which they were fired
};

}  // namespace gnomon::server
