#include <gtest/gtest.h>

#include "base/cancel.h"
#include "codegen/executor/program.h"
#include "codegen/tests/expression_harness.h"
#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/optimise/optimiser.h"
#include "sql/tests/memory_store.h"

namespace gnomon::codegen::test {
namespace {

using Table = std::vector<std::vector<std::string>>;

uint32_t readNumber(std::string_view& bytes, size_t width) {
  uint32_t number = 0;
  for (const char byte : bytes.substr(0, width)) number = number << 8 | static_cast<uint8_t>(byte);
  bytes.remove_prefix(width);
  return number;
}

/// The columns of protocol messages DataRow in text; NULL is "-".
Table readRows(std::string_view messages) {
  Table rows;
  while (!messages.empty()) {
    EXPECT_EQ(messages.front(), 'D');
    messages.remove_prefix(5);
    rows.emplace_back();
    for (uint32_t columns = readNumber(messages, 2); columns > 0; --columns) {
      const uint32_t length = readNumber(messages, 4);
      if (length == UINT32_MAX) {
        rows.back().emplace_back("-");
        continue;
      }
      rows.back().emplace_back(messages.substr(0, length));
      messages.remove_prefix(length);
    }
  }
  return rows;
}

/// Statements over virtual relations, from text to rows, in the VM and as machine code.
class VirtualScans : public ::testing::TestWithParam<ExecutionMode> {
 protected:
  std::shared_ptr<Program> compile(std::string_view text) {
    sql::BindContext context{catalog_, {}, false, "alice", "db", "", text};
    const auto bound = sql::bind(sql::parse(text).at(0), context);
    const std::shared_ptr<sql::Plan> plan = std::get<sql::QueryStatement>(bound.body).plan;
    sql::optimise(*plan);
    OutputFormat format;
    format.column_formats.assign(static_cast<const sql::Output&>(*plan->root).columns.size(), 0);
    return compileProgram(plan, format, {.mode = GetParam()});
  }
  Table run(const std::shared_ptr<Program>& program) {
    std::string messages;
    const auto execution = startExecution(program, {}, {workers_, cancel_, memory_});
    EXPECT_EQ(execution->run(0, [&](std::span<const char> bytes) { messages.append(bytes.begin(), bytes.end()); }),
              Execution::State::Finished);
    return readRows(messages);
  }
  Table run(std::string_view text) { return run(compile(text)); }

  void add(const std::string& name, std::vector<sql::ColumnEntry> columns, std::function<sql::VirtualRows()> rows) {
    sql::VirtualRelation relation;
    relation.name = name;
    relation.columns = std::move(columns);
    relation.rows = std::move(rows);
    catalog_.addVirtual(std::move(relation));
  }

