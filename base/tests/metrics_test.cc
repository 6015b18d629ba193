#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gnomon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, PrintsCountersAndHistogramsInPrometheusText) {
  Metrics metrics;
  metrics.add(CounterId::RowsSent, 7);
  metrics.histogram(HistogramId::CompileUs).record(3);
  const std::string text = metrics.print();
  EXPECT_THAT(text, HasSubstr("# TYPE gnomon_rows_sent_total counter\ngnomon_rows_sent_total 7\n"));
  EXPECT_THAT(text, HasSubstr("gnomon_compile_us_sum 3\ngnomon_compile_us_count 1\n"));
}

TEST(Metrics, SamplesOfOneNameStandTogetherAndGoWithTheirRegistration) {
  Metrics metrics;
  uint64_t pages = 1;
  {
    const Metrics::Registration registration = metrics.addSource([&](std::vector<MetricSample>& samples) {
      for (const char* label : {"size_class=\"0\"", "size_class=\"1\""}) {
        samples.push_back({"test_reads_total", MetricSample::Kind::Counter, label, ++pages});
        samples.push_back({"test_frames", MetricSample::Kind::Gauge, label, 9});
      }
      samples.push_back({"test_plain", MetricSample::Kind::Gauge, "", 4});
    });
    EXPECT_THAT(metrics.print(), HasSubstr("# TYPE test_frames gauge\n"
                                           "test_frames{size_class=\"0\"} 9\n"
                                           "test_frames{size_class=\"1\"} 9\n"
                                           "# TYPE test_plain gauge\n"
                                           "test_plain 4\n"
                                           "# TYPE test_reads_total counter\n"
                                           "test_reads_total{size_class=\"0\"} 2\n"
                                           "test_reads_total{size_class=\"1\"} 3\n"));
    EXPECT_THAT(metrics.print(), HasSubstr("test_reads_total{size_class=\"0\"} 4\n"));
  }
  EXPECT_THAT(metrics.print(), Not(HasSubstr("test_")));
}

}  // namespace
}  // namespace gnomon
