#include "server/buffer_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/relation/relation.h"
#include "storage/tests/test_support.h"

namespace gnomon::server {
namespace {

TEST(BufferView, MetricsAndRowsShowTheSameCounts) {
  const storage::testing::TemporaryDirectory directory;
  storage::BufferManager buffers(directory.path(), {.pool_bytes = uint64_t{1} << 20});
  const storage::RelationSchema schema{{storage::StoredKind::Int64, false}};
  storage::Relation relation(buffers, storage::RelationId{7}, schema);
  buffers.writeAll();
  const sql::VirtualRows rows = bufferView(buffers).rows();
  ASSERT_EQ(rows.size(), 5u) << "pages of 64 KiB to 1 MiB";
  EXPECT_EQ(rows[4][1].asInt(), 1 << 20);
  std::vector<MetricSample> samples;
  sampleBuffers(buffers, samples);
  const auto value = [&](std::string_view name, std::string_view labels) {
    for (const MetricSample& sample : samples)
      if (sample.name == name && sample.labels == labels) return sample.value;
    ADD_FAILURE() << name;
    return uint64_t{0};
  };
  EXPECT_EQ(rows[0][2].asInt(), 1);
  EXPECT_EQ(value("gnomon_buffer_frames", "size_class=\"0\""), 1u);
  EXPECT_EQ(value("gnomon_buffer_writes_total", "size_class=\"0\""), 1u);
  EXPECT_EQ(value("gnomon_buffer_written_bytes_total", "size_class=\"0\""), 65536u);
  EXPECT_EQ(value("gnomon_buffer_writes_total", "size_class=\"4\""), 0u);
  EXPECT_EQ(value("gnomon_buffer_pool_bytes", ""), 1u << 20);
}

}  // namespace
}  // namespace gnomon::server
