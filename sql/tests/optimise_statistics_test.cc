#include <gtest/gtest.h>

#include <cmath>

#include "base/string_value.h"
#include "sql/catalog/stored_schema.h"
#include "sql/optimise/optimiser.h"
#include "sql/tests/bind_fixture.h"
#include "storage/statistics/relation_statistics.h"

namespace gnomon::sql {
namespace {

using storage::Datum;

/// 10,000 rows of (a integer: 0 .. 9999, b integer: a % 10 - 5 or null where a % 4 = 0, c text: 'red' in 60 %, 'green'
/// in 30 %, else 'blue', d numeric(10,2): a / 100, e date: day a % 1000), known by their statistics alone.
class KnownTable final : public TableStatistics {
 public:
  static constexpr uint64_t kRows = 10'000;

  explicit KnownTable(const TableEntry& table) : statistics_(storedSchema(table.columns), 7) {
    for (uint64_t a = 0; a < kRows; ++a) {
      const StringValue color = StringValue::refer(a % 10 < 6   ? "red"
                                                   : a % 10 < 9 ? "green"
                                                                : "blue",
                                                   StringValue::Storage::Temporary);
      const Datum row[] = {{a, 0}, {a % 10 - 5, 0}, {color.lo(), color.hi()}, {a, 0}, {a % 1000, 0}};
      const uint8_t nulls[] = {0, static_cast<uint8_t>(a % 4 == 0), 0, 0, 0};
      statistics_.onInsertBatch(storage::TupleId{a}, row, nulls, 1);
    }
    snapshot_ = statistics_.snapshot();
  }
  [[nodiscard]] double rowCount(const TableEntry&) const override { return kRows; }
  [[nodiscard]] std::shared_ptr<const storage::StatisticsSnapshot> snapshot(const TableEntry&) const override {
    return snapshot_;
  }

 private:
  storage::RelationStatistics statistics_;
  std::shared_ptr<const storage::StatisticsSnapshot> snapshot_;
};

class SampledEstimates : public BindTest {
 protected:
  void SetUp() override {
    execute("CREATE TABLE t (a integer, b integer, c text, d numeric(10,2), e date)");
    known_ = std::make_unique<KnownTable>(*catalog_.find({"public", "t"}));
  }
  /// Estimated rows below the output of the optimised query.
  double rows(const std::string& query) {
    const BoundStatement bound = bindText(query);
    Plan& plan = *std::get<QueryStatement>(bound.body).plan;
    optimise(plan, *known_);
    return plan.root->inputs[0]->estimated_rows;
  }
  double rowsWhere(const std::string& predicate) { return rows("SELECT * FROM t WHERE " + predicate); }

  std::unique_ptr<KnownTable> known_;
};

TEST_F(SampledEstimates, CountWhatTheSampleShows) {
  const std::pair<const char*, double> cases[] = {
      {"a < 2500", 2500},
      {"a >= 1000 AND a < 9000", 8000},
      {"a BETWEEN 2000 AND 2999", 1000},
      {"b < 0", 5000 - 1500},  // a % 10 in 0 .. 4, less those with a % 4 = 0: 3 of 10
      {"b IS NULL", 2500},
      {"b IS NOT NULL", 7500},
      {"c = 'red'", 6000},
      {"c <> 'red'", 4000},
      {"c > 'green'", 6000},
      {"c IN ('green', 'blue')", 4000},
      {"NOT (c = 'red' OR b = 4)", 2000},
      {"c LIKE '%e%n'", 3000},
      {"c NOT LIKE 'r%'", 4000},
      {"c ILIKE 'GREEN'", 3000},
      {"d > 75.5", 2450},
      {"d::double precision < 10", 1000},
      {"e < date '2000-04-10'", 1000},
      {"a::bigint < 5000", 5000},
      {"a < d", 100},
      {"c = 'red' AND b < 1", 4500},  // not independent: 0.6 x 0.45 would be 2700
      {"(b = 1) IS TRUE", 500},
  };
  for (const auto& [predicate, truth] : cases) {
    // Four standard errors of a sample of 1024.
    const double share = truth / KnownTable::kRows;
    const double tolerance = 4 * std::sqrt(share * (1 - share) / 1024) * KnownTable::kRows;
    EXPECT_NEAR(rowsWhere(predicate), truth, tolerance) << predicate;
  }
}

TEST_F(SampledEstimates, OfWhatTheSampleDoesNotHoldAreSmallButNotZero) {
  EXPECT_EQ(rowsWhere("c LIKE 'yellow%'"), 0.5 / 1024 * KnownTable::kRows);
  EXPECT_LE(rowsWhere("a < 0"), 5.0);
  EXPECT_NEAR(rowsWhere("a = 4711"), 1, 0.5) << "the distinct count knows better than one row in 1024";
}

TEST_F(SampledEstimates, LeaveTheRestToGuesses) {
  const double red = rowsWhere("c = 'red'");
  EXPECT_NEAR(rowsWhere("c = 'red' AND length(c) = 3"), red * 0.3, red * 0.3) << "a function";
  EXPECT_EQ(rows("SELECT * FROM t"), KnownTable::kRows);
}

TEST_F(SampledEstimates, OfBoundsThatAreNotKnownFollowFromTheirDistance) {
  EXPECT_NEAR(rowsWhere("a >= $1::integer - 20 AND a < $1::integer"), 20, 6);
  EXPECT_NEAR(rowsWhere("a > $1::integer AND a <= 30 + $1::integer"), 30, 9);
  EXPECT_EQ(rowsWhere("a > $1::integer AND a <= $1::integer + 500"), KnownTable::kRows * 0.005)
      << "never more than that";
  EXPECT_EQ(rowsWhere("a > $1::bigint AND a <= $1::bigint - (-9223372036854775808)::bigint"),
            KnownTable::kRows * 0.005);
  EXPECT_NEAR(rowsWhere("a BETWEEN $1::integer + 1 AND $1::integer + 1"), 1, 0.3);
  EXPECT_LE(rowsWhere("a > $1::integer AND a < $1::integer - 3"), 1);
  EXPECT_EQ(rowsWhere("a >= $1::integer - 20 AND a < $2::integer"), KnownTable::kRows * 0.005) << "others are guessed";
}

TEST_F(SampledEstimates, OfGroupsComeFromDistinctCounts) {
  EXPECT_NEAR(rows("SELECT c FROM t GROUP BY c"), 3, 0.5);
  EXPECT_NEAR(rows("SELECT e FROM t GROUP BY e"), 1000, 300);
  EXPECT_NEAR(rows("SELECT a FROM t GROUP BY a"), 10'000, 3000);
}

}  // namespace
}  // namespace gnomon::sql
