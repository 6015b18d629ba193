#pragma once

#include "base/strong_id.h"

namespace gnomon::wal {

/// Global sequence number: orders the log records of all logs that touched one page (page.gsn = log.gsn =
/// max(page.gsn, log.gsn) + 1). Zero until the log exists.
using Gsn = StrongId<struct GsnTag>;

}  // namespace gnomon::wal
