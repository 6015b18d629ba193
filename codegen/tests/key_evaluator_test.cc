#include "codegen/executor/key_evaluator.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/bind/index_definition.h"
#include "sql/catalog/catalog.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen {
namespace {

using sql::ColumnEntry;
using sql::Type;
using sql::TypeKind;
using sql::Value;
using storage::Datum;
using ::testing::ElementsAre;

ColumnEntry column(const char* name, Type type) {
  return {.name = name, .type = type, .not_null = false, .default_text = {}};
}

const std::vector<ColumnEntry> kColumns = {
    column("a", Type::of(TypeKind::Text)),     column("b", Type::of(TypeKind::Integer)),
    column("c", Type::of(TypeKind::Smallint)), column("n", sql::numericWithModifier(8, 2)),
    column("r", Type::of(TypeKind::Real)),     column("o", Type::of(TypeKind::Boolean)),
    column("d", Type::of(TypeKind::Date)),     column("w", sql::numericWithModifier(30, 2)),
    column("i", Type::of(TypeKind::Interval)),
};

/// An index of a table of kColumns, its parts and predicate as SQL.
struct Index {
  Index(const std::vector<std::string>& parts, const std::string& predicate) {
    sql::IndexSpecification specification;
    for (const std::string& part : parts)
      specification.columns.push_back({.column = sql::IndexColumn::kExpression, .expression = part});
    specification.predicate = predicate;
    expressions = sql::bindIndexExpressions(kColumns, specification, sql::Catalog());
    evaluator = compileKeyExpressions(expressions);
  }

  /// The parts for a row given as texts ("\N": NULL; missing ones too); "out" alone: it is not in the index.
  std::vector<std::string> evaluate(const std::vector<std::string>& row) const {
    std::vector<Value> values;
    std::vector<Datum> data(kColumns.size());
    std::vector<uint8_t> null_flags(kColumns.size(), 1);
    for (size_t i = 0; i < row.size(); ++i) {
      values.push_back(row[i] == "\\N" ? Value::null(kColumns[i].type) : sql::parseText(kColumns[i].type, row[i]));
      null_flags[i] = values[i].is_null;
    }
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_text = kColumns[i].type.physical() == sql::Physical::String;
      const StringValue text = StringValue::refer(values[i].bytes, StringValue::Storage::Temporary);
      data[i] = is_text ? Datum{text.lo(), text.hi()} : Datum{values[i].lo, values[i].hi};
    }
    const size_t count = expressions->parts.size();
    std::vector<Datum> parts(count);
    std::vector<uint8_t> part_nulls(count);
    Arena memory;
    if (!evaluator->evaluate(data.data(), null_flags.data(), parts.data(), part_nulls.data(), memory)) return {"out"};
    std::vector<std::string> result(count);
    for (size_t i = 0; i < count; ++i) {
      if (part_nulls[i] != 0)
        result[i] = "NULL";
      else
        sql::appendText(expressions->parts[i]->type, parts[i].lo, parts[i].hi, result[i]);
    }
    return result;
  }
  std::string errorOf(const std::vector<std::string>& row) const {
    try {
      evaluate(row);
    } catch (const SqlError& error) {
      return std::string(error.state().text());
    }
    return "none";
  }

  std::shared_ptr<const sql::IndexExpressions> expressions;
  std::shared_ptr<const txn::KeyExpressions> evaluator;
};

TEST(KeyEvaluator, ComputesPartsOfEveryType) {
  const Index index({"upper(a)", "b + c", "n * 2", "r * 2", "NOT o", "d + 1", "w + 1", "i + i", "c", "a || a"}, "");
  EXPECT_THAT(index.evaluate({"ab", "2000000", "-3", "12.50", "1.5", "t", "2020-02-28", "123456789012345678901234.5",
                              "1 day 02:00:00"}),
              ElementsAre("AB", "1999997", "25.00", "3", "f", "2020-02-29", "123456789012345678901235.50",
                          "2 days 04:00:00", "-3", "abab"));
  EXPECT_THAT(index.evaluate({}),
              ElementsAre("NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"));
}

TEST(KeyEvaluator, LongStringsLiveInTheCallersMemory) {
  const Index index({"lower(a)", "a"}, "");
  const std::string text(5000, 'X');
  EXPECT_THAT(index.evaluate({text}), ElementsAre(std::string(5000, 'x'), text));
}

TEST(KeyEvaluator, ARowIsInTheIndexWhereThePredicateIsTrue) {
  const Index index({"b"}, "o AND (b > 5 OR a IS NULL)");
  EXPECT_THAT(index.evaluate({"x", "6", "0", "0", "0", "t"}), ElementsAre("6"));
  EXPECT_THAT(index.evaluate({"x", "5", "0", "0", "0", "t"}), ElementsAre("out"));
  EXPECT_THAT(index.evaluate({"\\N", "5", "0", "0", "0", "t"}), ElementsAre("5"));
  EXPECT_THAT(index.evaluate({"x", "6", "0", "0", "0", "f"}), ElementsAre("out"));
  EXPECT_THAT(index.evaluate({"x", "6", "0", "0", "0", "\\N"}), ElementsAre("out"));
  EXPECT_THAT(index.evaluate({"x", "\\N", "0", "0", "0", "t"}), ElementsAre("out"));
}

TEST(KeyEvaluator, ExpressionsAreEvaluatedOnlyForRowsThatAreIn) {
  const Index index({"10 / b"}, "b <> 0 AND 100 / b > 5");
  EXPECT_THAT(index.evaluate({"", "0"}), ElementsAre("out"));
  EXPECT_THAT(index.evaluate({"", "5"}), ElementsAre("2"));
  EXPECT_EQ(Index({"10 / b"}, "").errorOf({"", "0"}), "22012");
  EXPECT_EQ(Index({"b"}, "10 / b > 1").errorOf({"", "0"}), "22012");
  EXPECT_EQ(Index({"a::integer"}, "").errorOf({"x"}), "22P02");
  EXPECT_EQ(Index({"b + 2147483647"}, "").errorOf({"", "1"}), "22003");
}

TEST(KeyEvaluator, ANumericBeyond38DigitsIsAnErrorOfTheStatement) {
  const Index index({"w * 1000000000"}, "");
  EXPECT_EQ(index.errorOf({"", "1", "1", "1", "1", "t", "2020-01-01", "1.00"}), "none");
  EXPECT_EQ(index.errorOf({"", "1", "1", "1", "1", "t", "2020-01-01", "9999999999999999999999999999.99"}), "22003");
}

TEST(KeyEvaluator, SeveralThreadsUseOne) {
  const Index index({"lower(a) || b::text"}, "b % 2 = 0");
  std::vector<std::thread> threads;
  std::atomic<int> wrong_count = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 500; ++i) {
        const int number = thread * 1000 + i;
        const std::string expected = number % 2 == 0 ? "abcdefghijklmnop" + std::to_string(number) : "out";
        if (index.evaluate({"ABCDEFGHIJKLMNOP", std::to_string(number)}) != std::vector{expected}) ++wrong_count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong_count, 0);
}

}  // namespace
}  // namespace gnomon::codegen
