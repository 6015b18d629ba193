#include "sql/optimise/index_access.h"

#include <algorithm>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/index_shape.h"
#include "sql/optimise/key_searches.h"
#include "sql/optimise/row_uniqueness.h"

namespace gnomon::sql {
namespace {

/// What reading one row by way of an index costs, in rows of a scan: a descent, a latch, and no loop over columns.
constexpr double kIndexRowCost = 60;
/// What a first row costs: tables smaller than this are read as a whole in less time.
constexpr double kIndexStartCost = 300;
/// What finding the place of a key costs.
constexpr double kLookupCost = 100;

/// A filter that compares something of the row with a value that is known before the scan.
struct Restriction {
  const Expression* subject;
  FunctionId comparison;
  const Expression* value;
  const Expression* filter;
};

/// Whether a value of this type can be put into a key of the other: same kind, and the same form of numerics.
bool fitsKey(Type value, Type key) {
  if (key.isInteger()) return value.isInteger();
  if (key.kind == TypeKind::Numeric)
    return value.kind == TypeKind::Numeric && value.form == key.form && (key.isBig() || value.scale == key.scale);
  if (key.kind == TypeKind::Text || key.kind == TypeKind::Varchar)
    return value.kind == TypeKind::Text || value.kind == TypeKind::Varchar;
  return value.kind == key.kind;
}

void addRestrictions(const Expression& filter, std::vector<Restriction>& restrictions) {
  if (!isComparison(filter) || filter.isVolatile()) return;
  const Expression& left = *filter.children[0];
  const Expression& right = *filter.children[1];
  if (readsNone(right) && !readsNone(left)) restrictions.push_back({&left, filter.function, &right, &filter});
  if (readsNone(left) && !readsNone(right)) restrictions.push_back({&right, mirrored(filter.function), &left, &filter});
}

std::vector<Restriction> restrictionsOf(const TableScan& scan) {
  std::vector<Restriction> restrictions;
  for (const ExpressionPtr& filter : scan.filters) addRestrictions(*filter, restrictions);
  return restrictions;
}

/// One way to read the scan.
struct Candidate {
  const IndexShape* shape = nullptr;
  std::vector<const Restriction*> equal;
  const Restriction* low = nullptr;
  const Restriction* high = nullptr;
  double rows = 0;

