#include <gtest/gtest.h>

#include "sql/algebra/verify.h"
#include "sql/explain/explain.h"
#include "sql/optimise/optimiser.h"
#include "sql/tests/tpch_plans.h"

namespace gnomon::sql::test {
namespace {

/// Plans of SQL over TPC-H's tables at scale factor 1, as EXPLAIN shows them.
class OptimisedPlans : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { plans_ = new TpchPlans(); }
  static void TearDownTestSuite() { delete plans_; }
  static const TpchPlans* plans_;
};
const TpchPlans* OptimisedPlans::plans_ = nullptr;

/// The tables in the order of the tree, probe side first: "((lineitem orders) customer)".
std::string shape(const Operator& op) {
  if (op.kind == Operator::Kind::TableScan) return static_cast<const TableScan&>(op).alias;
  if (op.kind != Operator::Kind::Join) return shape(*op.inputs[0]);
  const auto& join = static_cast<const Join&>(op);
  EXPECT_FALSE(join.keys.empty()) << "a join without keys";
  const size_t build = join.build_left ? 0 : 1;
  return "(" + shape(*op.inputs[1 - build]) + " " + shape(*op.inputs[build]) + ")";
}

TEST_F(OptimisedPlans, TpchJoinsStartWithTheLargeTableAndBuildTheSmall) {
  const std::pair<int, std::string> expected[] = {
      {1, "lineitem"},
      {3, "(lineitem (orders customer))"},
      {5, "((lineitem (orders (customer (nation region)))) supplier)"},
      {6, "lineitem"},
      {7, "((lineitem (supplier n1)) (orders (customer n2)))"},
      {8, "(((lineitem part) (orders (customer (n1 region)))) (supplier n2))"},
      {9, "(orders (lineitem ((partsupp part) (supplier nation))))"},
      {10, "(lineitem ((customer orders) nation))"},
      {12, "(orders lineitem)"},
      {13, "(orders customer)"},
      {14, "(part lineitem)"},
      {19, "(lineitem part)"},
  };
  for (const auto& [number, text] : expected) {
    const std::shared_ptr<Plan> plan = plans_->bind(TpchPlans::queryText(number));
    optimise(*plan, plans_->statistics());
    EXPECT_EQ(findViolation(*plan), "");
    EXPECT_EQ(shape(*plan->root), text) << "query " << number << "\n" << explainPlan(*plan);
  }
}

TEST_F(OptimisedPlans, PredicatesThatRejectNullsMakeALeftJoinInner) {
  EXPECT_EQ(plans_->explain(
                "select c_name, o_orderkey from customer left join orders on c_custkey = o_custkey and c_nationkey = "
                "3 and o_orderstatus = 'F' where c_acctbal > 5 and o_totalprice > 10"),
            R"(Output  (rows=2)
  Columns: c_name, o_orderkey
  ->  Hash Join  (rows=2)
        Hash Cond: (o_custkey = c_custkey)
        ->  Seq Scan on orders  (rows=166667)
              Columns: o_orderkey, o_custkey, o_orderstatus, o_totalprice
              Filter: ((o_totalprice > 10.00) AND (o_orderstatus = 'F'::character))
        ->  Hash  (rows=1)
              ->  Seq Scan on customer  (rows=1)
                    Columns: c_custkey, c_name, c_nationkey, c_acctbal
                    Filter: ((c_acctbal > 5.00) AND (c_nationkey = 3))
)");
}

TEST_F(OptimisedPlans, LeftJoinsKeepWhatConcernsTheirLeftInputAndPassOnTheRest) {
  EXPECT_EQ(plans_->explain(
                "select c_name, o_orderkey from customer left join orders on c_custkey = o_custkey and c_nationkey = "
                "3 and o_orderstatus = 'F' where c_custkey = 5 and o_totalprice is null"),
            R"(Output  (rows=1)
  Columns: c_name, o_orderkey
  ->  Selection  (rows=1)
        Filter: (o_totalprice IS NULL)
        ->  Hash Left Join  (rows=1)
              Hash Cond: (c_custkey = o_custkey)
              Join Filter: (c_nationkey = 3)
              ->  Seq Scan on customer  (rows=1)
                    Columns: c_custkey, c_name, c_nationkey
                    Filter: (c_custkey = 5)
              ->  Hash  (rows=1)
                    ->  Seq Scan on orders  (rows=1)
                          Columns: o_orderkey, o_custkey, o_orderstatus, o_totalprice
                          Filter: ((o_orderstatus = 'F'::character) AND (o_custkey = 5))
)");
}

TEST_F(OptimisedPlans, OnlyKeyPredicatesPassAnAggregation) {
  EXPECT_EQ(plans_->explain(
                "select o_custkey, n from (select o_custkey, count(*) as n, sum(o_totalprice) as unused from orders "
                "group by o_custkey) s where o_custkey < 10 and n > 3"),
            R"(Output  (rows=166667)
  Columns: o_custkey, n
  ->  Selection  (rows=166667)
        Filter: (count > 3)
        ->  HashAggregate  (rows=500000)
              Group Key: o_custkey
              Aggregates: count := count(*)
              ->  Seq Scan on orders  (rows=500000)
                    Columns: o_custkey
                    Filter: (o_custkey < 10)
)");
}

TEST_F(OptimisedPlans, ConstantsSpreadOverEqualities) {
  EXPECT_EQ(plans_->explain("select c_name from customer, orders where c_custkey = o_custkey and o_custkey = 7"),
            R"(Output  (rows=1)
  Columns: c_name
  ->  Hash Join  (rows=1)
        Hash Cond: (c_custkey = o_custkey)
        ->  Seq Scan on customer  (rows=1)
              Columns: c_custkey, c_name
              Filter: (c_custkey = 7)
        ->  Hash  (rows=1)
              ->  Seq Scan on orders  (rows=1)
                    Columns: o_custkey
                    Filter: (o_custkey = 7)
)");
}

TEST_F(OptimisedPlans, DistinctAggregatesTakeTwoLevels) {
  EXPECT_EQ(
      plans_->explain("select count(distinct o_custkey), sum(o_shippriority), count(*), max(o_totalprice) from orders"),
      R"(Output  (rows=1)
  Columns: count, sum, count, max
  ->  Map  (rows=1)
        Computes: sum#10 := sum#15::bigint, count#11 := COALESCE(count#17::bigint, 0)
        ->  Aggregate  (rows=1)
              Aggregates: count#9 := count(o_custkey), sum#15 := sum(sum#14), count#17 := sum(count#16), max#12 := max(max#18)
              ->  HashAggregate  (rows=750000)
                    Group Key: o_custkey
                    Aggregates: sum#14 := sum(o_shippriority), count#16 := count(*), max#18 := max(o_totalprice)
                    ->  Seq Scan on orders  (rows=1500000)
                          Columns: o_custkey, o_totalprice, o_shippriority
)");
}

TEST_F(OptimisedPlans, FalseReadsNothing) {
  EXPECT_EQ(plans_->explain("select n_name from nation where 1 = 2"),
            R"(Output  (rows=0)
  Columns: n_name
  ->  Values of 0 rows  (rows=0)
)");
}

TEST_F(OptimisedPlans, DerivedTablesOverJoinsAreMerged) {
  EXPECT_EQ(plans_->explain(
                "select s.k from (select o_orderkey + 1 as k, l_quantity as q from orders, lineitem where l_orderkey "
                "= o_orderkey) s, customer where s.k = c_custkey and s.q > 3 order by 1 limit 5"),
            R"(Output  (rows=5)
  Columns: k
  ->  Top-K Sort  (rows=5)
        Sort Key: k
        Limit: 5
        ->  Map  (rows=200041)
              Computes: k := (o_orderkey + 1)
              ->  Hash Join  (rows=200041)
                    Hash Cond: (l_orderkey = o_orderkey)
                    ->  Seq Scan on lineitem  (rows=2000405)
                          Columns: l_orderkey, l_quantity
                          Filter: (l_quantity > 3.00)
                    ->  Hash  (rows=150000)
                          ->  Hash Join  (rows=150000)
                                Hash Cond: ((o_orderkey + 1) = c_custkey::bigint)
                                ->  Seq Scan on orders  (rows=1500000)
                                      Columns: o_orderkey
                                ->  Hash  (rows=150000)
                                      ->  Seq Scan on customer  (rows=150000)
                                            Columns: c_custkey
)");
}

TEST_F(OptimisedPlans, OrderNobodySeesIsDropped) {
  EXPECT_EQ(plans_->explain("select count(*) from (select o_orderkey from orders order by o_orderdate) s"),
            R"(Output  (rows=1)
  Columns: count
  ->  Aggregate  (rows=1)
        Aggregates: count := count(*)
        ->  Seq Scan on orders  (rows=1500000)
)");
}

TEST_F(OptimisedPlans, GroupsNobodyAsksForAreNotMade) {
  EXPECT_EQ(
      plans_->explain("select p_name from part, lineitem where p_partkey = l_partkey and p_brand = 'a' and p_size "
                      "= 1 and l_quantity < (select avg(l_quantity) from lineitem where l_partkey = p_partkey)"),
      R"(Output  (rows=301)
  Columns: p_name
  ->  Hash Join  (rows=301)
        Hash Cond: (lineitem.l_partkey = p_partkey#62)
        Join Filter: (l_quantity#50::numeric < avg)
        ->  HashAggregate  (rows=31)
              Group Key: lineitem.l_partkey
              Aggregates: avg := avg(lineitem.l_quantity)
              ->  Hash Semi Join  (rows=31)
                    Hash Cond: (lineitem.l_partkey = p_partkey#87)
                    ->  Seq Scan on lineitem  (rows=6001215)
                          Columns: l_partkey, l_quantity
                    ->  Hash  (rows=31)
                          ->  CTE Scan on shared1  (rows=31)
                                Columns: p_partkey
        ->  Hash  (rows=31)
              ->  CTE Scan on shared1  (rows=31)
                    Columns: l_quantity, p_partkey, p_name
  CTE shared1
    ->  Hash Join  (rows=31)
          Hash Cond: (lineitem.l_partkey = part.p_partkey)
          ->  Seq Scan on lineitem  (rows=6001215)
                Columns: l_partkey, l_quantity
          ->  Hash  (rows=1)
                ->  Seq Scan on part  (rows=1)
                      Columns: p_partkey, p_name, p_brand, p_size
                      Filter: ((p_brand = 'a'::character) AND (p_size = 1))
)");
  // More rows ask for groups than there are.
  const std::string all = plans_->explain(
      "select l_quantity from lineitem, (select o_custkey, avg(o_totalprice) as a from orders group by o_custkey) as g "
      "where l_suppkey = o_custkey and a > 3");
  EXPECT_EQ(all.find("Semi"), std::string::npos) << all;
}

TEST_F(OptimisedPlans, LimitsStopPredicates) {
  EXPECT_EQ(plans_->explain(
                "select o_orderkey from (select o_orderkey, o_custkey from orders order by o_orderdate limit 10) s "
                "where o_custkey = 1"),
            R"(Output  (rows=1)
  Columns: o_orderkey
  ->  Selection  (rows=1)
        Filter: (o_custkey = 1)
        ->  Top-K Sort  (rows=10)
              Sort Key: o_orderdate
              Limit: 10
              ->  Seq Scan on orders  (rows=1500000)
                    Columns: o_orderkey, o_custkey, o_orderdate
)");
}

TEST_F(OptimisedPlans, RepeatedPartsOfAggregatesAreComputedOnce) {
  EXPECT_EQ(plans_->explain(
                "select sum(l_extendedprice * (1 - l_discount)), avg(l_extendedprice * (1 - l_discount)), sum(case "
                "when l_tax > 0 then l_quantity * l_tax end), count(l_orderkey) from lineitem"),
            R"(Output  (rows=1)
  Columns: sum, avg, sum, count
  ->  Aggregate  (rows=1)
        Aggregates: sum#16 := sum(common), avg := avg(common), sum#18 := sum(CASE WHEN (l_tax > 0.00) THEN (l_quantity * l_tax) ELSE NULL::numeric END), count := count(*)
        ->  Map  (rows=6001215)
              Computes: common := (l_extendedprice * ('1'::numeric - l_discount))
              ->  Seq Scan on lineitem  (rows=6001215)
                    Columns: l_quantity, l_extendedprice, l_discount, l_tax
)");
}

TEST_F(OptimisedPlans, EveryBranchOfAnOrTellsItsTables) {
  EXPECT_EQ(
      plans_->explain("select 1 from part, lineitem where (p_partkey = l_partkey and p_size = 1 and l_quantity < 5) or "
                      "(l_partkey = p_partkey and p_size = 2 and l_quantity > 40)"),
      R"(Output  (rows=21)
  Columns: ?column?
  ->  Map  (rows=21)
        Computes: ?column? := 1
        ->  Hash Join  (rows=21)
              Hash Cond: (l_partkey = p_partkey)
              Join Filter: (((p_size = 1) AND (l_quantity < 5.00)) OR ((p_size = 2) AND (l_quantity > 40.00)))
              ->  Seq Scan on lineitem  (rows=3334009)
                    Columns: l_partkey, l_quantity
                    Filter: ((l_quantity < 5.00) OR (l_quantity > 40.00))
              ->  Hash  (rows=2)
                    ->  Seq Scan on part  (rows=2)
                          Columns: p_partkey, p_size
                          Filter: ((p_size = 1) OR (p_size = 2))
)");
}

TEST_F(OptimisedPlans, EveryPassIsTraced) {
  const std::shared_ptr<Plan> plan = plans_->bind("select 1 from nation, region where n_regionkey = r_regionkey");
  std::vector<std::string> names;
  for (const PassTrace& trace : optimiseTracing(*plan, plans_->statistics())) {
    names.push_back(trace.pass);
    EXPECT_NE(trace.tree.find("Seq Scan on nation"), std::string::npos);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"bound", "shared_plans", "simplify", "unnest", "on_demand", "outer_joins",
                                             "pushdown", "unscanned_plans", "join_order", "repeated_plans", "groups",
                                             "members", "indexes", "aggregates", "sorting", "ordered_scans",
                                             "column_pruning"}));
}

TEST_F(OptimisedPlans, WhatNobodyReadsAnyMoreIsNotExecuted) {
  const std::string query =
      "select n_name from nation, region, generate_series(1, n_nationkey) where n_regionkey = r_regionkey";
  EXPECT_NE(plans_->explain(query).find("CTE shared1"), std::string::npos);
  const std::string plan = plans_->explain(query + " and (r_name, r_comment) is null");
  EXPECT_NE(plan.find("Values of 0 rows"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("CTE"), std::string::npos) << plan;
}

TEST_F(OptimisedPlans, SetsSideBySideShareTheValuesThatTheyReadOfTheQueryAround) {
  const std::string plan = plans_->explain(
      "select c_name, x, y from customer left join orders on c_custkey = o_custkey, rows from (generate_series(1, "
      "c_nationkey), generate_series(1, o_custkey)) as s (x, y)");
  // The left side, and its values once.
  EXPECT_NE(plan.find("CTE shared2"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("CTE shared3"), std::string::npos) << plan;
}

TEST_F(OptimisedPlans, ManyTablesAreOrderedInParts) {
  std::string from = "nation t0";
  std::string where = "true";
  for (int i = 1; i < 90; ++i) {
    from += ", nation t" + std::to_string(i);
    where += " and t" + std::to_string(i - 1) + ".n_regionkey = t" + std::to_string(i) + ".n_nationkey";
  }
  const std::shared_ptr<Plan> plan = plans_->bind("select count(*) from " + from + " where " + where);
  optimise(*plan, plans_->statistics());
  EXPECT_EQ(findViolation(*plan), "");
  EXPECT_EQ(shape(*plan->root).find("()"), std::string::npos);
}

}  // namespace
}  // namespace gnomon::sql::test
