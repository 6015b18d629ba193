#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gnomon::sql {

/// Replaces words that the grammar does not know by others that are as long: BULK WRITE by READ WRITE, where it is said
/// of a transaction, in BEGIN, START and SET; EXPLAIN by DROP before FUNCTION, PROCEDURE and ROUTINE. Returns where
/// they stood, ascending. What is no SQL is left to the grammar.
std::vector<int32_t> takeOwnWords(std::string& text);

}  // namespace gnomon::sql
