#include "base/failpoint.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace gnomon {

namespace {

struct Armed {
  std::string name;
  std::atomic<long> passes_left{1};

  Armed() {
    if (const char* text = std::getenv("GNOMON_FAILPOINT")) arm(text);
  }
  void arm(const std::string& text) {
    const size_t colon = text.find(':');
    name = text.substr(0, colon);
    passes_left = colon == std::string::npos ? 1 : std::strtol(text.c_str() + colon + 1, nullptr, 10);
  }
};

Armed& armed() {
  static Armed instance;
  return instance;
}

}  // namespace

void passFailpoint(std::string_view name) {
  if (armed().name == name && armed().passes_left.fetch_sub(1) == 1) std::raise(SIGKILL);
}

void armFailpoint(const std::string& text) {
  armed().arm(text);
}

bool isFailpointArmed() {
  return !armed().name.empty();
}

}  // namespace gnomon
