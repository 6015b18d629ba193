#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sql/catalog/catalog.h"
#include "sql/tests/tree_interpreter.h"

namespace gnomon::sql::test {

/// TPC-H's tables in a catalog without storage, with the row counts of scale factor 1.
class TpchPlans {
 public:
  TpchPlans();

  /// The bound plan of a query's text, and of benchmarks/tpch/queries/NN.sql.
  std::shared_ptr<Plan> bind(std::string_view sql) const;
  static std::string queryText(int number);
  /// EXPLAIN's text of the optimised query.
  [[nodiscard]] std::string explain(std::string_view sql) const;
  [[nodiscard]] const FakeStatistics& statistics() const { return statistics_; }

 private:
  std::unique_ptr<Catalog> catalog_;
  FakeStatistics statistics_;
};

}  // namespace gnomon::sql::test
