#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::sql::test {

/// A call and what PostgreSQL 15 answered: the text of its result, or "SQLSTATE: message".
/// Shape of a call: name and arguments as texts, for example {"add", "1.10", "2.2"}, {"cast", "1.5", "numeric", "int4"}
/// (a text, its type, then casts), {"extract", "year", "date", "2000-01-01"}.
struct TypeCase {
  std::vector<std::string> call;
  std::string expected;
};

/// Evaluates a call with sql/types.
std::string evaluate(const std::vector<std::string>& call);

/// Evaluates every case and reports those that differ.
void checkCases(std::span<const TypeCase> cases);

}  // namespace gnomon::sql::test
