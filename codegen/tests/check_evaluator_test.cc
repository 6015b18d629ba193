#include "codegen/executor/check_evaluator.h"

#include <gmock/gmock.h>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/catalog.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen {
namespace {

using sql::ColumnEntry;
using sql::RowChecker;
using sql::Type;
using sql::TypeKind;
using sql::Value;
using storage::Datum;

ColumnEntry column(const char* name, Type type) {
  return {.name = name, .type = type, .not_null = false, .default_text = {}};
}

const std::vector<ColumnEntry> kColumns = {
    column("a", Type::of(TypeKind::Text)),
    column("b", Type::of(TypeKind::Integer)),
    column("w", sql::numericWithModifier(38, 0)),
    column("y", Type::of(TypeKind::Bytea)),
};

/// Checks of a table of kColumns.
struct Checks {
  explicit Checks(const std::vector<std::string>& conditions, sql::ByteaOutput bytea_output = sql::ByteaOutput::Hex,
                  ExecutionMode mode = ExecutionMode::Auto) {
    std::vector<sql::CheckEntry> checks;
    for (const std::string& condition : conditions) checks.push_back({"check", condition, true});
    const sql::Catalog no_tables;
    sql::BindContext context{no_tables, {}, false, "alice", {}, {}, {}};
    sql::BindState state(context);
    checker = compileChecks(sql::checkForms(state, kColumns, checks), {.mode = mode}, bytea_output, memory);
  }

  /// The first violation by a row given as texts ("\N": NULL; missing ones too); -1: none; -2: 22012.
  int violation(const std::vector<std::string>& row) {
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
    try {
      const uint32_t violated = checker->firstViolation(data.data(), null_flags.data());
      return violated == RowChecker::kNone ? -1 : static_cast<int>(violated);
    } catch (const SqlError& error) {
      EXPECT_EQ(error.state(), sqlstate::kDivisionByZero);
      return -2;
    }
  }

  MemoryAccount memory{1 << 20};
  std::unique_ptr<RowChecker> checker;
};

TEST(CheckEvaluator, FindsTheFirstConditionThatIsFalse) {
  Checks checks({"b > 0", "length(a) < 3", "10 / (b - 3) < 5 OR a IS NULL", "b <> 4"});
  EXPECT_EQ(checks.violation({"ab", "1"}), -1);
  EXPECT_EQ(checks.violation({"abc", "1"}), 1);
  EXPECT_EQ(checks.violation({"abc", "0"}), 0);
  EXPECT_EQ(checks.violation({"a", "4"}), 2);
  EXPECT_EQ(checks.violation({"\\N", "4"}), 3);
}

TEST(CheckEvaluator, NullPasses) {
  Checks checks({"b > 0 AND b < 10", "NOT (a = 'x')", "b > 5 OR a = 'y'"});
  EXPECT_EQ(checks.violation({"\\N", "\\N"}), -1);
  EXPECT_EQ(checks.violation({"\\N", "3"}), -1);
  EXPECT_EQ(checks.violation({"z", "3"}), 2);
  EXPECT_EQ(checks.violation({"x", "\\N"}), 1);
}

TEST(CheckEvaluator, StopsAtAnErrorThatComesFirst) {
  Checks checks({"10 / b > 0", "b <> 0"}), other({"b <> 0", "10 / b > 0"});
  EXPECT_EQ(checks.violation({"a", "0"}), -2);
  EXPECT_EQ(other.violation({"a", "0"}), 0);
  EXPECT_EQ(other.violation({"a", "-5"}), 1);
}

TEST(CheckEvaluator, GoesOnWithMoreDigitsWhereTheUsualOnesDoNotDo) {
  const std::string nines(38, '9');
  Checks checks({"b > 0", "w * w > 100"});
  EXPECT_EQ(checks.violation({"a", "1", "11"}), -1);
  EXPECT_EQ(checks.violation({"a", "1", nines}), -1);
  EXPECT_EQ(checks.violation({"a", "0", nines}), 0);
  EXPECT_EQ(checks.violation({"a", "1", "10"}), 1);
}

TEST(CheckEvaluator, CastsByteaAsTheSessionShowsIt) {
  Checks hex({"y::text LIKE '\\\\x%'"}), escaped({"y::text LIKE '\\\\x%'"}, sql::ByteaOutput::Escape);
  EXPECT_EQ(hex.violation({"a", "1", "1", "abc"}), -1);
  EXPECT_EQ(escaped.violation({"a", "1", "1", "abc"}), 0);
}

TEST(CheckEvaluator, FindsTheSameBeforeAndAfterItBecomesMachineCode) {
  for (const ExecutionMode mode : {ExecutionMode::Vm, ExecutionMode::Llvm, ExecutionMode::Auto}) {
    Checks checks({"b > 0", "length(a) < 3", "10 / (b - 3) < 5 OR a IS NULL"}, sql::ByteaOutput::Hex, mode);
    for (int i = 0; i < 100'000; ++i) ASSERT_EQ(checks.violation({"ab", "1"}), -1);
    EXPECT_EQ(checks.violation({"abc", "1"}), 1);
    EXPECT_EQ(checks.violation({"a", "3"}), -2);
    EXPECT_EQ(checks.violation({"a", "4"}), 2);
    EXPECT_EQ(checks.violation({"\\N", "\\N"}), -1);
  }
}

TEST(CheckEvaluator, ManyRowsTakeNoMoreMemoryThanOne) {
  Checks checks({"length(repeat(a, 1000)) < 20000"});
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(checks.violation({"0123456789", "1"}), -1);
  EXPECT_EQ(checks.violation({"0123456789012345678901234567890"}), 0);
}

}  // namespace
}  // namespace gnomon::codegen
