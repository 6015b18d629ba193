#include "sql/json/json_functions.h"

#include <algorithm>
#include <cctype>

#include "base/assert.h"
#include "sql/types/array_value.h"

namespace gnomon::sql {
namespace {

JsonFunctions makeFunctions() {
  JsonFunctions functions;
  addJsonAccess(functions);
  addJsonConstructors(functions);
  addJsonChanges(functions);
  addJsonSets(functions);
  addJsonRecords(functions);
  addJsonPaths(functions);
  return functions;
}

}  // namespace

bool JsonFunction::isOperator() const {
  const char first = name.front();
  return std::isalpha(static_cast<unsigned char>(first)) == 0 && first != '$';
}

const std::vector<JsonFunction>& jsonFunctions() {
  static const JsonFunctions functions = makeFunctions();
  return functions;
}

const JsonFunction& jsonFunction(FunctionId function) {
  return jsonFunctions()[static_cast<size_t>(function) - static_cast<size_t>(kFirstJsonFunction)];
}

FunctionId jsonFunctionNamed(std::string_view name) {
  const auto& functions = jsonFunctions();
  const auto found = std::ranges::find(functions, name, &JsonFunction::name);
  CHECK(found != functions.end(), "a function of JSON");
  return jsonFunctionId(static_cast<size_t>(found - functions.begin()));
}

void callJsonFunction(FunctionId function, JsonCall& call) {
  const JsonFunction& called = jsonFunction(function);
  if (called.is_strict && std::ranges::any_of(call.arguments(), &JsonArgument::is_null)) return;
  called.answer(call);
}

std::vector<std::pair<bool, std::string>> JsonCall::texts(size_t index) const {
  const ArrayView array(Type::of(TypeKind::Text), arguments_[index].value);
  std::vector<std::pair<bool, std::string>> texts;
  for (size_t i = 0; i < array.size(); ++i) {
    const RegisterPair pair = array.at(i);
    const StringValue text(pair.lo, pair.hi);
    array.isNull(i) ? texts.emplace_back(true, std::string()) : texts.emplace_back(false, text.view());
  }
  return texts;
}

}  // namespace gnomon::sql
