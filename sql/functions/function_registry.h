#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "sql/functions/function_id.h"
#include "sql/types/type.h"

namespace gnomon::sql {

enum class Volatility : uint8_t { Immutable, Stable, Volatile };

/// How the result's numeric form, precision and scale follow from the arguments. See numeric_typing.h.
enum class ResultRule : uint8_t {
  Fixed,         ///< the signature's result as it stands
  Sum,           ///< add, subtract
  Product,       ///< multiply
  Quotient,      ///< Big; the arguments keep their form
  Remainder,     ///< modulo
  Same,          ///< negate, absolute
  Integral,      ///< ceil, floor, round(x), trunc(x)
  Digits,        ///< round(x, n), trunc(x, n)
  Sign,          ///< one digit
  Big,           ///< Big, and so are the arguments
  ExtractField,  ///< extract
};

/// One operator or function with one list of argument types, as in pg_operator and pg_proc. All are strict.
struct Signature {
  static constexpr size_t kArgumentsMax = 7;

  std::string_view name;
  FunctionId function{};
  uint8_t argument_count = 0;
  std::array<TypeKind, kArgumentsMax> arguments{};
  TypeKind result{};
  ResultRule rule = ResultRule::Fixed;
  Volatility volatility = Volatility::Immutable;

  [[nodiscard]] std::span<const TypeKind> argumentKinds() const { return {arguments.data(), argument_count}; }
};

/// One aggregate with the type of its argument, or of both. Any is count's: everything goes.
struct AggregateSignature {
  std::string_view name;
  AggregateId function;
  TypeKind argument;
  TypeKind result;
  bool takes_any = false;
};

/// Every signature of an operator ("+", "~~") or function ("round"); empty when there is none.
std::span<const Signature> operatorSignatures(std::string_view name);
std::span<const Signature> functionSignatures(std::string_view name);
std::span<const AggregateSignature> aggregateSignatures(std::string_view name);

/// PostgreSQL has an operator, function or aggregate of this name, but Gnomon has none: 0A000 rather than 42883.
bool isMissingOperator(std::string_view name);
bool isMissingFunction(std::string_view name);

}  // namespace gnomon::sql
