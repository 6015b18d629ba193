#pragma once

#include "base/cancel.h"

namespace gnomon {

/// For as long as it lives, this thread works for a statement that may be cancelled: what takes long below generated
/// code, and was given no token, polls that statement's.
class CancelScope {
 public:
  explicit CancelScope(const CancelToken& token);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const CancelToken* before_;
};

/// Polls the token of the thread's statement, if it has one. Failure: as CancelToken::poll.
void pollCancel();

}  // namespace gnomon
