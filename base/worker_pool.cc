#include "base/worker_pool.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#endif

namespace gnomon {

namespace {

// What comes before a task is put into oneTBB's queue comes before all that the task does. The queue sees to that, but
// it is not instrumented, so ThreadSanitizer is told.
void noteQueued([[maybe_unused]] void* task) {
#if __has_feature(thread_sanitizer)
  __tsan_release(task);
#endif
}
void noteBegun([[maybe_unused]] void* task) {
#if __has_feature(thread_sanitizer)
  __tsan_acquire(task);
#endif
}

/// One run(): its slots are taken by the caller and by whichever helpers come by in time.
class Job {
 public:
  Job(const std::function<void(unsigned)>& body, unsigned slot_count) : body_(body), slot_count_(slot_count) {}

  /// Takes slots until none is left. `body_` is used only while a slot of this thread is running, so only while the
  /// caller waits.
  void work() {
    for (;;) {
      const unsigned slot = next_slot_.fetch_add(1);
      if (slot >= slot_count_) return;
      try {
        body_(slot);
      } catch (...) {
        const std::scoped_lock guard(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      const std::scoped_lock guard(mutex_);
      if (++done_ == slot_count_) all_done_.notify_all();
    }
  }
  void finish() {
    std::unique_lock guard(mutex_);
    all_done_.wait(guard, [this] { return done_ == slot_count_; });
    // A helper may hold the job for longer than the caller looks at what was thrown: that is the caller's alone.
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    guard.unlock();
    if (failure) std::rethrow_exception(failure);
  }

 private:
  const std::function<void(unsigned)>& body_;
  const unsigned slot_count_;
  std::atomic<unsigned> next_slot_{0};
  std::mutex mutex_;
  std::condition_variable all_done_;
  unsigned done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

/// The helpers: as many threads as there are workers beside the caller.
struct WorkerPool::Implementation {
  explicit Implementation(unsigned worker_count)
      : limit(oneapi::tbb::global_control::max_allowed_parallelism, worker_count),
        arena(static_cast<int>(worker_count) - 1, 0) {}
  /// The arena would forget helpers that have not come yet.
  ~Implementation() {
    std::unique_lock guard(mutex);
    none_expected.wait(guard, [this] { return expected == 0; });
  }

  void expectHelper(const std::shared_ptr<Job>& job) {
    {
      const std::scoped_lock guard(mutex);
      ++expected;
    }
    auto* const held = new std::shared_ptr<Job>(job);
    noteQueued(held);
    arena.enqueue([this, held] {
      noteBegun(held);
      (*held)->work();
      delete held;
      const std::scoped_lock guard(mutex);
      if (--expected == 0) none_expected.notify_all();
    });
  }

  oneapi::tbb::global_control limit;
  oneapi::tbb::task_arena arena;
  std::mutex mutex;
  std::condition_variable none_expected;
  size_t expected = 0;
};

WorkerPool::WorkerPool(unsigned worker_count)
    : worker_count_(worker_count ? worker_count : std::max(1u, std::thread::hardware_concurrency())) {
  if (worker_count_ > 1) implementation_ = std::make_unique<Implementation>(worker_count_);
}

WorkerPool::~WorkerPool() = default;

WorkerPool& WorkerPool::callerAlone() {
  static WorkerPool pool(1);
  return pool;
}

void WorkerPool::run(const std::function<void(unsigned)>& body) {
  if (worker_count_ == 1) return body(0);
  // The caller never waits for a free thread: when all helpers are busy with other statements it does all the work. A
  // helper that comes too late finds no slot.
  const auto job = std::make_shared<Job>(body, worker_count_);
  for (unsigned helper = 1; helper < worker_count_; ++helper) implementation_->expectHelper(job);
  job->work();
  job->finish();
}

}  // namespace gnomon
