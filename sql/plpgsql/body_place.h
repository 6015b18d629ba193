#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::sql::plpgsql {

/// Where a byte of a body stands in the statement that creates the routine, or the DO: the statement has the body as a
/// string, between dollar quotes, or between quotes with those inside doubled and a backslash before others.
///
/// -1: no string of it is the body, or more than one is; PostgreSQL then shows the body with the error.
/// Source: PostgreSQL looks for the body without reading the statement, so may we.
int32_t placeInStatement(std::string_view statement, std::string_view body, int32_t position);

}  // namespace gnomon::sql::plpgsql
