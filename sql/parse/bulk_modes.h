#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gnomon::sql {

/// Replaces BULK WRITE, which the grammar does not know, by READ WRITE, which is as long, where it is said of a
/// transaction: in BEGIN, START and SET. Returns where it stood, ascending. What is no SQL is left to the grammar.
std::vector<int32_t> takeBulkModes(std::string& text);

}  // namespace gnomon::sql
