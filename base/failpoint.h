#pragma once

#include <string_view>

/// Places where a crash test ends the process. GNOMON_FAILPOINT=name[:n] kills it with SIGKILL when it comes by the
/// place for the n-th time (from 1). Only in builds with GNOMON_DEBUG; elsewhere nothing is left of them.
namespace gnomon {
void passFailpoint(std::string_view name);
}

#ifdef GNOMON_DEBUG
#define FAILPOINT(name) ::gnomon::passFailpoint(name)
#else
#define FAILPOINT(name) static_cast<void>(0)
#endif
