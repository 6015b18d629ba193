#include "server/buffer_view.h"

#include <fmt/format.h>

namespace gnomon::server {
namespace {

using storage::BufferCounts;
using storage::BufferManager;
using storage::SizeClass;

/// Below the oids of users' tables; PostgreSQL has nothing there that a client would ask for.
constexpr uint32_t kBufferViewOid = 16000;

constexpr std::string_view kBigintColumns[] = {"page_bytes", "frames",    "cooling",    "dirty",
                                               "hits",       "rescues",   "faults",     "reads",
                                               "writes",     "evictions", "read_bytes", "written_bytes"};

std::vector<sql::Value> rowOf(BufferManager& buffers, SizeClass size_class) {
  const BufferCounts counts = buffers.counts(size_class);
  const uint64_t numbers[] = {storage::pageBytes(size_class),
                              buffers.framesInUse(size_class),
                              buffers.coolingFrames(size_class),
                              buffers.dirtyFrames(size_class),
                              counts.hits,
                              counts.rescues,
                              counts.faults,
                              counts.reads,
                              counts.writes,
                              counts.evictions,
                              counts.read_bytes,
                              counts.write_bytes};
  static_assert(std::size(numbers) == std::size(kBigintColumns));
  std::vector<sql::Value> row{sql::Value::fromInt(sql::Type::of(sql::TypeKind::Integer), size_class.index)};
  for (const uint64_t number : numbers)
    row.push_back(sql::Value::fromInt(sql::Type::of(sql::TypeKind::Bigint), static_cast<int64_t>(number)));
  return row;
}

}  // namespace

sql::VirtualRelation bufferView(BufferManager& buffers) {
  sql::VirtualRelation view;
  view.oid = kBufferViewOid;
  view.name = "gnomon_buffer";
  view.columns.push_back({"size_class", sql::Type::of(sql::TypeKind::Integer), true, ""});
  for (const std::string_view name : kBigintColumns)
    view.columns.push_back({std::string(name), sql::Type::of(sql::TypeKind::Bigint), true, ""});
  view.rows_expected = buffers.sizeClassMax().index + 1;
  view.rows = [&buffers] {
    sql::VirtualRows rows;
    for (uint8_t index = 0; index <= buffers.sizeClassMax().index; ++index)
      rows.push_back(rowOf(buffers, SizeClass{index}));
    return rows;
  };
  return view;
}

void sampleBuffers(const BufferManager& buffers, std::vector<MetricSample>& samples) {
  using Kind = MetricSample::Kind;
  samples.push_back({"gnomon_buffer_pool_bytes", Kind::Gauge, "", buffers.poolBytes()});
  samples.push_back({"gnomon_buffer_used_bytes", Kind::Gauge, "", buffers.usedBytes()});
  samples.push_back({"gnomon_buffer_cooling_bytes", Kind::Gauge, "", buffers.coolingBytes()});
  for (uint8_t index = 0; index <= buffers.sizeClassMax().index; ++index) {
    const SizeClass size_class{index};
    const BufferCounts counts = buffers.counts(size_class);
    const auto add = [&](std::string_view name, Kind kind, uint64_t value) {
      samples.push_back({name, kind, fmt::format("size_class=\"{}\"", index), value});
    };
    add("gnomon_buffer_frames", Kind::Gauge, buffers.framesInUse(size_class));
    add("gnomon_buffer_cooling_frames", Kind::Gauge, buffers.coolingFrames(size_class));
    add("gnomon_buffer_hits_total", Kind::Counter, counts.hits);
    add("gnomon_buffer_rescues_total", Kind::Counter, counts.rescues);
    add("gnomon_buffer_faults_total", Kind::Counter, counts.faults);
    add("gnomon_buffer_reads_total", Kind::Counter, counts.reads);
    add("gnomon_buffer_writes_total", Kind::Counter, counts.writes);
    add("gnomon_buffer_evictions_total", Kind::Counter, counts.evictions);
    add("gnomon_buffer_read_bytes_total", Kind::Counter, counts.read_bytes);
    add("gnomon_buffer_written_bytes_total", Kind::Counter, counts.write_bytes);
  }
}

}  // namespace gnomon::server
