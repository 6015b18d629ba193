#include "wal/write_ahead_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/aligned_memory.h"
#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/failpoint.h"
#include "base/sql_error.h"

namespace gnomon::wal {

namespace {

SqlError asSqlError(const std::system_error& error) {
  const bool is_full = isDiskFull(error.code().value());
  return {is_full ? sqlstate::kDiskFull : sqlstate::kIoError, error.what()};
}

/// Zeros from `offset` to the file's end.
void wipe(const SegmentFile& file, uint64_t offset, uint64_t file_bytes, FileIo& io) {
  using Operation = IoRequest::Operation;
  const auto perform = [&](Operation operation, std::byte* memory, uint64_t bytes, uint64_t at) {
    IoRequest request{
        .descriptor = file.descriptor(), .operation = operation, .memory = memory, .bytes = bytes, .offset = at};
    io.perform({&request, 1});
    if (request.error != 0)
      raiseIoError(request.isWrite() ? "write" : "read", file.path(), at,
                   request.error == IoRequest::kEndOfFile ? EIO : request.error);
  };
  uint64_t at = offset / kIoAlignment * kIoAlignment;
  if (const uint64_t kept = offset - at; kept > 0) {
    const AlignedMemory block = allocateAligned(kIoAlignment);
    perform(Operation::Read, block.get(), kIoAlignment, at);
    std::memset(block.get() + kept, 0, kIoAlignment - kept);
    perform(Operation::Write, block.get(), kIoAlignment, at);
    at += kIoAlignment;
  }
  for (; at < file_bytes; at += kLogZeroBytes)
    perform(Operation::Write, logZeros(), std::min(kLogZeroBytes, file_bytes - at), at);
}

bool isSynchronous(SyncMethod method) {
  return method == SyncMethod::OpenDatasync || method == SyncMethod::OpenSync;
}

}  // namespace

/// Makes the directory and its file "start" when they are missing. Returns the size of its segments.
uint64_t WriteAheadLog::openDirectory(const LogScan& scan, const WalOptions& options) {
  if (scan.segmentBytes() != 0) return scan.segmentBytes();
  try {
    makeFolders(scan.directory());
    LogStart{.segment_bytes = options.segment_bytes}.write(scan.directory());
  } catch (const std::system_error& error) {
    throw asSqlError(error);
  }
  return options.segment_bytes;
}

WriteAheadLog::WriteAheadLog(const LogScan& scan, WalOptions options)
    : directory_(scan.directory()),
      options_(std::move(options)),
      health_(options_.on_fatal),
      io_(FileIo::create(options_.io_method)),
      pool_(directory_, openDirectory(scan, options_), options_.sync_method, options_.spares_kept),
      released_(scan.released()) {
  CHECK(options_.logs_max >= 1 && options_.logs_max <= kLogCountMax && options_.shared_logs_max >= 1,
        "the number of logs");
  std::vector<LogResume> found;
  for (const ScannedLog& scanned : scan.logs()) {
    // A log without segments came before one that has some.
    while (found.size() < scanned.log.value) found.push_back({.clock = scan.lastGsn()});
    found.push_back(repair(scanned, scan));
    FAILPOINT("wal.repaired");
  }
  pool_.syncDirectory();
  for (const LogResume& resume : found) createLog(resume);
  // There may have been more before; those stay as they are.
  for (size_t i = std::min(found.size(), options_.logs_max); i > 0; --i)
    free_logs_.push_back(LogNumber{static_cast<uint16_t>(i - 1)});
  board_.stable_gsn.store(scan.lastGsn());
  committer_ =
      std::make_unique<GroupCommitter>(logs_, board_, health_, *io_, options_.sync_method, options_.flush_interval);
  registration_.reset(new Metrics::Registration(
      Metrics::instance().addSource([this](std::vector<MetricSample>& samples) { report(samples); })));
}

WriteAheadLog::~WriteAheadLog() {
  CHECK(writers_.empty(), "no lease outlives the log");
  try {
    committer_->flushAll();
  } catch (const SqlError&) {
    // It has failed before and has said so.
  }
  committer_.reset();
}

/// W1. Also syncs what counts: a killed process may have left it in the system's memory only.
LogResume WriteAheadLog::repair(const ScannedLog& scanned, const LogScan& scan) {
  const uint64_t segment_bytes = pool_.segmentBytes();
  LogFileReader reader(directory_, scanned.log, segment_bytes);
  LogResume resume{
      .begin = {scanned.start, scanned.gsn_before}, .end = scanned.end, .clock = scan.lastGsn(), .last = scanned.last};
  const uint64_t segment_count = (scanned.end.value + segment_bytes - 1) / segment_bytes;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    const auto name = SegmentName::parse(entry.path().filename());
    if (!name || name->log != scanned.log) continue;
    const bool is_before = (name->segment + 1) * segment_bytes <= scanned.start.value;
    if (is_before || name->segment >= segment_count) pool_.recycle(*name);
  }
  for (uint64_t segment = scanned.start.value / segment_bytes; segment < segment_count; ++segment) {
    const SegmentHeader* header = reader.header(segment);
    if (!header)
      throw SqlError(sqlstate::kDataCorrupted,
                     fmt::format("log file \"{}\" is missing", reader.path(segment).string()));
    resume.segments[segment] = {header->gsn_before, header->continued};
    resume.salt = header->salt;
    const auto file = pool_.open({scanned.log, segment});
    if (segment + 1 == segment_count && scanned.has_remains)
      wipe(*file, scanned.end.value - segment * segment_bytes, segment_bytes, *io_);
    if (::fdatasync(file->descriptor()) != 0) raiseIoError("sync", file->path(), 0, errno);
  }
  return resume;
}

