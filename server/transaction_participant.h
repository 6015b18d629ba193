#pragma once

#include <cstddef>
#include <cstdint>

#include "wal/log_writer.h"

namespace gnomon::server {

/// What goes with a session's transaction beside its rows and definitions. Threads: the session's.
class TransactionParticipant {
 public:
  virtual ~TransactionParticipant() = default;
  /// Before anything is committed. Failure: SqlError; all is rolled back then.
  virtual void beforeCommit() = 0;
  /// Whether others are told of the commit at once.
  [[nodiscard]] virtual bool hasToAnnounce() const = 0;
  /// Whether the client's next commands are there already, so that what the commit has to wait for may be left to
  /// requireStable().
  [[nodiscard]] virtual bool mayAcknowledgeLater() const = 0;
  /// Nothing that is told to anybody from now on is, before waitForStable() has returned.
  virtual void requireStable(const wal::CommitTicket& ticket) = 0;
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
