#include "base/thread_counters.h"

#include <mutex>
#include <vector>

namespace gnomon {

namespace {

class Numbers {
 public:
  uint32_t take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return next_++;
    const uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void give(uint32_t number) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(number);
  }

 private:
  std::mutex mutex_;
  uint32_t next_ = 0;
  std::vector<uint32_t> free_;
};

/// Never destroyed: threads may end after main.
Numbers& numbers() {
  static auto* const numbers = new Numbers;
  return *numbers;
}

/// Gives a thread's number back when the thread ends.
struct Holder {
  const uint32_t number = numbers().take();
  ~Holder() { numbers().give(number); }
};

}  // namespace

uint32_t ThreadNumber::take() {
  thread_local const Holder holder;
  return holder.number;
}

}  // namespace gnomon
