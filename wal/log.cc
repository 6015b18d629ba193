#include "wal/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>

#include "base/assert.h"
#include "base/failpoint.h"
#include "base/sql_error.h"
#include "wal/append_counts.h"

namespace gnomon::wal {

namespace {

/// The ring is larger than a processor's second cache: what comes behind a record is asked of memory so far ahead.
/// Otherwise a checksum, which reads what has just been written, waits for each line.
constexpr uint64_t kRingAhead = 512;

void prefetchToWrite(const std::byte* memory, uint64_t bytes) {
  constexpr uint64_t kLineBytes = 64;
  for (uint64_t offset = 0; offset < bytes; offset += kLineBytes) __builtin_prefetch(memory + offset, 1);
}

constexpr uint64_t kBlockBytes = kIoAlignment;
/// Blocks of a fresh file are written once with zeros, kLogZeroBytes ahead: the file system then has nothing to note
/// down when records are written over them and synced. A write of so many bytes is not worth that.
constexpr uint64_t kLargeWriteBytes = kLogZeroBytes / 8;
constexpr uint64_t kClaimBytesMax = 2 * kLogCountMax * sizeof(LogClaim);
/// The last piece without the body, at its largest.
constexpr uint64_t kEnvelopeBytesMax =
    sizeof(PieceHeader) + sizeof(RecordHeader) + sizeof(LogPosition) + kClaimBytesMax + kPieceAlignment;
/// What a boundary of the ring or of a segment can cost: filler, headers.
constexpr uint64_t kBoundaryBytes = kEnvelopeBytesMax + sizeof(SegmentHeader) + sizeof(PieceHeader);

/// What room for a record and its rollback may cost that sum to so many bytes: its own envelope, that of the
/// transaction's end, and that of a compensation record.
constexpr uint64_t preparedFor(uint64_t bytes) {
  return bytes + 3 * kEnvelopeBytesMax;
}

constexpr uint64_t blockFloor(uint64_t position) {
  return position / kBlockBytes * kBlockBytes;
}

uint64_t bodyBytes(const NewRecord& record) {
  uint64_t bytes = 0;
  for (const Bytes part : record.body) bytes += part.size();
  return bytes;
}

/// What stands before the body.
uint64_t fixedBytes(const NewRecord& record, size_t claims) {
  return sizeof(RecordHeader) + (record.is_compensation ? sizeof(LogPosition) : 0) + claims * sizeof(LogClaim);
}

bool endsTransaction(const NewRecord& record) {
  return record.type == kCommitRecord || record.type == kEndRecord;
}

uint64_t newSalt() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

}  // namespace

/// Hands the body out in order, over its parts.
class Log::BodyParts {
 public:
  explicit BodyParts(std::span<const Bytes> parts) : parts_(parts) {}
  void copyTo(std::byte* target, uint64_t bytes) {
    // Mostly all of it is in one piece.
    if (parts_.size() == 1) {
      if (bytes > 0) std::memcpy(target, parts_[0].data() + offset_, bytes);
      offset_ += bytes;
      return;
    }
    while (bytes > 0) {
      const Bytes part = parts_[next_].subspan(offset_);
      const uint64_t count = std::min<uint64_t>(bytes, part.size());
      if (count > 0) std::memcpy(target, part.data(), count);
      target += count;
      bytes -= count;
      offset_ += count;
      if (count == part.size()) {
        ++next_;
        offset_ = 0;
      }
    }
  }

