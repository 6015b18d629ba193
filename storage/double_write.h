#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned_memory.h"
#include "storage/data_file.h"

namespace gnomon::storage {

/// A page as it is to lie on disk: checksum set, swips cold.
struct PageImage {
  PageId id;
  const std::byte* bytes = nullptr;
};

/// Keeps a second copy of the pages that are being written, so that a crash leaves one good copy of each.
///
/// A batch: its images are written here in one piece and synced; then home and synced; then the next batch takes this
/// place. Whatever page is torn at home has its image here.
/// It also says how far each log was stable then: the pages that go home build on that, so a log that ends before it is
/// damaged and not torn.
/// Layout of "gnomon.doublewrite":  0  header, 4096 bytes   then the images one after the other
///   header:  0  magic    8  checksum: XXH3 of bytes 16 to 1560    16  count
///           24  packed page ids, 8 bytes each    1048  GSNs of stable records, 8 bytes for each log; 0: nothing is
///           known
/// Threads: one at a time. Failure: 53100, 58030.
class DoubleWriteArea {
 public:
  static constexpr size_t kPagesMax = 128;
  using Files = std::array<std::unique_ptr<DataFile>, kSizeClassCount>;

  static std::filesystem::path filePath(const std::filesystem::path& directory);
  DoubleWriteArea(const std::filesystem::path& directory, FileIo& io);
  ~DoubleWriteArea();
  DoubleWriteArea(const DoubleWriteArea&) = delete;
  DoubleWriteArea& operator=(const DoubleWriteArea&) = delete;

  /// The images are on stable storage when it returns. `stable`: by log, records that are stable with all they depend
  /// on, the pages' last ones among them; empty: as was said last.
  void write(std::span<const PageImage> images, std::span<const Gsn> stable = {});
  /// Repairs the pages that a crash left torn, and forgets the images. Returns their number. Before pages are read.
  size_t recover(const Files& files);
  /// After a clean shutdown: nothing is being written.
  void clear();
  /// By log, what was said to be stable when pages were written last.
  using StableRecords = std::array<Gsn, wal::kLogCountMax>;
  [[nodiscard]] const StableRecords& stable() const { return stable_; }
  /// The same of a directory that is only looked at; nothing where there is no sound header. Failure: 58030.
  static StableRecords readStable(const std::filesystem::path& directory);

  struct Header {
    static constexpr uint64_t kMagic = 0x31574442'4e4d4e47;  // "GNMNBDW1"
    uint64_t magic;
    uint64_t checksum;
    uint64_t count;
    uint64_t page_ids[kPagesMax];
    StableRecords stable;
  };
  static_assert(sizeof(Header) == 1560 && offsetof(Header, stable) == 1048);

 private:
  void transfer(bool is_write, std::byte* memory, uint64_t bytes, uint64_t offset);
  bool repair(const Files& files, PageId id, uint64_t offset);
  Header& beginHeader();

  const std::filesystem::path path_;
  FileIo& io_;
  int descriptor_ = -1;
  AlignedMemory header_memory_;
  StableRecords stable_{};
};

/// XXH3 of what follows the checksum field of a page.
uint64_t checksumOf(const std::byte* page, uint64_t page_bytes);

}  // namespace gnomon::storage
