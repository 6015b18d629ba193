#include "storage/page_files.h"

#include <fmt/format.h>

namespace gnomon::storage {

std::filesystem::path pageFilePath(const std::filesystem::path& directory, SizeClass size_class) {
  return directory / fmt::format("pages.{:02}", size_class.index);
}

}  // namespace gnomon::storage
