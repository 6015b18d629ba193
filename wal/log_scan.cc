#include "wal/log_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "base/sql_error.h"

namespace gnomon::wal {

namespace {

/// Read between two words of progress.
constexpr uint64_t kProgressBytes = uint64_t{1} << 20;

}  // namespace

/// Reads everything once, in the order of GSNs, and finds what counts.
class LogScan::Analysis {
 public:
  Analysis(LogScan& scan, std::span<const Gsn> known_stable) : scan_(scan) {
    for (size_t log = 0; log < std::min(known_stable.size(), kLogCountMax); ++log)
      logs_[log].known_stable = known_stable[log];
    for (ScannedLog& log : scan_.logs_) {
      logs_[log.log.value].reached = log.gsn_before;
      logs_[log.log.value].scanned = &log;
    }
    for (const LogStart::Entry& entry : scan_.start_.entries) {
      Gsn& known = logs_[entry.log.value].known_stable;
      known = std::max(known, entry.stable);
    }
  }

  void run(const Progress& progress) {
    std::vector<LogCursor*> cursors;
    MergedCursor merged(LogReadAhead::Contents::WithoutBodies);
    for (const ScannedLog& log : scan_.logs_) {
      auto cursor =
          std::make_unique<LogCursor>(scan_.directory_, log.log, scan_.segmentBytes(), log.start, log.gsn_before);
      cursors.push_back(cursor.get());
      merged.add(std::move(cursor));
    }
    const uint64_t bytes_max = scan_.bytesMax();
    uint64_t told_bytes = 0;
    for (LogRecord record; merged.next(record);) {
      take(record);
      if (!progress || read_bytes_ - told_bytes < kProgressBytes) continue;
      told_bytes = read_bytes_;
      progress(read_bytes_, bytes_max);
    }
    for (size_t i = 0; i < cursors.size(); ++i) finish(scan_.logs_[i], *cursors[i]);
    for (const ScannedLog& log : scan_.logs_) refuseIfDamaged(log);
    refuseMissingLogs();
    for (auto& [transaction, loser] : running_) scan_.losers_.push_back(std::move(loser));
  }

 private:
  struct State {
    ScannedLog* scanned = nullptr;
    Gsn reached;                 ///< the last record that counts
    Gsn known_stable;            ///< counted for certain, says another log or the start file
    Gsn known_synced;            ///< there for certain, says the log itself
    bool is_cut = false;         ///< what follows does not count
    LogNumber cut_for = kNoLog;  ///< because this log lacks something
  };

  void take(const LogRecord& record) {
    State& state = logs_[record.log.value];
    ScannedLog& log = *state.scanned;
    read_bytes_ += record.end.value - log.whole_end.value;
    log.whole_end = record.end;
    log.whole_last = record.gsn;
    for (const LogClaim& claim : record.claims) {
      if (claim.log.value >= kLogCountMax) continue;
      State& other = logs_[claim.log.value];
      if (claim.kind == LogClaim::Kind::Stable) {
        noteStable(record.log, claim);
      } else if (!state.is_cut && claim.gsn > other.reached) {
        state.is_cut = true;
        state.cut_for = claim.log;
      }
    }
    if (state.is_cut) return;
    log.end = record.end;
    log.last = state.reached = record.gsn;
    scan_.last_gsn_ = std::max(scan_.last_gsn_, record.gsn);
    followTransaction(record);
  }

  void noteStable(LogNumber by, const LogClaim& claim) {
    State& other = logs_[claim.log.value];
    Gsn& known = by == claim.log ? other.known_synced : other.known_stable;
    known = std::max(known, claim.gsn);
  }

  void followTransaction(const LogRecord& record) {
    if (record.is_system || record.transaction.value == 0) return;
    if (record.type == kCommitRecord || record.type == kEndRecord) {
      running_.erase(record.transaction);
      return;
    }
    Loser& loser = running_[record.transaction];
    loser.transaction = record.transaction;
    const auto tail = std::ranges::find(loser.tails, record.log, &Loser::Tail::log);
    if (tail == loser.tails.end())
      loser.tails.push_back({record.log, record.position, record.gsn});
    else
      *tail = {record.log, record.position, record.gsn};
  }

  /// Looks behind the end of the whole records: pieces there were written, but the log stops before them. What their
  /// claims say is true all the same.
  void finish(ScannedLog& log, LogCursor& cursor) {
    LogFileReader& files = cursor.files();
    log.has_remains = log.end < log.whole_end;
    log.stopped_at = cursor.stoppedAt();
    const uint64_t segment_bytes = files.segmentBytes();
    for (uint64_t at = log.whole_end.value; at / segment_bytes <= log.segment_last;) {
      const uint64_t segment = at / segment_bytes;
      if (!files.header(segment)) {
        at = (segment + 1) * segment_bytes;
        continue;
      }
      if (at % segment_bytes == 0) at += sizeof(SegmentHeader);
      const auto found = files.findPiece(LogPosition{at});
      if (!found) {
        at = (segment + 1) * segment_bytes;
        continue;
      }
      log.has_remains = true;
      uint64_t bytes = 0;
      const std::byte* piece = files.piece(*found, bytes);
      if (const auto envelope = parseEnvelope(piece, bytes)) {
        for (size_t i = 0; i < envelope->header.claim_count; ++i) {
          LogClaim claim;
          std::memcpy(&claim, envelope->claims.data() + i * sizeof(claim), sizeof(claim));
          if (claim.kind == LogClaim::Kind::Stable && claim.log.value < kLogCountMax) noteStable(log.log, claim);
        }
      }
      at = found->value + alignPiece(bytes);
    }
  }