// Leases.

Log& WriteAheadLog::createLog(const LogResume& resume) {
  const LogNumber number{board_.log_count.load()};
  auto log = std::make_unique<Log>(number, directory_, pool_, *io_, board_, health_,
                                   std::min(options_.buffer_bytes, pool_.segmentBytes()), resume,
                                   isSynchronous(options_.sync_method));
  const std::scoped_lock creation(board_.creation_mutex);
  log->snapshot(lastGsn());
  logs_[number.value] = std::move(log);
  board_.log_count.store(static_cast<uint16_t>(number.value + 1));
  return *logs_[number.value];
}

/// One of the first `count_max`.
Log& WriteAheadLog::chooseLog(size_t count_max) {
  for (auto place = free_logs_.rbegin(); place != free_logs_.rend(); ++place) {
    const LogNumber number = *place;
    if (number.value >= count_max) continue;
    free_logs_.erase(std::next(place).base());
    return *logs_[number.value];
  }
  const size_t count = board_.log_count.load();
  if (count < count_max) {
    try {
      return createLog({.clock = lastGsn()});
    } catch (const SqlError& error) {
      if (count == 0 || error.state() != sqlstate::kDiskFull) throw;
    }
  }
  const size_t shared = std::min(count, count_max);
  const auto least = std::min_element(lease_counts_.begin(), lease_counts_.begin() + static_cast<ptrdiff_t>(shared));
  return *logs_[static_cast<size_t>(least - lease_counts_.begin())];
}

std::unique_ptr<LogWriter> WriteAheadLog::leaseOf(Log& log) {
  auto writer = std::make_unique<LogWriter>(*this, log);
  ++lease_counts_[log.number().value];
  writers_.insert(writer.get());
  return writer;
}

std::unique_ptr<LogWriter> WriteAheadLog::lease(bool shares_log) {
  health_.check();
  const size_t count_max = shares_log ? std::min(options_.shared_logs_max, options_.logs_max) : options_.logs_max;
  const std::scoped_lock lock(lease_mutex_);
  return leaseOf(chooseLog(count_max));
}

std::unique_ptr<LogWriter> WriteAheadLog::resume(TransactionNumber transaction, const Loser::Tail& tail) {
  const std::scoped_lock lock(lease_mutex_);
  CHECK(tail.log.value < board_.log_count.load(), "a log that was found");
  std::erase(free_logs_, tail.log);
  auto writer = leaseOf(*logs_[tail.log.value]);
  writer->begin(transaction, tail.last);
  return writer;
}

void WriteAheadLog::giveBack(LogWriter& writer) {
  const std::scoped_lock lock(lease_mutex_);
  writers_.erase(&writer);
  if (--lease_counts_[writer.log().value] == 0 && writer.log().value < options_.logs_max)
    free_logs_.push_back(writer.log());
}

// Stability.

void WriteAheadLog::waitFor(const CommitTicket& ticket) {
  commits_waited_.fetch_add(1, std::memory_order_relaxed);
  if (ticket.foreign <= board_.stable() && board_.log_count.load() > 1)
    remote_flushes_avoided_.fetch_add(1, std::memory_order_relaxed);
  committer_->waitFor(needOf(ticket));
  if (ticket.log != kNoLog) board_.raiseStable(ticket.log, ticket.gsn);
}

