// TPC-C's driver: loads the tables of schema.sql, and runs the mix of transactions by way of routines.sql.
//   tpcc_benchmark load --conninfo ... --warehouses 10
//   tpcc_benchmark run --conninfo ... --warehouses 10 --clients 4 --seconds 30
// benchmarks/tpcc/run starts servers, calls this and compares. Paper 1, section 4.2 has the experiment.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <exception>
#include <future>

#include "benchmarks/oltp/run.h"
#include "benchmarks/tpcc/loader.h"
#include "benchmarks/tpcc/workload.h"

namespace {

using namespace gnomon;

void load(const std::string& conninfo, int32_t warehouses, uint32_t threads, uint64_t seed) {
  std::atomic<int32_t> next = 0;
  const auto work = [&] {
    oltp::Connection connection(conninfo);
    for (int32_t warehouse = next++; warehouse <= warehouses; warehouse = next++) {
      if (warehouse == 0) {
        tpcc::loadItems(connection, seed);
      } else {
        tpcc::loadWarehouse(connection, seed, warehouse);
      }
    }
  };
  std::vector<std::future<void>> running;
  for (uint32_t thread = 0; thread < threads; ++thread) running.push_back(std::async(std::launch::async, work));
  for (auto& each : running) each.get();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("TPC-C");
  app.require_subcommand(1);
  std::string conninfo;
  int32_t warehouses = 1;
  uint32_t threads = 2;
  uint64_t seed = 1;
  bool any_home = false;
  oltp::RunOptions options;
  CLI::App* loading = app.add_subcommand("load", "fill empty tables");
  CLI::App* running = app.add_subcommand("run", "run transactions; prints JSON");
  oltp::addConnectionOption(*loading, conninfo);
  oltp::addRunOptions(*running, options);
  for (CLI::App* command : {loading, running}) {
    command->add_option("--warehouses", warehouses, "(1)")->check(CLI::PositiveNumber);
    command->add_option("--seed", seed, "of random numbers (1)");
  }
  loading->add_option("--threads", threads, "connections that load (2)")->check(CLI::PositiveNumber);
  running->add_flag("--any-home", any_home, "transactions are at home anywhere, not in warehouses of their client's");
  CLI11_PARSE(app, argc, argv);
  try {
    if (loading->parsed()) {
      load(conninfo, warehouses, threads, seed);
    } else {
      oltp::run(tpcc::TpccWorkload(warehouses, !any_home, seed), options);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
