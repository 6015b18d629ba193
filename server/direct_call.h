#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/types/value.h"

namespace gnomon::server {

/// A query that is nothing but the call of a routine, as clients call them: SELECT f($1, 2). Such a one is executed by
/// calling the routine, without a pipeline that does.
struct DirectCall {
  uint32_t routine;  ///< its oid
  sql::Type result;
  struct Argument {
    std::optional<uint32_t> parameter;  ///< none: the constant
    sql::Value constant;
  };
  std::vector<Argument> arguments;

  /// Those of the arguments; in `memory`, unless they are the parameters as they come.
  std::span<const sql::Value> values(std::span<const sql::Value> parameters, std::vector<sql::Value>& memory) const;
};

/// None: it is another one, or one of a routine that returns a set or nothing. `plan`: optimised.
std::optional<DirectCall> directCallOf(const sql::Plan& plan);

}  // namespace gnomon::server
