#include "sql/optimise/join_enumeration.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/assert.h"

namespace gnomon::sql {
namespace {

RelationSet single(size_t relation) {
  return RelationSet{1} << relation;
}
size_t lowest(RelationSet set) {
  return static_cast<size_t>(std::countr_zero(set));
}
bool isSubset(RelationSet inner, RelationSet outer) {
  return (inner & ~outer) == 0;
}
/// The relation and all before it.
RelationSet upTo(size_t relation) {
  return (single(relation) << 1) - 1;
}

std::unique_ptr<JoinTree> joinTrees(std::unique_ptr<JoinTree> one, std::unique_ptr<JoinTree> other,
                                    const JoinGraph& graph) {
  bool has_key = false;
  isConnected(graph, one->relations, other->relations, has_key);
  if (one->rows < other->rows) std::swap(one, other);
  auto tree = std::make_unique<JoinTree>();
  tree->relations = one->relations | other->relations;
  tree->rows = graph.rows(tree->relations);
  tree->cost = one->cost + other->cost + joinCost(one->rows, other->rows, tree->rows, has_key);
  tree->left = std::move(one);
  tree->right = std::move(other);
  return tree;
}

/// Dynamic programming over pairs of connected, disjoint and connectible sets.
class Enumerator {
 public:
  Enumerator(const JoinGraph& graph, size_t pairs_max)
      : graph_(graph), pairs_left_(pairs_max), near_(graph.relation_count), key_near_(graph.relation_count) {
    for (const JoinGraph::Edge& edge : graph.edges) {
      if (!std::has_single_bit(edge.left) || !std::has_single_bit(edge.right)) {
        hyperedges_.push_back(edge);
        continue;
      }
      near_[lowest(edge.left)] |= edge.right;
      near_[lowest(edge.right)] |= edge.left;
      if (!edge.is_key) continue;
      key_near_[lowest(edge.left)] |= edge.right;
      key_near_[lowest(edge.right)] |= edge.left;
    }
  }

  /// False when the pairs did not suffice.
  bool run() {
    for (size_t i = 0; i < graph_.relation_count; ++i) best_[single(i)] = {graph_.rows(single(i)), 0, 0, 0};
    for (size_t i = graph_.relation_count; i-- > 0 && pairs_left_ > 0;) {
      emitSet(single(i));
      growSet(single(i), upTo(i));
    }
    return pairs_left_ > 0;
  }
  /// The best tree for a set, null when no pair made it.
  std::unique_ptr<JoinTree> tree(RelationSet set) const {
    const auto found = best_.find(set);
    if (found == best_.end()) return nullptr;
    auto result = std::make_unique<JoinTree>();
    result->relations = set;
    result->rows = found->second.rows;
    result->cost = found->second.cost;
    if (found->second.probe == 0) return result;
    result->left = tree(found->second.probe);
    result->right = tree(found->second.build);
    return result;
  }

 private:
  struct Best {
    double rows;
    double cost;
    RelationSet probe;
    RelationSet build;
  };

  [[nodiscard]] RelationSet neighbours(RelationSet set, RelationSet excluded) const;
  void emitSet(RelationSet set);
  void growSet(RelationSet set, RelationSet excluded);
  void growComplement(RelationSet set, RelationSet complement, RelationSet excluded);
  void emitPair(RelationSet one, RelationSet other);
  bool isConnected(RelationSet one, RelationSet other, bool& has_key) const;
  bool spend() {
    if (pairs_left_ > 0) --pairs_left_;
    return pairs_left_ > 0;
  }

