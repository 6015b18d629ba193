#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "storage/data_file.h"
#include "wal/gsn.h"

namespace gnomon::storage {

/// Page numbers of one size class as a checkpoint keeps them.
struct PageNumberState {
  uint64_t next = 1;           ///< numbers from here on were never given out
  std::vector<uint64_t> free;  ///< in no order
};
using PageNumberStates = std::array<PageNumberState, kSizeClassCount>;

/// Which page numbers of each size class are free. Space is used again within its class only.
///
/// Place on disk: file "gnomon.free", replaced as a whole: XXH3 of the rest, then for each size class the next number,
/// the count of free numbers and the numbers.
/// A number that was taken is in a tree once the log says so: until then it counts as free for whoever writes the state
/// down.
/// Invariants:  B2  a page number is in a tree or free, never both
/// Threads: any.
class PageNumbers {
 public:
  static std::filesystem::path filePath(const std::filesystem::path& directory);
  /// Reads the file. Failure: 58030; XX001 when it is damaged, or missing beside data files.
  PageNumbers(std::filesystem::path directory, const std::array<std::unique_ptr<DataFile>, kSizeClassCount>& files);

  struct Taken {
    PageId id;
    wal::RecordStamp freed;  ///< of the record that freed it
  };
  /// A free number, else the next one, for which the file has room on return. Failure: 53100.
  Taken take(SizeClass size_class);
  /// A number that was taken is in a tree.
  void confirm(PageId id);
  void give(PageId id, wal::RecordStamp stamp);

  /// What is in no tree, numbers that are merely taken included.
  [[nodiscard]] PageNumberStates state() const;
  /// Before pages are used.
  void restore(const PageNumberStates& states);
  /// Failure: 53100, 58030; the old file stands.
  void write(const PageNumberStates& states) const;

  /// Numbers below have been given out at some time.
  [[nodiscard]] uint64_t nextNumber(SizeClass size_class) const;
  [[nodiscard]] std::vector<uint64_t> freeNumbers(SizeClass size_class) const;

 private:
  struct Free {
    uint64_t number;
    wal::RecordStamp stamp;
  };
  struct Class {
    uint64_t next = 1;
    std::vector<Free> free;
    std::unordered_set<uint64_t> taken;  ///< and not confirmed
  };

  void read();

  const std::filesystem::path directory_;
  const std::array<std::unique_ptr<DataFile>, kSizeClassCount>& files_;
  mutable std::mutex mutex_;
  std::array<Class, kSizeClassCount> classes_;
};

}  // namespace gnomon::storage
