#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sql/functions/function_registry.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// A function written over values: its work is far more than making values of registers. The registry has a signature
/// for each, with the other functions or operators, the binder makes an Expression::Kind::ArrayCall of its calls.
/// A name that begins with $ is not for users.
struct ValueFunction {
  std::string_view name;
  std::vector<TypeKind> arguments;
  TypeKind result;
  /// Of values of these types, numerics in Big form; strict ones are not called with NULLs. What it answers is of the
  /// result's type. Failure: SqlError as PostgreSQL's. Threads: any.
  Value (*answer)(std::span<const Value> arguments, Type result);
  Volatility volatility = Volatility::Immutable;
  bool is_strict = true;
  bool is_operator = false;
};
const std::vector<ValueFunction>& valueFunctions();

/// Their ids are behind those of the catalog's functions, in their order.
constexpr FunctionId valueFunctionId(size_t number) {
  return static_cast<FunctionId>(static_cast<size_t>(kFirstValueFunction) + number);
}
const ValueFunction& valueFunction(FunctionId function);
/// One that is not for users.
FunctionId internalFunction(std::string_view name, size_t argument_count);

/// Calls it; NULL where it is strict and an argument is. Failure: the function's.
Value callValueFunction(FunctionId function, std::span<const Value> arguments);

}  // namespace gnomon::sql