  const JoinGraph& graph_;
  size_t pairs_left_;
  /// What the edges between single relations lead to from each, all of them and those that are keys.
  std::vector<RelationSet> near_, key_near_;
  std::vector<JoinGraph::Edge> hyperedges_;  ///< the others
  std::unordered_map<RelationSet, Best> best_;
};

/// Of a neighbour that is a set, its lowest relation stands for it.
RelationSet Enumerator::neighbours(RelationSet set, RelationSet excluded) const {
  const RelationSet forbidden = set | excluded;
  RelationSet result = 0;
  for (RelationSet rest = set; rest != 0; rest &= rest - 1) result |= near_[lowest(rest)];
  result &= ~forbidden;
  for (const JoinGraph::Edge& edge : hyperedges_) {
    if (isSubset(edge.left, set) && (edge.right & forbidden) == 0) result |= single(lowest(edge.right));
    if (isSubset(edge.right, set) && (edge.left & forbidden) == 0) result |= single(lowest(edge.left));
  }
  return result;
}

void Enumerator::emitSet(RelationSet set) {
  const RelationSet excluded = set | upTo(lowest(set));
  const RelationSet around = neighbours(set, excluded);
  for (size_t i = graph_.relation_count; i-- > 0;) {
    if ((around & single(i)) == 0) continue;
    if (!spend()) return;
    emitPair(set, single(i));
    growComplement(set, single(i), excluded | (upTo(i) & around));
  }
}

void Enumerator::growSet(RelationSet set, RelationSet excluded) {
  const RelationSet around = neighbours(set, excluded);
  if (around == 0) return;
  for (RelationSet more = around & -around; more != 0; more = (more - around) & around) {
    if (!spend()) return;
    if (best_.contains(set | more)) emitSet(set | more);
  }
  for (RelationSet more = around & -around; more != 0; more = (more - around) & around) {
    if (!spend()) return;
    growSet(set | more, excluded | around);
  }
}

void Enumerator::growComplement(RelationSet set, RelationSet complement, RelationSet excluded) {
  const RelationSet around = neighbours(complement, excluded);
  if (around == 0) return;
  for (RelationSet more = around & -around; more != 0; more = (more - around) & around) {
    if (!spend()) return;
    if (best_.contains(complement | more)) emitPair(set, complement | more);
  }
  for (RelationSet more = around & -around; more != 0; more = (more - around) & around) {
    if (!spend()) return;
    growComplement(set, complement | more, excluded | around);
  }
}

bool Enumerator::isConnected(RelationSet one, RelationSet other, bool& has_key) const {
  RelationSet near = 0, key_near = 0;
  for (RelationSet rest = one; rest != 0; rest &= rest - 1) {
    near |= near_[lowest(rest)];
    key_near |= key_near_[lowest(rest)];
  }
  has_key = (key_near & other) != 0;
  bool is_connected = (near & other) != 0;
  for (const JoinGraph::Edge& edge : hyperedges_) {
    const bool leads = (isSubset(edge.left, one) && isSubset(edge.right, other)) ||
                       (isSubset(edge.left, other) && isSubset(edge.right, one));
    is_connected |= leads;
    has_key |= leads && edge.is_key;
  }
  return is_connected;
}

void Enumerator::emitPair(RelationSet one, RelationSet other) {
  bool has_key = false;
  if (!isConnected(one, other, has_key)) return;
  const Best left = best_.at(one);
  const Best right = best_.at(other);
  const auto [existing, is_new] = best_.try_emplace(one | other);
  Best& best = existing->second;
  if (is_new) best.rows = graph_.rows(one | other);
  const double rows = best.rows;
  const bool build_right = left.rows >= right.rows;
  const double cost = left.cost + right.cost +
                      joinCost(std::max(left.rows, right.rows), std::min(left.rows, right.rows), rows, has_key);
  if (!is_new && best.cost <= cost) return;
  best = {rows, cost, build_right ? one : other, build_right ? other : one};
}

/// Greedy operator ordering: joins the pair with the smallest result until one tree is left.
class GreedyOrdering {
 public:
  GreedyOrdering(const JoinGraph& graph, std::vector<std::unique_ptr<JoinTree>> trees)
      : graph_(graph), trees_(std::move(trees)) {}

  std::unique_ptr<JoinTree> run() {
    for (size_t i = 0; i < trees_.size(); ++i) addCandidates(i);
    while (trees_.size() > 1) {
      const auto chosen = std::ranges::min_element(candidates_, isBetter);
      const size_t one = chosen->one;
      const size_t other = chosen->other;
      joinPair(one, other);
    }
    return std::move(trees_[0]);
  }

 private:
  struct Candidate {
    size_t one;
    size_t other;
    double rows;
    bool connected;
  };

