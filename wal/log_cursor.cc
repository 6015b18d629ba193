#include "wal/log_cursor.h"

namespace gnomon::wal {

LogCursor::LogCursor(const std::filesystem::path& directory, LogNumber log, uint64_t segment_bytes,
                     LogPosition position, Gsn gsn_before, LogPosition end)
    : files_(std::make_unique<LogFileReader>(directory, log, segment_bytes)),
      position_(position),
      last_gsn_(gsn_before),
      end_(end) {}

bool LogCursor::next(LogRecord& record) {
  assembler_.reset();
  uint64_t at = position_.value;
  while (assembler_.isMidway() || at < end_.value) {
    stopped_at_ = LogPosition{at};
    if (at % files_->segmentBytes() == 0) {
      if (!files_->header(at / files_->segmentBytes())) return false;
      at += sizeof(SegmentHeader);
      stopped_at_ = LogPosition{at};
    }
    uint64_t bytes = 0;
    const std::byte* piece = files_->piece(LogPosition{at}, bytes);
    if (!piece) return false;
    const auto outcome = assembler_.add(LogPosition{at}, piece, bytes, record);
    if (outcome == RecordAssembler::Outcome::Broken) return false;
    at += alignPiece(bytes);
    if (outcome != RecordAssembler::Outcome::Done) continue;
    if (record.gsn <= last_gsn_) return false;
    record.log = files_->log();
    last_gsn_ = record.gsn;
    position_ = record.end;
    return true;
  }
  return false;
}

}  // namespace gnomon::wal
