#pragma once

#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/tests/test_support.h"
#include "wal/write_ahead_log.h"

namespace gnomon::wal::testing {

inline constexpr RecordType kChange{16};
inline constexpr RecordType kUndo{17};
inline constexpr uint64_t kSegmentBytes = 65536;
inline constexpr uint64_t kBufferBytes = 16384;

/// Small segments and buffers, so that records meet their ends.
inline WalOptions smallOptions() {
  return {.segment_bytes = kSegmentBytes,
          .buffer_bytes = kBufferBytes,
          .logs_max = 8,
          .spares_kept = 2,
          .on_fatal = nullptr};
}

inline Bytes bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string textOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Text that differs in every place.
inline std::string randomText(std::mt19937_64& random, size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t at = 0; at < bytes; at += 8) {
    const uint64_t word = random();
    std::memcpy(text.data() + at, &word, std::min<size_t>(8, bytes - at));
  }
  return text;
}

inline Appended appendText(LogWriter& writer, std::string_view text, uint64_t page = 0,
                           std::span<const RecordStamp> depends_on = {}) {
  const Bytes body[] = {bytesOf(text)};
  return writer.append({.type = kChange, .page = page, .relation = 7, .body = body, .rollback_bytes = text.size()},
                       depends_on);
}

inline std::filesystem::path segmentPath(const std::filesystem::path& directory, uint16_t log, uint64_t segment) {
  return directory / SegmentName{LogNumber{log}, segment}.text();
}

/// One byte of a file is another while this lives.
class FlippedByte {
 public:
  FlippedByte(std::filesystem::path path, uint64_t offset, char mask)
      : path_(std::move(path)), offset_(offset), mask_(mask) {
    flip();
  }
  ~FlippedByte() { flip(); }
  FlippedByte(const FlippedByte&) = delete;
  FlippedByte& operator=(const FlippedByte&) = delete;

 private:
  void flip() {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    char byte = 0;
    file.seekg(static_cast<std::streamoff>(offset_));
    file.get(byte);
    file.seekp(static_cast<std::streamoff>(offset_));
    file.put(static_cast<char>(byte ^ mask_));
    if (!file) std::abort();
  }
  const std::filesystem::path path_;
  const uint64_t offset_;
  const char mask_;
};

/// Files of a log in use may get other names meanwhile.
inline void copyDirectory(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  do {
    std::filesystem::remove_all(to);
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  } while (error == std::errc::no_such_file_or_directory);
  if (error) throw std::system_error(error, to.string());
}

/// Bodies of the changes that count, in the order of GSNs.
inline std::vector<std::string> changesOf(const LogScan& scan) {
  std::vector<std::string> texts;
  MergedCursor cursor = scan.merged();
  for (LogRecord record; cursor.next(record);)
    if (record.type == kChange) texts.push_back(textOf(record.body));
  return texts;
}

}  // namespace gnomon::wal::testing
