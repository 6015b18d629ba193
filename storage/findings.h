#pragma once

#include <string>
#include <vector>

#include "storage/page.h"

namespace gnomon::storage {

/// What a check of a structure finds: its pages, and everything that is not as it should be, in sentences that name the
/// place.
struct Findings {
  std::vector<PageId> pages;
  std::vector<std::string> problems;
};

}  // namespace gnomon::storage
