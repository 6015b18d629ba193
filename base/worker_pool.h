#pragma once

#include <functional>
#include <memory>

namespace gnomon {

/// The cores: parallel steps of all statements run here. One pool in a process.
///
/// Threads: run() from any thread; the caller takes part, and does all of it when the others are busy, so that no
/// statement waits for another one's work. Work never blocks on a client's socket or a lock held by
/// another statement, so every run() ends.
class WorkerPool {
 public:
  /// `worker_count` threads at most work for one run() at a time, its caller included; 0: one per core.
  explicit WorkerPool(unsigned worker_count);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] unsigned workerCount() const { return worker_count_; }
  /// One of a single worker: whoever calls run() does it all.
  static WorkerPool& callerAlone();

  /// Calls body(slot) for slots 0 .. workerCount()-1, in parallel as threads allow, and returns when all have returned.
  /// The first exception thrown by a body is rethrown here after the others ended.
  void run(const std::function<void(unsigned slot)>& body);

 private:
  struct Implementation;
  unsigned worker_count_;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gnomon
