#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include "storage/page.h"

namespace gnomon::storage {

/// The file that holds all pages of one size class. Created by its first page, so a class that is never used has no
/// file.
///
/// Threads: any, also at once on different pages.
/// Failure: 53100 when the disk is full, 58030 otherwise, naming file and offset. A failed read or write changes
/// nothing else.
class DataFile {
 public:
  DataFile(std::filesystem::path path, SizeClass size_class);
  ~DataFile();
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  /// Makes the disk hold room for pages 1 .. `page_count`, so that a full disk fails the statement that grows the
  /// table and not the page writer later.
  void reserve(uint64_t page_count);
  /// Reads the page's bytes as they are. A file that ends before the page's end is XX001.
  void read(PageId id, std::byte* page);
  /// Writes a page whose first `head_bytes` bytes are taken from `head` and the rest from `page`.
  void write(PageId id, const std::byte* head, size_t head_bytes, const std::byte* page);
  /// Returns when everything written is on stable storage. Failure ends the process: the kernel may have dropped the
  /// pages, so nothing it says later can be believed.
  void sync();

  [[nodiscard]] uint64_t offsetOf(PageId id) const { return (id.number() - 1) * pageBytes(size_class_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor();
  void grow(uint64_t page_count);

  const std::filesystem::path path_;
  const SizeClass size_class_;
  std::mutex mutex_;
  int descriptor_ = -1;
  uint64_t reserved_pages_ = 0;
};

}  // namespace gnomon::storage
