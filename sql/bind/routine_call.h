#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/catalog/table_entry.h"
#include "sql/functions/overload.h"

namespace gnomon::sql {

/// A routine, and what of a call each of its inputs gets.
struct RoutineCall {
  struct Input {
    static constexpr size_t kDefault = SIZE_MAX;
    size_t argument = kDefault;       ///< the number of the argument; kDefault: what the parameter says
    std::vector<size_t> listed = {};  ///< the arguments that are the elements of a VARIADIC array
  };
  TablePtr entry;             ///< with the types of the call
  TablePtr defined;           ///< as the catalog has it
  std::vector<Input> inputs;  ///< as RoutineEntry::inputs()
};

/// The routine that fits the arguments best by PostgreSQL's rules. `candidates`: of one name, the sooner found ones
/// first. `names`: of the arguments, empty where they have none; an empty list: none has. `is_variadic`: the last
/// argument is an array of arguments. Polymorphic types are left as they are.
OverloadOutcome chooseRoutine(std::span<const TablePtr> candidates, std::span<const ExpressionPtr> arguments,
                              std::span<const std::string> names, bool is_variadic, RoutineCall& chosen);

}  // namespace gnomon::sql
