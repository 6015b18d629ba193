#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "storage/double_write.h"

namespace gnomon::storage::testing {

/// The pages on disk that are neither whole nor never written, up to those of 4 MiB.
inline std::vector<std::string> tornPages(const std::filesystem::path& directory) {
  constexpr uint8_t kClasses = 7;
  std::vector<std::string> torn;
  for (uint8_t index = 0; index < kClasses; ++index) {
    const std::filesystem::path path = directory / ("pages.0" + std::to_string(index));
    std::ifstream file(path, std::ios::binary);
    std::vector<char> page(pageBytes(SizeClass{index}));
    for (uint64_t number = 1; file.read(page.data(), static_cast<std::streamsize>(page.size())); ++number) {
      const auto* bytes = reinterpret_cast<const std::byte*>(page.data());
      const auto& header = *reinterpret_cast<const PageHeader*>(bytes);
      if (header.page_id.isNone()) continue;
      if (header.page_id != PageId(number, SizeClass{index}) || header.checksum != checksumOf(bytes, page.size()))
        torn.push_back(path.filename().string() + " page " + std::to_string(number));
    }
  }
  return torn;
}

}  // namespace gnomon::storage::testing
