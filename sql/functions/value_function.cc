#include "sql/functions/value_function.h"

#include <algorithm>

#include "sql/functions/bit_functions.h"
#include "sql/functions/catalog_values.h"
#include "sql/functions/current_row_functions.h"
#include "sql/functions/datetime_functions.h"
#include "sql/functions/encoding_functions.h"
#include "sql/functions/extension_functions.h"
#include "sql/functions/keyword_functions.h"
#include "sql/functions/money_functions.h"
#include "sql/functions/network_functions.h"
#include "sql/functions/normalization.h"
#include "sql/functions/number_format_functions.h"
#include "sql/functions/regex_values.h"
#include "sql/functions/row_count_functions.h"
#include "sql/functions/sample_functions.h"
#include "sql/functions/text_value_functions.h"
#include "sql/functions/time_tz_functions.h"

namespace gnomon::sql {

const std::vector<ValueFunction>& valueFunctions() {
  static const std::vector<ValueFunction> functions = [] {
    std::vector<ValueFunction> all;
    addDatetimeFunctions(all);
    addNumberFormatFunctions(all);
    addTimeTzFunctions(all);
    addTextValueFunctions(all);
    addRegexFunctions(all);
    addEncodingFunctions(all);
    addKeywordFunctions(all);
    addNormalizationFunctions(all);
    addBitFunctions(all);
    addNetworkFunctions(all);
    addMoneyFunctions(all);
    addCatalogValues(all);
    addRowCountFunctions(all);
    addSampleFunctions(all);
    addExtensionFunctions(all);
    addCurrentRowFunctions(all);
    return all;
  }();
  return functions;
}

FunctionId internalFunction(std::string_view name, size_t argument_count) {
  const auto& functions = valueFunctions();
  const auto found = std::ranges::find_if(functions, [&](const ValueFunction& function) {
    return function.name == name && function.arguments.size() == argument_count;
  });
  return valueFunctionId(static_cast<size_t>(found - functions.begin()));
}

const ValueFunction& valueFunction(FunctionId function) {
  return valueFunctions()[static_cast<size_t>(function) - static_cast<size_t>(kFirstValueFunction)];
}

Value callValueFunction(FunctionId function, std::span<const Value> arguments) {
  const ValueFunction& called = valueFunction(function);
  const Type result = Type::of(called.result);
  if (called.is_strict && std::ranges::any_of(arguments, &Value::is_null)) return Value::null(result);
  return called.answer(arguments, result);
}

}  // namespace gnomon::sql
