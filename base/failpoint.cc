#include "base/failpoint.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace gnomon {

namespace failpoints {
constinit std::atomic<bool> is_any_armed{false};
}

namespace {

struct Failpoint {
  enum class Action : uint8_t { Kill, Fail, Delay };
  std::string name;
  Action action = Action::Kill;
  int value = 0;  ///< errno, or milliseconds
  bool is_each_pass = false;
  long passes_left = 1;

  static Failpoint parse(const std::string& text) {
    Failpoint point;
    const size_t colon = text.find(':');
    const size_t operation = text.find_first_of("=~");
    point.name = text.substr(0, std::min(colon, operation));
    if (operation != std::string::npos) {
      point.action = text[operation] == '=' ? Action::Fail : Action::Delay;
      point.value = static_cast<int>(std::strtol(text.c_str() + operation + 1, nullptr, 10));
    }
    point.is_each_pass = operation != std::string::npos && colon == std::string::npos;
    if (colon != std::string::npos) point.passes_left = std::strtol(text.c_str() + colon + 1, nullptr, 10);
    return point;
  }

  bool comesBy() { return is_each_pass || passes_left-- == 1; }
};

class Armed {
 public:
  void arm(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    points_.clear();
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) points_.push_back(Failpoint::parse(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    failpoints::is_any_armed = !points_.empty();
  }

  void pass(std::string_view name) {
    const int milliseconds = strike(name);
    if (milliseconds > 0) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }
  int error(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    for (Failpoint& point : points_)
      if (point.action == Failpoint::Action::Fail && point.name == name && point.comesBy()) return point.value;
    return 0;
  }
  bool isArmed(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    for (const Failpoint& point : points_)
      if (point.name == name) return true;
    return false;
  }

 private:
  /// How long to stay.
  int strike(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    for (Failpoint& point : points_) {
      if (point.action == Failpoint::Action::Fail || point.name != name || !point.comesBy()) continue;
      if (point.action == Failpoint::Action::Kill) std::raise(SIGKILL);
      return point.value;
    }
    return 0;
  }

  std::mutex mutex_;
  std::vector<Failpoint> points_;
};

Armed& armed() {
  static Armed instance;
  return instance;
}

/// Before main: what runs earlier passes no failpoint.
const bool is_environment_read = [] {
  if (const char* text = std::getenv("GNOMON_FAILPOINT")) armFailpoint(text);
  return true;
}();

}  // namespace

void failpoints::pass(std::string_view name) {
  armed().pass(name);
}

int failpoints::error(std::string_view name) {
  return armed().error(name);
}

bool failpoints::isArmed(std::string_view name) {
  return armed().isArmed(name);
}

void armFailpoint(const std::string& text) {
  armed().arm(text);
}

}  // namespace gnomon
