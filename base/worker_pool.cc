#include "base/worker_pool.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <exception>
#include <mutex>
#include <thread>

namespace gnomon {

struct WorkerPool::Implementation {
  explicit Implementation(unsigned worker_count)
      : limit(oneapi::tbb::global_control::max_allowed_parallelism, worker_count),
        arena(static_cast<int>(worker_count), 1) {}
  oneapi::tbb::global_control limit;
  oneapi::tbb::task_arena arena;
};

WorkerPool::WorkerPool(unsigned worker_count)
    : worker_count_(worker_count ? worker_count : std::max(1u, std::thread::hardware_concurrency())),
      implementation_(std::make_unique<Implementation>(worker_count_)) {}

WorkerPool::~WorkerPool() = default;

void WorkerPool::run(const std::function<void(unsigned)>& body) {
  if (worker_count_ == 1) return body(0);
  std::exception_ptr failure;
  std::mutex failure_mutex;
  implementation_->arena.execute([&] {
    // simple_partitioner with grain 1: every slot is a task of its own.
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<unsigned>(0, worker_count_, 1),
        [&](const oneapi::tbb::blocked_range<unsigned>& slots) {
          for (unsigned slot = slots.begin(); slot != slots.end(); ++slot) {
            try {
              body(slot);
            } catch (...) {
              const std::scoped_lock guard(failure_mutex);
              if (!failure) failure = std::current_exception();
            }
          }
        },
        oneapi::tbb::simple_partitioner());
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gnomon
