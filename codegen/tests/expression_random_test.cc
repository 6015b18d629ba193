#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>

#include "codegen/tests/expression_harness.h"
#include "sql/types/decimal.h"

/// Random trees over integers, scaled decimals and booleans: VM against machine code against a direct evaluator.
namespace gnomon::codegen::test {
namespace {

/// What the model raises.
struct ModelError {
  const char* text;
};

/// A number at its type's scale, or a truth value; nothing is NULL.
using Cell = std::optional<int128>;

class Model {
 public:
  explicit Model(const std::vector<Value>& row) : row_(row) {}

  /// Whether the condition has the outcome. As PostgreSQL's conditions of WHERE, branches stop at the first operand
  /// that rules it out, be it NULL; AND and OR as values go on behind a NULL (and may meet an error there).
  bool holds(const Expression& e, int outcome) const {
    if (!isConstantTree(e)) {
      const bool needs_all = (e.kind == Kind::And) == (outcome == 1);
      const auto operand = [&](const ExpressionPtr& child) { return holds(*child, outcome); };
      if (e.kind == Kind::Not) return holds(*e.children[0], 1 - outcome);
      if (e.kind == Kind::IsTrue) return holds(*e.children[0], 1) == (outcome == 1);
      if (e.kind == Kind::IsNotFalse) return holds(*e.children[0], 0) != (outcome == 1);
      if (e.kind == Kind::And || e.kind == Kind::Or)
        return needs_all ? std::ranges::all_of(e.children, operand) : std::ranges::any_of(e.children, operand);
    }
    return evaluate(e) == Cell(outcome);
  }

  Cell evaluate(const Expression& e) const {
    switch (e.kind) {
      case Kind::Constant:
        return cellOf(e.value);
      case Kind::Column:
        return cellOf(row_[e.iu->id]);
      case Kind::Parameter:
        return cellOf(row_[e.parameter]);
      case Kind::Call:
        return call(e);
      case Kind::And:
      case Kind::Or:
        return connective(e);
      case Kind::Not: {
        const Cell value = evaluate(*e.children[0]);
        return value ? Cell(*value == 0 ? 1 : 0) : Cell();
      }
      case Kind::IsNull:
        return evaluate(*e.children[0]) ? 0 : 1;
      case Kind::IsTrue:
        return evaluate(*e.children[0]).value_or(0) != 0 ? 1 : 0;
      case Kind::IsNotFalse:
        return evaluate(*e.children[0]).value_or(1) != 0 ? 1 : 0;
      case Kind::IsDistinct: {
        const Cell left = evaluate(*e.children[0]);
        const Cell right = evaluate(*e.children[1]);
        return left == right ? 0 : 1;
      }
      case Kind::Case:
        return choose(e);
      case Kind::Coalesce: {
        for (const auto& child : e.children)
          if (const Cell value = evaluate(*child)) return value;
        return {};
      }
      case Kind::Greatest:
        return greatest(e);
      case Kind::InList:
        return inList(e);
      default:
        ADD_FAILURE() << "the model lacks " << e.toString();
        return {};
    }
  }

 private:
  static Cell cellOf(const Value& value) {
    if (value.is_null) return {};
    return value.type.physical() == sql::Physical::Int128 ? value.asInt128() : int128{value.asInt()};
  }

  static bool isConstantTree(const Expression& e) {
    return e.kind != Kind::Column && e.kind != Kind::Parameter &&
           std::ranges::all_of(e.children, [](const ExpressionPtr& child) { return isConstantTree(*child); });
  }

  Cell connective(const Expression& e) const {
    const int128 decisive = e.kind == Kind::And ? 0 : 1;
    bool has_null = false;
    for (const auto& child : e.children) {
      const Cell value = evaluate(*child);
      if (value == decisive) return decisive;
      has_null |= !value;
    }
    return has_null ? Cell() : Cell(1 - decisive);
  }

  Cell choose(const Expression& e) const {
    size_t i = 0;
    for (; i + 1 < e.children.size(); i += 2)
      if (holds(*e.children[i], 1)) return evaluate(*e.children[i + 1]);
    return evaluate(*e.children[i]);
  }

  Cell greatest(const Expression& e) const {
    Cell best;
    for (const auto& child : e.children)
      if (const Cell value = evaluate(*child); value && (!best || *value > *best)) best = value;
    return best;
  }

