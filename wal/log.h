#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/aligned_memory.h"
#include "base/file_io.h"
#include "wal/log_board.h"
#include "wal/log_file_reader.h"
#include "wal/segment_pool.h"

namespace gnomon::wal {

/// A transaction's records in one log. Changed under the log's mutex; read by its own thread.
struct RecordChain {
  TransactionNumber transaction;
  LogPosition last;              ///< 0: none yet
  std::atomic<Gsn> first_gsn{};  ///< of its first record that may be undone; 0: none. Read by others
  uint64_t reserved_bytes = 0;   ///< for its compensation records and its end
  uint64_t prepared_bytes = 0;   ///< for its next records
};

/// Where an appended record lies.
struct Appended {
  Gsn gsn;
  LogPosition position;  ///< of its first byte
  LogPosition end;       ///< the log must be stable up to here for the record to be
  Gsn foreign;           ///< the largest GSN in other logs on which this log depends up to here; 0: none
};

/// Whether others may see what a transaction did before its commit is on stable storage.
enum class Visibility : uint8_t { AfterStable, BeforeStable };

/// Where reading a log begins.
struct LogBegin {
  LogPosition position;
  Gsn gsn_before;  ///< of the last record before it
};

/// Where a log stands when it begins to be written.
struct LogResume {
  LogBegin begin{};   ///< nothing before it is needed, or there
  LogPosition end{};  ///< the first record goes here; 0: a new log
  uint64_t salt = 0;  ///< of the segment that holds the byte before `end`
  Gsn clock{};        ///< all records get larger GSNs
  Gsn last{};         ///< of the log's last record
  struct Segment {
    Gsn gsn_before;
    LogPosition continued;
  };
  std::map<uint64_t, Segment> segments{};  ///< those before `end` that are on disk
};

/// One log: a ring of memory, and segment files that follow it.
///
/// Positions are stable (synced) <= written <= filled. Ring byte p % buffer_bytes is position p for the last
/// buffer_bytes positions below filled.
/// Pieces cross no multiple of buffer_bytes, which divides segment_bytes, so each lies in one piece of the ring.
/// Disk room: when a record that may be undone is accepted, the pool has promised segments for it and for all that
/// running transactions have reserved; compensation records, commits and ends draw on that. Invariants:  L1  GSNs
/// strictly grow along the log
///              L2  a byte of the ring is overwritten only after its block was written to the file
///              L3  room that was promised holds every reservation
/// Threads: any; one mutex for appending, one for writing to the files, taken in no fixed order and never together.
class Log {
 public:
  /// Failure: 53100, 58030.
  Log(LogNumber number, const std::filesystem::path& directory, SegmentPool& pool, FileIo& io, LogBoard& board,
      LogHealth& health, uint64_t buffer_bytes, const LogResume& resume, bool is_written_synced);

  /// Appends a record to `chain` (system records stand outside of it). `depends_on`: what last changed the pages that
  /// the record changes, and whatever else must not be lost while it is there; the record gets a larger GSN than all of
  /// them. Waits for the disk only when the ring is full. Failure: 53100, nothing happened; 58030 after a fatal
  /// failure.
  Appended append(const NewRecord& record, RecordChain& chain, std::span<const RecordStamp> depends_on,
                  Visibility visibility);
  /// Makes sure of room for the chain's next record: it does not fail if its body and what it says of rolling back sum
  /// to at most `bytes`. Failure: 53100, nothing happened; 58030.
  void prepare(RecordChain& chain, uint64_t bytes);
  /// Whether a compensation record with a body of `bytes` bytes draws only on what its transaction has reserved.
  [[nodiscard]] static bool holdsReserved(const RecordChain& chain, uint64_t bytes);
  /// Gives back what the transaction has reserved.
  void release(RecordChain& chain);
  /// Reads a record of this log, be it still in memory or on disk. Failure: XX001 when there is none.
  OwnedRecord read(LogPosition position);

  /// What a round of the committer is to bring to the disk.
  struct Snapshot {
    LogPosition filled;
    Gsn last;  ///< of the last record below it
  };
  /// Raises the log's clock, so that what is appended from now on gets larger GSNs than `clock`.
  Snapshot snapshot(Gsn clock);
  /// What is written of what has been appended: all of it, or without the last block that is not full yet.
  enum class Extent : uint8_t { All, FullBlocks };
  /// The requests that write what has been appended so far; `lock` is held until finishWrites. Failure: fatal.
  void beginWrites(std::unique_lock<std::mutex>& lock, std::vector<IoRequest>& requests, Extent extent);
  void finishWrites(std::span<const IoRequest> requests);
  /// The files that have to be synced, after which `endSync` says that everything below `position` is stable. Syncs may
  /// overlap, where isDirect() says so: each has all files that are not known to be synced yet.
  struct Unsynced {
    struct File {
      std::shared_ptr<SegmentFile> file;
      uint64_t writes;  ///< SegmentFile::writes when the sync began
    };
    LogPosition position;
    std::vector<File> files;
  };
  Unsynced beginSync();
  void endSync(const Unsynced& unsynced, Gsn last);
  /// Whether the files are written past the system's cache (SegmentFile::isDirect). False before the first write.
  [[nodiscard]] bool isDirect() const { return is_direct_.load(std::memory_order_relaxed); }
  /// Where the last write ends that was begun.
  [[nodiscard]] LogPosition writeTarget() const { return LogPosition{write_target_.load(std::memory_order_relaxed)}; }

