#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "codegen/executor/query_program.h"

namespace gnomon::codegen {

/// The thread that turns bytecode into machine code while the statement already runs. One in a process.
/// Threads: request() from any.
class BackgroundCompiler {
 public:
  static BackgroundCompiler& instance();
  /// Compiles the unit soon, once. Keeps the program alive until then.
  void request(const std::shared_ptr<QueryProgram>& program, CodeUnit* unit);
  ~BackgroundCompiler();

 private:
  BackgroundCompiler();
  void run();

  struct Job {
    std::shared_ptr<QueryProgram> program;
    CodeUnit* unit;
  };
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace gnomon::codegen
