// What the buffer manager costs when everything is in memory: the same plans as the same generated code, once over the
// tables' pages and once over flat arrays of their columns in one mapping, in turns.
//   overhead_benchmark DIRECTORY RUNS NAME=FILE...
// DIRECTORY was shut down cleanly; each FILE holds a query of one table. benchmarks/micro/overhead makes both.
// Paper 2, section 6 has the experiment.

#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "base/assert.h"
#include "codegen/executor/key_evaluator.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/translate/plan_translator.h"
#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/catalog/catalog.h"
#include "sql/optimise/optimiser.h"
#include "txn/database_storage.h"

namespace {

using namespace gnomon;
using namespace gnomon::codegen;
using storage::LeafAccess;
using storage::StoredKind;

constexpr uint64_t kPoolBytes = uint64_t{8} << 30;

/// A table's rows as one array per column, in one mapping: strings behind them, as a leaf has them.
class FlatTable {
 public:
  explicit FlatTable(txn::Table& table) : schema_(table.schema()), row_count_(table.tupleCountEstimate()) {
    layOut(variableBytes(table));
    fill(table);
  }
  ~FlatTable() { ::munmap(memory_, bytes_); }
  FlatTable(const FlatTable&) = delete;
  FlatTable& operator=(const FlatTable&) = delete;

  [[nodiscard]] const LeafAccess& access() const { return access_; }
  [[nodiscard]] uint64_t rowCount() const { return row_count_; }

 private:
  static constexpr uint64_t kOffsetMax = UINT32_MAX;