 private:
  const std::span<const Bytes> parts_;
  size_t next_ = 0;
  size_t offset_ = 0;
};

/// The right to append: the mutex, and while that is let go in the middle of a record, the flag that keeps others out.
class Log::Exclusive {
 public:
  explicit Exclusive(Log& log) : log_(log), lock_(log.mutex_) {
    log_.idle_.wait(lock_, [&] { return !log_.is_busy_; });
  }
  ~Exclusive() {
    if (!was_busy_) return;
    if (!lock_.owns_lock()) lock_.lock();
    log_.is_busy_ = false;
    log_.idle_.notify_all();
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  void writeOut() {
    was_busy_ = log_.is_busy_ = true;
    lock_.unlock();
    log_.writeOut();
    lock_.lock();
  }

 private:
  Log& log_;
  std::unique_lock<std::mutex> lock_;
  bool was_busy_ = false;
};

Log::Log(LogNumber number, const std::filesystem::path& directory, SegmentPool& pool, FileIo& io, LogBoard& board,
         LogHealth& health, uint64_t buffer_bytes, const LogResume& resume, bool is_written_synced)
    : number_(number),
      pool_(pool),
      io_(io),
      board_(board),
      health_(health),
      buffer_bytes_(buffer_bytes),
      segment_bytes_(pool.segmentBytes()),
      reader_(directory, number, segment_bytes_),
      ring_(allocateAligned(buffer_bytes)),
      ring_begin_(resume.end.value / kIoAlignment * kIoAlignment),
      tail_(allocateAligned(kBlockBytes)),
      filled_(resume.end.value),
      last_gsn_(resume.last),
      salt_(resume.salt),
      segment_count_((resume.end.value + segment_bytes_ - 1) / segment_bytes_),
      segments_(resume.segments),
      begin_(resume.begin),
      written_(resume.end.value),
      synced_(resume.end.value),
      taken_segments_(segment_count_),
      is_written_synced_(is_written_synced) {
  CHECK(segment_bytes_ % buffer_bytes_ == 0 && buffer_bytes_ % (4 * kBlockBytes) == 0, "the ring divides a segment");
  board_[number].clock.store(resume.clock);
  board_[number].stable_last.store(resume.last);
  board_[number].synced_last.store(resume.last);
  loadTail();
  // With room for a first record, so that a log which could be made can be used.
  promiseRoom(kEnvelopeBytesMax);
}

/// The block that the next write begins with.
void Log::loadTail() {
  const uint64_t end = filled_.load(), start = blockFloor(end);
  if (start == end) return;
  const auto file = fileOf(end / segment_bytes_);
  IoRequest request{
      .descriptor = file->descriptor(), .memory = ring(start), .bytes = kBlockBytes, .offset = start % segment_bytes_};
  io_.perform({&request, 1});
  if (request.error != 0)
    raiseIoError("read", file->path(), request.offset, request.error == IoRequest::kEndOfFile ? EIO : request.error);
}

// Disk room.

/// What `bytes` bytes of records can take with all that stands at boundaries.
uint64_t Log::roomFor(uint64_t bytes) const {
  const uint64_t boundary = std::min(buffer_bytes_ / 4, kPieceBytesMax);
  return bytes + (bytes / boundary + 2) * 2 * kBoundaryBytes;
}

/// Has segments promised until `bytes` bytes of records fit.
void Log::promiseRoom(uint64_t bytes) {
  // Mostly there is so much room that it need not be known how little is enough.
  static_assert(2 * kBoundaryBytes <= kPieceBytesMax);
  const uint64_t more_than_enough = 2 * bytes + 4 * kBoundaryBytes;
  if (buffer_bytes_ >= 8 * kBoundaryBytes && filled_.load(std::memory_order_relaxed) + more_than_enough <= securedEnd())
      [[likely]]
    return;
  const uint64_t needed = filled_.load(std::memory_order_relaxed) + roomFor(bytes);
  if (needed <= securedEnd()) return;
  const uint64_t count = (needed - securedEnd() + segment_bytes_ - 1) / segment_bytes_;
  pool_.promise(count);
  promised_ += count;
}

/// Takes promises back that no reservation needs.
void Log::returnRoom() {
  if (promised_ == 0) return;
  const uint64_t needed = filled_.load(std::memory_order_relaxed) + roomFor(reserved_bytes_ + kEnvelopeBytesMax);
  const uint64_t excess = securedEnd() > needed ? (securedEnd() - needed) / segment_bytes_ : 0;
  const uint64_t count = std::min(excess, promised_);
  if (count == 0) return;
  pool_.takeBackPromise(count);
  promised_ -= count;
}

/// L3: room for the record and for what it may need later; compensation records and ends draw on what is reserved.
void Log::reserve(const NewRecord& record, uint64_t bytes, RecordChain& chain) {
  dropPrepared(chain, preparedFor(bytes + record.rollback_bytes));
  if ((record.is_compensation || endsTransaction(record)) && chain.reserved_bytes > 0) {
    const uint64_t own = kCompensationBytes + bytes;
    const uint64_t given_back =
        endsTransaction(record)
            ? chain.reserved_bytes
            : std::min(own, chain.reserved_bytes - std::min(chain.reserved_bytes, kEnvelopeBytesMax));
    // More than was reserved: like any record, and no longer certain to succeed.
    if (own > given_back) promiseRoom(reserved_bytes_ - given_back + own);
    chain.reserved_bytes -= given_back;
    reserved_bytes_ -= given_back;
    return;
  }
  uint64_t reserved = 0;
  if (!record.is_system && !record.is_compensation && !endsTransaction(record)) {
    reserved = kCompensationBytes + record.rollback_bytes;
    if (chain.reserved_bytes == 0) reserved += kEnvelopeBytesMax;
  }
  promiseRoom(reserved_bytes_ + reserved + kEnvelopeBytesMax + bytes);
  chain.reserved_bytes += reserved;
  reserved_bytes_ += reserved;
}

void Log::prepare(RecordChain& chain, uint64_t bytes) {
  // For a few records to come, too, which need not ask then.
  constexpr uint64_t kAheadBytes = uint64_t{64} << 10;
  health_.check();
  const uint64_t wanted = preparedFor(bytes);
  if (chain.prepared_bytes >= wanted) return;
  const Exclusive exclusive(*this);
  const auto promise = [&](uint64_t more) {
    promiseRoom(reserved_bytes_ + more);
    chain.prepared_bytes += more;
    reserved_bytes_ += more;
  };
  const uint64_t missing = wanted - chain.prepared_bytes;
  try {
    promise(missing + kAheadBytes);
  } catch (const SqlError&) {
    // The disk is nearly full: for the next record alone.
    promise(missing);
  }
}

bool Log::holdsReserved(const RecordChain& chain, uint64_t bytes) {
  return chain.reserved_bytes >= kCompensationBytes + bytes + kEnvelopeBytesMax;
}

/// Of what was prepared as much is free, for the record that is about to be appended.
void Log::dropPrepared(RecordChain& chain, uint64_t bytes) {
  const uint64_t dropped = std::min(chain.prepared_bytes, bytes);
  reserved_bytes_ -= dropped;
  chain.prepared_bytes -= dropped;
}

void Log::release(RecordChain& chain) {
  const Exclusive exclusive(*this);
  dropPrepared(chain, UINT64_MAX);
  reserved_bytes_ -= chain.reserved_bytes;
  chain.reserved_bytes = 0;
  chain.first_gsn.store(Gsn{}, std::memory_order_release);
  returnRoom();
}

// Claims.

void Log::Claims::add(LogClaim::Kind kind, LogNumber log, Gsn gsn) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i].kind != kind || list[i].log != log) continue;
    list[i].gsn = std::max(list[i].gsn, gsn);
    return;
  }
  std::construct_at(&list[count++], LogClaim{.gsn = gsn, .log = log, .kind = kind, .spare = {}});
}

