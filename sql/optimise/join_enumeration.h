#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gnomon::sql {

/// A set of a region's relations, one bit each.
using RelationSet = uint64_t;
inline constexpr size_t kRelationsMax = 60;

/// What join ordering sees of a region of inner joins.
struct JoinGraph {
  /// A predicate connects the two sets (disjoint); one relation each for the common edge. With `is_key` it is an
  /// equality between them, which a hash join can use.
  struct Edge {
    RelationSet left;
    RelationSet right;
    bool is_key;
  };
  size_t relation_count = 0;
  std::vector<Edge> edges;
  /// Estimated rows of the join of a set of relations: a function of the set alone.
  std::function<double(RelationSet)> rows;
};

/// A tree of joins. Leaves have one relation. The right side of an inner node is the one to build.
struct JoinTree {
  RelationSet relations = 0;
  double rows = 0;
  double cost = 0;
  std::unique_ptr<JoinTree> left, right;
};

/// Cost of one join: the rows it makes, its probes and (dearer) its builds; without a key every pair is looked at.
double joinCost(double probe_rows, double build_rows, double result_rows, bool has_key);

/// An edge leads from one set to the other.
bool isConnected(const JoinGraph& graph, RelationSet one, RelationSet other, bool& has_key);

/// The cheapest bushy tree without cross products, by dynamic programming over connected subgraphs.
///
/// Source: Moerkotte and Neumann, "Dynamic programming strikes back" (DPhyp). Departures: no outer joins in the graph;
/// components that no edge joins, and graphs that need more than `pairs_max` pairs, are joined greedily (smallest
/// result first), with cross products only when nothing else is left; of the trees with the greedy one's order of
/// leaves the cheapest is taken.
std::unique_ptr<JoinTree> findJoinOrder(const JoinGraph& graph, size_t pairs_max);

/// With enough pairs for every graph of kOptimalRelations, and for larger ones that are sparse.
std::unique_ptr<JoinTree> findJoinOrder(const JoinGraph& graph);
inline constexpr size_t kOptimalRelations = 12;

}  // namespace gnomon::sql
