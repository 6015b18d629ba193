#include "sql/bind/storage_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "base/settings.h"
#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kLeafSize = "leaf_size";
constexpr std::string_view kFillfactor = "fillfactor";

bool isOfPostgres(std::string_view name) {
  static constexpr std::string_view kNames[] = {"parallel_workers", "toast_tuple_target", "user_catalog_table",
                                                "vacuum_index_cleanup", "vacuum_truncate"};
  return name.starts_with("autovacuum_") || name.starts_with("log_autovacuum_") || name.starts_with("toast.") ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

storage::SizeClass readLeafSize(const ast::Option& parameter) {
  int64_t bytes = 0;
  const bool is_number = parameter.value && parseQuantity(*parameter.value, SettingUnit::Bytes, bytes);
  const auto size = static_cast<uint64_t>(bytes);
  if (!is_number || !std::has_single_bit(size) || size < storage::kPageBytesMin ||
      size > storage::pageBytes(kLeafClassMax))
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid value for parameter \"{}\": \"{}\"", kLeafSize, parameter.value.value_or("")))
        .hint(fmt::format("Valid values are powers of two from {} to {}.",
                          printQuantity(storage::kPageBytesMin, SettingUnit::Bytes),
                          printQuantity(storage::pageBytes(kLeafClassMax), SettingUnit::Bytes)));
  return {static_cast<uint8_t>(std::countr_zero(size) - storage::kPageBytesMinShift)};
}

int readInteger(const ast::Option& parameter, int minimum, int maximum) {
  const std::string text = parameter.value.value_or("true");
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid value for integer option \"{}\": {}", parameter.name, text));
  if (number < minimum || number > maximum)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("value {} out of bounds for option \"{}\"", text, parameter.name))
        .detail(fmt::format("Valid values are between \"{}\" and \"{}\".", minimum, maximum));
  return number;
}

int16_t readFillfactor(const ast::Option& parameter) {
  constexpr int kMin = 10, kMax = 100;
  return static_cast<int16_t>(readInteger(parameter, kMin, kMax));
}

void requireOnce(const std::vector<ast::Option>& parameters, const ast::Option& parameter) {
  if (std::ranges::count(parameters, parameter.name, &ast::Option::name) > 1)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("parameter \"{}\" specified more than once", parameter.name));
}

}  // namespace

void setStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options) {
  for (const ast::Option& parameter : parameters) {
    if (isOfPostgres(parameter.name)) throwNotSupported(fmt::format("storage parameter \"{}\"", parameter.name));
    if (parameter.name != kLeafSize && parameter.name != kFillfactor)
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized parameter \"{}\"", parameter.name));
    requireOnce(parameters, parameter);
    if (parameter.name == kFillfactor)
      options.fillfactor = readFillfactor(parameter);
    else
      options.leaf_class = readLeafSize(parameter);
  }
}

int16_t indexFillfactor(const std::vector<ast::Option>& parameters) {
  int16_t fillfactor = 0;
  for (const ast::Option& parameter : parameters) {
    if (parameter.name == "deduplicate_items")
      throwNotSupported(fmt::format("storage parameter \"{}\"", parameter.name));
    if (parameter.name != kFillfactor)
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized parameter \"{}\"", parameter.name));
    requireOnce(parameters, parameter);
    fillfactor = readFillfactor(parameter);
  }
  return fillfactor;
}

std::vector<std::string> ginParameters(const std::vector<ast::Option>& parameters) {
  constexpr int kPendingMin = 64;
  std::vector<std::string> texts;
  for (const ast::Option& parameter : parameters) {
    const std::string text = parameter.value.value_or("true");
    bool value = false;
    requireOnce(parameters, parameter);
    if (parameter.name == "gin_pending_list_limit")
      readInteger(parameter, kPendingMin, std::numeric_limits<int>::max());
    else if (parameter.name != "fastupdate")
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized parameter \"{}\"", parameter.name));
    else if (!parseBoolean(text, value))
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("invalid value for boolean option \"{}\": {}", parameter.name, text));
    texts.push_back(parameter.name + "=" + text);
  }
  return texts;
}

std::vector<std::string> storageParameterTexts(const TableOptions& options) {
  std::vector<std::string> texts;
  if (options.fillfactor != 0) texts.push_back(fmt::format("{}={}", kFillfactor, options.fillfactor));
  if (options.leaf_class)
    texts.push_back(
        fmt::format("{}={}", kLeafSize, printQuantity(storage::pageBytes(*options.leaf_class), SettingUnit::Bytes)));
  return texts;
}

void resetStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options) {
  for (const ast::Option& parameter : parameters) {
    if (parameter.value || parameter.is_list)
      throw SqlError(sqlstate::kSyntaxError, "RESET must not include values for parameters");
    if (parameter.name == kLeafSize) options.leaf_class.reset();
    if (parameter.name == kFillfactor) options.fillfactor = 0;
  }
}

}  // namespace gnomon::sql