  Cell inList(const Expression& e) const {
    const Cell x = evaluate(*e.children[0]);
    bool found = false;
    bool has_null = !x;
    for (size_t i = 1; i < e.children.size(); ++i) {
      const Cell item = evaluate(*e.children[i]);
      found |= x && item && *x == *item;
      has_null |= !item;
    }
    if (!x) return {};
    if (found) return 1;
    return has_null ? Cell() : Cell(0);
  }

  static int128 inRange(int128 value, const Type& type) {
    if (type.kind == TypeKind::Integer && value != static_cast<int32_t>(value))
      throw ModelError{"22003 integer out of range"};
    if (type.kind == TypeKind::Bigint && value != static_cast<int64_t>(value))
      throw ModelError{"22003 bigint out of range"};
    return value;
  }

  static int128 atScale(int128 value, const Type& from, const Type& to) {
    return from.scale < to.scale ? value * sql::powerOfTen(unsigned{to.scale} - from.scale) : value;
  }

  Cell call(const Expression& e) const {
    std::vector<Cell> cells;
    for (const auto& child : e.children) cells.push_back(evaluate(*child));
    if (std::ranges::any_of(cells, [](const Cell& cell) { return !cell; })) return {};
    if (e.function == FunctionId::Negate) return inRange(-*cells[0], e.type);
    const Type& left_type = e.children[0]->type;
    const Type& right_type = e.children[1]->type;
    if (e.function == FunctionId::Multiply) return inRange(*cells[0] * *cells[1], e.type);
    Type common = e.type;
    common.scale = std::max(left_type.scale, right_type.scale);
    const int128 left = atScale(*cells[0], left_type, common);
    const int128 right = atScale(*cells[1], right_type, common);
    switch (e.function) {
      case FunctionId::Add:
        return inRange(left + right, e.type);
      case FunctionId::Subtract:
        return inRange(left - right, e.type);
      case FunctionId::Divide:
      case FunctionId::Modulo:
        if (right == 0) throw ModelError{"22012 division by zero"};
        return e.function == FunctionId::Divide ? inRange(left / right, e.type) : left % right;
      case FunctionId::Equal:
        return left == right ? 1 : 0;
      case FunctionId::NotEqual:
        return left != right ? 1 : 0;
      case FunctionId::Less:
        return left < right ? 1 : 0;
      case FunctionId::LessEqual:
        return left <= right ? 1 : 0;
      case FunctionId::Greater:
        return left > right ? 1 : 0;
      default:
        return left >= right ? 1 : 0;
    }
  }

  const std::vector<Value>& row_;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {
    for (const Type type :
         {kInteger, kBigint, kBoolean, Type::decimal(9, 2), Type::decimal(12, 4), Type::decimal(25, 3)})
      for (int i = 0; i < 3; ++i) row_.add(type, i != 0);
  }

  const Row& row() const { return row_; }

  std::vector<Value> values() {
    std::vector<Value> result;
    for (const auto& unit : row_.units())
      result.push_back(unit->nullable && pick(4) == 0 ? null(unit->type) : value(unit->type));
    return result;
  }

  ExpressionPtr make(Type type, int depth) {
    if (depth == 0 || pick(8) == 0) return leaf(type);
    if (pick(8) == 0) return conditional(type, depth - 1);
    if (type.kind == TypeKind::Boolean) return truth(depth - 1);
    return type.isInteger() ? integerCall(type, depth - 1) : decimalCall(type, depth - 1);
  }

  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  Type numberType() {
    const Type types[] = {kInteger, kBigint, Type::decimal(9, 2), Type::decimal(12, 4), Type::decimal(25, 3)};
    return types[pick(5)];
  }

 private:
  Value value(Type type) {
    switch (type.kind) {
      case TypeKind::Boolean:
        return boolean(pick(2) == 0);
      case TypeKind::Integer: {
        const int64_t special[] = {0, 1, -1, INT32_MAX, INT32_MIN, 7};
        return integer(pick(3) == 0 ? special[pick(6)] : static_cast<int64_t>(pick(200)) - 100, type);
      }
      case TypeKind::Bigint: {
        const int64_t special[] = {0, 1, -1, INT64_MAX, INT64_MIN, 7};
        return integer(pick(3) == 0 ? special[pick(6)] : static_cast<int64_t>(pick(200)) - 100, type);
      }
      default:
        break;
    }
    const unsigned digits = static_cast<unsigned>(pick(type.precision)) + 1;
    auto scaled = static_cast<int128>(random_());
    scaled = scaled * static_cast<int64_t>(random_() >> 2) % sql::powerOfTen(digits);
    return decimal(pick(2) == 0 ? scaled : -scaled, type);
  }