void Log::noteStable(LogNumber log, Claims& claims) {
  const Gsn gsn = board_[log].stable_last.load(std::memory_order_acquire);
  if (gsn <= known_[log.value].stable) return;
  known_[log.value].stable = gsn;
  claims.add(LogClaim::Kind::Stable, log, gsn);
}

void Log::noteDepends(LogNumber log, Gsn gsn, Claims& claims) {
  foreign_ = std::max(foreign_, gsn);
  Known& known = known_[log.value];
  if (gsn <= std::max(known.depends, known.stable)) return;
  known.depends = gsn;
  has_open_claims_ = true;
  claims.add(LogClaim::Kind::Depends, log, gsn);
}

/// Claims the record of `stamp`, unless an earlier claim of this log says as much.
void Log::noteDependency(const RecordStamp& stamp, Claims& claims) {
  CHECK(stamp.log.value < board_.log_count.load(), "a stamp names a log that exists");
  if (stamp.gsn > board_[stamp.log].stable_last.load(std::memory_order_acquire))
    noteDepends(stamp.log, stamp.gsn, claims);
  else if (stamp.gsn > known_[stamp.log.value].stable)
    noteStable(stamp.log, claims);
}

/// Every record of another log on which this record depends is claimed by this record or by one before it in this log.
void Log::collectClaims(const NewRecord& record, std::span<const RecordStamp> depends_on, Claims& claims) {
  for (const RecordStamp& stamp : depends_on)
    if (stamp.log != number_ && stamp.log != kNoLog) noteDependency(stamp, claims);
  const uint16_t count = board_.log_count.load();
  if (record.type == kCommitRecord) {
    // What this transaction may have seen: commits that did not wait, and those whose wait has ended.
    for (LogNumber log{0}; log.value < count; ++log.value) {
      if (log == number_) continue;
      noteDependency({board_[log].visible_commit.load(), log}, claims);
      noteStable(log, claims);
    }
  }
  // A compensation record's size was foretold.
  if (record.is_compensation) return;
  const Gsn synced = board_[number_].synced_last.load(std::memory_order_acquire);
  if (synced > known_[number_.value].stable) {
    known_[number_.value].stable = synced;
    claims.add(LogClaim::Kind::Stable, number_, synced);
  }
  if (!has_open_claims_) return;
  has_open_claims_ = false;
  for (LogNumber log{0}; log.value < count; ++log.value) {
    const Known& known = known_[log.value];
    if (log == number_ || known.depends <= known.stable) continue;
    if (known.depends <= board_[log].stable_last.load(std::memory_order_acquire))
      noteStable(log, claims);
    else
      has_open_claims_ = true;
  }
}

