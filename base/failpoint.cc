#include "base/failpoint.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>

namespace gnomon {

namespace {

class Armed {
 public:
  Armed() {
    if (const char* text = std::getenv("GNOMON_FAILPOINT")) arm(text);
  }

  void arm(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    const size_t colon = text.find(':');
    const size_t equals = text.find('=');
    name_ = text.substr(0, std::min(colon, equals));
    error_ = equals == std::string::npos ? 0 : static_cast<int>(std::strtol(text.c_str() + equals + 1, nullptr, 10));
    is_each_pass_ = error_ != 0 && colon == std::string::npos;
    passes_left_ = colon == std::string::npos ? 1 : std::strtol(text.c_str() + colon + 1, nullptr, 10);
    is_armed_ = !name_.empty();
  }

  /// Whether it strikes here and now: kills when `is_kill`, else fails.
  int strikes(std::string_view name, bool is_kill) {
    if (!is_armed_) return 0;
    const std::scoped_lock lock(mutex_);
    if (name_ != name || is_kill != (error_ == 0)) return 0;
    if (!is_each_pass_ && passes_left_-- != 1) return 0;
    return is_kill ? 1 : error_;
  }
  bool isArmed() const { return is_armed_; }

 private:
  std::atomic<bool> is_armed_{false};
  std::mutex mutex_;
  std::string name_;
  int error_ = 0;  ///< 0: a place to die
  bool is_each_pass_ = false;
  long passes_left_ = 1;
};

Armed& armed() {
  static Armed instance;
  return instance;
}

}  // namespace

void passFailpoint(std::string_view name) {
  if (armed().strikes(name, true) != 0) std::raise(SIGKILL);
}

int failpointError(std::string_view name) {
  return armed().strikes(name, false);
}

void armFailpoint(const std::string& text) {
  armed().arm(text);
}

bool isFailpointArmed() {
  return armed().isArmed();
}

}  // namespace gnomon