  ExpressionPtr leaf(Type type) {
    if (pick(4) == 0) return constant(pick(6) == 0 ? null(type) : value(type));
    std::vector<size_t> fitting;
    for (size_t i = 0; i < row_.units().size(); ++i)
      if (row_.units()[i]->type == type) fitting.push_back(i);
    if (fitting.empty()) return constant(value(type));
    const size_t column = fitting[pick(fitting.size())];
    return row_.units()[column]->nullable && pick(5) == 0 ? row_.parameter(column) : row_.column(column);
  }

  ExpressionPtr conditional(Type type, int depth) {
    std::vector<ExpressionPtr> children;
    if (pick(2) == 0) {
      for (size_t i = 0; i <= pick(3); ++i) {
        children.push_back(make(kBoolean, depth));
        children.push_back(make(type, depth));
      }
      children.push_back(make(type, depth));
      return node(Kind::Case, type, std::move(children));
    }
    for (size_t i = 0; i <= 1 + pick(3); ++i) children.push_back(make(type, depth));
    return node(pick(2) == 0 ? Kind::Coalesce : Kind::Greatest, type, std::move(children));
  }

  ExpressionPtr truth(int depth) {
    switch (pick(8)) {
      case 0:
        return logic(Kind::Not, make(kBoolean, depth));
      case 1:
        return logic(Kind::IsNull, make(pick(2) == 0 ? kBoolean : numberType(), depth));
      case 2:
        return logic(pick(2) == 0 ? Kind::IsTrue : Kind::IsNotFalse, make(kBoolean, depth));
      case 3: {
        const Type type = numberType();
        return logic(Kind::IsDistinct, make(type, depth), make(type, depth));
      }
      case 4:
        return inList(depth);
      case 5: {
        const FunctionId comparisons[] = {FunctionId::Equal,     FunctionId::NotEqual, FunctionId::Less,
                                          FunctionId::LessEqual, FunctionId::Greater,  FunctionId::GreaterEqual};
        const Type left = numberType();
        const Type right = left.isInteger() ? (pick(2) == 0 ? kInteger : kBigint) : numberType();
        if (left.isInteger() != right.isInteger()) return make(kBoolean, depth);
        return call(comparisons[pick(6)], kBoolean, make(left, depth), make(right, depth));
      }
      default:
        break;
    }
    std::vector<ExpressionPtr> children;
    for (size_t i = 0; i <= 1 + pick(4); ++i) children.push_back(make(kBoolean, depth));
    return Expression::logic(pick(2) == 0 ? Kind::And : Kind::Or, std::move(children));
  }

  ExpressionPtr inList(int depth) {
    const Type type = numberType();
    std::vector<ExpressionPtr> children;
    children.push_back(make(type, depth));
    const size_t count = 1 + pick(pick(2) == 0 ? 4 : 30);
    for (size_t i = 0; i < count; ++i) {
      const bool is_null = pick(40) == 0;
      children.push_back(pick(20) == 0 ? leaf(type) : constant(is_null ? null(type) : value(type)));
    }
    return node(Kind::InList, kBoolean, std::move(children));
  }

  ExpressionPtr integerCall(Type type, int depth) {
    const FunctionId functions[] = {FunctionId::Add,    FunctionId::Subtract, FunctionId::Multiply,
                                    FunctionId::Divide, FunctionId::Modulo,   FunctionId::Negate};
    const FunctionId function = functions[pick(6)];
    if (function == FunctionId::Negate) return call(function, type, make(type, depth));
    return call(function, type, make(type, depth), make(type, depth));
  }

  /// A decimal of exactly the type wanted; sums and products have wider types and are made by decimalOperation().
  ExpressionPtr decimalCall(Type type, int depth) { return call(FunctionId::Negate, type, make(type, depth)); }

