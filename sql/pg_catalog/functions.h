#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sql/functions/function_id.h"
#include "sql/types/type.h"
#include "sql/types/value.h"

/// The functions that ask the catalog: each is stable, and answers from the session for which the thread works.
namespace gnomon::sql::pg_catalog {

struct CatalogFunction {
  std::string_view name;
  std::vector<TypeKind> arguments;
  TypeKind result;
  /// Of values of these types; strict ones are not called with NULLs. What it answers is of the result's type.
  Value (*answer)(std::span<const Value> arguments, Type result);
  bool is_strict = true;
};
const std::vector<CatalogFunction>& catalogFunctions();

/// Their ids are behind all others, in their order.
constexpr FunctionId catalogFunctionId(size_t number) {
  return static_cast<FunctionId>(static_cast<size_t>(kFirstCatalogFunction) + number);
}
const CatalogFunction& catalogFunction(FunctionId function);
/// The first of the name.
FunctionId catalogFunctionNamed(std::string_view name);

/// Calls it; NULL where it is strict and an argument is. Failure: the function's.
Value callCatalogFunction(FunctionId function, std::span<const Value> arguments);

}  // namespace gnomon::sql::pg_catalog
