#include "sql/bind/option_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon::sql {

std::string loweredOption(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

bool booleanOption(const ast::Option& option) {
  if (!option.value && !option.is_list) return true;
  const std::string text = loweredOption(option.value.value_or(""));
  if (text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  throw SqlError(sqlstate::kSyntaxError, fmt::format("{} requires a Boolean value", option.name));
}

}  // namespace gnomon::sql
