#include "benchmarks/oltp/client.h"

#include <fmt/format.h>

#include <string_view>

#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC  // the library's, which may be newer than the header
extern "C" int PQsendPipelineSync(PGconn* connection);
#endif

namespace gnomon::oltp {

namespace {

/// The sum of the rows' hashes (FNV-1a, over lengths and bytes of the values).
uint64_t digestOf(const PGresult* result) {
  uint64_t sum = 0;
  for (int row = 0; row < PQntuples(result); ++row) {
    uint64_t hash = 0xcbf29ce484222325;
    const auto take = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
    for (int column = 0; column < PQnfields(result); ++column) {
      const int length = PQgetisnull(result, row, column) != 0 ? 255 : PQgetlength(result, row, column);
      take(static_cast<unsigned char>(length));
      for (int byte = 0; byte < PQgetlength(result, row, column); ++byte)
        take(static_cast<unsigned char>(PQgetvalue(result, row, column)[byte]));
    }
    sum += hash;
  }
  return sum;
}

}  // namespace

void KindCounts::add(const KindCounts& other) {
  committed += other.committed;
  fruitless += other.fruitless;
  refused += other.refused;
  retries += other.retries;
  latencies.add(other.latencies);
}

Client::Client(const ClientOptions& options, const Workload& workload, uint32_t number, uint32_t clients)
    : options_(options),
      workload_(workload),
      connection_(options.conninfo, options.settings),
      generator_(workload.generator(number, clients)),
      counts_(workload.kinds().size()),
      ledger_(workload.kinds().size()) {
  for (const Statement& statement : workload.statements()) connection_.prepare(statement);
  if (PQenterPipelineMode(connection_.get()) != 1) connection_.fail("pipeline mode");
}

void Client::run(const std::atomic<Phase>& phase) {
  try {
    for (;;) {
      fill(phase);
      if (on_their_way_.empty()) break;
      receive(phase);
    }
  } catch (const ConnectionLost&) {
    if (!options_.may_lose_server) throw;
    lost_ = true;
    for (const auto& entry : on_their_way_) ++ledger_[entry->transaction.kind].open;
  }
}

/// Once half of what may be on its way has been answered, so that messages go out together.
void Client::fill(const std::atomic<Phase>& phase) {
  if (on_their_way_.size() > options_.pipeline / 2) return;
  while (on_their_way_.size() < options_.pipeline && phase.load(std::memory_order_relaxed) != Phase::Over) {
    if (!conflicted_.empty()) {
      std::unique_ptr<Entry> again = std::move(conflicted_.front());
      conflicted_.pop_front();
      send(std::move(again));
      continue;
    }
    if (options_.transactions > 0 && drawn_ == options_.transactions) return;
    std::unique_ptr<Entry> entry;
    if (unused_.empty()) {
      entry = std::make_unique<Entry>();
    } else {
      entry = std::move(unused_.back());
      unused_.pop_back();
    }
    generator_->next(entry->transaction);
    ++drawn_;
    entry->sent = Clock::now();
    send(std::move(entry));
  }
}

void Client::send(std::unique_ptr<Entry> entry) {
  Transaction& transaction = entry->transaction;
  on_their_way_.push_back(std::move(entry));
  for (uint16_t number = 0; number < transaction.step_count; ++number) {
    Parameters& parameters = transaction.steps[number].parameters;
    const Statement& statement = workload_.statements()[transaction.steps[number].statement];
    if (PQsendQueryPrepared(connection_.get(), statement.name.c_str(), parameters.count(), parameters.values(),
                            parameters.lengths(), parameters.formats(), 1) != 1)
      connection_.fail(statement.name);
  }
#ifdef LIBPQ_HAS_SEND_PIPELINE_SYNC  // does not write at once; PQgetResult does when it has to wait
  if (PQsendPipelineSync(connection_.get()) != 1) connection_.fail("Sync");
#else
  if (PQpipelineSync(connection_.get()) != 1) connection_.fail("Sync");
#endif
}

/// Of the transaction: the result of its last statement, or of the one that failed.
Result Client::lastResult(const Entry& entry) {
  Result last;
  for (uint16_t step = 0; step < entry.transaction.step_count; ++step) {
    bool answered = false;
    while (Result result{PQgetResult(connection_.get())}) {
      const ExecStatusType status = PQresultStatus(result.get());
      if (status == PGRES_FATAL_ERROR && PQstatus(connection_.get()) == CONNECTION_BAD)
        connection_.fail("answer", result.get());
      answered = true;
      if (status != PGRES_PIPELINE_ABORTED) last = std::move(result);
    }
    if (!answered) connection_.fail("an answer is missing");
  }
  const Result sync(PQgetResult(connection_.get()));
  if (PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) connection_.fail("Sync", sync.get());
  return last;
}

void Client::receive(const std::atomic<Phase>& phase) {
  const Result result = lastResult(*on_their_way_.front());
  std::unique_ptr<Entry> entry = std::move(on_their_way_.front());
  on_their_way_.pop_front();
  const Transaction& transaction = entry->transaction;
  const bool counts = phase.load(std::memory_order_relaxed) == Phase::Measured;
  KindCounts& count = counts_[transaction.kind];
  if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR) {
    const char* reported = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    const std::string_view sqlstate = reported != nullptr ? reported : "";
    if (sqlstate == "40001" || sqlstate == "40P01") {
      if (counts) ++count.retries;
      conflicted_.push_back(std::move(entry));
      return;
    }
    if (options_.may_lose_server && sqlstate.starts_with("57P")) {
      on_their_way_.push_front(std::move(entry));
      throw ConnectionLost(PQresultErrorMessage(result.get()));
    }
    if (!workload_.expectsError(transaction.kind, sqlstate))
      throw std::runtime_error(
          fmt::format("{}: {} {}", workload_.kinds()[transaction.kind], sqlstate, PQresultErrorMessage(result.get())));
    if (counts) ++count.refused;
  } else {
    ++ledger_[transaction.kind].acknowledged;
    if (options_.transactions > 0) ledger_[transaction.kind].digest += digestOf(result.get());
    if (counts) {
      ++count.committed;
      if (!workload_.fruitful(transaction, result.get())) ++count.fruitless;
    }
  }
  if (counts) {
    const auto taken = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - entry->sent);
    count.latencies.add(static_cast<uint64_t>(taken.count()));
  }
  unused_.push_back(std::move(entry));
}

}  // namespace gnomon::oltp
