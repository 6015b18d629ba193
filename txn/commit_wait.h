#pragma once

#include <cstdint>

#include "txn/snapshot_registry.h"
#include "wal/log_writer.h"

namespace gnomon::txn {

/// Who waits until a transaction is on stable storage, so that no crash takes it back.
enum class CommitWait : uint8_t {
  Here,       ///< its commit: nobody sees its changes before
  Elsewhere,  ///< who acknowledges it. Others may see it before, but who tells of what he has seen waits as well
  Never       ///< nobody: a crash may take back the last moments, and what built upon them
};

struct Committed {
  Timestamp at = 0;          ///< 0: nothing was changed
  wal::CommitTicket ticket;  ///< to be waited for before it is acknowledged (TransactionManager::waitForStable())
};

/// A commit that is seen and not stable, and that somebody waits for.
struct UnstableCommit {
  SnapshotRegistry::Horizon before;  ///< what was seen before it
  wal::CommitTicket ticket;
};

}  // namespace gnomon::txn
