#include "base/failpoint.h"

#include <csignal>

#include <atomic>
#include <cstdlib>
#include <string>

namespace gnomon {

namespace {

struct Wanted {
  std::string name;
  std::atomic<long> passes_left{1};

  Wanted() {
    const char* text = std::getenv("GNOMON_FAILPOINT");
    if (text == nullptr) return;
    name = text;
    const size_t colon = name.find(':');
    if (colon == std::string::npos) return;
    passes_left = std::strtol(name.c_str() + colon + 1, nullptr, 10);
    name.resize(colon);
  }
};

}  // namespace

void passFailpoint(std::string_view name) {
  static Wanted wanted;
  if (wanted.name == name && wanted.passes_left.fetch_sub(1) == 1) std::raise(SIGKILL);
}

}  // namespace gnomon
