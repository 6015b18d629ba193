#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "wal/log_format.h"

namespace gnomon::wal {

/// How what was written gets to stable storage: PostgreSQL's wal_sync_method.
enum class SyncMethod : uint8_t { Fdatasync, Fsync, OpenDatasync, OpenSync };

/// So many zeros, for all who write them; never changed.
inline constexpr uint64_t kLogZeroBytes = uint64_t{1} << 20;
std::byte* logZeros();

/// An open segment file. It is written without the system's cache where the file system allows that: memory, sizes and
/// offsets are multiples of kIoAlignment.
class SegmentFile {
 public:
  /// Opens an existing file; `is_fresh`: its blocks are allocated and were never written. Failure: 58030.
  SegmentFile(std::filesystem::path path, SyncMethod method, bool is_fresh);
  ~SegmentFile();
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Whether O_DIRECT is in force: then an error of a write is the write's own, and no other sync can take it away.
  [[nodiscard]] bool isDirect() const { return is_direct_; }

  /// Writes that want a sync, and how many of them have had theirs. The first under the mutex of its log.
  uint64_t writes = 0;
  std::atomic<uint64_t> synced_writes{0};
  /// Up to here its blocks were written at least once. Under the mutex of its log.
  uint64_t initialised_bytes;

 private:
  const std::filesystem::path path_;
  const int descriptor_;
  const bool is_direct_;
};

/// Allocated files of one size for all logs, so that a full disk shows when room is promised and never when it is used.
///
/// A log is promised room for segments before it accepts records; it takes the file when it first writes to the
/// segment. A segment that is no longer needed becomes a spare again, or goes. Invariants:  G1  there are at least as
/// many spares as promises Threads: any. Failure: 53100 when the disk is full, 58030.
class SegmentPool {
 public:
  /// Keeps at most `spares_kept` spares beyond those promised. Spares that a former process left are used.
  SegmentPool(std::filesystem::path directory, uint64_t segment_bytes, SyncMethod method, size_t spares_kept);

  /// Sees to it that `count` further segments can be taken. Failure: 53100; nothing is promised.
  void promise(uint64_t count);
  void takeBackPromise(uint64_t count);
  /// Makes a promised spare the segment that `header` describes; both are on stable storage when it returns.
  std::shared_ptr<SegmentFile> take(const SegmentHeader& header);
  /// A segment that exists; it gets its full size when it has lost some.
  std::shared_ptr<SegmentFile> open(SegmentName name);
  /// Gives up a segment; missing ones are none. The caller sees to it that nobody will read it after a crash.
  void recycle(SegmentName name);

  [[nodiscard]] uint64_t segmentBytes() const { return segment_bytes_; }
  /// Bytes of all segments and spares.
  [[nodiscard]] uint64_t totalBytes() const { return file_count_.load(std::memory_order_relaxed) * segment_bytes_; }
  [[nodiscard]] size_t spareCount() const;
  /// Brings renamed and removed names to stable storage.
  void syncDirectory() const;

 private:
  struct Spare {
    uint64_t number;
    bool is_fresh;
  };
  void create();
  void drop(const Spare& spare);

  const std::filesystem::path directory_;
  const uint64_t segment_bytes_;
  const SyncMethod method_;
  const size_t spares_kept_;
  mutable std::mutex mutex_;
  std::vector<Spare> spares_;
  uint64_t promised_ = 0;
  uint64_t next_spare_ = 0;
  std::atomic<uint64_t> file_count_{0};
};

}  // namespace gnomon::wal
