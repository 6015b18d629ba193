#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sql/functions/function_id.h"
#include "sql/json/json_call.h"
#include "sql/types/type.h"

/// The operators and functions of json, jsonb and jsonpath.
namespace gnomon::sql {

struct JsonFunction {
  /// Takes arguments of the types that are named; or of any, then `arguments` are the types of the first ones.
  enum class Arity : uint8_t { Fixed, Any };

  std::string_view name;
  std::vector<TypeKind> arguments;
  TypeKind result;
  void (*answer)(JsonCall& call);
  bool is_strict = true;   ///< not called with a NULL
  bool is_stable = false;  ///< asks the session: its time zone
  Arity arity = Arity::Fixed;
  std::string_view shown = {};  ///< the name in errors and plans, of what has no name in SQL

  [[nodiscard]] bool isOperator() const;
  /// It makes an aggregate's result of the array of its values.
  [[nodiscard]] bool endsAggregate() const { return name.front() == '$' && shown.ends_with("_agg"); }
  [[nodiscard]] std::string_view shownName() const { return shown.empty() ? name : shown; }
};
const std::vector<JsonFunction>& jsonFunctions();

/// Their ids are behind all others, in their order.
constexpr FunctionId jsonFunctionId(size_t number) {
  return static_cast<FunctionId>(static_cast<size_t>(kFirstJsonFunction) + number);
}
const JsonFunction& jsonFunction(FunctionId function);
/// The first with this name: of those that take any arguments, or that only the binder names. Failure: none, aborts.
FunctionId jsonFunctionNamed(std::string_view name);

/// Calls it; NULL where it is strict and an argument is. Failure: the function's.
void callJsonFunction(FunctionId function, JsonCall& call);

// By what they do; each adds its rows.
using JsonFunctions = std::vector<JsonFunction>;
void addJsonAccess(JsonFunctions& functions);
void addJsonConstructors(JsonFunctions& functions);
void addJsonChanges(JsonFunctions& functions);
void addJsonSets(JsonFunctions& functions);
void addJsonRecords(JsonFunctions& functions);
void addJsonPaths(JsonFunctions& functions);

}  // namespace gnomon::sql