  /// One row at most.
  [[nodiscard]] bool isWholeKey() const { return shape->index->is_unique && equal.size() == shape->parts.size(); }
};

Candidate matchIndex(const IndexShape& shape, const std::vector<Restriction>& restrictions) {
  Candidate candidate;
  candidate.shape = &shape;
  const auto find = [&](size_t part, auto&& accepts) {
    const auto found = std::ranges::find_if(restrictions, [&](const Restriction& restriction) {
      return accepts(restriction.comparison) && shape.isPart(part, *restriction.subject) &&
             fitsKey(restriction.value->type, shape.parts[part]->type);
    });
    return found == restrictions.end() ? nullptr : &*found;
  };
  for (size_t part = 0; part < shape.parts.size(); ++part) {
    const Restriction* equal = find(part, [](FunctionId id) { return id == FunctionId::Equal; });
    if (equal != nullptr) {
      candidate.equal.push_back(equal);
      continue;
    }
    candidate.low =
        find(part, [](FunctionId id) { return id == FunctionId::Greater || id == FunctionId::GreaterEqual; });
    candidate.high = find(part, [](FunctionId id) { return id == FunctionId::Less || id == FunctionId::LessEqual; });
    break;
  }
  return candidate;
}

std::vector<const Expression*> addressesOf(const std::vector<ExpressionPtr>& expressions) {
  std::vector<const Expression*> addresses;
  for (const ExpressionPtr& expression : expressions) addresses.push_back(expression.get());
  return addresses;
}

double rowsOf(const TableScan& scan, const Candidate& candidate, double table_rows, const Cardinality& cardinality) {
  const IndexShape& shape = *candidate.shape;
  if (candidate.isWholeKey()) return 1;
  std::vector<const Expression*> filters;
  for (const Restriction* equal : candidate.equal) filters.push_back(equal->filter);
  for (const Restriction* bound : {candidate.low, candidate.high})
    if (bound != nullptr) filters.push_back(bound->filter);
  const size_t restricted = filters.size();
  for (const ExpressionPtr& condition : shape.predicate) {
    const auto end = filters.begin() + static_cast<ptrdiff_t>(restricted);
    if (std::none_of(filters.begin(), end, [&](const Expression* filter) { return filter->equals(*condition); }))
      filters.push_back(condition.get());
  }
  return std::max(table_rows * cardinality.scanSelectivity(scan, filters), 1.0);
}

void useRange(TableScan& scan, const Candidate& candidate) {
  scan.range = std::make_unique<TableScan::IndexRange>();
  scan.range->index = candidate.shape->index;
  for (const Restriction* equal : candidate.equal) scan.range->equal.push_back(equal->value->clone());
  if (candidate.low)
    scan.range->low = {candidate.low->value->clone(), candidate.low->comparison == FunctionId::GreaterEqual};
  if (candidate.high)
    scan.range->high = {candidate.high->value->clone(), candidate.high->comparison == FunctionId::LessEqual};
}

/// One way to read the scan by keys of an inverted index.
struct InvertedCandidate {
  const IndexShape* shape = nullptr;
  std::vector<MatchedKeys> matched;
  double rows = 0;
};

double rowsOf(const TableScan& scan, const InvertedCandidate& candidate, double table_rows,
              const Cardinality& cardinality) {
  std::vector<const Expression*> filters = addressesOf(candidate.shape->predicate);
  for (const MatchedKeys& matched : candidate.matched) filters.push_back(matched.filter);
  return std::max(table_rows * cardinality.scanSelectivity(scan, filters), 1.0);
}

void useInverted(TableScan& scan, const InvertedCandidate& candidate) {
  scan.range = std::make_unique<TableScan::IndexRange>();
  scan.range->index = candidate.shape->index;
  for (const MatchedKeys& matched : candidate.matched) {
    scan.range->equal.push_back(matched.condition.value->clone());
    scan.range->searches.push_back({matched.part, matched.condition.how});
  }
}

/// The filter that says which values the part may have; null: there is none.
const Expression* findMembers(const TableScan& scan, const IndexShape& shape) {
  constexpr size_t kMembersMax = 100;
  if (shape.parts.size() != 1 || shape.parts[0] == nullptr) return nullptr;
  const auto isOfPart = [&](const ExpressionPtr& filter) {
    if (filter->kind != Expression::Kind::InList || filter->isVolatile()) return false;
    if (filter->children.size() > kMembersMax || !shape.isPart(0, *filter->children[0])) return false;
    return std::all_of(filter->children.begin() + 1, filter->children.end(), [&](const ExpressionPtr& member) {
      return readsNone(*member) && fitsKey(member->type, shape.parts[0]->type);
    });
  };
  const auto found = std::ranges::find_if(scan.filters, isOfPart);
  return found == scan.filters.end() ? nullptr : found->get();
}

/// What the filters say of the partition keys of a partitioned table and of those below it.
void prunePartitions(TableScan& scan) {
  std::vector<Restriction> restrictions;
  for (const ExpressionPtr& filter : scan.filters) addRestrictions(*filter, restrictions);
  const auto add = [&](const TablePtr& table) {
    const IndexShape shape = partitionShape(scan, table->partitioning->key());
    const Candidate known = matchIndex(shape, restrictions);
    const bool is_restricted = !known.equal.empty() || known.low != nullptr || known.high != nullptr;
    const Expression* const members = is_restricted ? nullptr : findMembers(scan, shape);
    if (!is_restricted && members == nullptr) return;
    TableScan::Pruning& pruning = scan.pruning.emplace_back();
    pruning.table = table;
    for (size_t i = 1; members != nullptr && i < members->children.size(); ++i)
      pruning.any_of.push_back(members->children[i]->clone());
    for (const Restriction* equal : known.equal) pruning.equal.push_back(equal->value->clone());
    if (known.low) pruning.low = {known.low->value->clone(), known.low->comparison == FunctionId::GreaterEqual};
    if (known.high) pruning.high = {known.high->value->clone(), known.high->comparison == FunctionId::LessEqual};
  };
  add(scan.table);
  for (const TablePtr& below : scan.table->partitioning->descendants())
    if (below->partitioning) add(below);
}

/// Texts are equal when their keys by a collation are.
void addKeyRestrictions(const IndexShape& shape, std::vector<Restriction>& restrictions,
                        std::vector<ExpressionPtr>& made) {
  for (const ExpressionPtr& part : shape.parts) {
    const bool is_key =
        part != nullptr && part->kind == Expression::Kind::Call && part->function == FunctionId::CollationKey;
    if (!is_key) continue;
    for (size_t i = 0; i < restrictions.size(); ++i) {
      const Restriction known = restrictions[i];
      if (known.comparison != FunctionId::Equal || !known.subject->equals(*part->children[0])) continue;
      ExpressionPtr value = part->clone();
      value->children[0] = known.value->clone();
      value->nullable = known.value->nullable;
      made.push_back(part->clone());
      made.push_back(std::move(value));
      restrictions.push_back({made[made.size() - 2].get(), FunctionId::Equal, made.back().get(), known.filter});
      break;
    }
  }
}

void useIndex(TableScan& scan, Cardinality& cardinality) {
  std::vector<Restriction> restrictions = restrictionsOf(scan);
  if (scan.cursor_row || scan.filters.empty() || scan.columns.empty() || scan.table->indexes.empty()) return;
  const double table_rows = cardinality.baseRows(scan.columns[0].iu);
  const std::vector<IndexShape> shapes = usableIndexes(scan, cardinality.statistics());
  std::vector<ExpressionPtr> made;
  for (const IndexShape& shape : shapes) addKeyRestrictions(shape, restrictions, made);
  // The filters are weighed one by one.
  cardinality.learnTable(scan);
  Candidate best;
  for (const IndexShape& shape : shapes) {
    Candidate candidate = matchIndex(shape, restrictions);
    const bool is_narrowed = !candidate.equal.empty() || candidate.low != nullptr || candidate.high != nullptr;
    if (!is_narrowed && shape.predicate.empty()) continue;
    candidate.rows = rowsOf(scan, candidate, table_rows, cardinality);
    if (candidate.isWholeKey()) {
      // A point query is executed without what is for more rows, and meets no other rows' versions: also of a small
      // table.
      cardinality.estimate(scan);
      return useRange(scan, candidate);
    }
    if (best.shape == nullptr || candidate.rows < best.rows) best = std::move(candidate);
  }
  const std::vector<IndexShape> inverted_shapes = usableInvertedIndexes(scan, cardinality.statistics());
  InvertedCandidate inverted;
  for (const IndexShape& shape : inverted_shapes) {
    InvertedCandidate candidate{&shape, matchKeys(shape, scan), 0};
    if (candidate.matched.empty()) continue;
    candidate.rows = rowsOf(scan, candidate, table_rows, cardinality);
    if (inverted.shape == nullptr || candidate.rows < inverted.rows) inverted = std::move(candidate);
  }
  cardinality.estimate(scan);
  if (inverted.shape != nullptr && (best.shape == nullptr || inverted.rows < best.rows)) {
    if (indexScanCost(inverted.rows) <= table_rows) useInverted(scan, inverted);
    return;
  }
  if (best.shape != nullptr && indexScanCost(best.rows) <= table_rows) useRange(scan, best);
}

/// A side of a join key that the scan may be looked up by, and the other one.
struct KeySides {
  const Expression* side;
  const Expression* other;
};

/// The join keys that the first parts of the index stand for.
std::vector<size_t> matchKeys(const IndexShape& shape, const std::vector<KeySides>& sides) {
  std::vector<size_t> keys;
  for (size_t part = 0; part < shape.parts.size(); ++part) {
    const auto found = std::ranges::find_if(sides, [&](const KeySides& key) {
      return shape.isPart(part, *key.side) && fitsKey(key.other->type, shape.parts[part]->type);
    });
    if (found == sides.end()) break;
    keys.push_back(static_cast<size_t>(found - sides.begin()));
  }
  return keys;
}

/// Reads the table on one side of the join by the keys of the other when those are few.
void useLookup(Join& join, bool is_left_read, const Cardinality& cardinality) {
  Operator& read = *join.inputs[is_left_read ? 0 : 1];
  const Operator& other = *join.inputs[is_left_read ? 1 : 0];
  if (read.kind != Operator::Kind::TableScan) return;
  auto& scan = static_cast<TableScan&>(read);
  if (scan.cursor_row || scan.columns.empty()) return;
  if (scan.range && (scan.range->is_ordered || !scan.range->searches.empty())) return;
  std::vector<KeySides> sides;
  for (const Join::Key& key : join.keys)
    sides.push_back(is_left_read ? KeySides{key.left.get(), key.right.get()}
                                 : KeySides{key.right.get(), key.left.get()});
  // What a filter fixes is as good as a key that has this value in every row of the other side.
  for (const Restriction& restriction : restrictionsOf(scan))
    if (restriction.comparison == FunctionId::Equal && restriction.subject->type == restriction.value->type)
      sides.push_back({restriction.subject, restriction.value});
  const double table_rows = cardinality.baseRows(scan.columns[0].iu);
  // A range reads at least what passes the filters; these stay when it goes.
  double best_cost = scan.range ? std::min(table_rows, indexScanCost(scan.estimated_rows)) : table_rows;
  for (const IndexShape& shape : usableIndexes(scan, cardinality.statistics())) {
    std::vector<size_t> keys = matchKeys(shape, sides);
    if (std::ranges::none_of(keys, [&](size_t key) { return key < join.keys.size(); })) continue;
    double distinct = 1;
    for (const size_t key : keys) distinct *= cardinality.distinctValues(*sides[key].side);
    const bool is_whole_key = shape.index->is_unique && keys.size() == shape.parts.size();
    const double index_rows = table_rows * cardinality.scanSelectivity(scan, addressesOf(shape.predicate));
    const double rows_per_key = is_whole_key ? 1 : index_rows / std::clamp(distinct, 1.0, table_rows);
    const double cost = kIndexStartCost + other.estimated_rows * (kLookupCost + rows_per_key * kIndexRowCost);
    if (cost >= best_cost) continue;
    best_cost = cost;
    scan.lookup = std::make_unique<TableScan::IndexLookup>(TableScan::IndexLookup{shape.index, std::move(keys)});
  }
  if (!scan.lookup) return;
  scan.range.reset();
  join.build_left = !is_left_read;
  const size_t join_keys = join.keys.size();
  for (size_t& key : scan.lookup->keys) {
    if (key < join_keys) continue;
    ExpressionPtr read_side = sides[key].side->clone(), other_side = sides[key].other->clone();
    key = join.keys.size();
    join.keys.push_back(is_left_read ? Join::Key{std::move(read_side), std::move(other_side)}
                                     : Join::Key{std::move(other_side), std::move(read_side)});
  }
}

/// A lookup by the keys of one row is a range of the index, whose values are known before the scan.
void useOneRow(Join& join) {
  OperatorPtr& read = join.inputs[join.build_left ? 1 : 0];
  OperatorPtr& other = join.inputs[join.build_left ? 0 : 1];
  if (join.join_kind != Join::JoinKind::Inner || read->kind != Operator::Kind::TableScan) return;
  auto& scan = static_cast<TableScan&>(*read);
  if (!scan.lookup || scan.table->partitioning || rowBound(*other) != RowBound::One) return;
  scan.range = std::make_unique<TableScan::IndexRange>();
  scan.range->index = scan.lookup->index;
  for (const size_t key : scan.lookup->keys)
    scan.range->equal.push_back((join.build_left ? join.keys[key].left : join.keys[key].right)->clone());
  scan.lookup.reset();
  const auto addFilter = [&](ExpressionPtr condition) {
    const auto isSame = [&](const ExpressionPtr& filter) { return filter->equals(*condition); };
    if (std::ranges::none_of(scan.filters, isSame)) scan.filters.push_back(std::move(condition));
  };
  for (Join::Key& key : join.keys) {
    // The scan's side comes first, as in its other filters.
    if (join.build_left) std::swap(key.left, key.right);
    addFilter(conditionOf(std::move(key)));
  }
  for (ExpressionPtr& condition : join.conditions) addFilter(std::move(condition));
  join.keys.clear();
  join.conditions.clear();
  scan.estimated_rows = std::min(scan.estimated_rows, join.estimated_rows);
  if (!join.build_left) std::swap(read, other);
  join.build_left = join.is_dependent = true;
}

void useLookups(Join& join, const Cardinality& cardinality) {
  if (join.keys.empty()) return;
  // Keys with NULLs are not in the lookups; a side that is preserved is read as a whole.
  for (const Join::Key& key : join.keys)
    if (key.is_null_safe || key.is_compared) return;
  const bool may_read_left = join.join_kind == Join::JoinKind::Inner || join.join_kind == Join::JoinKind::Semi;
  const bool may_read_right =
      join.join_kind != Join::JoinKind::Single && join.join_kind != Join::JoinKind::FullOuter && !join.compared;
  const bool is_left_smaller = join.inputs[0]->estimated_rows < join.inputs[1]->estimated_rows;
  if (is_left_smaller || !may_read_left) {
    if (may_read_right) useLookup(join, false, cardinality);
  } else {
    useLookup(join, true, cardinality);
  }
  useOneRow(join);
}

}  // namespace

std::vector<ExpressionPtr> equalPrefix(const IndexShape& shape, const TableScan& scan) {
  std::vector<ExpressionPtr> values;
  for (const Restriction* equal : matchIndex(shape, restrictionsOf(scan)).equal)
    values.push_back(equal->value->clone());
  return values;
}

double indexScanCost(double rows) {
  return kIndexStartCost + rows * kIndexRowCost;
}

void useIndexes(Plan& plan, Cardinality& cardinality) {
  forEachOperator(plan, [&](OperatorPtr& op) {
    if (op->kind == Operator::Kind::TableScan && static_cast<TableScan&>(*op).table->partitioning)
      prunePartitions(static_cast<TableScan&>(*op));
    if (op->kind == Operator::Kind::TableScan) useIndex(static_cast<TableScan&>(*op), cardinality);
    if (op->kind == Operator::Kind::Join) useLookups(static_cast<Join&>(*op), cardinality);
  });
}

}  // namespace gnomon::sql
