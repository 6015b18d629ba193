#include "codegen/executor/background_compiler.h"

namespace gnomon::codegen {

BackgroundCompiler& BackgroundCompiler::instance() {
  static BackgroundCompiler compiler;
  return compiler;
}

BackgroundCompiler::BackgroundCompiler() : thread_([this] { run(); }) {}

BackgroundCompiler::~BackgroundCompiler() {
  {
    const std::scoped_lock guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void BackgroundCompiler::request(const std::shared_ptr<QueryProgram>& program, CodeUnit* unit) {
  if (unit->compile_requested.exchange(true)) return;
  {
    const std::scoped_lock guard(mutex_);
    jobs_.push_back({program, unit});
  }
  wake_.notify_one();
}

void BackgroundCompiler::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.unit->code->compileLlvm();
    lock.lock();
  }
}

}  // namespace gnomon::codegen
