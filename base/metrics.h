#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_counters.h"

namespace gnomon {

/// What the server counts since its start.
enum class CounterId : uint8_t {
  ConnectionsAccepted,
  ConnectionsRefused,
  StatementsRun,
  RowsSent,
  RowsCopiedIn,
  ErrorsSent,
  CancelRequests,
  PlanCacheHits,
  PlanCacheMisses,
  TransactionsCommitted,  ///< those that only read included
  TransactionsRolledBack,
  Deadlocks,
  TemporaryFiles,
  TemporaryBytes,
  Count
};

/// What the server measures as distributions.
enum class HistogramId : uint8_t { StatementUs, CompileUs, Count };

/// Counts of values by powers of two: bucket i holds values below 2^i that no bucket before it holds.
/// Threads: any.
class Histogram {
 public:
  static constexpr size_t kBucketCount = 40;

  void record(uint64_t value);
  [[nodiscard]] uint64_t sum() const { return words_.sum(kBucketCount); }
  [[nodiscard]] uint64_t bucket(size_t index) const { return words_.sum(index); }

 private:
  ThreadCounters<kBucketCount + 1> words_;  ///< the buckets, then the values' sum
};

/// A number that somebody else keeps, as it is now.
struct MetricSample {
  enum class Kind : uint8_t { Counter, Gauge };
  std::string_view name;  ///< a literal: "gnomon_buffer_reads_total"
  Kind kind = Kind::Counter;
  std::string labels;  ///< "size_class=\"0\"", or empty
  uint64_t value = 0;
};

/// One registry of counters and histograms for the process. Threads: any.
class Metrics {
 public:
  /// Adds what its owner has counted; called by whoever prints the metrics.
  using Source = std::function<void(std::vector<MetricSample>&)>;
  /// Takes its source out of the registry when it is destroyed.
  class Registration {
   public:
    Registration(Metrics& metrics, std::list<Source>::iterator source) : metrics_(metrics), source_(source) {}
    ~Registration() { metrics_.removeSource(source_); }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    Metrics& metrics_;
    const std::list<Source>::iterator source_;
  };

  static Metrics& instance();

  [[nodiscard]] Registration addSource(Source source);

  void add(CounterId id, uint64_t amount = 1) { counters_.add(static_cast<size_t>(id), amount); }
  [[nodiscard]] uint64_t value(CounterId id) const { return counters_.sum(static_cast<size_t>(id)); }
  Histogram& histogram(HistogramId id) { return histograms_[static_cast<size_t>(id)]; }

  /// "gnomon_statements_run_total".
  static std::string_view nameOf(CounterId id);
  static std::string_view nameOf(HistogramId id);
  /// Everything in Prometheus' text format.
  [[nodiscard]] std::string print() const;

 private:
  void removeSource(std::list<Source>::iterator source);
  void printSources(std::string& text) const;

  mutable std::mutex sources_mutex_;
  std::list<Source> sources_;
  ThreadCounters<static_cast<size_t>(CounterId::Count)> counters_;
  std::array<Histogram, static_cast<size_t>(HistogramId::Count)> histograms_;
};

}  // namespace gnomon