  /// From where on the records are needed when only those from `gsn` on are; never before the former answer.
  LogBegin beginFor(Gsn gsn);
  /// Recycles the segments before `position`. Returns their number.
  uint64_t recycleBefore(LogPosition position);

  /// Whether so much is to be written that somebody should, lest the ring be full one day.
  [[nodiscard]] bool isWritingDue() const {
    const uint64_t written = written_.load(std::memory_order_acquire);
    return filled_.load(std::memory_order_relaxed) - written >= buffer_bytes_ / 4;
  }

  [[nodiscard]] LogNumber number() const { return number_; }
  [[nodiscard]] LogPosition filled() const { return LogPosition{filled_.load(std::memory_order_relaxed)}; }
  [[nodiscard]] LogPosition synced() const { return LogPosition{synced_.load(std::memory_order_acquire)}; }
  [[nodiscard]] uint64_t writtenBytes() const { return written_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t recordCount() const { return record_count_.load(std::memory_order_relaxed); }

 private:
  struct Claims {
    Claims() {}  // NOLINT: most records have none, and clearing the list would take longer than the rest
    union {
      std::array<LogClaim, 2 * kLogCountMax> list;  ///< the first `count` of it
    };
    size_t count = 0;
    void add(LogClaim::Kind kind, LogNumber log, Gsn gsn);
  };
  struct Known {
    Gsn depends, stable;
  };
  class BodyParts;
  class Exclusive;

  void loadTail();
  void reserve(const NewRecord& record, uint64_t bytes, RecordChain& chain);
  void dropPrepared(RecordChain& chain, uint64_t bytes);
  void promiseRoom(uint64_t bytes);
  void returnRoom();
  void collectClaims(const NewRecord& record, std::span<const RecordStamp> depends_on, Claims& claims);
  void noteDependency(const RecordStamp& stamp, Claims& claims);
  void noteStable(LogNumber log, Claims& claims);
  void noteDepends(LogNumber log, Gsn gsn, Claims& claims);
  Appended appendPieces(Exclusive& exclusive, const NewRecord& record, uint64_t body_bytes, RecordChain& chain,
                        std::span<const RecordStamp> depends_on, const Claims& claims, Visibility visibility);
  void beginSegment(Exclusive& exclusive, LogPosition continued);
  void sealPiece(std::byte* piece, uint64_t position, uint32_t bytes, uint8_t part);
  void awaitRing(Exclusive& exclusive, uint64_t bytes);
  void writeOut();
  std::shared_ptr<SegmentFile> fileOf(uint64_t segment);
  void addWrite(uint64_t from, uint64_t to, std::byte* memory, std::vector<IoRequest>& requests);
  void addZeros(uint64_t end, std::vector<IoRequest>& requests);
  const std::byte* fetch(Exclusive& exclusive, LogPosition position, uint64_t& bytes);

  [[nodiscard]] std::byte* ring(uint64_t position) const { return ring_.get() + position % buffer_bytes_; }
  [[nodiscard]] uint64_t securedEnd() const { return (segment_count_ + promised_) * segment_bytes_; }
  [[nodiscard]] uint64_t roomFor(uint64_t bytes) const;

  const LogNumber number_;
  SegmentPool& pool_;
  FileIo& io_;
  LogBoard& board_;
  LogHealth& health_;
  const uint64_t buffer_bytes_;
  const uint64_t segment_bytes_;
  LogFileReader reader_;  ///< under the appending mutex
  const AlignedMemory ring_;
  const uint64_t ring_begin_;  ///< what lies before was never in the ring
  const AlignedMemory tail_;   ///< the last block of a write, padded with zeros

  // Appending.
  std::mutex mutex_;
  std::condition_variable idle_;
  bool is_busy_ = false;  ///< an append has let go of the mutex before it ended; others wait
  std::atomic<uint64_t> filled_;
  Gsn last_gsn_;
  uint64_t salt_ = 0;
  uint64_t segment_count_;  ///< segments begun, from position 0
  uint64_t promised_ = 0;   ///< further segments that the pool has promised
  uint64_t reserved_bytes_ = 0;
  std::array<Known, kLogCountMax> known_{};  ///< what this log's records claim so far
  bool has_open_claims_ = false;             ///< some log may be known by Depends only
  Gsn foreign_;
  std::map<uint64_t, LogResume::Segment> segments_;
  LogBegin begin_;  ///< what lies before it may be recycled

  // Writing.
  std::mutex io_mutex_;
  std::atomic<uint64_t> written_;
  std::atomic<uint64_t> write_target_{0};
  std::atomic<uint64_t> synced_;
  uint64_t taken_segments_;  ///< segments that have their files, from position 0
  std::map<uint64_t, std::shared_ptr<SegmentFile>> files_;
  std::atomic<bool> is_direct_{false};
  const bool is_written_synced_;  ///< a write that has ended is on stable storage

  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<uint64_t> record_count_{0};
};

}  // namespace gnomon::wal
