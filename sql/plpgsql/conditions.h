#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/sql_error.h"

/// Names of error conditions, as EXCEPTION WHEN and RAISE know them.
namespace gnomon::sql::plpgsql {

struct NamedCondition {
  std::string_view name;
  SqlState state;
};

/// All of them. A few names stand for several SQLSTATEs; the name of a class has a state that ends with 000.
std::span<const NamedCondition> conditions();

/// What RAISE means by a name: the first SQLSTATE that has it.
std::optional<SqlState> findCondition(std::string_view name);

/// What a handler means by a name: every SQLSTATE that has it; none: there is no such condition.
std::vector<SqlState> findConditions(std::string_view name);

/// The code if it is one: five digits and upper case letters.
std::optional<SqlState> sqlStateOf(std::string_view code);

}  // namespace gnomon::sql::plpgsql