  template <typename Visit>
  static void forEachLeaf(txn::Table& table, const Visit& visit) {
    storage::RelationScan scan(table.relation(), table.readBound());
    storage::RelationScan::Claim claim;
    storage::LeafView leaf;
    while (scan.next(claim, leaf)) visit(leaf.access());
  }
  static StringValue* strings(const LeafAccess& access, size_t column) {
    return reinterpret_cast<StringValue*>(const_cast<std::byte*>(access.page_base) + access.column_offsets[column]);
  }
  uint64_t variableBytes(txn::Table& table) const {
    uint64_t bytes = 0;
    forEachLeaf(table, [&](const LeafAccess& access) {
      CHECK(access.flagged_count == 0, "no row was deleted");
      for (size_t column = 0; column < schema_.size(); ++column)
        for (uint32_t row = access.row_begin; schema_[column].kind == StoredKind::String && row < access.row_end; ++row)
          if (const StringValue& text = strings(access, column)[row]; !text.isInline()) bytes += text.length();
    });
    return bytes;
  }
  void layOut(uint64_t variable_bytes) {
    constexpr uint64_t kCacheLine = 64;
    uint64_t end = kCacheLine;
    const auto reserve = [&](uint64_t bytes) {
      const uint64_t begin = end;
      end += (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
      return static_cast<uint32_t>(begin);
    };
    for (const storage::StoredColumn& column : schema_) {
      column_offsets_.push_back(reserve(row_count_ * storedWidth(column.kind)));
      null_offsets_.push_back(column.nullable ? reserve((row_count_ + 7) / 8) : 0);
    }
    strings_end_ = end;
    bytes_ = end + variable_bytes;
    CHECK(bytes_ <= kOffsetMax, "offsets have 32 bits");
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    CHECK(memory_ != MAP_FAILED, "memory for the flat arrays");
    // As the buffer pool does.
    ::madvise(memory_, bytes_, MADV_HUGEPAGE);
    access_ = {memory_,
               column_offsets_.data(),
               null_offsets_.data(),
               static_cast<uint32_t>(schema_.size()),
               0,
               static_cast<uint32_t>(row_count_),
               0,
               0,
               0};
  }
  void fill(txn::Table& table) {
    uint64_t first = 0;
    forEachLeaf(table, [&](const LeafAccess& leaf) {
      const uint64_t rows = leaf.row_end - leaf.row_begin;
      for (size_t column = 0; column < schema_.size(); ++column) {
        const uint32_t width = storedWidth(schema_[column].kind);
        std::memcpy(memory_ + column_offsets_[column] + first * width,
                    leaf.page_base + leaf.column_offsets[column] + leaf.row_begin * width, rows * width);
        for (uint64_t row = 0; row < rows; ++row) {
          if (leaf.null_offsets[column] != 0) copyNull(leaf, column, leaf.row_begin + row, first + row);
          if (schema_[column].kind == StoredKind::String) moveString(leaf, strings(access_, column)[first + row]);
        }
      }
      first += rows;
    });
    CHECK(first == row_count_, "every row was copied");
  }
  void copyNull(const LeafAccess& leaf, size_t column, uint64_t from, uint64_t to) {
    const std::byte byte = leaf.page_base[leaf.null_offsets[column] + (from >> 3)];
    if ((std::to_integer<unsigned>(byte) >> (from & 7) & 1) != 0)
      memory_[null_offsets_[column] + (to >> 3)] |= std::byte{1} << (to & 7);
  }
  void moveString(const LeafAccess& leaf, StringValue& text) {
    if (text.isInline()) return;
    std::memcpy(memory_ + strings_end_, leaf.page_base + (text.hi() & StringValue::kAddressMask), text.length());
    text = StringValue(text.lo(), (text.hi() & ~StringValue::kAddressMask) | strings_end_);
    strings_end_ += text.length();
  }

  const storage::RelationSchema schema_;
  const uint64_t row_count_;
  std::vector<uint32_t> column_offsets_, null_offsets_;
  std::byte* memory_ = nullptr;
  uint64_t bytes_ = 0;
  uint64_t strings_end_ = 0;
  LeafAccess access_{};
};

/// Hands out pieces of the flat arrays, as a scan hands out leaves.
class FlatSource final : public MorselSource {
 public:
  explicit FlatSource(const FlatTable& table) : table_(table) {}
  bool next(Morsel& morsel) override {
    constexpr uint64_t kMorselRows = 16'384;
    const uint64_t begin = next_.fetch_add(kMorselRows);
    if (begin >= table_.rowCount()) return false;
    morsel.data = &table_.access();
    morsel.begin = begin;
    morsel.end = std::min(table_.rowCount(), begin + kMorselRows);
    return true;
  }
  [[nodiscard]] uint64_t rowCount() const override { return table_.rowCount(); }

 private:
  const FlatTable& table_;
  std::atomic<uint64_t> next_{0};
};

const sql::TableScan& scanOf(const sql::Operator& root) {
  const sql::Operator* op = &root;
  while (!op->inputs.empty()) op = op->inputs[0].get();
  CHECK(op->kind == sql::Operator::Kind::TableScan, "a query of one table");
  return static_cast<const sql::TableScan&>(*op);
}

/// One query, ready to run over either.
struct Query {
  std::string name;
  std::shared_ptr<const sql::Plan> plan;
  std::shared_ptr<Program> buffered, flat;
};

constexpr ExecutionPolicy kPolicy{.mode = ExecutionMode::Llvm, .optimisation = Optimisation::Full};

Query prepare(const sql::Catalog& catalog, std::string name, const std::string& file,
              std::map<std::string, std::unique_ptr<FlatTable>>& tables) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string source = text.str();
  sql::BindContext context{catalog, {}, false, "", "", "", source};
  const auto bound = sql::bind(sql::parse(source).at(0), context);
  const std::shared_ptr<sql::Plan> plan = std::get<sql::QueryStatement>(bound.body).plan;
  sql::optimise(*plan);
  OutputFormat format;
  format.column_formats.assign(static_cast<const sql::Output&>(*plan->root).columns.size(), 0);
  const sql::TableScan& scan = scanOf(*plan->root);
  auto& flat = tables[scan.table->name];
  if (!flat) flat = std::make_unique<FlatTable>(*scan.table->storage);

