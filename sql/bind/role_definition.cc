#include "sql/bind/role_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/types/timestamptz.h"

namespace gnomon::sql {
namespace {

constexpr SqlState kSuccess("00000");

struct FlagOption {
  std::string_view name;
  std::optional<bool> RoleOptions::* flag;
};
constexpr FlagOption kFlagOptions[] = {
    {"superuser", &RoleOptions::is_superuser},
    {"inherit", &RoleOptions::inherits},
    {"createrole", &RoleOptions::creates_roles},
    {"createdb", &RoleOptions::creates_databases},
    {"canlogin", &RoleOptions::may_log_in},
    {"isreplication", &RoleOptions::may_replicate},
    {"bypassrls", &RoleOptions::bypasses_row_security},
};

int32_t connectionLimit(const ast::RoleOption& option) {
  const int32_t limit = std::stoi(option.value.value_or("-1"));
  if (limit < -1) throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid connection limit: {}", limit));
  return limit;
}

/// Takes an option that is no list of roles. False: it is another one.
bool takeOption(const ast::RoleOption& option, RoleOptions& options) {
  const auto* const flag = std::ranges::find(kFlagOptions, option.name, &FlagOption::name);
  if (flag != std::end(kFlagOptions)) {
    options.*(flag->flag) = option.value == "true";
    return true;
  }
  if (option.name == "password") {
    options.password = option.value.value_or("");
  } else if (option.name == "connectionlimit") {
    options.connection_limit = connectionLimit(option);
  } else if (option.name == "validUntil") {
    options.valid_until = parseTimestampTz(option.value.value_or("infinity"));
  } else {
    return false;
  }
  return true;
}

/// No option is said twice. Failure: 42601.
void requireDistinct(const std::vector<ast::RoleOption>& options) {
  for (size_t i = 0; i < options.size(); ++i)
    for (size_t before = 0; before < i; ++before)
      if (options[before].name == options[i].name)
        throw SqlError(sqlstate::kSyntaxError, "conflicting or redundant options").position(options[i].position);
}

void noteEmptyPassword(const std::vector<ast::RoleOption>& options, std::vector<SqlError>& notices) {
  const bool is_empty = std::ranges::any_of(
      options, [](const ast::RoleOption& each) { return each.name == "password" && each.value == ""; });
  if (is_empty) notices.emplace_back(kSuccess, "empty string is not a valid password, clearing password");
}

}  // namespace

CreateRoleStatement bindCreateRole(const ast::CreateRole& create) {
  CreateRoleStatement result{.name = create.name, .options = {}};
  requireDistinct(create.options);
  if (create.may_log_in) result.options.may_log_in = true;
  for (const ast::RoleOption& option : create.options) {
    if (takeOption(option, result.options)) continue;
    if (option.name == "sysid")
      result.notices.emplace_back(kSuccess, "SYSID can no longer be specified");
    else if (option.name == "addroleto")
      result.above = option.roles;
    else if (option.name == "adminmembers")
      result.admin_members = option.roles;
    else
      result.members = option.roles;
  }
  noteEmptyPassword(create.options, result.notices);
  return result;
}

AlterRoleStatement bindAlterRole(const ast::AlterRole& alter) {
  AlterRoleStatement result{.role = alter.role, .options = {}, .adds_members = alter.adds_members};
  requireDistinct(alter.options);
  for (const ast::RoleOption& option : alter.options)
    if (!takeOption(option, result.options)) result.members = option.roles;
  noteEmptyPassword(alter.options, result.notices);
  return result;
}

}  // namespace gnomon::sql
