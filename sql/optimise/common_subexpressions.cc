#include "sql/optimise/common_subexpressions.h"

#include <unordered_map>

#include "sql/algebra/replace_equal.h"
#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// Aggregations with more nodes than this are left alone: the search is quadratic.
constexpr size_t kNodesMax = 3000;

/// The operand is evaluated whenever the expression is.
bool isUnconditional(const Expression& expression, size_t operand) {
  switch (expression.kind) {
    case Kind::And:
    case Kind::Or:
    case Kind::Case:
    case Kind::Coalesce:
    case Kind::InList:
      return operand == 0;
    default:
      return true;
  }
}

bool isWorthSharing(const Expression& expression) {
  return (expression.kind == Kind::Call || expression.kind == Kind::Case) &&
         expression.type.kind != TypeKind::Boolean && !readsNone(expression) && !expression.isVolatile();
}

class Sharing {
 public:
  Sharing(Plan& plan, Aggregation& aggregation) : plan_(plan), aggregation_(aggregation) {}

  void run() {
    size_t nodes = 0;
    forEachExpression(aggregation_, [&](ExpressionPtr& expression) { nodes += nodeCount(*expression); });
    if (nodes > kNodesMax) return;
    while (const Expression* shared = largestShared()) share(*shared);
    if (map_ == nullptr) return;
    map_->estimated_rows = aggregation_.inputs[0]->estimated_rows;
    map_->inputs.push_back(std::move(aggregation_.inputs[0]));
    aggregation_.inputs[0] = std::move(map_);
  }

 private:
  struct Occurrences {
    const Expression* expression;
    size_t nodes;
    size_t count = 0;
    bool unconditional = false;
  };

  void count(const Expression& expression, bool unconditional) {
    if (isWorthSharing(expression)) {
      Occurrences& entry = entryOf(expression);
      ++entry.count;
      entry.unconditional |= unconditional;
    }
    // What a Let binds is known within it alone.
    const size_t size = expression.kind == Kind::Let ? 1 : expression.children.size();
    for (size_t i = 0; i < size; ++i) count(*expression.children[i], unconditional && isUnconditional(expression, i));
  }
  Occurrences& entryOf(const Expression& expression) {
    const size_t hash = structuralHash(expression);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto entry = first; entry != last; ++entry)
      if (found_[entry->second].expression->equals(expression)) return found_[entry->second];
    by_hash_.emplace(hash, found_.size());
    return found_.emplace_back(Occurrences{&expression, nodeCount(expression)});
  }
  /// The largest, so that its parts are shared along with it; of several, the first met.
  const Expression* largestShared() {
    found_.clear();
    by_hash_.clear();
    forEachExpression(aggregation_, [&](ExpressionPtr& expression) { count(*expression, true); });
    const Occurrences* best = nullptr;
    for (const Occurrences& entry : found_)
      if (entry.count > 1 && entry.unconditional && (best == nullptr || entry.nodes > best->nodes)) best = &entry;
    return best == nullptr ? nullptr : best->expression;
  }
  void share(const Expression& shared) {
    if (map_ == nullptr) map_ = std::make_unique<Map>();
    const Iu unit = plan_.makeUnit("common", shared.type, shared.nullable);
    const ExpressionPtr pattern = shared.clone();
    forEachExpression(aggregation_, [&](ExpressionPtr& expression) { replaceEqual(expression, *pattern, unit); });
    map_->computed.push_back({unit, pattern->clone()});
  }

  Plan& plan_;
  Aggregation& aggregation_;
  std::unique_ptr<Map> map_;
  std::vector<Occurrences> found_;
  std::unordered_multimap<size_t, size_t> by_hash_;
};

}  // namespace

void shareSubexpressions(Plan& plan, Aggregation& aggregation) {
  Sharing(plan, aggregation).run();
}

}  // namespace gnomon::sql
