#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "benchmarks/oltp/connection.h"
#include "benchmarks/oltp/latencies.h"
#include "benchmarks/oltp/workload.h"

namespace gnomon::oltp {

enum class Phase : uint8_t { Warmup, Measured, Over };

/// What became of the transactions of one kind.
struct KindCounts {
  uint64_t committed = 0;  // all that the server has committed
  uint64_t fruitless = 0;  // of these: found nothing to do, as the specification foresees
  uint64_t refused = 0;    // ended with an error that the specification foresees
  uint64_t retries = 0;    // conflicts (40001, 40P01), after each of which the transaction was sent again
  Latencies latencies;     // of those that committed or were refused, from their first sending

  void add(const KindCounts& other);
};

/// What is known of a kind from the first to the last moment, for comparison with what the server has afterwards.
struct KindLedger {
  uint64_t acknowledged = 0;  // commits that the server has reported
  uint64_t open = 0;          // sent, with no answer when the connection was lost
  uint64_t digest = 0;  // of all rows of its answers, whatever their order; only where options.transactions is set
};

struct ClientOptions {
  std::string conninfo;
  std::vector<std::pair<std::string, std::string>> settings;
  uint32_t pipeline = 1;      // transactions on their way at a time
  uint64_t transactions = 0;  // how many the client runs; 0: until the phase is over
  bool may_lose_server = false;
};

/// A session that keeps up to `pipeline` transactions on their way, each with a Sync of its own, so that each commits
/// or fails alone. Answers come in order. What ended in a conflict is sent again after what is on its way.
/// Threads: made in any, then run() in one of its own; the rest once that has ended.
class Client {
 public:
  Client(const ClientOptions& options, const Workload& workload, uint32_t number, uint32_t clients);
  /// Until the phase is over or the transactions are done, and all answers are there. Throws what went wrong.
  void run(const std::atomic<Phase>& phase);
  const std::vector<KindCounts>& counts() const { return counts_; }
  const std::vector<KindLedger>& ledger() const { return ledger_; }
  bool lost() const { return lost_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Transaction transaction;
    Clock::time_point sent;  // for the first time
  };
  void fill(const std::atomic<Phase>& phase);
  void send(std::unique_ptr<Entry> entry);
  void receive(const std::atomic<Phase>& phase);
  Result lastResult(const Entry& entry);

  const ClientOptions& options_;
  const Workload& workload_;
  Connection connection_;
  std::unique_ptr<Generator> generator_;
  std::vector<KindCounts> counts_;
  std::vector<KindLedger> ledger_;
  std::deque<std::unique_ptr<Entry>> on_their_way_, conflicted_;
  std::vector<std::unique_ptr<Entry>> unused_;
  uint64_t drawn_ = 0;
  bool lost_ = false;
};

}  // namespace gnomon::oltp
