#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include "base/file_io.h"
#include "storage/page.h"

namespace gnomon::storage {

/// The file that holds all pages of one size class. Created by its first page, so a class that is never used has no
/// file. Opened with O_DIRECT where the file system allows it.
///
/// Threads: any, also at once on different pages.
/// Failure: 53100 when the disk is full, 58030 otherwise, naming file and offset.
class DataFile {
 public:
  DataFile(std::filesystem::path path, SizeClass size_class);
  ~DataFile();
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  /// Makes the disk hold room for pages 1 .. `page_count`, so that a full disk fails the statement that grows the
  /// table and not the page writer later.
  void reserve(uint64_t page_count);
  [[nodiscard]] IoRequest readRequest(PageId id, std::byte* page);
  [[nodiscard]] IoRequest writeRequest(PageId id, const std::byte* page);
  /// Throws what the ended request's error means: XX001 when the file ends before the page's end.
  void check(const IoRequest& request) const;
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

/// fdatasync; failure ends the process.
void syncOrDie(int descriptor, const std::filesystem::path& path);

}  // namespace gnomon::storage
