#include "wal/log_file_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file_io.h"
#include "base/sql_error.h"

namespace gnomon::wal {

namespace {

constexpr uint64_t kWindowBytes = uint64_t{256} << 10;

}  // namespace

LogFileReader::LogFileReader(std::filesystem::path directory, LogNumber log, uint64_t segment_bytes)
    : directory_(std::move(directory)), log_(log), segment_bytes_(segment_bytes) {}

LogFileReader::~LogFileReader() {
  close();
}

void LogFileReader::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  open_segment_ = UINT64_MAX;
  window_bytes_ = 0;
}

std::filesystem::path LogFileReader::path(uint64_t segment) const {
  return directory_ / SegmentName{log_, segment}.text();
}

const SegmentHeader* LogFileReader::header(uint64_t segment) {
  if (segment == open_segment_) return &header_;
  close();
  const std::filesystem::path file = path(segment);
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    if (errno == ENOENT) return nullptr;
    raiseIoError("open", file, 0, errno);
  }
  open_segment_ = segment;
  const std::byte* bytes = window(0, sizeof(header_));
  if (bytes) std::memcpy(&header_, bytes, sizeof(header_));
  const bool is_sound =
      bytes && header_.magic == SegmentHeader::kMagic && header_.checksum == header_.computeChecksum();
  if (!is_sound || header_.log != log_ || header_.segment != segment ||
      header_.first.value != segment * segment_bytes_ || header_.format_version != kLogFormatVersion) {
    close();
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("log file \"{}\" has a damaged header", file.string()));
  }
  return &header_;
}

