#include "sql/optimise/simplify.h"

#include <gtest/gtest.h>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/null_rejection.h"
#include "sql/tests/random_tree.h"

namespace gnomon::sql::test {
namespace {

using Kind = Expression::Kind;

const Type kBoolean = Type::of(TypeKind::Boolean);

/// Three boolean columns and every row over {NULL, FALSE, TRUE}.
struct Booleans {
  Booleans() {
    for (const char* name : {"p", "q", "r"}) units.push_back(plan.makeUnit(name, kBoolean, true));
    const Number values[] = {std::nullopt, 0, 1};
    for (const Number& p : values)
      for (const Number& q : values)
        for (const Number& r : values) rows.push_back({{units[0], p}, {units[1], q}, {units[2], r}});
  }
  Plan plan;
  std::vector<Iu> units;
  std::vector<Row> rows;
};

ExpressionPtr logic(Kind kind, ExpressionPtr one, ExpressionPtr other = nullptr) {
  std::vector<ExpressionPtr> children;
  children.push_back(std::move(one));
  if (other != nullptr) children.push_back(std::move(other));
  return Expression::logic(kind, std::move(children));
}

ExpressionPtr randomLogic(std::mt19937_64& random, const std::vector<Iu>& units, int depth) {
  const auto below = [&](uint64_t bound) { return random() % bound; };
  if (depth == 0 || below(6) == 0) {
    if (below(5) != 0) return Expression::column(units[below(3)]);
    return below(3) == 0 ? Expression::constant(Value::null(kBoolean)) : booleanConstant(below(2) == 0);
  }
  const auto operand = [&] { return randomLogic(random, units, depth - 1); };
  constexpr Kind kUnary[] = {Kind::Not,       Kind::Not,     Kind::IsNull, Kind::IsNotNull,
                             Kind::IsNotTrue, Kind::IsFalse, Kind::IsTrue, Kind::IsNotFalse};
  switch (below(8)) {
    case 0:
    case 1:
      return logic(kUnary[below(8)], operand());
    case 2:
      return logic(below(2) == 0 ? Kind::IsDistinct : Kind::IsNotDistinct, operand(), operand());
    case 3: {
      auto result = logic(Kind::Case, operand(), operand());
      result->children.push_back(operand());
      result->nullable = true;
      return result;
    }
    case 4:
      return logic(Kind::Coalesce, operand(), operand());
    default: {
      auto result = logic(below(2) == 0 ? Kind::And : Kind::Or, operand(), operand());
      if (below(2) == 0) result->children.push_back(operand());
      result->nullable = true;
      return result;
    }
  }
}

TEST(Simplify, KeepsTheValueOfLogicForEveryInputOfTrueFalseAndNull) {
  Booleans booleans;
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i) {
    const ExpressionPtr before = randomLogic(random, booleans.units, 4);
    const ExpressionPtr after = simplifyExpression(before->clone());
    for (const Row& row : booleans.rows)
      ASSERT_EQ(evaluate(*before, row), evaluate(*after, row)) << before->toString() << "\nbecame\n"
                                                               << after->toString();
  }
}

TEST(Simplify, ConditionsPassTheSameRows) {
  Booleans booleans;
  std::mt19937_64 random(8);
  for (int i = 0; i < 5000; ++i) {
    const ExpressionPtr before = randomLogic(random, booleans.units, 4);
    std::vector<ExpressionPtr> conditions;
    conditions.push_back(before->clone());
    conditions = simplifyConditions(std::move(conditions));
    for (const Row& row : booleans.rows) {
      bool passes = true;
      for (const ExpressionPtr& condition : conditions) passes &= evaluate(*condition, row) == Number(1);
      ASSERT_EQ(evaluate(*before, row) == Number(1), passes) << before->toString();
    }
  }
}

TEST(NullRejection, ClaimsOnlyWhatHolds) {
  Booleans booleans;
  std::mt19937_64 random(9);
  const UnitSet extended{booleans.units[0], booleans.units[1]};
  int claims = 0;
  for (int i = 0; i < 5000; ++i) {
    const ExpressionPtr predicate = randomLogic(random, booleans.units, 4);
    if (!rejectsNulls(*predicate, extended)) continue;
    ++claims;
    for (Row row : booleans.rows) {
      row[booleans.units[0]] = row[booleans.units[1]] = std::nullopt;
      ASSERT_NE(evaluate(*predicate, row), Number(1)) << predicate->toString();
    }
  }
  EXPECT_GT(claims, 250);
}

/// Columns a, b, c of a type, and calls over them.
class SimplifyText : public ::testing::Test {
 protected:
  ExpressionPtr column(const char* name, Type type) { return Expression::column(plan_.makeUnit(name, type, true)); }
  static ExpressionPtr compare(FunctionId function, ExpressionPtr left, ExpressionPtr right) {
    std::vector<ExpressionPtr> sides;
    sides.push_back(std::move(left));
    sides.push_back(std::move(right));
    return Expression::call(function, kBoolean, std::move(sides));
  }
  static ExpressionPtr number(TypeKind kind, int64_t value) {
    return Expression::constant(Value::fromInt(Type::of(kind), value));
  }
  static ExpressionPtr decimal(unsigned precision, unsigned scale, int64_t value) {
    return Expression::constant(Value::fromInt(Type::decimal(precision, scale), value));
  }
  static std::string simplified(ExpressionPtr expression) {
    return simplifyExpression(std::move(expression))->toString();
  }
  Plan plan_;
};

TEST_F(SimplifyText, TakesCommonConjunctsOutOfAnOr) {
  const ExpressionPtr a = column("a", kBoolean);
  const ExpressionPtr b = column("b", kBoolean);
  const ExpressionPtr c = column("c", kBoolean);
  EXPECT_EQ(
      simplified(logic(Kind::Or, logic(Kind::And, a->clone(), b->clone()), logic(Kind::And, c->clone(), a->clone()))),
      "(a AND (b OR c))");
  EXPECT_EQ(simplified(logic(Kind::Or, logic(Kind::And, a->clone(), b->clone()), a->clone())), "a");
}

TEST_F(SimplifyText, FoldsArithmeticOnLiterals) {
  std::vector<ExpressionPtr> sides;
  sides.push_back(decimal(2, 2, 6));
  sides.push_back(decimal(2, 2, 1));
  EXPECT_EQ(simplified(Expression::call(FunctionId::Subtract, Type::decimal(3, 2), std::move(sides))), "0.05");
}

TEST_F(SimplifyText, ComparesDatesWithDates) {
  const auto dated = [&](FunctionId function, int64_t timestamp) {
    return simplified(
        compare(function, Expression::cast(column("d", Type::of(TypeKind::Date)), Type::of(TypeKind::Timestamp), false),
                number(TypeKind::Timestamp, timestamp)));
  };
  constexpr int64_t kDay = 86'400'000'000;
  EXPECT_EQ(dated(FunctionId::Less, kDay), "(d < '2000-01-02'::date)");
  EXPECT_EQ(dated(FunctionId::Less, kDay + 1), "(d <= '2000-01-02'::date)");
  EXPECT_EQ(dated(FunctionId::GreaterEqual, kDay + 1), "(d > '2000-01-02'::date)");
  EXPECT_EQ(dated(FunctionId::Greater, -1), "(d > '1999-12-31'::date)");
}

TEST_F(SimplifyText, BringsDecimalLiteralsToTheColumnsScale) {
  const ExpressionPtr result =
      simplifyExpression(compare(FunctionId::Greater, decimal(2, 0, 24), column("q", Type::decimal(15, 2))));
  EXPECT_EQ(result->toString(), "(q < 24.00)");
  EXPECT_EQ(result->children[1]->type.scale, 2);
}

TEST_F(SimplifyText, LeavesWhatRaisesAnError) {
  std::vector<ExpressionPtr> sides;
  sides.push_back(number(TypeKind::Integer, INT32_MAX));
  sides.push_back(number(TypeKind::Integer, 1));
  EXPECT_EQ(simplified(Expression::call(FunctionId::Add, Type::of(TypeKind::Integer), std::move(sides))),
            "(2147483647 + 1)");
}

TEST_F(SimplifyText, MovesNotToComparisons) {
  EXPECT_EQ(simplified(logic(Kind::Not, compare(FunctionId::Less, column("a", Type::of(TypeKind::Integer)),
                                                number(TypeKind::Integer, 5)))),
            "(a >= 5)");
}

TEST(Simplify, LongChainsNeedNoDeepRecursion) {
  Plan plan;
  const Iu unit = plan.makeUnit("a", Type::of(TypeKind::Integer), true);
  ExpressionPtr chain = booleanConstant(true);
  for (int i = 0; i < 20000; ++i) {
    std::vector<ExpressionPtr> sides;
    sides.push_back(Expression::column(unit));
    sides.push_back(Expression::constant(Value::fromInt(unit->type, i)));
    chain = logic(Kind::And, std::move(chain), Expression::call(FunctionId::NotEqual, kBoolean, std::move(sides)));
  }
  const ExpressionPtr copy = chain->clone();
  EXPECT_TRUE(copy->equals(*chain));
  EXPECT_EQ(simplifyExpression(std::move(chain))->children.size(), 20000U);
}

}  // namespace
}  // namespace gnomon::sql::test
