#pragma once

#include <filesystem>

#include "storage/page.h"

namespace gnomon::storage {

/// The file of a data directory that holds the pages of a size class: "pages.00".
std::filesystem::path pageFilePath(const std::filesystem::path& directory, SizeClass size_class);

}  // namespace gnomon::storage
