/// Functions and operators over paths.
#include <memory>
#include <unordered_map>

#include "base/sql_error.h"
#include "sql/json/json_functions.h"
#include "sql/json/json_path_execution.h"
#include "sql/types/array_value.h"
#include "sql/types/jsonb_builder.h"

namespace gnomon::sql {
namespace {

constexpr TypeKind kJsonb = TypeKind::Jsonb, kBoolean = TypeKind::Boolean, kPath = TypeKind::JsonPath;

/// The path of this text, parsed when the thread meets it first.
const JsonPath& parsedPath(std::string_view text) {
  constexpr size_t kKeptMax = 64;
  thread_local std::unordered_map<std::string, std::unique_ptr<JsonPath>> kept;
  if (kept.size() >= kKeptMax) kept.clear();
  std::unique_ptr<JsonPath>& path = kept[std::string(text)];
  if (!path) {
    try {
      path = std::make_unique<JsonPath>(JsonPath::parse(text));
    } catch (...) {
      kept.erase(std::string(text));
      throw;
    }
  }
  return *path;
}

/// Who calls a path: an operator, which is silent, or a function, which may ask the session's zone.
enum class Caller : uint8_t { Operator, Function, ZonedFunction };

/// (value, path [, variables [, silent]]).
JsonPathExecution execution(const JsonCall& call, Caller caller) {
  const bool is_operator = caller == Caller::Operator;
  JsonPathExecution::Options options;
  options.has_zone = caller == Caller::ZonedFunction;
  options.is_silent = is_operator || (call.size() > 3 && call.boolean(3));
  static const std::string none = [] {
    JsonbBuilder builder;
    builder.beginObject();
    builder.endObject();
    return builder.finish();
  }();
  if (!is_operator) options.variables = call.size() > 2 ? call.jsonb(2) : JsonbView(none);
  return {parsedPath(call.text(1)), call.jsonb(0), options};
}

template <Caller caller>
void pathExists(JsonCall& call) {
  if (const auto exists = execution(call, caller).exists()) call.giveBoolean(*exists);
}

template <Caller caller>
void pathMatch(JsonCall& call) {
  JsonPathExecution run = execution(call, caller);
  const auto items = run.query();
  if (items.size() == 1) {
    const JsonbView only = items.front();
    if (only.kind() == JsonKind::Boolean) return call.giveBoolean(only.boolean());
    if (only.isNull()) return;
  }
  const bool is_silent = caller == Caller::Operator || (call.size() > 3 && call.boolean(3));
  if (!is_silent) throw SqlError(SqlState("22038"), "single boolean result is expected");
}

template <Caller caller>
void queryArray(JsonCall& call) {
  JsonPathExecution run = execution(call, caller);
  JsonbBuilder builder;
  builder.beginArray();
  for (const JsonbView item : run.query()) builder.value(item);
  builder.endArray();
  call.giveBytes(builder.finish());
}

template <Caller caller>
void queryFirst(JsonCall& call) {
  JsonPathExecution run = execution(call, caller);
  const auto items = run.query();
  if (!items.empty()) call.giveBytes(std::string(items.front().bytes()));
}

/// The rows of jsonb_path_query.
template <Caller caller>
void querySet(JsonCall& call) {
  JsonPathExecution run = execution(call, caller);
  ArrayBuilder builder(call.result().element());
  for (const JsonbView item : run.query()) {
    const StringValue value = StringValue::refer(item.bytes(), StringValue::Storage::Temporary);
    builder.add(value.lo(), value.hi());
  }
  call.giveBytes(builder.finish());
}

}  // namespace

void addJsonPaths(JsonFunctions& functions) {
  functions.push_back({"@?", {kJsonb, kPath}, kBoolean, pathExists<Caller::Operator>});
  functions.push_back({"@@", {kJsonb, kPath}, kBoolean, pathMatch<Caller::Operator>});
  functions.push_back({"jsonb_path_exists_opr", {kJsonb, kPath}, kBoolean, pathExists<Caller::Operator>});
  functions.push_back({"jsonb_path_match_opr", {kJsonb, kPath}, kBoolean, pathMatch<Caller::Operator>});
  const auto add = [&](std::string_view name, TypeKind result, auto answer, bool asks_zone,
                       std::string_view shown = {}) {
    for (std::vector<TypeKind> arguments :
         {std::vector<TypeKind>{kJsonb, kPath}, std::vector<TypeKind>{kJsonb, kPath, kJsonb},
          std::vector<TypeKind>{kJsonb, kPath, kJsonb, kBoolean}}) {
      functions.push_back(
          {name, std::move(arguments), result, answer, true, asks_zone, JsonFunction::Arity::Fixed, shown});
    }
  };
  const auto addAll = [&]<Caller caller>() {
    static_assert(caller != Caller::Operator);
    constexpr bool asks_zone = caller == Caller::ZonedFunction;
    add(asks_zone ? "jsonb_path_exists_tz" : "jsonb_path_exists", kBoolean, &pathExists<caller>, asks_zone);
    add(asks_zone ? "jsonb_path_match_tz" : "jsonb_path_match", kBoolean, &pathMatch<caller>, asks_zone);
    add(asks_zone ? "jsonb_path_query_array_tz" : "jsonb_path_query_array", kJsonb, &queryArray<caller>, asks_zone);
    add(asks_zone ? "jsonb_path_query_first_tz" : "jsonb_path_query_first", kJsonb, &queryFirst<caller>, asks_zone);
    add(asks_zone ? "$jsonb_path_query_tz" : "$jsonb_path_query", arrayOf(kJsonb), &querySet<caller>, asks_zone,
        asks_zone ? "jsonb_path_query_tz" : "jsonb_path_query");
  };
  addAll.operator()<Caller::Function>();
  addAll.operator()<Caller::ZonedFunction>();
}

}  // namespace gnomon::sql
