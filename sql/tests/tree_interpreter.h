#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/optimise/cardinality.h"

namespace gnomon::sql::test {

/// A value of any integer or boolean type, or an integral numeric; none: NULL.
using Number = std::optional<int64_t>;
using Row = std::map<Iu, Number>;
using Tuple = std::vector<Number>;

/// Tables of the tests: their rows by name.
using Database = std::map<std::string, std::vector<Tuple>>;

/// The algebra's meaning, written down as plainly as possible: the reference the optimiser is tested against.
/// Covers booleans, integers and what the trees of the tests use. Ends the process when an expression or unit that is
/// not nullable is NULL: generated code relies on the flags.
Number evaluate(const Expression& expression, const Row& row);

/// The rows of the operator in its order; each has the values of the row around it, too. Failure: 21000.
std::vector<Row> rowsOf(const Operator& op, const Database& database, const Row& around);

/// The result of a plan whose root is an Output, as a multiset. Failure: 21000.
std::multiset<Tuple> resultOf(const Plan& plan, const Database& database);

/// Row counts as told; 1000 for tables that are not.
class FakeStatistics final : public TableStatistics {
 public:
  std::map<std::string, double> rows;
  [[nodiscard]] double rowCount(const TableEntry& table) const override {
    const auto found = rows.find(table.name);
    return found == rows.end() ? 1000 : found->second;
  }
};

}  // namespace gnomon::sql::test
