#include "server/inspect_log.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/sql_error.h"
#include "storage/double_write.h"
#include "storage/log_text.h"
#include "wal/log_scan.h"

namespace gnomon::server {
namespace {

/// Nothing: all of them.
std::optional<uint16_t> parseLog(const std::string& text) {
  if (text == "all") return std::nullopt;
  uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("\"{}\" is not a log: a number, or all", text));
  return number;
}

class LogPrinter {
 public:
  LogPrinter(std::filesystem::path directory, const LogSelection& selection)
      : directory_(std::move(directory)), selection_(selection), log_(parseLog(selection.log)) {}

  uint64_t run() {
    try {
      const wal::LogScan scan(directory_, nullptr, storage::DoubleWriteArea::readStable(directory_.parent_path()));
      printScanned(scan);
    } catch (const SqlError& error) {
      if (!(error.state() == sqlstate::kDataCorrupted)) throw;
      fmt::print("problem: {}\n", error.message());
      ++problems_;
      printWhatIsWhole();
    }
    return problems_;
  }

 private:
  [[nodiscard]] bool isWanted(wal::LogNumber log) const { return !log_ || *log_ == log.value; }

  void requireSome(bool has_any) const {
    if (log_ && !has_any) throw std::invalid_argument(fmt::format("there is no log {}", *log_));
  }

  void printScanned(const wal::LogScan& scan) {
    wal::MergedCursor records;
    bool has_any = false;
    fmt::print("segments of {} bytes, changes below gsn {} are on the pages\n", scan.segmentBytes(),
               scan.released().value);
    for (const wal::ScannedLog& log : scan.logs()) {
      if (!isWanted(log.log)) continue;
      has_any = true;
      printLogLine(scan.segmentBytes(), log);
      records.add(scan.read(log.log));
    }
    requireSome(has_any);
    for (const wal::Loser& loser : scan.losers()) printLoser(loser);
    printRecords(records);
  }

  static void printLogLine(uint64_t segment_bytes, const wal::ScannedLog& log) {
    fmt::print("log {}: from {} to {}, gsn {} to {}\n", log.log.value, log.start.value, log.end.value,
               log.gsn_before.value + 1, log.last.value);
    if (log.end < log.whole_end)
      fmt::print("log {}: records from {} to {}, up to gsn {}, do not count: they build on what another log has lost\n",
                 log.log.value, log.end.value, log.whole_end.value, log.whole_last.value);
    if (log.has_remains && log.whole_end < log.stopped_at)
      fmt::print("log {}: torn at {}: the record that begins at {} is not whole\n", log.log.value, log.stopped_at.value,
                 log.whole_end.value);
    else if (log.has_remains && log.end == log.whole_end)
      fmt::print("log {}: torn at {}, offset {} of \"{}\"\n", log.log.value, log.stopped_at.value,
                 log.stopped_at.value % segment_bytes,
                 wal::SegmentName{log.log, log.stopped_at.value / segment_bytes}.text());
  }

  static void printLoser(const wal::Loser& loser) {
    for (const wal::Loser::Tail& tail : loser.tails)
      fmt::print("transaction {} has not ended: its last record in log {} is at {}, gsn {}\n", loser.transaction.value,
                 tail.log.value, tail.last.value, tail.gsn.value);
  }

  void printRecords(wal::MergedCursor& records) {
    uint64_t printed = 0;
    for (wal::LogRecord record; records.next(record);) {
      if (record.gsn.value < selection_.from) continue;
      fmt::print("{}\n", wal::describe(record, storage::describeBody));
      if (++printed == selection_.limit) return;
    }
  }

  /// Of a log that recovery would refuse.
  void printWhatIsWhole() {
    const auto start = wal::LogStart::read(directory_);
    if (!start) return;
    std::set<wal::LogNumber> logs;
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
      if (const auto name = wal::SegmentName::parse(entry.path().filename())) logs.insert(name->log);
    wal::MergedCursor records;
    bool has_any = false;
    for (const wal::LogNumber log : logs) {
      if (!isWanted(log)) continue;
      has_any = true;
      const wal::LogStart::Entry* entry = start->find(log);
      records.add(std::make_unique<wal::LogCursor>(directory_, log, start->segment_bytes,
                                                   entry ? entry->position : wal::LogPosition{},
                                                   entry ? entry->gsn_before : wal::Gsn{}));
    }
    requireSome(has_any);
    printRecords(records);
  }

  const std::filesystem::path directory_;
  const LogSelection& selection_;
  const std::optional<uint16_t> log_;
  uint64_t problems_ = 0;
};

}  // namespace

uint64_t printLog(const std::filesystem::path& data_directory, const LogSelection& selection) {
  return LogPrinter(data_directory / "wal", selection).run();
}

}  // namespace gnomon::server