void WriteAheadLog::flushUpTo(Gsn gsn) {
  if (gsn <= board_.stable()) return;
  CHECK(gsn <= lastGsn(), "a page's GSN is one that was drawn");
  committer_->waitFor({.log = nullptr, .end = {}, .gsn = gsn});
}

std::vector<LogPosition> WriteAheadLog::stablePositions() const {
  std::vector<LogPosition> positions(board_.log_count.load(std::memory_order_acquire));
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = logs_[i]->synced();
  return positions;
}

std::vector<Gsn> WriteAheadLog::stableRecords() const {
  std::vector<Gsn> records(board_.log_count.load(std::memory_order_acquire));
  for (size_t i = 0; i < records.size(); ++i) records[i] = board_.logs[i].stable_last.load(std::memory_order_acquire);
  return records;
}

Gsn WriteAheadLog::lastGsn() const {
  Gsn last = board_.stable();
  for (const LogBoard::Words& words : board_.logs) last = std::max(last, words.clock.load(std::memory_order_relaxed));
  return last;
}

Gsn WriteAheadLog::releaseBelow(Gsn gsn) {
  health_.check();
  const std::scoped_lock release(release_mutex_);
  // Before the leases are looked at: a transaction's first record from now on has a larger GSN than what is stable.
  gsn = std::min(gsn, Gsn{board_.stable().value + 1});
  LogStart start{.segment_bytes = pool_.segmentBytes()};
  size_t count = 0;
  {
    const std::scoped_lock lock(lease_mutex_);
    for (const LogWriter* writer : writers_)
      if (const Gsn first = writer->firstGsn(); first.value != 0) gsn = std::min(gsn, first);
    count = board_.log_count.load();
  }
  if (gsn <= released_) return released_;
  start.released = gsn;
  for (size_t i = 0; i < count; ++i) {
    const Gsn stable = board_.logs[i].stable_last.load(std::memory_order_acquire);
    const LogBegin from = logs_[i]->beginFor(gsn);
    start.entries.push_back({from.position, from.gsn_before, stable, LogNumber{static_cast<uint16_t>(i)}, {}});
  }
  try {
    start.write(directory_);
  } catch (const std::system_error& error) {
    throw asSqlError(error);
  }
  // W2
  FAILPOINT("wal.released");
  released_ = gsn;
  for (size_t i = 0; i < count; ++i) logs_[i]->recycleBefore(start.entries[i].position);
  return gsn;
}

WalCounts WriteAheadLog::counts() const {
  WalCounts counts{.flushes = committer_ ? committer_->rounds() : 0,
                   .device_syncs = committer_ ? committer_->syncs() : 0,
                   .commits_waited = commits_waited_.load(std::memory_order_relaxed),
                   .remote_flushes_avoided = remote_flushes_avoided_.load(std::memory_order_relaxed),
                   .total_bytes = pool_.totalBytes()};
  const uint16_t count = board_.log_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    counts.records += logs_[i]->recordCount();
    counts.written_bytes += logs_[i]->writtenBytes();
  }
  return counts;
}

std::vector<LogCounts> WriteAheadLog::logCounts() const {
  std::vector<LogCounts> counts;
  for (uint16_t number = 0; number < board_.log_count.load(std::memory_order_acquire); ++number) {
    const Log& log = *logs_[number];
    const LogBoard::Words& words = board_.logs[number];
    counts.push_back({.log = LogNumber{number},
                      .last = words.clock.load(std::memory_order_relaxed),
                      .stable_last = words.synced_last.load(std::memory_order_relaxed),
                      .filled = log.filled(),
                      .stable = log.synced(),
                      .records = log.recordCount(),
                      .written_bytes = log.writtenBytes()});
  }
  return counts;
}

void WriteAheadLog::report(std::vector<MetricSample>& samples) const {
  using Kind = MetricSample::Kind;
  const WalCounts now = counts();
  samples.push_back({"gnomon_wal_records_total", Kind::Counter, "", now.records});
  samples.push_back({"gnomon_wal_written_bytes_total", Kind::Counter, "", now.written_bytes});
  samples.push_back({"gnomon_wal_flushes_total", Kind::Counter, "", now.flushes});
  samples.push_back({"gnomon_wal_device_syncs_total", Kind::Counter, "", now.device_syncs});
  samples.push_back({"gnomon_wal_commits_waited_total", Kind::Counter, "", now.commits_waited});
  samples.push_back({"gnomon_wal_remote_flushes_avoided_total", Kind::Counter, "", now.remote_flushes_avoided});
  samples.push_back({"gnomon_wal_bytes", Kind::Gauge, "", now.total_bytes});
}

}  // namespace gnomon::wal
