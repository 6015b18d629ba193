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

/// A parameter of PostgreSQL's that changes nothing here.
struct KnownParameter {
  enum class Kind : uint8_t { Boolean, Integer, Real, Choice };
  std::string_view name;
  Kind kind;
  int minimum = 0, maximum = 0;  ///< of numbers
  bool is_of_toast = true;       ///< toast.name is one, too
};

constexpr int kMost = std::numeric_limits<int>::max();
constexpr int kTransactionsMax = 2000000000, kAgeMax = 1000000000;
using Kind = KnownParameter::Kind;
constexpr KnownParameter kKnown[] = {
    {kFillfactor, Kind::Integer, 10, 100, false},
    {"autovacuum_analyze_scale_factor", Kind::Real, 0, 100, false},
    {"autovacuum_analyze_threshold", Kind::Integer, 0, kMost, false},
    {"autovacuum_enabled", Kind::Boolean},
    {"autovacuum_freeze_max_age", Kind::Integer, 100000, kTransactionsMax},
    {"autovacuum_freeze_min_age", Kind::Integer, 0, kAgeMax},
    {"autovacuum_freeze_table_age", Kind::Integer, 0, kTransactionsMax},
    {"autovacuum_multixact_freeze_max_age", Kind::Integer, 10000, kTransactionsMax},
    {"autovacuum_multixact_freeze_min_age", Kind::Integer, 0, kAgeMax},
    {"autovacuum_multixact_freeze_table_age", Kind::Integer, 0, kTransactionsMax},
    {"autovacuum_vacuum_cost_delay", Kind::Real, 0, 100},
    {"autovacuum_vacuum_cost_limit", Kind::Integer, 1, 10000},
    {"autovacuum_vacuum_insert_scale_factor", Kind::Real, 0, 100},
    {"autovacuum_vacuum_insert_threshold", Kind::Integer, -1, kMost},
    {"autovacuum_vacuum_scale_factor", Kind::Real, 0, 100},
    {"autovacuum_vacuum_threshold", Kind::Integer, 0, kMost},
    {"log_autovacuum_min_duration", Kind::Integer, -1, kMost},
    {"parallel_workers", Kind::Integer, 0, 1024, false},
    {"toast_tuple_target", Kind::Integer, 128, 8160, false},
    {"user_catalog_table", Kind::Boolean, 0, 0, false},
    {"vacuum_index_cleanup", Kind::Choice},
    {"vacuum_truncate", Kind::Boolean},
};

constexpr std::string_view kToast = "toast.";

[[noreturn]] void throwUnrecognized(std::string_view name) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized parameter \"{}\"", name));
}

[[noreturn]] void throwInvalid(std::string_view kind, const ast::Option& parameter) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid value for {} option \"{}\": {}", kind,
                                                               parameter.name, parameter.value.value_or("true")));
}