/// `bytes` bytes at `offset` of the open segment; null when the file ends before.
const std::byte* LogFileReader::window(uint64_t offset, uint64_t bytes) {
  if (offset >= window_offset_ && offset + bytes <= window_offset_ + window_bytes_)
    return window_.data() + (offset - window_offset_);
  // Whoever goes backwards finds what comes before as well.
  const bool is_backwards = window_bytes_ > 0 && offset < window_offset_;
  const uint64_t begin = is_backwards && offset + bytes > kWindowBytes ? offset + bytes - kWindowBytes : 0;
  window_.resize(std::max(kWindowBytes, bytes));
  window_offset_ = is_backwards ? std::min(begin, offset) : offset;
  window_bytes_ = 0;
  const uint64_t wanted = std::min<uint64_t>(window_.size(), segment_bytes_ - window_offset_);
  while (window_bytes_ < wanted) {
    const ssize_t count = ::pread(descriptor_, window_.data() + window_bytes_, wanted - window_bytes_,
                                  static_cast<off_t>(window_offset_ + window_bytes_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raiseIoError("read", path(open_segment_), offset, errno);
    if (count == 0) break;
    window_bytes_ += static_cast<uint64_t>(count);
  }
  const uint64_t skipped = offset - window_offset_;
  return skipped + bytes <= window_bytes_ ? window_.data() + skipped : nullptr;
}

const std::byte* LogFileReader::piece(LogPosition position, uint64_t& bytes) {
  const uint64_t segment = position.value / segment_bytes_;
  const uint64_t offset = position.value % segment_bytes_;
  if (!header(segment) || offset + sizeof(PieceHeader) > segment_bytes_) return nullptr;
  const std::byte* start = window(offset, sizeof(PieceHeader));
  if (!start) return nullptr;
  PieceHeader piece;
  std::memcpy(&piece, start, sizeof(piece));
  constexpr uint8_t kParts = PieceHeader::kFirst | PieceHeader::kLast | PieceHeader::kFiller;
  if (piece.bytes < sizeof(piece) || piece.bytes > std::min(kPieceBytesMax, segment_bytes_ - offset) ||
      (piece.part & ~kParts) != 0 || (piece.spare[0] | piece.spare[1] | piece.spare[2]) != 0)
    return nullptr;
  start = window(offset, piece.bytes);
  if (!start || piece.checksum != pieceChecksum(start, piece.bytes, header_.salt, position)) return nullptr;
  bytes = piece.bytes;
  return start;
}

std::optional<LogPosition> LogFileReader::findPiece(LogPosition position) {
  const uint64_t end = (position.value / segment_bytes_ + 1) * segment_bytes_;
  uint64_t bytes = 0;
  for (uint64_t at = alignPiece(position.value); at < end; at += kPieceAlignment)
    if (piece(LogPosition{at}, bytes)) return LogPosition{at};
  return std::nullopt;
}

bool LogFileReader::record(LogPosition position, RecordAssembler& assembler, LogRecord& record) {
  assembler.reset();
  record.log = log_;
  for (uint64_t at = position.value; at != 0;) {
    if (at % segment_bytes_ == 0) at += sizeof(SegmentHeader);
    uint64_t bytes = 0;
    const std::byte* found = piece(LogPosition{at}, bytes);
    if (!found) return false;
    const auto outcome = assembler.add(LogPosition{at}, found, bytes, record);
    if (outcome == RecordAssembler::Outcome::Done) return record.position == position;
    if (outcome == RecordAssembler::Outcome::Broken) return false;
    at += alignPiece(bytes);
  }
  return false;
}

std::optional<RecordEnvelope> parseEnvelope(const std::byte* piece, uint64_t bytes) {
  PieceHeader head;
  std::memcpy(&head, piece, sizeof(head));
  uint64_t at = sizeof(head);
  RecordEnvelope envelope{};
  if ((head.part & PieceHeader::kLast) == 0 || at + sizeof(RecordHeader) > bytes) return std::nullopt;
  std::memcpy(&envelope.header, piece + at, sizeof(RecordHeader));
  at += sizeof(RecordHeader);
  if ((envelope.header.flags & RecordHeader::kCompensation) != 0) {
    if (at + sizeof(LogPosition) > bytes) return std::nullopt;
    std::memcpy(&envelope.undo_next, piece + at, sizeof(LogPosition));
    at += sizeof(LogPosition);
  }
  const uint64_t claim_bytes = envelope.header.claim_count * sizeof(LogClaim);
  if (at + claim_bytes > bytes) return std::nullopt;
  envelope.claims = {piece + at, claim_bytes};
  envelope.body = {piece + at + claim_bytes, bytes - at - claim_bytes};
  if (envelope.body.size() > envelope.header.body_bytes) return std::nullopt;
  return envelope;
}

RecordAssembler::Outcome RecordAssembler::add(LogPosition position, const std::byte* piece, uint64_t bytes,
                                              LogRecord& record) {
  PieceHeader head;
  std::memcpy(&head, piece, sizeof(head));
  if ((head.part & PieceHeader::kFiller) != 0) return Outcome::Filler;
  const bool is_first = (head.part & PieceHeader::kFirst) != 0;
  if (is_first == is_midway_) return Outcome::Broken;
  if (is_first) {
    begin_ = position;
    body_.clear();
    is_midway_ = true;
  }
  if ((head.part & PieceHeader::kLast) == 0) {
    body_.insert(body_.end(), piece + sizeof(head), piece + bytes);
    return Outcome::More;
  }
  is_midway_ = false;
  const auto envelope = parseEnvelope(piece, bytes);
  if (!envelope || body_.size() + envelope->body.size() != envelope->header.body_bytes) return Outcome::Broken;
  const RecordHeader& header = envelope->header;
  claims_.resize(header.claim_count);
  if (!claims_.empty()) std::memcpy(claims_.data(), envelope->claims.data(), envelope->claims.size());
  if (!is_first) body_.insert(body_.end(), envelope->body.begin(), envelope->body.end());
  record.position = begin_;
  record.end = LogPosition{position.value + alignPiece(bytes)};
  record.gsn = header.gsn;
  record.transaction = header.transaction;
  record.previous = header.previous;
  record.undo_next = envelope->undo_next;
  record.type = RecordType{header.type};
  record.page = header.page;
  record.relation = header.relation;
  record.is_compensation = (header.flags & RecordHeader::kCompensation) != 0;
  record.is_system = (header.flags & RecordHeader::kSystem) != 0;
  record.claims = claims_;
  record.body = is_first ? envelope->body : Bytes(body_);
  return Outcome::Done;
}

}  // namespace gnomon::wal
