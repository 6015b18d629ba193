#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Statements that hold, or stand for, another one, by their texts. Each has passed the grammar.
namespace gnomon::sql {

/// Where the query begins behind PREPARE ... AS or DECLARE ... FOR.
size_t innerStatementBegin(std::string_view statement);

/// EXPLAIN or CREATE TABLE ... AS with the query in the place of EXECUTE.
std::string withQueryForExecute(std::string_view statement, std::string_view query);

}  // namespace gnomon::sql
