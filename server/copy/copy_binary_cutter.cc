#include "server/copy/copy_binary_cutter.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "server/pgwire/wire_number.h"

namespace gnomon::server {
namespace {

constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0", 11);

[[noreturn]] void refuse(std::string message) {
  throw SqlError(sqlstate::kBadCopyFileFormat, std::move(message));
}

}  // namespace

/// False: it is not whole yet.
bool CopyBinaryCutter::takeHeader(const char*& cursor, const char* end, bool is_last) {
  constexpr size_t kFixedBytes = kSignature.size() + 2 * sizeof(uint32_t);
  const std::string_view input(cursor, static_cast<size_t>(end - cursor));
  const std::string_view begin = input.substr(0, kSignature.size());
  if (!kSignature.starts_with(begin) || (is_last && begin.size() < kSignature.size()))
    refuse("COPY file signature not recognized");
  if (input.size() < kFixedBytes) {
    if (!is_last) return false;
    refuse(input.size() < kSignature.size() + sizeof(uint32_t) ? "invalid COPY file header (missing flags)"
                                                               : "invalid COPY file header (missing length)");
  }
  constexpr uint32_t kWithOids = 1U << 16;
  const auto flags = readBigEndian<uint32_t>(cursor + kSignature.size());
  if ((flags & kWithOids) != 0) refuse("invalid COPY file header (WITH OIDS)");
  if (flags >> 16 != 0) refuse("unrecognized critical flags in COPY file header");
  const auto more = readBigEndian<int32_t>(cursor + kSignature.size() + sizeof(uint32_t));
  if (more < 0) refuse("invalid COPY file header (missing length)");
  if (input.size() < kFixedBytes + static_cast<size_t>(more)) {
    if (!is_last) return false;
    refuse("invalid COPY file header (wrong length)");
  }
  cursor += kFixedBytes + static_cast<size_t>(more);
  return has_header_ = true;
}

CopyBinaryCutter::Outcome CopyBinaryCutter::next(const char*& cursor, const char* end, bool is_last) {
  if (!has_header_ && !takeHeader(cursor, end, is_last)) return Outcome::NeedMore;
  if (is_finished_) {
    if (cursor != end) refuse("received copy data after EOF marker");
    return Outcome::End;
  }
  const char* at = cursor;
  const auto left = [&] { return static_cast<size_t>(end - at); };
  const uint64_t row = row_number_ + 1;
  const auto incomplete = [&] {
    if (!is_last) {
      broken_column_.reset();
      return Outcome::NeedMore;
    }
    row_number_ = row;
    refuse("unexpected EOF in COPY data");
  };
  if (left() == 0 && is_last) {
    // A file may end without its mark.
    is_finished_ = true;
    return Outcome::End;
  }
  if (left() < sizeof(int16_t)) return incomplete();
  const auto count = readBigEndian<int16_t>(at);
  at += sizeof(int16_t);
  if (count == -1) {
    row_number_ = row;
    cursor = at;
    is_finished_ = true;
    return next(cursor, end, is_last);
  }
  if (static_cast<size_t>(count) != fields_.size()) {
    row_number_ = row;
    refuse(fmt::format("row field count is {}, expected {}", count, fields_.size()));
  }
  for (size_t i = 0; i < fields_.size(); ++i) {
    Field& field = fields_[i];
    broken_column_ = i;
    if (left() < sizeof(int32_t)) return incomplete();
    const auto bytes = readBigEndian<int32_t>(at);
    at += sizeof(int32_t);
    if (bytes < -1) {
      row_number_ = row;
      refuse("invalid field size");
    }
    field = {{}, bytes == -1};
    if (bytes == -1) continue;
    if (left() < static_cast<size_t>(bytes)) return incomplete();
    field.bytes = {at, static_cast<size_t>(bytes)};
    at += bytes;
  }
  broken_column_.reset();
  row_number_ = row;
  cursor = at;
  return Outcome::Row;
}

}  // namespace gnomon::server
