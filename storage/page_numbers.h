#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "storage/data_file.h"

namespace gnomon::storage {

/// Which page numbers of each size class are free. Space is used again within its class only.
///
/// Place on disk: file "gnomon.free", written as a whole: XXH3 of the rest, then for each size class the next number,
/// the count of free numbers and the numbers. Valid after a clean shutdown.
/// Invariants:  B2  a page number is in a tree or free, never both
/// Threads: any.
class PageNumbers {
 public:
  /// Reads the file. Failure: 58030; XX001 when it is damaged, or missing beside data files.
  PageNumbers(std::filesystem::path directory, const std::array<std::unique_ptr<DataFile>, kSizeClassCount>& files);

  /// A free number, else the next one, for which the file has room on return. Failure: 53100.
  PageId take(SizeClass size_class);
  void give(PageId id);
  /// Failure: 53100, 58030; the old file stands.
  void write();

  /// Numbers below have been given out at some time.
  [[nodiscard]] uint64_t nextNumber(SizeClass size_class) const;
  [[nodiscard]] std::vector<uint64_t> freeNumbers(SizeClass size_class) const;

 private:
  struct Class {
    uint64_t next = 1;
    std::vector<uint64_t> free;
  };
  void read();

  const std::filesystem::path directory_;
  const std::array<std::unique_ptr<DataFile>, kSizeClassCount>& files_;
  mutable std::mutex mutex_;
  std::array<Class, kSizeClassCount> classes_;
};

}  // namespace gnomon::storage
