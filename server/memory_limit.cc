#include "server/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace gnomon::server {
namespace {

/// The number in a file; UINT64_MAX for "max", and where there is no such file.
uint64_t readLimit(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string text;
  uint64_t limit = UINT64_MAX;
  if (stream >> text) std::from_chars(text.data(), text.data() + text.size(), limit);
  return limit;
}

/// The least limit of a group and those above it, up to the root of the hierarchy.
uint64_t leastLimit(const std::filesystem::path& root, std::filesystem::path group, const char* file) {
  uint64_t limit = readLimit(root / file);
  for (; !group.empty(); group = group.parent_path()) limit = std::min(limit, readLimit(root / group / file));
  return limit;
}

}  // namespace

uint64_t usableMemoryBytes(const std::filesystem::path& proc, const std::filesystem::path& cgroup) {
  uint64_t limit = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  // Lines are "hierarchy:controllers:path"; version 2 is "0::path".
  std::ifstream groups(proc / "self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    if (controllers.empty()) limit = std::min(limit, leastLimit(cgroup, group, "memory.max"));
    if (controllers == "memory") limit = std::min(limit, leastLimit(cgroup / "memory", group, "memory.limit_in_bytes"));
  }
  return limit;
}

}  // namespace gnomon::server
