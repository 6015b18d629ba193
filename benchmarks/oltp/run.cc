#include "benchmarks/oltp/run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace gnomon::oltp {

namespace {

using Clock = std::chrono::steady_clock;

double processorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The threads of the clients; waiting for them ends early when all have ended or one has failed.
class Crew {
 public:
  Crew(const Workload& workload, const RunOptions& options) {
    for (uint32_t number = 0; number < options.clients; ++number)
      clients_.push_back(std::make_unique<Client>(options.client, workload, number, options.clients));
  }
  void start(const std::atomic<Phase>& phase) {
    running_ = clients_.size();
    for (const auto& client : clients_)
      threads_.emplace_back([this, &phase, work = client.get()] {
        std::exception_ptr failure;
        try {
          work->run(phase);
        } catch (...) {
          failure = std::current_exception();
        }
        const std::lock_guard guard(mutex_);
        if (failure && !failure_) failure_ = failure;
        --running_;
        changed_.notify_all();
      });
  }
  void waitFor(double seconds) {
    std::unique_lock guard(mutex_);
    changed_.wait_for(guard, std::chrono::duration<double>(seconds), [this] { return running_ == 0 || failure_; });
  }
  void waitForAll() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return running_ == 0 || failure_; });
  }
  void join() {
    threads_.clear();
    if (failure_) std::rethrow_exception(failure_);
  }
  const std::vector<std::unique_ptr<Client>>& clients() const { return clients_; }

 private:
  std::vector<std::unique_ptr<Client>> clients_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t running_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

std::string described(std::string_view name, const KindCounts& counts, const KindLedger& ledger) {
  const auto microseconds = [&](double share) { return static_cast<double>(counts.latencies.percentile(share)) / 1e3; };
  return fmt::format(
      R"("{}": {{"committed": {}, "fruitless": {}, "refused": {}, "retries": {}, "p50": {:.1f}, "p95": {:.1f}, )"
      R"("p99": {:.1f}, "max": {:.1f}, "acknowledged": {}, "open": {}, "digest": {}}})",
      name, counts.committed, counts.fruitless, counts.refused, counts.retries, microseconds(0.5), microseconds(0.95),
      microseconds(0.99), static_cast<double>(counts.latencies.most()) / 1e3, ledger.acknowledged, ledger.open,
      ledger.digest);
}

}  // namespace

void addConnectionOption(CLI::App& command, std::string& conninfo) {
  command.add_option("--conninfo", conninfo, "where the server is, as libpq reads it")->required();
}

void addRunOptions(CLI::App& command, RunOptions& options) {
  addConnectionOption(command, options.client.conninfo);
  command.add_option("--clients", options.clients, "sessions, each with a thread (1)")->check(CLI::PositiveNumber);
  command.add_option("--warmup", options.warmup, "seconds before those that are measured (0)");
  command.add_option("--seconds", options.seconds, "seconds that are measured (5)");
  command.add_option("--transactions", options.client.transactions, "how many each client runs, instead of --seconds");
  command.add_option("--pipeline", options.client.pipeline, "transactions on their way at a time, of each client (1)")
      ->check(CLI::PositiveNumber);
  command.add_option("--isolation", options.isolation, "level of the transactions (repeatable read)")
      ->check(CLI::IsMember({"read committed", "repeatable read", "serializable"}));
  command.add_option("--synchronous-commit", options.synchronous_commit, "whether commits wait for the disk (on)")
      ->check(CLI::IsMember({"on", "off"}));
  command.add_flag("--may-lose-server", options.client.may_lose_server,
                   "the server's end ends the run, and is no error");
}

void run(const Workload& workload, RunOptions options) {
  options.client.settings = {{"default_transaction_isolation", fmt::format("'{}'", options.isolation)},
                             {"synchronous_commit", options.synchronous_commit}};
  const bool counted = options.client.transactions > 0;
  Crew crew(workload, options);
  std::atomic<Phase> phase = counted ? Phase::Measured : Phase::Warmup;
  crew.start(phase);
  if (!counted) crew.waitFor(options.warmup);
  const double spent_before = processorSeconds();
  const Clock::time_point begun = Clock::now();
  phase = Phase::Measured;
  if (counted) {
    crew.waitForAll();
  } else {
    crew.waitFor(options.seconds);
  }
  phase = Phase::Over;
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  const double spent = processorSeconds() - spent_before;
  crew.join();

  std::string transactions;
  bool lost = false;
  for (const auto& client : crew.clients()) lost |= client->lost();
  for (size_t kind = 0; kind < workload.kinds().size(); ++kind) {
    KindCounts counts;
    KindLedger ledger;
    for (const auto& client : crew.clients()) {
      counts.add(client->counts()[kind]);
      ledger.acknowledged += client->ledger()[kind].acknowledged;
      ledger.open += client->ledger()[kind].open;
      ledger.digest += client->ledger()[kind].digest;
    }
    transactions += (kind > 0 ? ", " : "") + described(workload.kinds()[kind], counts, ledger);
  }
  fmt::print("{{\"seconds\": {:.4f}, \"driver_seconds\": {:.4f}, \"lost\": {}, \"transactions\": {{{}}}}}\n", seconds,
             spent, lost, transactions);
}

}  // namespace gnomon::oltp
