#include <gtest/gtest.h>

#include <thread>

#include <pthread.h>

#include "base/sql_error.h"
#include "codegen/tests/expression_harness.h"

/// Three-valued logic, conditional evaluation, IN lists, constant folding, deep nesting.
namespace gnomon::codegen::test {
namespace {

const Value kTrue = boolean(true);
const Value kFalse = boolean(false);
const Value kUnknown = null(kBoolean);

/// An expression that raises 22012 for every row, and one that does not but is not simple.
ExpressionPtr raising(const Row& row, size_t column) {
  return call(FunctionId::Equal, kBoolean, call(FunctionId::Divide, kInteger, row.column(column), constant(integer(0))),
              constant(integer(1)));
}
ExpressionPtr laborious(const Row& row, size_t boolean_column, size_t integer_column) {
  return logic(Kind::Or, row.column(boolean_column),
               call(FunctionId::NotEqual, kBoolean,
                    call(FunctionId::Divide, kInteger, row.column(integer_column), constant(integer(1))),
                    row.column(integer_column)));
}

TEST(ExpressionLogic, TruthTablesHoldStraightAndWithBranches) {
  Row row;
  row.add(kBoolean);
  row.add(kBoolean);
  row.add(kInteger, false);
  const Value values[] = {kTrue, kFalse, kUnknown};
  const auto meet = [](const Value& a, const Value& b) {
    if ((!a.is_null && a.lo == 0) || (!b.is_null && b.lo == 0)) return kFalse;
    return a.is_null || b.is_null ? kUnknown : kTrue;
  };
  const auto join = [](const Value& a, const Value& b) {
    if ((!a.is_null && a.lo != 0) || (!b.is_null && b.lo != 0)) return kTrue;
    return a.is_null || b.is_null ? kUnknown : kFalse;
  };
  for (const bool is_simple : {true, false}) {
    const auto second = [&] { return is_simple ? row.column(1) : laborious(row, 1, 2); };
    const auto first = [&] { return is_simple ? row.column(0) : laborious(row, 0, 2); };
    const auto conjunction = logic(Kind::And, first(), second());
    const auto disjunction = logic(Kind::Or, first(), second());
    const auto negation = logic(Kind::Not, first());
    for (const Value& a : values) {
      for (const Value& b : values) {
        const std::vector<std::vector<Value>> rows{{a, b, integer(3)}};
        EXPECT_EQ(evaluate(row, *conjunction, rows).front(), gives(meet(a, b)));
        EXPECT_EQ(evaluate(row, *disjunction, rows).front(), gives(join(a, b)));
        const Value is_true = boolean(!meet(a, b).is_null && meet(a, b).lo != 0);
        EXPECT_EQ(evaluate(row, *conjunction, rows, Form::Require).front(), gives(is_true));
        EXPECT_EQ(evaluate(row, *conjunction, rows, Form::Truth).front(), gives(is_true));
      }
      const Value inverse = a.is_null ? kUnknown : boolean(a.lo == 0);
      EXPECT_EQ(evaluate(row, *negation, {{a, a, integer(3)}}).front(), gives(inverse));
    }
  }
}

TEST(ExpressionLogic, TestsAreNeverNull) {
  Row row;
  row.add(kBoolean);
  const std::pair<Kind, std::array<bool, 3>> tests[] = {
      {Kind::IsNull, {false, false, true}},  {Kind::IsNotNull, {true, true, false}},
      {Kind::IsTrue, {true, false, false}},  {Kind::IsNotTrue, {false, true, true}},
      {Kind::IsFalse, {false, true, false}}, {Kind::IsNotFalse, {true, false, true}},
  };
  const Value values[] = {kTrue, kFalse, kUnknown};
  for (const auto& [kind, wanted] : tests) {
    const auto test = logic(kind, row.column(0));
    const auto inverse = logic(Kind::Not, logic(kind, row.column(0)));
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(evaluate(row, *test, {{values[i]}}).front(), gives(boolean(wanted[i])));
      EXPECT_EQ(evaluate(row, *inverse, {{values[i]}}, Form::Require).front(), gives(boolean(!wanted[i])));
    }
  }
}

TEST(ExpressionLogic, DecidedOperandsGuardThoseBehindThem) {
  Row row;
  row.add(kBoolean);
  row.add(kInteger);
  const auto guarded_and = logic(Kind::And, row.column(0), raising(row, 1));
  const auto guarded_or = logic(Kind::Or, row.column(0), raising(row, 1));
  EXPECT_EQ(evaluate(row, *guarded_and, {{kFalse, integer(1)}}).front(), gives(kFalse));
  EXPECT_EQ(evaluate(row, *guarded_and, {{kTrue, integer(1)}}).front(), fails("22012 division by zero"));
  EXPECT_EQ(evaluate(row, *guarded_and, {{kTrue, null(kInteger)}}).front(), gives(kUnknown));
  EXPECT_EQ(evaluate(row, *guarded_or, {{kTrue, integer(1)}}).front(), gives(kTrue));
  EXPECT_EQ(evaluate(row, *guarded_or, {{kFalse, integer(1)}}).front(), fails("22012 division by zero"));
}

TEST(ExpressionLogic, CaseAndCoalesceEvaluateOnlyWhatTheyChoose) {
  Row row;
  row.add(kInteger);
  row.add(kInteger);
  const auto quotient = [&] { return call(FunctionId::Divide, kInteger, row.column(0), row.column(1)); };
  auto safe = node(Kind::Case, kInteger,
                   list(call(FunctionId::Equal, kBoolean, row.column(1), constant(integer(0))),
                        constant(null(kInteger)), quotient()));
  EXPECT_EQ(evaluate(row, *safe, {{integer(6), integer(0)}, {integer(6), integer(2)}, {integer(6), null(kInteger)}}),
            (std::vector<Outcome>{gives(null(kInteger)), gives(integer(3)), gives(null(kInteger))}));
  auto first = node(Kind::Coalesce, kInteger, list(row.column(0), quotient(), constant(integer(9))));
  EXPECT_EQ(evaluate(row, *first, {{integer(6), integer(0)}, {null(kInteger), integer(0)}}),
            (std::vector<Outcome>{gives(integer(6)), gives(integer(9))}));
}

/// c1 is loaded inside one branch and read again behind it: the load must not be taken for the later read.
TEST(ExpressionLogic, ColumnsLoadedInABranchAreLoadedAgainBehindIt) {
  Row row;
  row.add(kInteger);
  row.add(kInteger);
  auto chosen = node(Kind::Case, kInteger,
                     list(call(FunctionId::Greater, kBoolean, row.column(0), constant(integer(0))),
                          call(FunctionId::Add, kInteger, row.column(1), constant(integer(1))), constant(integer(0))));
  const auto sum = call(FunctionId::Add, kInteger, std::move(chosen), row.column(1));
  EXPECT_EQ(evaluate(row, *sum, {{integer(1), integer(10)}, {integer(-1), integer(10)}}),
            (std::vector<Outcome>{gives(integer(21)), gives(integer(10))}));
}

TEST(ExpressionLogic, GreatestAndLeastPassOverNulls) {
  Row row;
  row.add(kInteger);
  row.add(kInteger);
  const auto greatest = node(Kind::Greatest, kInteger, list(row.column(0), row.column(1), constant(integer(5))));
  const auto least = node(Kind::Least, kInteger, list(row.column(0), row.column(1)));
  const std::vector<std::vector<Value>> rows{
      {integer(3), integer(7)}, {null(kInteger), null(kInteger)}, {null(kInteger), integer(2)}};
  EXPECT_EQ(evaluate(row, *greatest, rows),
            (std::vector<Outcome>{gives(integer(7)), gives(integer(5)), gives(integer(5))}));
  EXPECT_EQ(evaluate(row, *least, rows),
            (std::vector<Outcome>{gives(integer(3)), gives(null(kInteger)), gives(integer(2))}));
}

TEST(ExpressionLogic, DistinctTreatsNullAsAValue) {
  Row row;
  row.add(kText);
  row.add(kText);
  const auto distinct = logic(Kind::IsDistinct, row.column(0), row.column(1));
  const std::string lengthy(40, 'x');
  EXPECT_EQ(
      evaluate(row, *distinct, {{text(lengthy), text(lengthy)}, {text(""), null(kText)}, {null(kText), null(kText)}}),
      (std::vector<Outcome>{gives(kFalse), gives(kTrue), gives(kFalse)}));
}

ExpressionPtr inList(ExpressionPtr x, const std::vector<Value>& items) {
  std::vector<ExpressionPtr> children;
  children.push_back(std::move(x));
  for (const Value& item : items) children.push_back(constant(item));
  return node(Kind::InList, kBoolean, std::move(children));
}

TEST(ExpressionLogic, InListsOfAllSizesFollowNullRules) {
  Row row;
  row.add(kInteger);
  for (const int64_t step : {1, 1000000}) {
    for (const size_t count : {2, 40}) {
      std::vector<Value> items;
      for (size_t i = 0; i < count; ++i) items.push_back(integer(static_cast<int64_t>(i) * step - 3));
      const auto plain = inList(row.column(0), items);
      items.push_back(null(kInteger));
      const auto with_null = inList(row.column(0), items);
      const std::vector<std::vector<Value>> rows{
          {integer(-3)}, {integer(12345)}, {null(kInteger)}, {integer(INT32_MIN)}};
      EXPECT_EQ(evaluate(row, *plain, rows),
                (std::vector<Outcome>{gives(kTrue), gives(kFalse), gives(kUnknown), gives(kFalse)}));
      EXPECT_EQ(evaluate(row, *with_null, rows),
                (std::vector<Outcome>{gives(kTrue), gives(kUnknown), gives(kUnknown), gives(kUnknown)}));
    }
  }
}

TEST(ExpressionLogic, InListsOfStringsAndDecimals) {
  Row row;
  row.add(kText);
  row.add(Type::of(TypeKind::Char, 4 + 10));
  row.add(Type::decimal(15, 2));
  std::vector<Value> words;
  std::vector<Value> numbers;
  for (int i = 0; i < 20; ++i) {
    words.push_back(text("word number " + std::to_string(i)));
    numbers.push_back(decimal(i * 1000 + 5, Type::decimal(15, 3)));
  }
  words.push_back(text("MAIL"));
  numbers.push_back(decimal(2500, Type::decimal(15, 3)));
  const std::vector<std::vector<Value>> rows{
      {text("word number 19"), text("MAIL      ", row.units()[1]->type), decimal(250, row.units()[2]->type)},
      {text("word number"), text("MAI       ", row.units()[1]->type), decimal(500, row.units()[2]->type)}};
  EXPECT_EQ(evaluate(row, *inList(row.column(0), words), rows), (std::vector<Outcome>{gives(kTrue), gives(kFalse)}));
  std::vector<Value> padded;
  for (const Value& word : words) padded.push_back(text(word.bytes, Type::of(TypeKind::Char)));
  EXPECT_EQ(evaluate(row, *inList(row.column(1), padded), rows), (std::vector<Outcome>{gives(kTrue), gives(kFalse)}));
  EXPECT_EQ(evaluate(row, *inList(row.column(2), numbers), rows), (std::vector<Outcome>{gives(kTrue), gives(kFalse)}));
}

TEST(ExpressionLogic, ConstantsAreComputedOnceAndTheirErrorsOnlyWhereEvaluated) {
  Row row;
  row.add(kBoolean);
  const auto day = [] {
    return call(FunctionId::Subtract, kTimestamp, constant(parsed(kDate, "1998-12-01")),
                constant(parsed(kInterval, "90 days")));
  };
  EXPECT_EQ(evaluate(day()), gives(parsed(kTimestamp, "1998-09-02")));
  EXPECT_EQ(Compiled(row, *day(), {.mode = ExecutionMode::Vm}).irText().find("callrt"), std::string::npos);

  const auto quotient = call(FunctionId::Divide, kBig, constant(parsed(kBig, "1")), constant(parsed(kBig, "0")));
  const auto guarded = node(Kind::Case, kBig, list(row.column(0), quotient->clone(), constant(parsed(kBig, "7"))));
  EXPECT_EQ(evaluate(row, *guarded, {{kFalse}, {kTrue}}),
            (std::vector<Outcome>{gives(parsed(kBig, "7")), fails("22012 division by zero")}));
}

/// Runs on a stack as the server's threads have it.
void onDeepStack(const std::function<void()>& body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{64} << 20);
  pthread_t thread;
  auto* copy = new std::function<void()>(body);
  const auto run = [](void* argument) -> void* {
    const std::unique_ptr<std::function<void()>> work(static_cast<std::function<void()>*>(argument));
    (*work)();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, copy), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

ExpressionPtr chainOfSums(const Row& row, size_t depth) {
  ExpressionPtr sum = row.column(0);
  for (size_t i = 0; i < depth; ++i)
    sum = call(FunctionId::Add, kBigint, std::move(sum), constant(integer(1, kBigint)));
  return sum;
}

TEST(ExpressionLogic, DeepNestingComputesOrIsRefused) {
  onDeepStack([] {
    Row row;
    row.add(kBigint);
    const auto deep = chainOfSums(row, 5000);
    EXPECT_EQ(Compiled(row, *deep, {.mode = ExecutionMode::Vm}).run({integer(1, kBigint)}),
              gives(integer(5001, kBigint)));
    auto too_deep = chainOfSums(row, 20000);
    try {
      const Compiled compiled(row, *too_deep, {.mode = ExecutionMode::Vm});
      ADD_FAILURE() << "20,000 levels were accepted";
    } catch (const SqlError& error) {
      EXPECT_STREQ(error.state().text(), "54001");
    }
    // Taken apart from the top: the destructor of a tree recurses.
    while (!too_deep->children.empty()) too_deep = std::move(too_deep->children[0]);
  });
}

TEST(ExpressionLogic, SixteenHundredColumnsAreRead) {
  Row row;
  std::vector<ExpressionPtr> columns;
  std::vector<Value> values;
  for (int i = 0; i < 1600; ++i) {
    columns.push_back(row.column(row.add(kInteger)));
    values.push_back(i == 1599 ? integer(4711) : null(kInteger));
  }
  const auto first = node(Kind::Coalesce, kInteger, std::move(columns));
  EXPECT_EQ(evaluate(row, *first, {values}).front(), gives(integer(4711)));
}

TEST(ExpressionLogic, ChainsOfTenThousandConditionsRun) {
  onDeepStack([] {
    Row row;
    row.add(kInteger);
    std::vector<ExpressionPtr> flat;
    ExpressionPtr nested = call(FunctionId::NotEqual, kBoolean, row.column(0), constant(integer(-1)));
    for (int i = 0; i < 10000; ++i) {
      flat.push_back(call(FunctionId::NotEqual, kBoolean, row.column(0), constant(integer(i))));
      nested = logic(Kind::And, std::move(nested),
                     call(FunctionId::NotEqual, kBoolean, row.column(0), constant(integer(i))));
    }
    const auto conjunction = Expression::logic(Kind::And, std::move(flat));
    for (const Form form : {Form::Value, Form::Require}) {
      const Compiled wide(row, *conjunction, {.mode = ExecutionMode::Vm}, form);
      EXPECT_EQ(wide.run({integer(9999)}), gives(kFalse));
      EXPECT_EQ(wide.run({integer(10000)}), gives(kTrue));
    }
    const Compiled deep(row, *nested, {.mode = ExecutionMode::Vm}, Form::Require);
    EXPECT_EQ(deep.run({integer(77)}), gives(kFalse));
    EXPECT_EQ(deep.run({integer(-77)}), gives(kTrue));
  });
}

}  // namespace
}  // namespace gnomon::codegen::test
