#include "sql/optimise/join_enumeration.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace gnomon::sql {
namespace {

/// A graph with random rows and selectivities: rows of a set are the product of both.
struct RandomGraph {
  RandomGraph(uint64_t seed, size_t relations, bool with_hyperedges) : random(seed) {
    graph.relation_count = relations;
    for (size_t i = 0; i < relations; ++i) rows.push_back(static_cast<double>(1 + random() % 10000));
    for (size_t i = 1; i < relations; ++i) addEdge(RelationSet{1} << (random() % i), RelationSet{1} << i);
    for (size_t extra = random() % relations; extra > 0; --extra) {
      const RelationSet one =
          with_hyperedges && random() % 2 == 0 ? randomSet() : RelationSet{1} << (random() % relations);
      const RelationSet other = (RelationSet{1} << (random() % relations)) & ~one;
      if (other != 0) addEdge(one, other);
    }
    graph.rows = [this](RelationSet set) { return rowsOf(set); };
  }
  void addEdge(RelationSet left, RelationSet right) {
    graph.edges.push_back({left, right, random() % 4 != 0});
    selectivities.push_back(std::pow(10.0, -static_cast<double>(random() % 4)));
  }
  RelationSet randomSet() { return 1 + random() % ((RelationSet{1} << graph.relation_count) - 1); }
  double rowsOf(RelationSet set) const {
    double result = 1;
    for (size_t i = 0; i < rows.size(); ++i)
      if ((set >> i & 1) != 0) result *= rows[i];
    for (size_t i = 0; i < graph.edges.size(); ++i)
      if (((graph.edges[i].left | graph.edges[i].right) & ~set) == 0) result *= selectivities[i];
    return std::max(1.0, result);
  }

  std::mt19937_64 random;
  JoinGraph graph;
  std::vector<double> rows;
  std::vector<double> selectivities;
};

/// The cheapest cost by trying every split of every set, without cross products; infinity when there is none.
double cheapest(const JoinGraph& graph, RelationSet set, std::map<RelationSet, double>& known) {
  if (std::has_single_bit(set)) return 0;
  if (const auto found = known.find(set); found != known.end()) return found->second;
  double best = std::numeric_limits<double>::infinity();
  for (RelationSet part = (set - 1) & set; part != 0; part = (part - 1) & set) {
    const RelationSet rest = set & ~part;
    bool has_key;
    if (!isConnected(graph, part, rest, has_key)) continue;
    const double larger = std::max(graph.rows(part), graph.rows(rest));
    const double smaller = std::min(graph.rows(part), graph.rows(rest));
    best = std::min(best, cheapest(graph, part, known) + cheapest(graph, rest, known) +
                              joinCost(larger, smaller, graph.rows(set), has_key));
  }
  return known[set] = best;
}

void check(const JoinTree& tree, const JoinGraph& graph) {
  if (tree.left == nullptr) {
    EXPECT_TRUE(std::has_single_bit(tree.relations));
    return;
  }
  EXPECT_EQ(tree.left->relations & tree.right->relations, 0U);
  EXPECT_EQ(tree.left->relations | tree.right->relations, tree.relations);
  EXPECT_GE(tree.left->rows, tree.right->rows) << "the smaller side is built";
  EXPECT_DOUBLE_EQ(tree.rows, graph.rows(tree.relations));
  check(*tree.left, graph);
  check(*tree.right, graph);
}

bool joinsAlongEdges(const JoinTree& tree, const JoinGraph& graph) {
  if (tree.left == nullptr) return true;
  bool has_key;
  return isConnected(graph, tree.left->relations, tree.right->relations, has_key) &&
         joinsAlongEdges(*tree.left, graph) && joinsAlongEdges(*tree.right, graph);
}

TEST(JoinEnumeration, FindsTheCheapestTreeThereIs) {
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    const size_t relations = 2 + seed % 7;
    RandomGraph random(seed, relations, seed % 3 == 0);
    const RelationSet all = (RelationSet{1} << relations) - 1;
    std::map<RelationSet, double> known;
    const auto tree = findJoinOrder(random.graph);
    ASSERT_EQ(tree->relations, all);
    check(*tree, random.graph);
    const double best = cheapest(random.graph, all, known);
    ASSERT_NEAR(tree->cost, best, best * 1e-9) << "seed " << seed;
  }
}

TEST(JoinEnumeration, FindsTheCheapestTreeOfTwelveRelationsThatAreAllJoined) {
  RandomGraph random(5, kOptimalRelations, false);
  for (size_t one = 0; one < kOptimalRelations; ++one)
    for (size_t other = one + 1; other < kOptimalRelations; ++other)
      random.addEdge(RelationSet{1} << one, RelationSet{1} << other);
  std::map<RelationSet, double> known;
  const auto tree = findJoinOrder(random.graph);
  check(*tree, random.graph);
  const double best = cheapest(random.graph, (RelationSet{1} << kOptimalRelations) - 1, known);
  EXPECT_NEAR(tree->cost, best, best * 1e-9);
}

TEST(JoinEnumeration, JoinsComponentsWithoutEdgesByCrossProducts) {
  JoinGraph graph;
  graph.relation_count = 4;
  graph.edges = {{1, 2, true}, {4, 8, true}};
  graph.rows = [](RelationSet set) { return std::pow(10.0, std::popcount(set)); };
  const auto tree = findJoinOrder(graph);
  EXPECT_EQ(tree->relations, 15U);
  EXPECT_EQ(tree->left->relations | tree->right->relations, 15U);
  EXPECT_EQ(std::popcount(tree->left->relations), 2);
}

TEST(JoinEnumeration, OrdersLargeGraphsGreedilyAndWithoutCrossProducts) {
  RandomGraph random(3, 50, false);
  const auto tree = findJoinOrder(random.graph, 1000);
  EXPECT_EQ(tree->relations, (RelationSet{1} << 50) - 1);
  check(*tree, random.graph);
  EXPECT_TRUE(joinsAlongEdges(*tree, random.graph));
}

TEST(JoinEnumeration, OfGraphsTakenForLargeIsSeldomMuchDearer) {
  size_t near = 0, all = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const size_t relations = 5 + seed % 4;
    RandomGraph random(seed, relations, false);
    std::map<RelationSet, double> known;
    const double best = cheapest(random.graph, (RelationSet{1} << relations) - 1, known);
    const auto tree = findJoinOrder(random.graph, 1);
    check(*tree, random.graph);
    EXPECT_GE(tree->cost, best * (1 - 1e-9));
    EXPECT_TRUE(joinsAlongEdges(*tree, random.graph));
    near += tree->cost <= best * 1.2;
    ++all;
  }
  EXPECT_GE(near, all * 9 / 10);
}

TEST(JoinEnumeration, PredicatesOverSetsAloneStillGiveATree) {
  JoinGraph graph;
  graph.relation_count = 3;
  graph.edges = {{3, 4, true}};
  graph.rows = [](RelationSet set) { return std::pow(10.0, std::popcount(set)); };
  EXPECT_EQ(findJoinOrder(graph)->relations, 7U);
}

}  // namespace
}  // namespace gnomon::sql
