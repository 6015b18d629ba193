#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/types/jsonb_builder.h"

namespace gnomon::sql {

/// What is done where a path of keys and indexes leads.
enum class JsonPathChange : uint8_t {
  Delete,
  Replace,       ///< only what is there
  Create,        ///< replaces what is there, or adds the last step
  InsertBefore,  ///< an element before that one, or a key that is not there
  InsertAfter,
  Assign,  ///< as Create; whatever is missing on the way is made, and scalars are no places
};

/// Keys and indexes; a NULL has no text.
using JsonPathSteps = std::vector<std::optional<std::string>>;

/// The target, an array or an object (for Assign anything), changed at the end of at least one step.
///
/// Source: PostgreSQL's setPath.
/// Failure: 22004 for a step that is NULL, 22P02 for one into an array that is no integer, 22023.
std::string changeJsonPath(JsonbView target, const JsonPathSteps& steps, JsonPathChange change,
                           std::optional<JsonbView> value);

}  // namespace gnomon::sql
