#pragma once

#include <atomic>
#include <string>
#include <string_view>

/// Places where a test has something go wrong. Taken from GNOMON_FAILPOINT: one or several, with commas between.
///   "name" or "name:n"      kills the process with SIGKILL when it comes by the place for the n-th time (from 1)
///   "name=28"               FAILPOINT_ERROR(name) fails with this errno each time, until it is disarmed
///   "name=28:n"             only the n-th time
///   "name~50", "name~50:n"  stays there for 50 ms, each time or the n-th time
/// Where none is armed a place costs a look at one word.
namespace gnomon {

namespace failpoints {
extern std::atomic<bool> is_any_armed;
void pass(std::string_view name);
int error(std::string_view name);
bool isArmed(std::string_view name);
}  // namespace failpoints

inline void passFailpoint(std::string_view name) {
  if (failpoints::is_any_armed.load(std::memory_order_relaxed)) [[unlikely]]
    failpoints::pass(name);
}
/// The errno to fail with, or 0.
inline int failpointError(std::string_view name) {
  return failpoints::is_any_armed.load(std::memory_order_relaxed) ? failpoints::error(name) : 0;
}
/// Whether this one is, for places that first have to bring about what is to be found there.
inline bool isFailpointArmed(std::string_view name) {
  return failpoints::is_any_armed.load(std::memory_order_relaxed) && failpoints::isArmed(name);
}
/// In place of what the environment says; an empty text disarms. Threads: any.
void armFailpoint(const std::string& text);

}  // namespace gnomon

#define FAILPOINT(name) ::gnomon::passFailpoint(name)
#define FAILPOINT_ERROR(name) ::gnomon::failpointError(name)