// Appending.

Appended Log::append(const NewRecord& record, RecordChain& chain, std::span<const RecordStamp> depends_on,
                     Visibility visibility) {
  const uint64_t body_bytes = bodyBytes(record);
  CHECK(body_bytes <= kBodyBytesMax, "a record's body has an end");
  health_.check();
  Exclusive exclusive(*this);
  reserve(record, body_bytes, chain);
  // From here on nothing fails but the log itself.
  Claims claims;
  collectClaims(record, depends_on, claims);
  const Appended appended = appendPieces(exclusive, record, body_bytes, chain, depends_on, claims, visibility);
  if (endsTransaction(record)) returnRoom();
  record_count_.store(record_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  AppendCounts& counts = appendedByThread();
  ++counts.records;
  counts.bytes += fixedBytes(record, claims.count) + body_bytes;
  return appended;
}

Appended Log::appendPieces(Exclusive& exclusive, const NewRecord& record, uint64_t body_bytes, RecordChain& chain,
                           std::span<const RecordStamp> depends_on, const Claims& claims, Visibility visibility) {
  BodyParts body(record.body);
  const uint64_t fixed_bytes = fixedBytes(record, claims.count);
  const uint64_t piece_bytes_max = std::min(buffer_bytes_ / 4, kPieceBytesMax);
  uint64_t remaining = body_bytes;
  LogPosition begin;
  for (;;) {
    uint64_t at = filled_.load(std::memory_order_relaxed);
    if (at == segment_count_ * segment_bytes_) {
      beginSegment(exclusive, begin);
      at = filled_.load(std::memory_order_relaxed);
    }
    const uint64_t place = at % buffer_bytes_;
    const uint64_t room = buffer_bytes_ - place;
    const uint64_t last_bytes = sizeof(PieceHeader) + fixed_bytes + remaining;
    const bool is_last = alignPiece(last_bytes) <= std::min(room, piece_bytes_max);
    uint64_t payload = 0;
    if (!is_last) payload = std::min(remaining, std::min(room, piece_bytes_max) - sizeof(PieceHeader));
    const bool is_filler = !is_last && payload == 0;
    const uint64_t bytes = is_last ? last_bytes : is_filler ? room : sizeof(PieceHeader) + payload;
    awaitRing(exclusive, alignPiece(bytes));
    const uint8_t first = begin.value == 0 && !is_filler ? PieceHeader::kFirst : 0;
    if (first != 0) begin = LogPosition{at};
    std::byte* const piece = ring_.get() + place;
    std::memset(piece + alignPiece(bytes) - kPieceAlignment, 0, kPieceAlignment);
    std::byte* target = piece + sizeof(PieceHeader);
    if (is_filler) {
      std::memset(target, 0, bytes - sizeof(PieceHeader));
      sealPiece(piece, at, static_cast<uint32_t>(bytes), PieceHeader::kFiller);
      continue;
    }
    if (!is_last) {
      body.copyTo(target, payload);
      remaining -= payload;
      sealPiece(piece, at, static_cast<uint32_t>(bytes), first);
      continue;
    }
    Gsn gsn = board_[number_].clock.load(std::memory_order_relaxed);
    for (const RecordStamp& stamp : depends_on) gsn = std::max(gsn, stamp.gsn);
    // Reading in the order of GSNs meets first what a record depends on.
    for (size_t i = 0; i < claims.count; ++i) gsn = std::max(gsn, claims.list[i].gsn);
    ++gsn.value;
    ASSERT(gsn > last_gsn_, "L1");
    const RecordHeader header{.gsn = gsn,
                              .transaction = chain.transaction,
                              .previous = record.is_system ? LogPosition{} : chain.last,
                              .page = record.page,
                              .relation = record.relation,
                              .type = record.type.value,
                              .flags = static_cast<uint8_t>((record.is_compensation ? RecordHeader::kCompensation : 0) |
                                                            (record.is_system ? RecordHeader::kSystem : 0)),
                              .claim_count = static_cast<uint8_t>(claims.count),
                              .body_bytes = static_cast<uint32_t>(body_bytes),
                              .spare = 0};
    std::memcpy(target, &header, sizeof(header));
    target += sizeof(header);
    if (record.is_compensation) {
      std::memcpy(target, &record.undo_next, sizeof(LogPosition));
      target += sizeof(LogPosition);
    }
    if (claims.count > 0) std::memcpy(target, claims.list.data(), claims.count * sizeof(LogClaim));
    body.copyTo(target + claims.count * sizeof(LogClaim), remaining);
    last_gsn_ = gsn;
    board_[number_].clock.store(gsn, std::memory_order_relaxed);
    sealPiece(piece, at, static_cast<uint32_t>(bytes), static_cast<uint8_t>(first | PieceHeader::kLast));
    if (!record.is_system) chain.last = begin;
    if (endsTransaction(record))
      chain.first_gsn.store(Gsn{}, std::memory_order_release);
    else if (!record.is_system && chain.first_gsn.load(std::memory_order_relaxed).value == 0)
      chain.first_gsn.store(gsn, std::memory_order_release);
    if (visibility == Visibility::BeforeStable) board_[number_].visible_commit.store(gsn);
    prefetchToWrite(ring(at + kRingAhead), std::min(alignPiece(bytes), kRingAhead));
    return {gsn, begin, LogPosition{at + alignPiece(bytes)}, foreign_};
  }
}

/// The header of the segment that the log has reached, at its place in the ring.
void Log::beginSegment(Exclusive& exclusive, LogPosition continued) {
  awaitRing(exclusive, sizeof(SegmentHeader));
  CHECK(promised_ > 0, "L3");
  --promised_;
  const uint64_t at = filled_.load(std::memory_order_relaxed);
  salt_ = newSalt();
  SegmentHeader header{.magic = SegmentHeader::kMagic,
                       .checksum = 0,
                       .format_version = kLogFormatVersion,
                       .log = number_,
                       .spare = 0,
                       .segment = segment_count_,
                       .first = LogPosition{at},
                       .salt = salt_,
                       .gsn_before = last_gsn_,
                       .continued = continued};
  header.checksum = header.computeChecksum();
  std::memcpy(ring(at), &header, sizeof(header));
  segments_[segment_count_] = {last_gsn_, continued};
  ++segment_count_;
  filled_.store(at + sizeof(header), std::memory_order_release);
}

/// Completes the piece whose payload is in the ring, padding included, and makes it part of the log.
void Log::sealPiece(std::byte* piece, uint64_t position, uint32_t bytes, uint8_t part) {
  const PieceHeader header{.checksum = 0, .bytes = bytes, .part = part, .spare = {}};
  std::memcpy(piece, &header, sizeof(header));
  const uint64_t checksum = pieceChecksum(piece, bytes, salt_, LogPosition{position});
  std::memcpy(piece, &checksum, sizeof(checksum));
  filled_.store(position + alignPiece(bytes), std::memory_order_release);
}

/// L2.
void Log::awaitRing(Exclusive& exclusive, uint64_t bytes) {
  while (filled_.load(std::memory_order_relaxed) + bytes - blockFloor(written_.load(std::memory_order_acquire)) >
         buffer_bytes_)
    exclusive.writeOut();
}

Log::Snapshot Log::snapshot(Gsn clock) {
  const std::scoped_lock lock(mutex_);
  std::atomic<Gsn>& own = board_[number_].clock;
  own.store(std::max(own.load(std::memory_order_relaxed), clock), std::memory_order_relaxed);
  return {LogPosition{filled_.load(std::memory_order_relaxed)}, last_gsn_};
}

// Writing.

void Log::writeOut() {
  std::unique_lock<std::mutex> lock;
  std::vector<IoRequest> requests;
  beginWrites(lock, requests, Extent::FullBlocks);
  io_.perform(requests);
  finishWrites(requests);
}

std::shared_ptr<SegmentFile> Log::fileOf(uint64_t segment) {
  const auto found = files_.find(segment);
  if (found != files_.end()) return found->second;
  std::shared_ptr<SegmentFile> file;
  if (segment < taken_segments_) {
    file = pool_.open({number_, segment});
  } else {
    CHECK(segment == taken_segments_, "segments are begun in order");
    SegmentHeader header;
    std::memcpy(&header, ring(segment * segment_bytes_), sizeof(header));
    file = pool_.take(header);
    ++taken_segments_;
  }
  files_[segment] = file;
  is_direct_.store(file->isDirect(), std::memory_order_relaxed);
  return file;
}

/// Adds the write of [from, to), which lies in one segment, from the ring or, when not null, from `memory`.
void Log::addWrite(uint64_t from, uint64_t to, std::byte* memory, std::vector<IoRequest>& requests) {
  const std::shared_ptr<SegmentFile> file = fileOf(from / segment_bytes_);
  const uint64_t offset = from % segment_bytes_;
  file->writes += is_written_synced_ ? 0 : 1;
  requests.push_back({.descriptor = file->descriptor(),
                      .operation = IoRequest::Operation::Write,
                      .memory = memory ? memory : ring(from),
                      .bytes = to - from,
                      .offset = offset});
  written_bytes_.fetch_add(to - from, std::memory_order_relaxed);
}

/// Adds zeros behind `end`, where the last write of the batch ends in a fresh file. The writes of a batch are done in
/// any order, so they must not overlap.
void Log::addZeros(uint64_t end, std::vector<IoRequest>& requests) {
  const std::shared_ptr<SegmentFile> file = fileOf((end - 1) / segment_bytes_);
  const uint64_t offset = (end - 1) % segment_bytes_ + 1;
  if (offset <= file->initialised_bytes) return;
  const uint64_t zeros = std::min(kLogZeroBytes, segment_bytes_ - offset);
  if (zeros > 0)
    requests.push_back({.descriptor = file->descriptor(),
                        .operation = IoRequest::Operation::Write,
                        .memory = logZeros(),
                        .bytes = zeros,
                        .offset = offset});
  file->initialised_bytes = offset + zeros;
}

void Log::beginWrites(std::unique_lock<std::mutex>& lock, std::vector<IoRequest>& requests, Extent extent) {
  health_.check();
  lock = std::unique_lock(io_mutex_);
  const uint64_t filled = filled_.load(std::memory_order_acquire);
  const uint64_t written = written_.load(std::memory_order_relaxed);
  const uint64_t whole_end = blockFloor(filled);
  const uint64_t end = extent == Extent::All ? filled : std::max(whole_end, written);
  write_target_.store(end, std::memory_order_relaxed);
  if (end == written) return;
  try {
    for (uint64_t from = blockFloor(written); from < whole_end;) {
      const uint64_t to = std::min(whole_end, (from / buffer_bytes_ + 1) * buffer_bytes_);
      addWrite(from, to, nullptr, requests);
      from = to;
    }
    if (end > whole_end) {
      // A copy: others append to the block meanwhile, and what follows on disk is to be zeros.
      std::memcpy(tail_.get(), ring(whole_end), end - whole_end);
      std::memset(tail_.get() + (end - whole_end), 0, kBlockBytes - (end - whole_end));
      addWrite(whole_end, whole_end + kBlockBytes, tail_.get(), requests);
    }
    if (end - written < kLargeWriteBytes) addZeros(blockFloor(end + kBlockBytes - 1), requests);
  } catch (const SqlError& error) {
    health_.fail(error.message());
  }
}

void Log::finishWrites(std::span<const IoRequest> requests) {
  for (const IoRequest& request : requests) {
    const int injected = FAILPOINT_ERROR("wal.write");
    if (const int error = injected != 0 ? injected : request.error)
      health_.fail(fmt::format("could not write log {} at offset {}: {}", number_.value, request.offset,
                               error == IoRequest::kEndOfFile ? "nothing was written" : std::strerror(error)));
  }
  written_.store(write_target_.load(std::memory_order_relaxed), std::memory_order_release);
}

Log::Unsynced Log::beginSync() {
  const std::scoped_lock lock(io_mutex_);
  Unsynced unsynced{LogPosition{written_.load(std::memory_order_relaxed)}, {}};
  for (auto entry = files_.begin(); entry != files_.end();) {
    const std::shared_ptr<SegmentFile>& file = entry->second;
    const bool is_full = (entry->first + 1) * segment_bytes_ <= unsynced.position.value;
    const bool is_synced = file->synced_writes.load(std::memory_order_acquire) == file->writes;
    if (!is_synced) unsynced.files.push_back({file, file->writes});
    entry = is_full && is_synced ? files_.erase(entry) : std::next(entry);
  }
  return unsynced;
}

void Log::endSync(const Unsynced& unsynced, Gsn last) {
  for (const Unsynced::File& synced : unsynced.files) raise(synced.file->synced_writes, synced.writes);
  raise(synced_, unsynced.position.value);
  raise(board_[number_].synced_last, last);
}

// Reading back and recycling.

OwnedRecord Log::read(LogPosition position) {
  Exclusive exclusive(*this);
  RecordAssembler assembler;
  LogRecord record;
  record.log = number_;
  for (uint64_t at = position.value; at != 0 && at < filled_.load(std::memory_order_relaxed);) {
    if (at % segment_bytes_ == 0) at += sizeof(SegmentHeader);
    uint64_t bytes = 0;
    const std::byte* piece = fetch(exclusive, LogPosition{at}, bytes);
    if (!piece) break;
    const auto outcome = assembler.add(LogPosition{at}, piece, bytes, record);
    if (outcome == RecordAssembler::Outcome::Done) return OwnedRecord(record);
    if (outcome == RecordAssembler::Outcome::Broken) break;
    at += alignPiece(bytes);
  }
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("log {} has no record at {}", number_.value, position.value));
}

