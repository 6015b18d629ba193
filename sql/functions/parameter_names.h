#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::sql {

/// Where a parameter's value comes from in a call that names arguments.
struct ArgumentPlace {
  int32_t argument = -1;          ///< the argument's number; -1: the default
  std::string_view default_text;  ///< as a literal without type
};

/// The places in the order of the parameters, up to the last that is given. `names`: of each argument, empty for those
/// before the first named one. Nothing: the function has no such parameters, or lacks one.
std::optional<std::vector<ArgumentPlace>> placeNamedArguments(std::string_view function,
                                                              std::span<const std::string> names);

}  // namespace gnomon::sql
