#pragma once

#include "codegen/runtime/session_functions.h"

namespace gnomon::server {

struct SessionContext;

/// The functions that ask a session. Threads: the session's. Lifetime: that of the context, which outlives it.
class SessionServices final : public codegen::SessionFunctions {
 public:
  explicit SessionServices(SessionContext& session) : session_(session) {}

  [[nodiscard]] int32_t processId() const override;
  bool cancelBackend(int32_t process) override;
  bool terminateBackend(int32_t process, int64_t timeout_ms) override;
  void lock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) override;
  bool tryLock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) override;
  bool unlock(txn::AdvisoryKey key, txn::LockMode mode) override;
  void unlockAll() override;

 private:
  SessionContext& session_;
};

}  // namespace gnomon::server