  /// Pairs with an edge before cross products, then by rows; the numbers make the choice definite.
  static bool isBetter(const Candidate& left, const Candidate& right) {
    if (left.connected != right.connected) return left.connected;
    if (left.rows != right.rows) return left.rows < right.rows;
    return std::pair(left.one, left.other) < std::pair(right.one, right.other);
  }
  /// Pairs of a tree with those before it.
  void addCandidates(size_t tree) {
    for (size_t i = 0; i < tree; ++i) {
      bool has_key;
      const RelationSet one = trees_[i]->relations;
      const RelationSet other = trees_[tree]->relations;
      candidates_.push_back({i, tree, graph_.rows(one | other), isConnected(graph_, one, other, has_key)});
    }
  }
  /// The joined tree becomes the last; the two places it came from close up.
  void joinPair(size_t one, size_t other) {
    trees_.push_back(joinTrees(std::move(trees_[one]), std::move(trees_[other]), graph_));
    std::erase_if(candidates_, [&](const Candidate& candidate) {
      return candidate.one == one || candidate.one == other || candidate.other == one || candidate.other == other;
    });
    for (Candidate& candidate : candidates_) {
      candidate.one -= (candidate.one > one) + (candidate.one > other);
      candidate.other -= (candidate.other > one) + (candidate.other > other);
    }
    std::erase(trees_, nullptr);
    addCandidates(trees_.size() - 1);
  }

  const JoinGraph& graph_;
  std::vector<std::unique_ptr<JoinTree>> trees_;
  std::vector<Candidate> candidates_;
};

void collectLeaves(const JoinTree& tree, std::vector<RelationSet>& leaves) {
  if (tree.left == nullptr) return leaves.push_back(tree.relations);
  collectLeaves(*tree.left, leaves);
  collectLeaves(*tree.right, leaves);
}

/// The cheapest tree whose leaves stand in a given order: dynamic programming over intervals of it, without cross
/// products. None when there is no such tree.
///
/// Source: Neumann and Radke, "Adaptive optimization of very large join queries", SIGMOD 2018, section 3.2. Departure:
/// the order is that of the greedy tree, which is therefore never cheaper.
class LinearOrdering {
 public:
  LinearOrdering(const JoinGraph& graph, const JoinTree& tree) : graph_(graph) {
    collectLeaves(tree, leaves_);
    best_.resize(leaves_.size() * leaves_.size());
  }

  std::unique_ptr<JoinTree> run() {
    const size_t count = leaves_.size();
    for (size_t i = 0; i < count; ++i) at(i, i) = {leaves_[i], graph_.rows(leaves_[i]), 0, i};
    for (size_t length = 2; length <= count; ++length)
      for (size_t first = 0; first + length <= count; ++first) choose(first, first + length - 1);
    return std::isinf(at(0, count - 1).cost) ? nullptr : tree(0, count - 1);
  }

 private:
  /// Of an interval; split: the last leaf of the left part.
  struct Best {
    RelationSet relations = 0;
    double rows = 0;
    double cost = std::numeric_limits<double>::infinity();
    size_t split = 0;
  };
  Best& at(size_t first, size_t last) { return best_[first * leaves_.size() + last]; }

  void choose(size_t first, size_t last) {
    Best& best = at(first, last);
    best.relations = at(first, last - 1).relations | leaves_[last];
    for (size_t split = first; split < last; ++split) {
      const Best& one = at(first, split);
      const Best& other = at(split + 1, last);
      bool has_key = false;
      if (std::isinf(one.cost + other.cost) || !isConnected(graph_, one.relations, other.relations, has_key)) continue;
      if (best.rows == 0) best.rows = graph_.rows(best.relations);
      const double cost = one.cost + other.cost +
                          joinCost(std::max(one.rows, other.rows), std::min(one.rows, other.rows), best.rows, has_key);
      if (cost >= best.cost) continue;
      best.cost = cost;
      best.split = split;
    }
  }
  std::unique_ptr<JoinTree> tree(size_t first, size_t last) {
    const Best& best = at(first, last);
    auto result = std::make_unique<JoinTree>();
    result->relations = best.relations;
    result->rows = best.rows;
    result->cost = best.cost;
    if (first == last) return result;
    result->left = tree(first, best.split);
    result->right = tree(best.split + 1, last);
    if (result->left->rows < result->right->rows) std::swap(result->left, result->right);
    return result;
  }