template <typename Number>
[[noreturn]] void throwOutside(const ast::Option& parameter, Number minimum, Number maximum) {
  throw SqlError(sqlstate::kInvalidParameterValue,
                 fmt::format("value {} out of bounds for option \"{}\"", *parameter.value, parameter.name))
      .detail(fmt::format("Valid values are between \"{}\" and \"{}\".", minimum, maximum));
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

/// The whole text.
template <typename Number>
bool parseNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

int readInteger(const ast::Option& parameter, int minimum, int maximum) {
  int number = 0;
  if (!parseNumber(parameter.value.value_or("true"), number)) throwInvalid("integer", parameter);
  if (number < minimum || number > maximum) throwOutside(parameter, minimum, maximum);
  return number;
}

void requireBoolean(const ast::Option& parameter) {
  bool value = false;
  if (!parseBoolean(parameter.value.value_or("true"), value)) throwInvalid("boolean", parameter);
}

void requireReal(const ast::Option& parameter, int minimum, int maximum) {
  double number = 0;
  if (!parseNumber(parameter.value.value_or("true"), number)) throwInvalid("floating point", parameter);
  if (number < minimum || number > maximum)
    throwOutside(parameter, fmt::format("{:f}", double(minimum)), fmt::format("{:f}", double(maximum)));
}

void requireChoice(const ast::Option& parameter) {
  static constexpr std::string_view kWords[] = {"auto", "on", "off", "true", "false", "yes", "no", "1", "0"};
  if (std::ranges::find(kWords, parameter.value.value_or("true")) != std::end(kWords)) return;
  try {
    throwInvalid("enum", parameter);
  } catch (SqlError& error) {
    throw error.detail("Valid values are \"on\", \"off\", and \"auto\".");
  }
}

void requireValid(const ast::Option& parameter, const KnownParameter& known) {
  if (known.kind == Kind::Boolean) requireBoolean(parameter);
  if (known.kind == Kind::Integer) readInteger(parameter, known.minimum, known.maximum);
  if (known.kind == Kind::Real) requireReal(parameter, known.minimum, known.maximum);
  if (known.kind == Kind::Choice) requireChoice(parameter);
}

/// Its text goes.
void forget(std::vector<std::string>& texts, std::string_view name) {
  std::erase_if(texts, [&](const std::string& text) { return text.starts_with(fmt::format("{}=", name)); });
}

int16_t readFillfactor(const ast::Option& parameter) {
  constexpr int kMin = 10, kMax = 100;
  return static_cast<int16_t>(readInteger(parameter, kMin, kMax));
}

bool isOfToast(std::string_view name) {
  return name.starts_with(kToast);
}

/// Without the namespace.
std::string_view plainName(std::string_view name) {
  return isOfToast(name) ? name.substr(kToast.size()) : name;
}

void requireOnce(const std::vector<ast::Option>& parameters, const ast::Option& parameter) {
  if (std::ranges::count(parameters, parameter.name, &ast::Option::name) > 1)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("parameter \"{}\" specified more than once", plainName(parameter.name)));
}

}  // namespace

void setStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options) {
  for (const ast::Option& parameter : parameters)
    if (const size_t dot = parameter.name.find('.'); dot != std::string::npos && !isOfToast(parameter.name))
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("unrecognized parameter namespace \"{}\"", parameter.name.substr(0, dot)));
  for (const ast::Option& parameter : parameters) {
    if (parameter.name == kLeafSize) {
      requireOnce(parameters, parameter);
      options.leaf_class = readLeafSize(parameter);
      continue;
    }
    const bool is_of_toast = isOfToast(parameter.name);
    ast::Option plain = parameter;
    plain.name = plainName(parameter.name);
    const auto* const known = std::ranges::find(kKnown, std::string_view(plain.name), &KnownParameter::name);
    if (known == std::end(kKnown) || (is_of_toast && !known->is_of_toast)) throwUnrecognized(plain.name);
    requireOnce(parameters, parameter);
    requireValid(plain, *known);
    if (is_of_toast) continue;
    forget(options.parameters, plain.name);
    options.parameters.push_back(fmt::format("{}={}", plain.name, plain.value.value_or("true")));
  }
}

int16_t indexFillfactor(const std::vector<ast::Option>& parameters) {
  int16_t fillfactor = 0;
  for (const ast::Option& parameter : parameters) {
    if (parameter.name == "deduplicate_items")
      throwNotSupported(fmt::format("storage parameter \"{}\"", parameter.name));
    if (parameter.name != kFillfactor) throwUnrecognized(parameter.name);
    requireOnce(parameters, parameter);
    fillfactor = readFillfactor(parameter);
  }
  return fillfactor;
}

std::vector<std::string> ginParameters(const std::vector<ast::Option>& parameters) {
  constexpr int kPendingMin = 64;
  std::vector<std::string> texts;
  for (const ast::Option& parameter : parameters) {
    const bool is_limit = parameter.name == "gin_pending_list_limit";
    if (!is_limit && parameter.name != "fastupdate") throwUnrecognized(parameter.name);
    requireOnce(parameters, parameter);
    if (is_limit)
      readInteger(parameter, kPendingMin, kMost);
    else
      requireBoolean(parameter);
    texts.push_back(parameter.name + "=" + parameter.value.value_or("true"));
  }
  return texts;
}

std::vector<std::string> storageParameterTexts(const TableOptions& options) {
  std::vector<std::string> texts = options.parameters;
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
    forget(options.parameters, parameter.name);
  }
}

}  // namespace gnomon::sql