  void refuseIfDamaged(const ScannedLog& log) const {
    const State& state = logs_[log.log.value];
    if (state.known_synced > log.whole_last) raiseDamage(log, state.known_synced);
    if (state.known_stable <= state.reached) return;
    // It is all there but does not count, since another log lacks something: that one is damaged.
    const ScannedLog* damaged = &log;
    for (size_t steps = 0; steps < kLogCountMax; ++steps) {
      const State& cut = logs_[damaged->log.value];
      if (cut.known_stable > damaged->whole_last || !cut.is_cut) break;
      const ScannedLog* cause = scan_.find(cut.cut_for);
      if (!cause) raiseMissing(cut.cut_for);
      damaged = cause;
    }
    raiseDamage(*damaged, state.known_stable);
  }

  void refuseMissingLogs() const {
    for (LogNumber log{0}; log.value < kLogCountMax; ++log.value)
      if (logs_[log.value].known_stable.value != 0 && !scan_.find(log)) raiseMissing(log);
  }

  [[noreturn]] void raiseMissing(LogNumber log) const {
    throw SqlError(sqlstate::kDataCorrupted,
                   fmt::format("the files of log {} are missing in \"{}\"", log.value, scan_.directory_.string()));
  }

  [[noreturn]] void raiseDamage(const ScannedLog& log, Gsn known) const {
    const uint64_t segment_bytes = scan_.segmentBytes();
    const std::filesystem::path path =
        scan_.directory_ / SegmentName{log.log, log.stopped_at.value / segment_bytes}.text();
    throw SqlError(sqlstate::kDataCorrupted,
                   fmt::format("log file \"{}\" is damaged at offset {}: records up to number {} had been synced, the "
                               "last that can be read is {}",
                               path.string(), log.stopped_at.value % segment_bytes, known.value, log.whole_last.value));
  }

  LogScan& scan_;
  uint64_t read_bytes_ = 0;
  std::array<State, kLogCountMax> logs_{};
  std::map<TransactionNumber, Loser> running_;
};

LogScan::LogScan(std::filesystem::path directory, const Progress& progress, std::span<const Gsn> known_stable)
    : directory_(std::move(directory)) {
  if (!std::filesystem::exists(directory_)) return;
  const auto start = LogStart::read(directory_);
  if (!start) {
    // Written before any log is: without it there is none, or somebody has removed it.
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
      if (SegmentName::parse(entry.path().filename()))
        throw SqlError(sqlstate::kDataCorrupted,
                       fmt::format("file \"{}\" is missing", (directory_ / "start").string()));
    return;
  }
  start_ = *start;
  last_gsn_ = start_.released;
  findLogs();
  Analysis(*this, known_stable).run(progress);
}

void LogScan::findLogs() {
  std::map<LogNumber, uint64_t> last_segments;
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    if (const auto name = SegmentName::parse(entry.path().filename()))
      last_segments[name->log] = std::max(last_segments[name->log], name->segment);
  for (const LogStart::Entry& entry : start_.entries)
    last_segments.try_emplace(entry.log, entry.position.value / start_.segment_bytes);
  for (const auto& [log, segment_last] : last_segments) {
    ScannedLog scanned{.log = log, .segment_last = segment_last};
    if (const LogStart::Entry* entry = start_.find(log)) {
      scanned.start = entry->position;
      scanned.gsn_before = entry->gsn_before;
    }
    scanned.whole_end = scanned.end = scanned.start;
    scanned.whole_last = scanned.last = scanned.gsn_before;
    last_gsn_ = std::max(last_gsn_, scanned.gsn_before);
    logs_.push_back(scanned);
  }
}

/// Of the files from where reading begins.
uint64_t LogScan::bytesMax() const {
  uint64_t bytes = 0;
  for (const ScannedLog& log : logs_)
    bytes += std::max((log.segment_last + 1) * segmentBytes(), log.start.value) - log.start.value;
  return bytes;
}

uint64_t LogScan::bytes() const {
  uint64_t bytes = 0;
  for (const ScannedLog& log : logs_) bytes += log.end.value - log.start.value;
  return bytes;
}

const ScannedLog* LogScan::find(LogNumber log) const {
  const auto found = std::ranges::find(logs_, log, &ScannedLog::log);
  return found == logs_.end() ? nullptr : &*found;
}

std::unique_ptr<LogCursor> LogScan::read(LogNumber log) const {
  const ScannedLog* scanned = find(log);
  CHECK(scanned != nullptr, "a log that was found");
  return std::make_unique<LogCursor>(directory_, log, segmentBytes(), scanned->start, scanned->gsn_before,
                                     scanned->end);
}

MergedCursor LogScan::merged() const {
  MergedCursor merged;
  for (const ScannedLog& log : logs_) merged.add(read(log.log));
  return merged;
}

OwnedRecord LogScan::at(LogNumber log, LogPosition position) const {
  auto& reader = readers_[log];
  if (!reader) reader = std::make_unique<LogFileReader>(directory_, log, segmentBytes());
  RecordAssembler assembler;
  LogRecord record;
  if (!reader->record(position, assembler, record))
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("log {} has no record at {}", log.value, position.value));
  return OwnedRecord(record);
}

}  // namespace gnomon::wal
