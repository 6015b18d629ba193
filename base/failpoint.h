#pragma once

#include <string>
#include <string_view>

/// Places where a test has something go wrong. Taken from GNOMON_FAILPOINT. Only in builds with GNOMON_DEBUG; elsewhere
/// nothing is left.
///   "name" or "name:n"    kills the process with SIGKILL when it comes by the place for the n-th time (from 1)
///   "name=28"             FAILPOINT_ERROR(name) fails with this errno each time, until it is disarmed
///   "name=28:n"           only the n-th time
namespace gnomon {

void passFailpoint(std::string_view name);
/// The errno to fail with, or 0.
int failpointError(std::string_view name);
/// In place of what the environment says; an empty text disarms. Threads: any.
void armFailpoint(const std::string& text);
/// Whether any failpoint is armed.
bool isFailpointArmed();

}  // namespace gnomon

#ifdef GNOMON_DEBUG
#define FAILPOINT(name) ::gnomon::passFailpoint(name)
#define FAILPOINT_ERROR(name) ::gnomon::failpointError(name)
#else
#define FAILPOINT(name) static_cast<void>(0)
#define FAILPOINT_ERROR(name) 0
#endif
