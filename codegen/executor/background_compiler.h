#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "codegen/executor/query_program.h"

namespace gnomon::codegen {

/// The thread that turns bytecode into machine code while the statement already runs. One in a process.
/// Threads: request() from any.
class BackgroundCompiler {
 public:
  static BackgroundCompiler& instance();
  /// Compiles the unit soon. Lower tiers go first, as asked for; then what promises to save the most. Keeps the program
  /// alive until then.
  void request(const std::shared_ptr<QueryProgram>& program, CodeUnit* unit, CodeTier tier, double saved_ns);
  /// Ends the thread after the job it is at and forgets the others, for good. Programs hold tables: before the storage
  /// is closed.
  void stop();
  ~BackgroundCompiler() { stop(); }

 private:
  BackgroundCompiler();
  void run();

  struct Job {
    std::shared_ptr<QueryProgram> program;
    CodeUnit* unit = nullptr;
    CodeTier tier = CodeTier::Quick;
    double saved_ns = 0;  ///< time that is lost without it
  };
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace gnomon::codegen