  std::mt19937_64 random_;
  Row row_;
};

Outcome modelled(const Expression& expression, const std::vector<Value>& row, Form form = Form::Value) {
  try {
    if (form == Form::Require) return gives(boolean(Model(row).holds(expression, 1)));
    const Cell cell = Model(row).evaluate(expression);
    if (!cell) return gives(null(expression.type));
    return gives(decimal(*cell, expression.type));
  } catch (const ModelError& error) {
    return fails(error.text);
  }
}

uint64_t seedOfRun() {
  if (const char* given = std::getenv("GNOMON_TEST_SEED")) return std::strtoull(given, nullptr, 10);
  return std::random_device{}();
}

/// The values of one type with two operands: sums and products of decimals, compared with exact 128-bit arithmetic.
ExpressionPtr decimalOperation(Generator& generator, FunctionId function) {
  const Type types[] = {Type::decimal(9, 2), Type::decimal(12, 4), Type::decimal(25, 3)};
  const Type left = types[generator.pick(3)];
  const Type right = types[generator.pick(function == FunctionId::Multiply ? 2 : 3)];
  const unsigned scale = std::max(left.scale, right.scale);
  const unsigned whole = std::max(left.precision - left.scale, right.precision - right.scale);
  const Type result = function == FunctionId::Multiply ? Type::decimal(unsigned{left.precision} + right.precision,
                                                                       unsigned{left.scale} + right.scale)
                                                       : Type::decimal(whole + scale + 1, scale);
  return call(function, result, generator.make(left, 2), generator.make(right, 2));
}

TEST(ExpressionRandom, TreesAgreeWithTheModelInBothBackEnds) {
  const uint64_t seed = seedOfRun();
  RecordProperty("seed", std::to_string(seed));
  Generator generator(seed);
  size_t value_count = 0;
  size_t null_count = 0;
  size_t error_count = 0;
  for (int round = 0; round < 150; ++round) {
    const ExpressionPtr expression = generator.make(round % 2 == 0 ? kBoolean : generator.numberType(), 4);
    std::vector<std::vector<Value>> rows;
    for (int i = 0; i < 20; ++i) rows.push_back(generator.values());
    const auto outcomes = evaluate(generator.row(), *expression, rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(outcomes[i], modelled(*expression, rows[i])) << "seed " << seed << ", " << expression->toString();
      ++(!outcomes[i].error.empty() ? error_count : outcomes[i].value.is_null ? null_count : value_count);
    }
  }
  EXPECT_GT(value_count, 500U);
  EXPECT_GT(null_count, 100U);
  EXPECT_GT(error_count, 20U);
}

TEST(ExpressionRandom, ConditionsAsBranchesAgreeWithTheirValues) {
  const uint64_t seed = seedOfRun();
  Generator generator(seed);
  for (int round = 0; round < 100; ++round) {
    const ExpressionPtr condition = generator.make(kBoolean, 4);
    std::vector<std::vector<Value>> rows;
    for (int i = 0; i < 20; ++i) rows.push_back(generator.values());
    for (const Form form : {Form::Truth, Form::Require}) {
      const auto outcomes = evaluate(generator.row(), *condition, rows, form);
      for (size_t i = 0; i < rows.size(); ++i) {
        Outcome wanted = modelled(*condition, rows[i], form);
        if (wanted.error.empty()) wanted = gives(boolean(!wanted.value.is_null && wanted.value.lo != 0));
        ASSERT_EQ(outcomes[i], wanted) << "seed " << seed << ", " << condition->toString();
      }
    }
  }
}

TEST(ExpressionRandom, DecimalArithmeticIsExact) {
  const uint64_t seed = seedOfRun();
  Generator generator(seed);
  const FunctionId functions[] = {FunctionId::Add, FunctionId::Subtract, FunctionId::Multiply};
  for (int round = 0; round < 60; ++round) {
    const ExpressionPtr expression = decimalOperation(generator, functions[round % 3]);
    std::vector<std::vector<Value>> rows;
    for (int i = 0; i < 30; ++i) rows.push_back(generator.values());
    const auto outcomes = evaluate(generator.row(), *expression, rows);
    for (size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(outcomes[i], modelled(*expression, rows[i])) << "seed " << seed << ", " << expression->toString();
  }
}

}  // namespace
}  // namespace gnomon::codegen::test
