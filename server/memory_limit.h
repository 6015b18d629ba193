#pragma once

#include <cstdint>
#include <filesystem>

namespace gnomon::server {

/// The memory this process may use: the machine's, or less where a control group (version 1 or 2) says so.
/// `proc` and `cgroup` are where the kernel shows them; tests put their own there.
uint64_t usableMemoryBytes(const std::filesystem::path& proc = "/proc",
                           const std::filesystem::path& cgroup = "/sys/fs/cgroup");

}  // namespace gnomon::server
