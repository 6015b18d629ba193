#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace gnomon::storage {

/// What recovery says of itself in the server's log: how far it is, every few seconds, and how long each phase took.
///
/// Threads: one.
class RecoveryProgress {
 public:
  /// Between two lines.
  static constexpr std::chrono::seconds kInterval{5};

  /// A phase begins, and the one before it has ended. `name`: outlives this.
  void begin(const char* name);
  /// Whether there is something to say again. Cheap: looks at the clock.
  [[nodiscard]] bool isDue();
  /// "redo in progress, elapsed time 10.0 s": how a line about the phase begins.
  [[nodiscard]] std::string lineBegin() const;
  /// The last phase has ended: "5.2 s: analysis 1.1 s, redo 4.0 s, undo 0.1 s".
  [[nodiscard]] std::string durations();

 private:
  using Clock = std::chrono::steady_clock;
  struct Phase {
    const char* name;
    Clock::time_point begin;
  };
  std::vector<Phase> phases_;
  Clock::time_point said_;
};

/// A number of bytes as people read it: "812 MB".
std::string megabytes(uint64_t bytes);

}  // namespace gnomon::storage
