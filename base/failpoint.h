#pragma once

#include <string>
#include <string_view>

/// Places where a crash test ends the process: "name" or "name:n" kills it with SIGKILL when it comes by the place for
/// the n-th time (from 1). Taken from GNOMON_FAILPOINT. Only in builds with GNOMON_DEBUG; elsewhere nothing is left.
namespace gnomon {

void passFailpoint(std::string_view name);
/// In place of what the environment says; while no other thread runs.
void armFailpoint(const std::string& text);
/// Whether any failpoint is armed.
bool isFailpointArmed();

}  // namespace gnomon

#ifdef GNOMON_DEBUG
#define FAILPOINT(name) ::gnomon::passFailpoint(name)
#else
#define FAILPOINT(name) static_cast<void>(0)
#endif
