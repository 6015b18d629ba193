#include "sql/bind/storage_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/settings.h"
#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kLeafSize = "leaf_size";

bool isOfPostgres(std::string_view name) {
  static constexpr std::string_view kNames[] = {"fillfactor",         "parallel_workers",     "toast_tuple_target",
                                                "user_catalog_table", "vacuum_index_cleanup", "vacuum_truncate"};
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

}  // namespace

void setStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options) {
  for (const ast::Option& parameter : parameters) {
    if (isOfPostgres(parameter.name)) throwNotSupported(fmt::format("storage parameter \"{}\"", parameter.name));
    if (parameter.name != kLeafSize)
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized parameter \"{}\"", parameter.name));
    if (std::ranges::count(parameters, parameter.name, &ast::Option::name) > 1)
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("parameter \"{}\" specified more than once", parameter.name));
    options.leaf_class = readLeafSize(parameter);
  }
}

void resetStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options) {
  for (const ast::Option& parameter : parameters) {
    if (parameter.value || parameter.is_list)
      throw SqlError(sqlstate::kSyntaxError, "RESET must not include values for parameters");
    if (parameter.name == kLeafSize) options.leaf_class = {};
  }
}

}  // namespace gnomon::sql