  const JoinGraph& graph_;
  std::vector<RelationSet> leaves_;
  std::vector<Best> best_;
};

std::unique_ptr<JoinTree> leaf(const JoinGraph& graph, size_t relation) {
  auto tree = std::make_unique<JoinTree>();
  tree->relations = single(relation);
  tree->rows = graph.rows(tree->relations);
  return tree;
}

/// Sets of relations that edges connect.
std::vector<RelationSet> components(const JoinGraph& graph) {
  std::vector<RelationSet> result;
  for (size_t i = 0; i < graph.relation_count; ++i) result.push_back(single(i));
  for (const JoinGraph::Edge& edge : graph.edges) {
    RelationSet merged = 0;
    for (const RelationSet component : result)
      if ((component & (edge.left | edge.right)) != 0) merged |= component;
    std::erase_if(result, [&](RelationSet component) { return isSubset(component, merged); });
    result.push_back(merged);
  }
  std::ranges::sort(result, {}, lowest);
  return result;
}

std::unique_ptr<JoinTree> greedyTree(const JoinGraph& graph, RelationSet set) {
  std::vector<std::unique_ptr<JoinTree>> leaves;
  for (RelationSet rest = set; rest != 0; rest &= rest - 1) leaves.push_back(leaf(graph, lowest(rest)));
  std::unique_ptr<JoinTree> tree = GreedyOrdering(graph, std::move(leaves)).run();
  std::unique_ptr<JoinTree> better = LinearOrdering(graph, *tree).run();
  return better != nullptr && better->cost < tree->cost ? std::move(better) : std::move(tree);
}

}  // namespace

double joinCost(double probe_rows, double build_rows, double result_rows, bool has_key) {
  constexpr double kBuildPerProbe = 3;
  constexpr double kPairPerProbe = 0.5;
  constexpr double kCachedRows = 200'000;
  if (!has_key) return result_rows + build_rows + kPairPerProbe * probe_rows * build_rows;
  // A probe of a table beyond the caches costs up to twice as much: small tables are to be probed first.
  const double probe = 1 + build_rows / (build_rows + kCachedRows);
  return result_rows + probe * probe_rows + kBuildPerProbe * build_rows;
}

bool isConnected(const JoinGraph& graph, RelationSet one, RelationSet other, bool& has_key) {
  bool connected = false;
  has_key = false;
  for (const JoinGraph::Edge& edge : graph.edges) {
    if (!(isSubset(edge.left, one) && isSubset(edge.right, other)) &&
        !(isSubset(edge.left, other) && isSubset(edge.right, one)))
      continue;
    connected = true;
    has_key |= edge.is_key;
  }
  return connected;
}

std::unique_ptr<JoinTree> findJoinOrder(const JoinGraph& graph, size_t pairs_max) {
  CHECK(graph.relation_count > 0 && graph.relation_count <= kRelationsMax, "a region fits a relation set");
  Enumerator enumerator(graph, pairs_max);
  const bool complete = enumerator.run();
  std::vector<std::unique_ptr<JoinTree>> trees;
  for (const RelationSet component : components(graph)) {
    std::unique_ptr<JoinTree> tree = complete ? enumerator.tree(component) : nullptr;
    trees.push_back(tree != nullptr ? std::move(tree) : greedyTree(graph, component));
  }
  return GreedyOrdering(graph, std::move(trees)).run();
}

std::unique_ptr<JoinTree> findJoinOrder(const JoinGraph& graph) {
  // A clique of n has (3^n - 2^(n + 1) + 1) / 2 pairs; the sets that are looked at on the way count as well.
  constexpr size_t kPairsOfOptimal = 600'000, kPairsOfLarger = 50'000;
  return findJoinOrder(graph, graph.relation_count <= kOptimalRelations ? kPairsOfOptimal : kPairsOfLarger);
}

}  // namespace gnomon::sql
