#pragma once

#include <optional>
#include <string_view>

namespace gnomon::sql::plpgsql {

/// The query of a body that returns its rows and does nothing else: BEGIN RETURN QUERY query; END. It refers to `body`.
/// Nothing: another body, or one that is wrong.
std::optional<std::string_view> onlyReturnedQuery(std::string_view body);

}  // namespace gnomon::sql::plpgsql
