#include "base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace gnomon {

void Histogram::record(uint64_t value) {
  words_.add(std::min<size_t>(static_cast<size_t>(std::bit_width(value)), kBucketCount - 1));
  words_.add(kBucketCount, value);
}

Metrics& Metrics::instance() {
  static Metrics metrics;
  return metrics;
}

std::string_view Metrics::nameOf(CounterId id) {
  constexpr std::string_view names[] = {
      "gnomon_connections_accepted_total",  "gnomon_connections_refused_total",
      "gnomon_statements_run_total",        "gnomon_rows_sent_total",
      "gnomon_rows_copied_in_total",        "gnomon_errors_sent_total",
      "gnomon_cancel_requests_total",       "gnomon_plan_cache_hits_total",
      "gnomon_plan_cache_misses_total",     "gnomon_transaction_commits_total",
      "gnomon_transaction_rollbacks_total", "gnomon_deadlocks_total",
      "gnomon_temporary_files_total",       "gnomon_temporary_bytes_total",
  };
  static_assert(std::size(names) == static_cast<size_t>(CounterId::Count));
  return names[static_cast<size_t>(id)];
}

std::string_view Metrics::nameOf(HistogramId id) {
  constexpr std::string_view names[] = {"gnomon_statement_us", "gnomon_compile_us"};
  static_assert(std::size(names) == static_cast<size_t>(HistogramId::Count));
  return names[static_cast<size_t>(id)];
}

Metrics::Registration Metrics::addSource(Source source) {
  const std::scoped_lock lock(sources_mutex_);
  return {*this, sources_.insert(sources_.end(), std::move(source))};
}

void Metrics::removeSource(std::list<Source>::iterator source) {
  const std::scoped_lock lock(sources_mutex_);
  sources_.erase(source);
}

/// All samples of a metric stand together, below its type.
void Metrics::printSources(std::string& text) const {
  std::vector<MetricSample> samples;
  {
    const std::scoped_lock lock(sources_mutex_);
    for (const Source& source : sources_) source(samples);
  }
  std::ranges::sort(samples, {}, [](const MetricSample& sample) { return std::tie(sample.name, sample.labels); });
  std::string_view name;
  for (const MetricSample& sample : samples) {
    if (sample.name != name)
      text +=
          fmt::format("# TYPE {} {}\n", sample.name, sample.kind == MetricSample::Kind::Counter ? "counter" : "gauge");
    name = sample.name;
    text += sample.labels.empty() ? std::string(name) : fmt::format("{}{{{}}}", name, sample.labels);
    text += fmt::format(" {}\n", sample.value);
  }
}

std::string Metrics::print() const {
  std::string text;
  for (size_t i = 0; i < static_cast<size_t>(CounterId::Count); ++i) {
    const auto id = static_cast<CounterId>(i);
    text += fmt::format("# TYPE {0} counter\n{0} {1}\n", nameOf(id), value(id));
  }
  for (size_t i = 0; i < histograms_.size(); ++i) {
    const std::string_view name = nameOf(static_cast<HistogramId>(i));
    const Histogram& histogram = histograms_[i];
    text += fmt::format("# TYPE {} histogram\n", name);
    uint64_t below = 0;
    for (size_t bucket = 0; bucket < Histogram::kBucketCount; ++bucket) {
      below += histogram.bucket(bucket);
      text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, (uint64_t{1} << bucket) - 1, below);
    }
    text += fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name, below, histogram.sum());
  }
  printSources(text);
  return text;
}

}  // namespace gnomon
