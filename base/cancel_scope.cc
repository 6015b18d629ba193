#include "base/cancel_scope.h"

#include <utility>

namespace gnomon {
namespace {

thread_local const CancelToken* token_of_thread = nullptr;

}  // namespace

CancelScope::CancelScope(const CancelToken& token) : before_(std::exchange(token_of_thread, &token)) {}

CancelScope::~CancelScope() {
  token_of_thread = before_;
}

void pollCancel() {
  if (token_of_thread != nullptr) token_of_thread->poll();
}

}  // namespace gnomon
