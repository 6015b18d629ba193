#include "codegen/runtime/spill_file.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gnomon::codegen {

uint64_t bytesOf(const SpilledRun& run) {
  uint64_t bytes = 0;
  for (const SpilledSegment& segment : run) bytes += segment.bytes;
  return bytes;
}

uint64_t rowCountOf(const SpilledRun& run) {
  uint64_t rows = 0;
  for (const SpilledSegment& segment : run) rows += segment.row_count;
  return rows;
}

SpillFile::SpillFile(TemporarySpace& space, const RowFormat& format, MemoryAccount& memory)
    : format_(format), memory_(memory), file_(space) {}

SpillFile::~SpillFile() {
  releaseBuffer();
}

void SpillFile::releaseBuffer() {
  if (!buffer_) return;
  buffer_.reset();
  memory_.release(kBufferBytes);
}

void SpillFile::flush() {
  if (buffered_bytes_ == 0) return;
  file_.append({buffer_.get(), buffered_bytes_});
  buffered_bytes_ = 0;
}

void SpillFile::put(const char* bytes, uint64_t count) {
  if (!buffer_) {
    memory_.charge(kBufferBytes);
    buffer_ = std::make_unique_for_overwrite<char[]>(kBufferBytes);
  }
  if (count > kBufferBytes - buffered_bytes_) {
    flush();
    if (count > kBufferBytes) {
      file_.append({bytes, count});
      return;
    }
  }
  std::memcpy(buffer_.get() + buffered_bytes_, bytes, count);
  buffered_bytes_ += count;
}

void SpillFile::add(const char* row) {
  put(row, format_.row_bytes);
  format_.forEachString(row,
                        [this](uint32_t, const StringValue& value) { put(value.view().data(), value.view().size()); });
  ++segment_rows_;
}

SpilledSegment SpillFile::endSegment() {
  const uint64_t end = file_.bytes() + buffered_bytes_;
  const SpilledSegment segment{&file_, segment_begin_, end - segment_begin_, segment_rows_};
  segment_begin_ = end;
  segment_rows_ = 0;
  return segment;
}

void SpillFile::finish() {
  flush();
  releaseBuffer();
}

SpillReader::SpillReader(SpilledRun run, const RowFormat& format, MemoryAccount& memory, uint64_t buffer_bytes)
    : run_(std::move(run)), format_(format), memory_(memory), row_((format.row_bytes + 15) / 16) {
  charge(buffer_bytes);
  buffer_.resize(buffer_bytes);
}

void SpillReader::charge(uint64_t bytes) {
  memory_.charge(bytes);
  charged_bytes_ += bytes;
}

const char* SpillReader::require(uint64_t count) {
  if (end_ - begin_ >= count) return buffer_.data() + begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (count > buffer_.size()) {
    charge(count - buffer_.size());
    buffer_.resize(count);
  }
  const uint64_t bytes = std::min<uint64_t>(buffer_.size() - end_, bytes_left_);
  run_[next_segment_ - 1].file->read(next_offset_, {buffer_.data() + end_, bytes});
  next_offset_ += bytes;
  bytes_left_ -= bytes;
  end_ += bytes;
  return buffer_.data();
}

bool SpillReader::advance() {
  while (rows_left_ == 0) {
    if (next_segment_ == run_.size()) return false;
    const SpilledSegment& segment = run_[next_segment_++];
    rows_left_ = segment.row_count;
    bytes_left_ = segment.bytes;
    next_offset_ = segment.offset;
    begin_ = end_ = 0;
  }
  --rows_left_;
  char* const row = reinterpret_cast<char*>(row_.data());
  std::memcpy(row, require(format_.row_bytes), format_.row_bytes);
  uint64_t string_bytes = 0;
  format_.forEachString(row, [&](uint32_t, const StringValue& value) { string_bytes += value.length(); });
  const char* next = require(format_.row_bytes + string_bytes) + format_.row_bytes;
  format_.forEachString(row, [&](uint32_t offset, const StringValue& value) {
    RowFormat::setString(row, offset, StringValue::refer({next, value.length()}, StringValue::Storage::Transient));
    next += value.length();
  });
  begin_ += format_.row_bytes + string_bytes;
  return true;
}

void spillPartitions(std::span<char* const> rows, HashPartitioning partitioning, SpillFile& file, PartitionRuns& runs) {
  const auto partition = [&](const char* row) {
    uint64_t hash;
    std::memcpy(&hash, row + 8, sizeof(hash));
    return partitioning.partitionOf(hash);
  };
  std::array<size_t, HashPartitioning::kPartitions + 1> begins{};
  for (const char* row : rows) ++begins[partition(row) + 1];
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<const char*> ordered(rows.size());
  auto places = begins;
  for (const char* row : rows) ordered[places[partition(row)]++] = row;
  for (size_t i = 0; i < HashPartitioning::kPartitions; ++i) {
    if (begins[i] == begins[i + 1]) continue;
    for (size_t row = begins[i]; row < begins[i + 1]; ++row) file.add(ordered[row]);
    runs[i].push_back(file.endSegment());
  }
  file.finish();
}

}  // namespace gnomon::codegen
