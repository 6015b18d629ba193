#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/sql_error.h"

namespace gnomon {

/// Room on disk for what a statement cannot keep in memory, bounded by temp_file_limit.
///
/// Why files of their own, and not pages of the buffer manager: what is spilled is written once and read once, in
/// sequence, and never shared; in the pool it would push out pages that others want, and would have to be told from
/// those that a checkpoint writes and recovery knows.
/// Threads: any.
class TemporarySpace {
 public:
  /// Files lie in `directory`. They have no names, so none outlives the process, however it ends.
  TemporarySpace(std::filesystem::path directory, uint64_t limit_bytes)
      : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}
  TemporarySpace(const TemporarySpace&) = delete;
  TemporarySpace& operator=(const TemporarySpace&) = delete;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] uint64_t usedBytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  /// Failure: 53400 past the limit, and nothing is charged.
  void charge(uint64_t bytes);
  void release(uint64_t bytes) { used_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const std::filesystem::path directory_;
  const uint64_t limit_bytes_;
  std::atomic<uint64_t> used_bytes_{0};
};

/// A file that is only ever appended to, and is gone with the object.
///
/// Threads: append() from one at a time; read() from any, of what was appended before.
/// Failure: 53100 when the disk is full, 53400 past the limit, else 58030.
class TemporaryFile {
 public:
  explicit TemporaryFile(TemporarySpace& space);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// Where the bytes begin.
  uint64_t append(std::span<const char> bytes);
  void read(uint64_t offset, std::span<char> bytes) const;
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  TemporarySpace& space_;
  int descriptor_ = -1;
  uint64_t bytes_ = 0;
};

}  // namespace gnomon
