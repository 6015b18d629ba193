#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "storage/page.h"

namespace gnomon::storage {

/// What a page's bytes say, for people.
struct PageText {
  std::string summary;                ///< one line: kind, relation, level, keys or tuple ids, entries, bytes
  std::vector<std::string> entries;   ///< of an inner page or index page that is sound, a line each
  std::vector<std::string> problems;  ///< the checks that fail: "has a wrong checksum"
  std::vector<PageId> children;       ///< of a sound inner page
};

/// Describes a page as it is on disk, `pageBytes(id.sizeClass())` bytes; whatever the bytes, nothing outside is read.
PageText describePage(const std::byte* page, PageId id);

}  // namespace gnomon::storage
