#include "codegen/executor/background_compiler.h"

#include <algorithm>

#include "base/wait_event.h"

namespace gnomon::codegen {

BackgroundCompiler& BackgroundCompiler::instance() {
  static BackgroundCompiler compiler;
  return compiler;
}

BackgroundCompiler::BackgroundCompiler() : thread_([this] { run(); }) {}

void BackgroundCompiler::stop() {
  {
    const std::scoped_lock guard(mutex_);
    stopping_ = true;
    jobs_.clear();
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundCompiler::request(const std::shared_ptr<QueryProgram>& program, CodeUnit* unit, CodeTier tier,
                                 double saved_ns) {
  {
    const std::scoped_lock guard(mutex_);
    if (stopping_) return;
    jobs_.push_back({program, unit, tier, saved_ns});
  }
  wake_.notify_one();
}

void BackgroundCompiler::run() {
  const BackgroundThread self("compiler");
  std::unique_lock lock(mutex_);
  while (true) {
    {
      const WaitScope idle(WaitEvent::CompilerMain);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    }
    if (stopping_) return;
    const auto best = std::min_element(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) {
      if (a.tier != b.tier) return a.tier < b.tier;
      return a.tier == CodeTier::Full && a.saved_ns > b.saved_ns;
    });
    Job job = std::move(*best);
    jobs_.erase(best);
    lock.unlock();
    job.unit->code->compileLlvm(job.tier);
    job = {};
    lock.lock();
  }
}

}  // namespace gnomon::codegen
