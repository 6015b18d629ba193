#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon::server {

/// What goes with a session's transaction beside its rows and definitions. Threads: the session's.
class TransactionParticipant {
 public:
  virtual ~TransactionParticipant() = default;
  /// Before anything is committed. Failure: SqlError; all is rolled back then.
  virtual void beforeCommit() = 0;
  /// One of these follows.
  virtual void committed() = 0;
  virtual void rolledBack() noexcept = 0;
  /// A point to go back to.
  struct Mark {
    size_t notifications = 0;
    uint64_t descriptors = 0;  ///< of large objects that have been opened
  };
  [[nodiscard]] virtual Mark mark() const = 0;
  virtual void undoTo(const Mark& mark) noexcept = 0;
};

}  // namespace gnomon::server
