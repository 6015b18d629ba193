#include "wal/log_start.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "base/atomic_file.h"
#include "base/sql_error.h"
#include "wal/log_format.h"

namespace gnomon::wal {

namespace {

constexpr const char* kFileName = "start";

struct FileHeader {
  static constexpr uint64_t kMagic = 0x31525453'4e4d4e47;  // "GNMNSTR1"
  uint64_t magic;
  uint64_t checksum;
  uint32_t format_version;
  uint32_t count;
  uint64_t segment_bytes;
  Gsn released;
};
static_assert(sizeof(FileHeader) == 40 && offsetof(FileHeader, format_version) == 16);

uint64_t checksumOf(const std::string& contents) {
  constexpr size_t kStart = offsetof(FileHeader, format_version);
  return XXH3_64bits(contents.data() + kStart, contents.size() - kStart);
}

}  // namespace

const LogStart::Entry* LogStart::find(LogNumber log) const {
  const auto found = std::ranges::find(entries, log, &Entry::log);
  return found == entries.end() ? nullptr : &*found;
}

void LogStart::write(const std::filesystem::path& directory) const {
  FileHeader header{.magic = FileHeader::kMagic,
                    .checksum = 0,
                    .format_version = kLogFormatVersion,
                    .count = static_cast<uint32_t>(entries.size()),
                    .segment_bytes = segment_bytes,
                    .released = released};
  std::string contents(sizeof(header) + entries.size() * sizeof(Entry), '\0');
  std::memcpy(contents.data(), &header, sizeof(header));
  if (!entries.empty()) std::memcpy(contents.data() + sizeof(header), entries.data(), entries.size() * sizeof(Entry));
  header.checksum = checksumOf(contents);
  std::memcpy(contents.data(), &header, sizeof(header));
  replaceFile(directory, kFileName, contents);
}

std::optional<LogStart> LogStart::read(const std::filesystem::path& directory) {
  std::optional<std::string> contents;
  try {
    contents = readFile(directory / kFileName);
  } catch (const std::system_error& error) {
    throw SqlError(sqlstate::kIoError, error.what());
  }
  if (!contents) return std::nullopt;
  const auto damaged = [&] {
    return SqlError(sqlstate::kDataCorrupted, fmt::format("file \"{}\" is damaged", (directory / kFileName).string()));
  };
  FileHeader header;
  if (contents->size() < sizeof(header)) throw damaged();
  std::memcpy(&header, contents->data(), sizeof(header));
  if (header.magic != FileHeader::kMagic || header.checksum != checksumOf(*contents)) throw damaged();
  if (header.format_version != kLogFormatVersion)
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("the log has format version {}, this server needs {}",
                                                         header.format_version, kLogFormatVersion));
  if (contents->size() != sizeof(header) + header.count * sizeof(Entry)) throw damaged();
  LogStart start{.segment_bytes = header.segment_bytes, .released = header.released};
  start.entries.resize(header.count);
  if (header.count > 0)
    std::memcpy(start.entries.data(), contents->data() + sizeof(header), header.count * sizeof(Entry));
  return start;
}

}  // namespace gnomon::wal
