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

/// (value, path [, variables [, silent]]); operators are silent.
JsonPathExecution execution(const JsonCall& call, bool is_operator) {
  JsonPathExecution::Options options;
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

template <bool is_operator>
void pathExists(JsonCall& call) {
  if (const auto exists = execution(call, is_operator).exists()) call.giveBoolean(*exists);
}

template <bool is_operator>
void pathMatch(JsonCall& call) {
  JsonPathExecution run = execution(call, is_operator);
  const auto items = run.query();
  if (items && items->size() == 1) {
    const JsonbView only = items->front();
    if (only.kind() == JsonKind::Boolean) return call.giveBoolean(only.boolean());
    if (only.isNull()) return;
  }
  const bool is_silent = is_operator || (call.size() > 3 && call.boolean(3));
  if (!is_silent) throw SqlError(SqlState("22038"), "single boolean result is expected");
}

void queryArray(JsonCall& call) {
  JsonPathExecution run = execution(call, false);
  JsonbBuilder builder;
  builder.beginArray();
  if (const auto items = run.query())
    for (const JsonbView item : *items) builder.value(item);
  builder.endArray();
  call.giveBytes(builder.finish());
}

void queryFirst(JsonCall& call) {
  JsonPathExecution run = execution(call, false);
  const auto items = run.query();
  if (items && !items->empty()) call.giveBytes(std::string(items->front().bytes()));
}

/// The rows of jsonb_path_query.
void querySet(JsonCall& call) {
  JsonPathExecution run = execution(call, false);
  ArrayBuilder builder(call.result().element());
  if (const auto items = run.query())
    for (const JsonbView item : *items) {
      const StringValue value = StringValue::refer(item.bytes(), StringValue::Storage::Temporary);
      builder.add(value.lo(), value.hi());
    }
  call.giveBytes(builder.finish());
}

}  // namespace

void addJsonPaths(JsonFunctions& functions) {
  functions.push_back({"@?", {kJsonb, kPath}, kBoolean, pathExists<true>});
  functions.push_back({"@@", {kJsonb, kPath}, kBoolean, pathMatch<true>});
  functions.push_back({"jsonb_path_exists_opr", {kJsonb, kPath}, kBoolean, pathExists<true>});
  functions.push_back({"jsonb_path_match_opr", {kJsonb, kPath}, kBoolean, pathMatch<true>});
  const auto add = [&](std::string_view name, TypeKind result, auto answer, bool asks_zone,
                       std::string_view shown = {}) {
    for (std::vector<TypeKind> arguments :
         {std::vector<TypeKind>{kJsonb, kPath}, std::vector<TypeKind>{kJsonb, kPath, kJsonb},
          std::vector<TypeKind>{kJsonb, kPath, kJsonb, kBoolean}}) {
      functions.push_back(
          {name, std::move(arguments), result, answer, true, asks_zone, JsonFunction::Arity::Fixed, shown});
    }
  };
  for (const bool asks_zone : {false, true}) {
    add(asks_zone ? "jsonb_path_exists_tz" : "jsonb_path_exists", kBoolean, &pathExists<false>, asks_zone);
    add(asks_zone ? "jsonb_path_match_tz" : "jsonb_path_match", kBoolean, &pathMatch<false>, asks_zone);
    add(asks_zone ? "jsonb_path_query_array_tz" : "jsonb_path_query_array", kJsonb, &queryArray, asks_zone);
    add(asks_zone ? "jsonb_path_query_first_tz" : "jsonb_path_query_first", kJsonb, &queryFirst, asks_zone);
    add(asks_zone ? "$jsonb_path_query_tz" : "$jsonb_path_query", arrayOf(kJsonb), &querySet, asks_zone,
        asks_zone ? "jsonb_path_query_tz" : "jsonb_path_query");
  }
}

}  // namespace gnomon::sql
