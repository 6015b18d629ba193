#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "storage/statistics/relation_statistics.h"

namespace gnomon::storage {
namespace {

constexpr uint64_t kMagic = 0x544154534d4f4e47ULL;  // "GNOMSTAT"
constexpr uint32_t kVersion = 2;
constexpr size_t kChecksumOffset = 8;
constexpr size_t kBodyOffset = 16;

void require(bool holds, const char* message) {
  if (!holds) throw SqlError(sqlstate::kDataCorrupted, message);
}

}  // namespace

std::vector<std::byte> RelationStatistics::serialise(const ReservoirSample::Read& read) {
  sample_.refresh(read);
  const std::lock_guard lock(mutex_);
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.number(kMagic);
  out.number(uint64_t{0});  // the checksum's place
  out.number(kVersion);
  out.number(static_cast<uint32_t>(columns_.size()));
  out.number(rowCount());
  out.number(sumOf(&Writer::removed_count));
  out.number(uint32_t{feed_shift_.load(std::memory_order_relaxed)});
  for (size_t index = 0; index < columns_.size(); ++index) {
    out.number(static_cast<uint8_t>(schema_[index].kind));
    out.number(std::max<int64_t>(columns_[index]->null_count.load(std::memory_order_relaxed), 0));
    out.number(columns_[index]->repeated_count.load(std::memory_order_relaxed));
    columns_[index]->sketch.write(out);
  }
  sample_.write(out);
  const uint64_t checksum = XXH3_64bits(bytes.data() + kBodyOffset, bytes.size() - kBodyOffset);
  std::memcpy(bytes.data() + kChecksumOffset, &checksum, sizeof(checksum));
  return bytes;
}

void RelationStatistics::read(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  require(in.number<uint64_t>() == kMagic, "damaged statistics: no magic");
  const auto checksum = in.number<uint64_t>();
  require(checksum == XXH3_64bits(bytes.data() + kBodyOffset, bytes.size() - kBodyOffset),
          "damaged statistics: wrong checksum");
  require(in.number<uint32_t>() == kVersion, "statistics of an unknown version");
  require(in.number<uint32_t>() == columns_.size(), "statistics of another schema");
  const auto row_count = in.number<uint64_t>();
  require(row_count <= tuple_id_flags::kIdMask, "damaged statistics: an impossible row count");
  writers_.front().row_count.store(static_cast<int64_t>(row_count), std::memory_order_relaxed);
  writers_.front().removed_count.store(in.number<uint64_t>(), std::memory_order_relaxed);
  const auto feed_shift = in.number<uint32_t>();
  require(feed_shift <= kFeedShiftMax, "damaged statistics: an impossible share of rows");
  feed_shift_.store(feed_shift, std::memory_order_relaxed);
  for (size_t index = 0; index < columns_.size(); ++index) {
    require(in.number<uint8_t>() == static_cast<uint8_t>(schema_[index].kind), "statistics of another schema");
    columns_[index]->null_count.store(in.number<int64_t>(), std::memory_order_relaxed);
    columns_[index]->repeated_count.store(in.number<uint64_t>(), std::memory_order_relaxed);
    columns_[index]->sketch.read(in);
  }
  sample_.read(in);
  require(in.remaining() == 0, "damaged statistics: bytes behind their end");
  // Decodes every sampled row, so that a bad one is refused here.
  cached_ = takeSnapshot();
}

}  // namespace gnomon::storage