/// The piece at `position`, from the ring or from the file; null when there is none.
const std::byte* Log::fetch(Exclusive& exclusive, LogPosition position, uint64_t& bytes) {
  const uint64_t filled = filled_.load(std::memory_order_relaxed);
  const bool is_in_ring = position.value + buffer_bytes_ >= filled && position.value >= ring_begin_;
  if (!is_in_ring) {
    const std::byte* piece = reader_.piece(position, bytes);
    if (piece) return piece;
    // The ring holds no more than the end of the piece, and that may not be written yet (L2 speaks of bytes).
    if (position.value + kPieceBytesMax > written_.load(std::memory_order_acquire)) exclusive.writeOut();
    // The window was read when the piece was not there yet.
    reader_.forgetWindow();
    return reader_.piece(position, bytes);
  }
  PieceHeader header;
  std::memcpy(&header, ring(position.value), sizeof(header));
  const uint64_t room = buffer_bytes_ - position.value % buffer_bytes_;
  if (header.bytes < sizeof(header) || header.bytes > room) return nullptr;
  bytes = header.bytes;
  return ring(position.value);
}

LogBegin Log::beginFor(Gsn gsn) {
  const std::scoped_lock lock(mutex_);
  const uint64_t filled = filled_.load(std::memory_order_relaxed);
  const uint64_t synced = synced_.load(std::memory_order_acquire);
  LogBegin begin{};
  if (last_gsn_ < gsn && synced == filled && !is_busy_) {
    begin = {LogPosition{filled}, last_gsn_};
  } else {
    for (const auto& [segment, info] : segments_) {
      if (info.gsn_before >= gsn || segment * segment_bytes_ >= synced) break;
      begin = {info.continued.value != 0 ? info.continued : LogPosition{segment * segment_bytes_}, info.gsn_before};
    }
  }
  // A segment may go on with a record that lies before the former answer.
  if (begin.position > begin_.position) begin_ = begin;
  return begin_;
}

uint64_t Log::recycleBefore(LogPosition position) {
  std::vector<uint64_t> gone;
  {
    const std::scoped_lock lock(mutex_);
    while (!segments_.empty() && (segments_.begin()->first + 1) * segment_bytes_ <= position.value) {
      gone.push_back(segments_.begin()->first);
      segments_.erase(segments_.begin());
    }
  }
  {
    const std::scoped_lock lock(io_mutex_);
    for (const uint64_t segment : gone) files_.erase(segment);
  }
  for (const uint64_t segment : gone) {
    pool_.recycle({number_, segment});
    FAILPOINT("wal.recycled");
  }
  return gone.size();
}

}  // namespace gnomon::wal