  sql::Catalog catalog_{std::make_unique<sql::MemoryStore>()};
  WorkerPool workers_{2};
  CancelToken cancel_;
  MemoryAccount memory_;
};
INSTANTIATE_TEST_SUITE_P(Modes, VirtualScans, ::testing::Values(ExecutionMode::Vm, ExecutionMode::Llvm));

TEST_P(VirtualScans, ValuesOfEveryTypeAndNullsArriveAsTheyWereMade) {
  const std::pair<const char*, Type> kinds[] = {{"b", kBoolean},
                                                {"s", kSmallint},
                                                {"i", kInteger},
                                                {"l", kBigint},
                                                {"n", Type::decimal(10, 2)},
                                                {"w", Type::decimal(38, 4)},
                                                {"g", kBig},
                                                {"r", kReal},
                                                {"d", kDouble},
                                                {"t", kText},
                                                {"da", kDate},
                                                {"ts", kTimestamp},
                                                {"iv", kInterval}};
  const Table given = {{"t", "-7", "-70000", "9000000000", "-12.50", "1234567890123456789012345.6789",
                        "0.12345678901234567890123456789012345678901234567890", "1.5", "-2.25", "short", "2024-02-29",
                        "2024-02-29 12:34:56.789", "1 mon -2 days +03:00:00"},
                       {"f", "7", "70000", "-9000000000", "12.50", "-0.0001", "NaN", "-Infinity", "1e+300",
                        "a text of more than twelve bytes", "infinity", "-infinity", "-1 years"},
                       Table::value_type(std::size(kinds), "-")};
  std::vector<sql::ColumnEntry> columns;
  for (const auto& [name, type] : kinds) columns.push_back({name, type, false, ""});
  add("given", std::move(columns), [&] {
    sql::VirtualRows rows;
    for (const auto& texts : given) {
      rows.emplace_back();
      for (size_t i = 0; i < texts.size(); ++i)
        rows.back().push_back(texts[i] == "-" ? null(kinds[i].second) : parsed(kinds[i].second, texts[i]));
    }
    return rows;
  });
  EXPECT_EQ(run("select * from given"), given);
  EXPECT_EQ(run("select t, i from given where i > 0"), (Table{{"a text of more than twelve bytes", "70000"}}));
  EXPECT_EQ(run("select count(*), count(t), max(t) from given"), (Table{{"3", "2", "short"}}));
  EXPECT_EQ(run("select a.t from given a join given b on a.n = -b.n order by 1"),
            (Table{{"a text of more than twelve bytes"}, {"short"}}));
  EXPECT_EQ(run("select 1 from given"), (Table{{"1"}, {"1"}, {"1"}}));
}

TEST_P(VirtualScans, EachExecutionAndEachMentionMakesItsRows) {
  int64_t made = 0;
  add("counted", {{"n", kBigint, true, ""}}, [&] { return sql::VirtualRows{{integer(++made, kBigint)}}; });
  const auto once = compile("select n from counted");
  EXPECT_EQ(made, 0) << "compiling reads nothing";
  EXPECT_EQ(run(once), (Table{{"1"}}));
  EXPECT_EQ(run(once), (Table{{"2"}}));
  EXPECT_EQ(run("select a.n + b.n from counted a, counted b"), (Table{{"7"}}));
  EXPECT_EQ(made, 4);
}

TEST_P(VirtualScans, ThousandsOfRowsRunInParallelAndRowsMayBeNone) {
  constexpr int64_t kRows = 10'000;
  add("many", {{"n", kInteger, true, ""}, {"t", kText, true, ""}}, [] {
    sql::VirtualRows rows;
    for (int64_t n = 0; n < kRows; ++n) rows.push_back({integer(n), text(std::string(n % 30, 'x'))});
    return rows;
  });
  add("none", {{"n", kInteger, true, ""}}, [] { return sql::VirtualRows(); });
  EXPECT_EQ(run("select count(*), sum(n), sum(length(t)) from many"), (Table{{"10000", "49995000", "144900"}}));
  EXPECT_EQ(run("select length(t), count(*) from many where n < 30 and n > 27 group by 1 order by 1"),
            (Table{{"28", "1"}, {"29", "1"}}));
  EXPECT_EQ(run("select * from none"), Table());
  EXPECT_EQ(run("select count(*) from none, many"), (Table{{"0"}}));
  EXPECT_EQ(memory_.usedBytes(), 0u) << "the rows go with the execution";
}

TEST_P(VirtualScans, ErrorOfTheRelationIsTheStatements) {
  add("broken", {{"n", kInteger, true, ""}},
      []() -> sql::VirtualRows { throw SqlError(sqlstate::kIoError, "no rows today"); });
  const auto program = compile("select * from broken");
  EXPECT_THROW(run(program), SqlError);
}

TEST_P(VirtualScans, AnExecutionIsStartedAgain) {
  int64_t made = 0;
  add("counted", {{"n", kBigint, true, ""}}, [&] {
    ++made;
    sql::VirtualRows rows;
    for (int64_t n = 0; n < 3 * made; ++n) rows.push_back({integer(n + made, kBigint)});
    return rows;
  });
  const std::pair<const char*, std::vector<Table>> statements[] = {
      {"select n from counted where n > 1 limit 2", {{{"2"}, {"3"}}, {{"2"}, {"3"}}, {{"3"}, {"4"}}}},
      {"select n from counted order by n desc limit 2", {{{"3"}, {"2"}}, {{"7"}, {"6"}}, {{"11"}, {"10"}}}},
      {"select n % 2, count(*) from counted group by 1 order by 1",
       {{{"0", "1"}, {"1", "2"}}, {{"0", "3"}, {"1", "3"}}, {{"0", "4"}, {"1", "5"}}}},
      {"select count(*) from counted a join (values (1), (2), (3)) as v (n) on a.n = v.n", {{{"3"}}, {{"2"}}, {{"1"}}}},
  };
  for (const auto& [text, answers] : statements) {
    SCOPED_TRACE(text);
    made = 0;
    MemoryAccount memory;
    const auto execution = startExecution(compile(text), {}, {workers_, cancel_, memory});
    uint64_t parked_bytes = 0;
    for (size_t turn = 0; turn < answers.size(); ++turn) {
      if (turn > 0) execution->restart({}, {}, nullptr);
      std::string messages;
      EXPECT_EQ(execution->run(0, [&](std::span<const char> bytes) { messages.append(bytes.begin(), bytes.end()); }),
                Execution::State::Finished);
      EXPECT_EQ(readRows(messages), answers[turn]);
      EXPECT_EQ(execution->rowCount(), answers[turn].size());
      EXPECT_EQ(execution->firstMorselTimeUs() == Execution::kNotMeasured, turn > 0);
      execution->park();
      if (turn == 0) parked_bytes = memory.usedBytes();
      EXPECT_EQ(memory.usedBytes(), parked_bytes);
    }
  }
}

}  // namespace
}  // namespace gnomon::codegen::test
