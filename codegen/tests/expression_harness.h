#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend/compiled_module.h"
#include "sql/algebra/expression.h"

/// Runs hand-made expressions over rows, in the VM and as machine code.
namespace gnomon::codegen::test {

using sql::Expression;
using sql::ExpressionPtr;
using sql::FunctionId;
using sql::Type;
using sql::TypeKind;
using sql::Value;
using Kind = sql::Expression::Kind;

inline const Type kBoolean = Type::of(TypeKind::Boolean);
inline const Type kSmallint = Type::of(TypeKind::Smallint);
inline const Type kInteger = Type::of(TypeKind::Integer);
inline const Type kBigint = Type::of(TypeKind::Bigint);
inline const Type kReal = Type::of(TypeKind::Real);
inline const Type kDouble = Type::of(TypeKind::Double);
inline const Type kText = Type::of(TypeKind::Text);
inline const Type kDate = Type::of(TypeKind::Date);
inline const Type kTimestamp = Type::of(TypeKind::Timestamp);
inline const Type kInterval = Type::of(TypeKind::Interval);
inline const Type kBig = Type::bigNumeric();

inline Value integer(int64_t number, Type type = kInteger) {
  return Value::fromInt(type, number);
}
inline Value boolean(bool value) {
  return Value::fromInt(kBoolean, value ? 1 : 0);
}
inline Value text(std::string_view bytes, Type type = kText) {
  return Value::fromString(type, bytes);
}
inline Value decimal(int128 scaled, Type type) {
  return Value::fromInt128(type, scaled);
}
inline Value floating(double number, Type type = kDouble) {
  return {type, false, __builtin_bit_cast(uint64_t, number), 0, {}};
}
inline Value null(Type type) {
  return Value::null(type);
}
/// A value out of its text (the type's input function).
Value parsed(Type type, std::string_view input);

inline ExpressionPtr constant(Value value) {
  return Expression::constant(std::move(value));
}

template <typename... E>
std::vector<ExpressionPtr> list(E... expressions) {
  std::vector<ExpressionPtr> result;
  (result.push_back(std::move(expressions)), ...);
  return result;
}
template <typename... E>
ExpressionPtr call(FunctionId function, Type type, E... arguments) {
  return Expression::call(function, type, list(std::move(arguments)...));
}
template <typename... E>
ExpressionPtr logic(Kind kind, E... children) {
  return Expression::logic(kind, list(std::move(children)...));
}
/// CASE, COALESCE, GREATEST, LEAST, IN: of any type.
ExpressionPtr node(Kind kind, Type type, std::vector<ExpressionPtr> children);

/// Columns of a row, by number. A column stays a column (loaded where it is needed) or becomes a parameter.
class Row {
 public:
  /// Adds a column and gives its number.
  size_t add(Type type, bool nullable = true);
  [[nodiscard]] ExpressionPtr column(size_t number) const;
  [[nodiscard]] ExpressionPtr parameter(size_t number) const;
  [[nodiscard]] const std::vector<std::unique_ptr<sql::InformationUnit>>& units() const { return units_; }

 private:
  std::vector<std::unique_ptr<sql::InformationUnit>> units_;
};

/// What a row gave: a value, or the error's SQLSTATE and message.
struct Outcome {
  std::string error;
  Value value;

  bool operator==(const Outcome& other) const;
};
/// For messages of failing tests.
std::string describe(const Outcome& outcome);
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

inline Outcome gives(Value value) {
  return {{}, std::move(value)};
}
inline Outcome fails(std::string error) {
  return {std::move(error), {}};
}

/// How the expression is put into code.
enum class Form : uint8_t {
  Value,    ///< translate()
  Truth,    ///< translateTruth(), as a boolean
  Require,  ///< requireAll(): true on the way on, false at `otherwise`
};

/// The expression compiled once, run per row.
class Compiled {
 public:
  Compiled(const Row& row, const Expression& expression, ExecutionPolicy policy, Form form = Form::Value);
  ~Compiled();
  [[nodiscard]] Outcome run(const std::vector<Value>& values) const;
  /// The storage class of a long string the row gives.
  [[nodiscard]] StringValue::Storage storageOf(const std::vector<Value>& values) const;
  [[nodiscard]] bool isNative() const;
  [[nodiscard]] std::string irText() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Every row in the VM and as machine code; expects both to agree and gives the VM's outcomes.
std::vector<Outcome> evaluate(const Row& row, const Expression& expression, const std::vector<std::vector<Value>>& rows,
                              Form form = Form::Value);
/// One expression without columns.
Outcome evaluate(const ExpressionPtr& expression);

}  // namespace gnomon::codegen::test