  auto program = std::make_shared<QueryProgram>();
  program->plan = plan;
  program->policy = kPolicy;
  PlanTranslator translator(*program, format);
  translator.setSource(scan, program->addGlobal([table = flat.get()](ExecutionState&) {
    auto made = std::make_unique<FlatSource>(*table);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  }));
  translator.translate(*plan);
  return {std::move(name), plan, compileProgram(plan, format, kPolicy), program};
}

double seconds(clockid_t clock) {
  timespec time;
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Sample {
  double wall_ms;
  double processor_ms;
  std::string rows;
};

Sample run(const std::shared_ptr<Program>& program, WorkerPool& workers) {
  const CancelToken cancel;
  MemoryAccount memory;
  Sample sample{-1e3 * seconds(CLOCK_MONOTONIC), -1e3 * seconds(CLOCK_PROCESS_CPUTIME_ID), {}};
  const auto execution = startExecution(program, {}, {workers, cancel, memory});
  execution->run(0, [&](std::span<const char> bytes) { sample.rows.append(bytes.begin(), bytes.end()); });
  sample.wall_ms += 1e3 * seconds(CLOCK_MONOTONIC);
  sample.processor_ms += 1e3 * seconds(CLOCK_PROCESS_CPUTIME_ID);
  return sample;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(const Query& query, WorkerPool& workers, int runs) {
  std::vector<double> wall[2], processor[2];
  const std::string expected = run(query.buffered, workers).rows;
  CHECK(run(query.flat, workers).rows == expected, "both give the same rows");
  for (int i = 0; i < 2 * runs; ++i) {
    const Sample sample = run(i % 2 == 0 ? query.buffered : query.flat, workers);
    CHECK(sample.rows == expected, "every run gives the same rows");
    wall[i % 2].push_back(sample.wall_ms);
    processor[i % 2].push_back(sample.processor_ms);
  }
  fmt::print("{:<12} {:>7}   {:>9.2f} {:>9.2f} {:>7.3f}   {:>9.2f} {:>9.2f} {:>7.3f}\n", query.name,
             workers.workerCount(), median(wall[0]), median(wall[1]), median(wall[0]) / median(wall[1]),
             median(processor[0]), median(processor[1]), median(processor[0]) / median(processor[1]));
  std::fflush(stdout);
}

void benchmark(const char* directory, int runs, std::span<char*> queries) {
  const auto storage = txn::DatabaseStorage::openReadOnly(directory, {.pool_bytes = kPoolBytes});
  const auto catalog = sql::Catalog::open(*storage, codegen::compileKeyExpressions);
  std::map<std::string, std::unique_ptr<FlatTable>> tables;
  std::vector<Query> prepared;
  for (const std::string argument : queries) {
    const size_t split = argument.find('=');
    prepared.push_back(prepare(*catalog, argument.substr(0, split), argument.substr(split + 1), tables));
  }
  CHECK(storage->buffers().counts().evictions == 0, "everything is in memory");
  fmt::print("medians of {} runs in ms\n", runs);
  fmt::print("{:<12} {:>7}   {:>27}   {:>27}\n", "", "", "wall clock", "processor");
  fmt::print("{:<12} {:>7}   {:>9} {:>9} {:>7}   {:>9} {:>9} {:>7}\n", "query", "workers", "buffered", "flat", "ratio",
             "buffered", "flat", "ratio");
  for (const unsigned worker_count : {1u, 2u}) {
    WorkerPool workers(worker_count);
    for (const Query& query : prepared) measure(query, workers, runs);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "overhead_benchmark DIRECTORY RUNS NAME=FILE...\n");
    return 2;
  }
  benchmark(argv[1], std::atoi(argv[2]), std::span(argv + 3, argv + argc));
  return 0;
}
