// What versions cost a scan: a sum over 10 million (key, value) rows while some of them have been changed since the
// oldest snapshot was taken, by that snapshot and by the newest, beside the same scan of the table without versions.
//   scan_benchmark DIRECTORY [ROWS [RUNS [DIRTY_ROWS...]]]
// Paper 3, section 4.2 (figures 7 and 8) has the experiment.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "base/assert.h"
#include "base/worker_pool.h"
#include "codegen/executor/key_evaluator.h"
#include "codegen/executor/program.h"
#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/catalog/define_alone.h"
#include "sql/optimise/optimiser.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"

namespace {

using namespace gnomon;

constexpr uint64_t kPoolBytes = uint64_t{4} << 30;
constexpr uint64_t kRowsPerTransaction = 10;
const CancelToken kCalm;

sql::BoundStatement boundText(const sql::Catalog& catalog, const std::string& text) {
  sql::BindContext context{catalog, {}, false, "", "", "", text};
  return sql::bind(sql::parse(text).at(0), context);
}

void fill(txn::Table& table, uint64_t rows) {
  constexpr uint64_t kBatch = 1000;
  txn::LoneStatement statement(table, kCalm);
  std::vector<txn::Datum> values;
  const std::vector<uint8_t> null_flags(2 * kBatch);
  for (uint64_t first = 0; first < rows; first += kBatch) {
    values.clear();
    for (uint64_t key = first; key < first + kBatch; ++key) values.insert(values.end(), {{key, 0}, {key % 1000, 0}});
    statement->appendBatch(values.data(), null_flags.data(), kBatch);
  }
  statement.commit();
}

/// Changes `count` rows, spread evenly, ten in a transaction.
void change(txn::Table& table, uint64_t rows, uint64_t count, std::mt19937_64& random) {
  const uint32_t column = 1;
  const uint8_t null_flag = 0;
  for (uint64_t first = 0; first < count; first += kRowsPerTransaction) {
    txn::LoneStatement statement(table, kCalm);
    for (uint64_t i = first; i < std::min(count, first + kRowsPerTransaction); ++i) {
      const uint64_t id = rows / count * i + random() % (rows / count);
      const txn::Datum value{random() % 1000, 0};
      statement->update(txn::TupleId{id}, {{&column, 1}, &value, &null_flag});
    }
    statement.commit();
  }
}

struct Sample {
  double ms;
  std::string rows;
};

Sample run(const std::shared_ptr<codegen::Program>& program, WorkerPool& workers, const txn::Snapshot& snapshot) {
  const auto now = [] {
    timespec time;
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  MemoryAccount memory;
  Sample sample{-now(), {}};
  codegen::startExecution(program, {}, {workers, kCalm, memory, snapshot})->run(0, [&](std::span<const char> bytes) {
    sample.rows.append(bytes.begin(), bytes.end());
  });
  sample.ms += now();
  return sample;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void benchmark(const char* directory, uint64_t rows, int runs, const std::vector<uint64_t>& levels) {
  const auto storage = txn::DatabaseStorage::open(directory, {.pool_bytes = kPoolBytes});
  const auto catalog = sql::Catalog::open(*storage, codegen::compileKeyExpressions);
  // Both tables are changed alike, but nobody looks at the versions of the second one.
  for (const std::string name : {"changed", "quiet"}) {
    const auto created = boundText(*catalog, "create table " + name + " (key bigint not null, value bigint not null)");
    sql::defineAlone(*catalog, storage->transactions(), kCalm,
                     [&](sql::CatalogTransaction& definitions, const auto& context) {
                       definitions.createTable(std::get<sql::CreateTableStatement>(created.body), context);
                     });
    fill(*catalog->find({"public", name})->storage, rows);
  }
  const auto compile = [&](const std::string& table) {
    auto bound = boundText(*catalog, "select sum(value) from " + table);
    const std::shared_ptr<sql::Plan> plan = std::get<sql::QueryStatement>(bound.body).plan;
    sql::optimise(*plan);
    codegen::OutputFormat format;
    format.column_formats.assign(1, 0);
    return codegen::compileProgram(plan, format,
                                   {.mode = codegen::ExecutionMode::Llvm, .optimisation = codegen::Optimisation::Full});
  };
  const auto changed = compile("changed"), quiet = compile("quiet");
  WorkerPool workers(1);
  txn::Table& table = *catalog->find({"public", "changed"})->storage;
  txn::TransactionManager& transactions = storage->transactions();
  std::mt19937_64 random(1);
  fmt::print("sum over {} rows, processor time, medians of {} runs\n", rows, runs);
  fmt::print("{:>13} {:>8}   {:>10} {:>10} {:>10}   {:>8} {:>8}\n", "dirty records", "share", "oldest ms", "newest ms",
             "quiet ms", "oldest", "newest");
  for (const uint64_t dirty : levels) {
    const auto oldest = transactions.takeSnapshot();
    const std::string before = run(changed, workers, oldest.snapshot()).rows;
    if (dirty > 0) change(table, rows, dirty, random);
    const auto newest = transactions.takeSnapshot();
    const std::string after = run(changed, workers, newest.snapshot()).rows;
    // The machine may change its pace from one turn to the next: speeds are compared within each.
    std::vector<double> times[3], speeds[2];
    for (int i = 0; i < runs; ++i) {
      const Sample old = run(changed, workers, oldest.snapshot());
      CHECK(old.rows == before, "a snapshot sees what it saw before");
      const Sample young = run(changed, workers, newest.snapshot());
      CHECK(young.rows == after, "so does the newest");
      times[0].push_back(old.ms);
      times[1].push_back(young.ms);
      const double base = run(quiet, workers, newest.snapshot()).ms;
      times[2].push_back(base);
      speeds[0].push_back(base / old.ms);
      speeds[1].push_back(base / young.ms);
    }
    fmt::print("{:>13} {:>7.3f}%   {:>10.2f} {:>10.2f} {:>10.2f}   {:>8.2f} {:>8.2f}\n", dirty,
               100.0 * static_cast<double>(dirty) / static_cast<double>(rows), median(times[0]), median(times[1]),
               median(times[2]), median(speeds[0]), median(speeds[1]));
    std::fflush(stdout);
  }
  fmt::print("(the last two columns: speed of the scan, without versions 1)\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "scan_benchmark DIRECTORY [ROWS [RUNS [DIRTY_ROWS...]]]\n");
    return 2;
  }
  std::vector<uint64_t> levels;
  for (int i = 4; i < argc; ++i) levels.push_back(std::strtoull(argv[i], nullptr, 10));
  if (levels.empty()) levels = {0, 100, 1'000, 10'000, 50'000, 100'000, 500'000, 1'000'000};
  benchmark(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000'000, argc > 3 ? std::atoi(argv[3]) : 11,
            levels);
  return 0;
}
