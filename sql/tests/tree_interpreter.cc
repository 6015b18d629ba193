#include "sql/tests/tree_interpreter.h"

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"

namespace gnomon::sql::test {
namespace {

using Kind = Expression::Kind;

Number valueOf(const Expression& expression, const Row& row);
std::vector<Row> producedRows(const Operator& op, const Database& database, const Row& around);

Number truth(bool value) {
  return value ? 1 : 0;
}
bool isTrue(const Number& value) {
  return value.has_value() && *value != 0;
}

Number evaluateCall(const Expression& call, const Row& row) {
  const Number left = evaluate(*call.children[0], row);
  const Number right = evaluate(*call.children[1], row);
  if (!left || !right) return std::nullopt;
  switch (call.function) {
    case FunctionId::Add:
      return *left + *right;
    case FunctionId::Subtract:
      return *left - *right;
    case FunctionId::Multiply:
      return *left * *right;
    case FunctionId::Equal:
      return truth(*left == *right);
    case FunctionId::NotEqual:
      return truth(*left != *right);
    case FunctionId::Less:
      return truth(*left < *right);
    case FunctionId::LessEqual:
      return truth(*left <= *right);
    case FunctionId::Greater:
      return truth(*left > *right);
    case FunctionId::GreaterEqual:
      return truth(*left >= *right);
    default:
      CHECK(false, "the tests use these functions only");
      return std::nullopt;
  }
}

/// AND: FALSE beats NULL beats TRUE. OR: TRUE beats NULL beats FALSE.
Number evaluateJunction(const Expression& junction, const Row& row) {
  const bool decisive = junction.kind == Kind::Or;
  bool has_null = false;
  for (const ExpressionPtr& child : junction.children) {
    const Number value = evaluate(*child, row);
    if (!value) has_null = true;
    if (value && (*value != 0) == decisive) return truth(decisive);
  }
  if (has_null) return std::nullopt;
  return truth(!decisive);
}

Number evaluateCase(const Expression& expression, const Row& row) {
  for (size_t i = 0; i + 1 < expression.children.size(); i += 2)
    if (isTrue(evaluate(*expression.children[i], row))) return evaluate(*expression.children[i + 1], row);
  return evaluate(*expression.children.back(), row);
}

Number evaluateInList(const Expression& expression, const Row& row) {
  const Number value = evaluate(*expression.children[0], row);
  if (!value) return std::nullopt;
  bool has_null = false;
  for (size_t i = 1; i < expression.children.size(); ++i) {
    const Number element = evaluate(*expression.children[i], row);
    if (element == value) return 1;
    has_null |= !element;
  }
  if (has_null) return std::nullopt;
  return 0;
}

Number evaluateCoalesce(const Expression& expression, const Row& row) {
  for (const ExpressionPtr& child : expression.children)
    if (const Number value = evaluate(*child, row)) return value;
  return std::nullopt;
}

bool passes(const std::vector<ExpressionPtr>& conditions, const Row& row) {
  return std::ranges::all_of(conditions,
                             [&](const ExpressionPtr& condition) { return isTrue(evaluate(*condition, row)); });
}

std::vector<Row> scanRows(const TableScan& scan, const Database& database, const Row& around) {
  std::vector<Row> result;
  for (const Tuple& tuple : database.at(scan.table->name)) {
    Row row = around;
    for (const TableScan::Column& column : scan.columns) row[column.iu] = tuple[column.index];
    if (passes(scan.filters, row)) result.push_back(std::move(row));
  }
  return result;
}

bool matches(const Join& join, const Row& row) {
  for (const Join::Key& key : join.keys) {
    if (key.is_compared) continue;
    const Number left = evaluate(*key.left, row);
    if ((!left && !key.is_null_safe) || left != evaluate(*key.right, row)) return false;
  }
  return passes(join.conditions, row);
}

Row extended(const Join& join, const Row& left, const Row* right) {
  Row result = left;
  for (const auto& [below, above] : join.left_extended) result[above] = left.at(below);
  for (const auto& [below, above] : join.null_extended) result[above] = right == nullptr ? Number() : right->at(below);
  return result;
}

/// What a match says about the mark.
Number comparedInMatch(const Join& join, const Row& both) {
  if (join.compared) return evaluate(*join.compared, both);
  if (join.keys.empty() || !join.keys[0].is_compared) return 1;
  const Number left = evaluate(*join.keys[0].left, both);
  const Number right = evaluate(*join.keys[0].right, both);
  if (!left || !right) return std::nullopt;
  return truth(*left == *right);
}

/// TRUE beats NULL beats FALSE.
Number marked(const Join& join, const std::vector<Row>& matching) {
  bool has_null = false;
  for (const Row& both : matching) {
    const Number compared = comparedInMatch(join, both);
    if (isTrue(compared)) return 1;
    has_null |= !compared;
  }
  if (has_null) return std::nullopt;
  return 0;
}

void joinRow(const Join& join, const Row& left, std::vector<Row> matching, std::vector<Row>& result) {
  switch (join.join_kind) {
    case Join::JoinKind::Inner:
      for (Row& both : matching) result.push_back(std::move(both));
      return;
    case Join::JoinKind::Single:
      if (matching.size() > 1) throw SqlError(sqlstate::kCardinalityViolation, "several rows");
      [[fallthrough]];
    case Join::JoinKind::LeftOuter:
    case Join::JoinKind::FullOuter:
      for (const Row& both : matching) result.push_back(extended(join, left, &both));
      if (matching.empty()) result.push_back(extended(join, left, nullptr));
      return;
    case Join::JoinKind::Semi:
    case Join::JoinKind::Anti:
      if (matching.empty() == (join.join_kind == Join::JoinKind::Anti)) result.push_back(left);
      return;
    case Join::JoinKind::Mark:
      result.push_back(left);
      result.back()[join.mark] = marked(join, matching);
      return;
    case Join::JoinKind::Gate:
      if (!matching.empty()) result.push_back(left);
      return;
  }
}

std::vector<Row> joinRows(const Join& join, const Database& database, const Row& around) {
  std::vector<Row> result;
  std::vector<Row> rights;
  std::vector<bool> matched;
  if (!join.is_dependent) rights = rowsOf(*join.inputs[1], database, around);
  for (const Row& left : rowsOf(*join.inputs[0], database, around)) {
    if (join.is_dependent) rights = rowsOf(*join.inputs[1], database, left);
    std::vector<Row> matching;
    matched.resize(rights.size());
    for (size_t i = 0; i < rights.size(); ++i) {
      Row both = left;
      both.insert(rights[i].begin(), rights[i].end());
      if (!matches(join, both)) continue;
      matched[i] = true;
      matching.push_back(std::move(both));
    }
    joinRow(join, left, std::move(matching), result);
  }
  if (join.join_kind != Join::JoinKind::FullOuter) return result;
  matched.resize(rights.size());
  for (size_t i = 0; i < rights.size(); ++i) {
    if (matched[i]) continue;
    Row row = rights[i];
    for (const auto& [below, above] : join.null_extended) row[above] = rights[i].at(below);
    for (const auto& [below, above] : join.left_extended) row[above] = Number();
    result.push_back(std::move(row));
  }
  return result;
}

Number aggregated(const Aggregation::Aggregate& aggregate, const std::vector<Row>& rows) {
  if (aggregate.function == AggregateId::CountRows) return static_cast<int64_t>(rows.size());
  std::vector<int64_t> values;
  for (const Row& row : rows)
    if (const Number value = evaluate(*aggregate.argument, row)) values.push_back(*value);
  std::ranges::sort(values);
  if (aggregate.distinct) values.erase(std::ranges::unique(values).begin(), values.end());
  if (aggregate.function == AggregateId::Count) return static_cast<int64_t>(values.size());
  if (values.empty()) return std::nullopt;
  if (aggregate.function == AggregateId::Minimum) return values.front();
  if (aggregate.function == AggregateId::Maximum) return values.back();
  CHECK(aggregate.function == AggregateId::Sum || aggregate.function == AggregateId::Average,
        "the tests use these aggregates only");
  int64_t sum = 0;
  for (const int64_t value : values) sum += value;
  return aggregate.function == AggregateId::Sum ? sum : sum * 1000 / static_cast<int64_t>(values.size());
}

std::vector<Row> aggregationRows(const Aggregation& aggregation, const Database& database, const Row& around) {
  std::map<Tuple, std::vector<Row>> groups;
  if (aggregation.keys.empty()) groups[{}];
  for (Row& row : rowsOf(*aggregation.inputs[0], database, around)) {
    Tuple key;
    for (const Aggregation::Key& each : aggregation.keys) key.push_back(evaluate(*each.expression, row));
    groups[key].push_back(std::move(row));
  }
  std::vector<Row> result;
  for (const auto& [key, rows] : groups) {
    Row row = around;
    for (size_t i = 0; i < key.size(); ++i) row[aggregation.keys[i].iu] = key[i];
    for (const Aggregation::Aggregate& aggregate : aggregation.aggregates)
      row[aggregate.iu] = aggregated(aggregate, rows);
    result.push_back(std::move(row));
  }
  return result;
}

std::vector<Row> limited(std::vector<Row> rows, const ExpressionPtr& limit, const ExpressionPtr& offset) {
  const int64_t skipped = offset == nullptr ? 0 : evaluate(*offset, {}).value_or(0);
  const int64_t kept = limit == nullptr ? INT64_MAX : evaluate(*limit, {}).value_or(INT64_MAX);
  std::vector<Row> result;
  for (int64_t i = skipped; i < static_cast<int64_t>(rows.size()) && i - skipped < kept; ++i)
    result.push_back(std::move(rows[static_cast<size_t>(i)]));
  return result;
}

/// -1, 0, 1 by one key, NULLs where the key says.
int compareBy(const SortKey& key, const Row& one, const Row& other) {
  const Number left = evaluate(*key.expression, one);
  const Number right = evaluate(*key.expression, other);
  if (left == right) return 0;
  if (!left) return key.nulls_first ? -1 : 1;
  if (!right) return key.nulls_first ? 1 : -1;
  return (*left < *right) != key.descending ? -1 : 1;
}

std::vector<Row> sortedRows(const Sort& sort, const Database& database, const Row& around) {
  std::vector<Row> rows = rowsOf(*sort.inputs[0], database, around);
  std::ranges::sort(rows, [&](const Row& one, const Row& other) {
    for (const SortKey& key : sort.keys)
      if (const int order = compareBy(key, one, other); order != 0) return order < 0;
    return false;
  });
  return limited(std::move(rows), sort.limit, sort.offset);
}

/// The function's value for a row: of the rows of its partition those before it, and its peers.
Number windowValue(const Window::Function& function, const std::vector<Row>& before, const std::vector<Row>& peers,
                   size_t earlier_peers) {
  const auto preceding = static_cast<int64_t>(before.size());
  if (function.function == WindowFunctionId::RowNumber) return preceding + static_cast<int64_t>(earlier_peers) + 1;
  if (function.function == WindowFunctionId::Rank) return preceding + 1;
  CHECK(function.function == WindowFunctionId::Aggregate, "the tests use these window functions only");
  std::vector<Row> frame = before;
  frame.insert(frame.end(), peers.begin(), peers.end());
  return aggregated(function.aggregate, frame);
}

std::vector<Row> windowRows(const Window& window, const Database& database, const Row& around) {
  const std::vector<Row> rows = rowsOf(*window.inputs[0], database, around);
  const auto is_same = [&](const Row& one, const Row& other) {
    return std::ranges::all_of(window.partition,
                               [&](const ExpressionPtr& key) { return evaluate(*key, one) == evaluate(*key, other); });
  };
  const auto order = [&](const Row& one, const Row& other) {
    for (const SortKey& key : window.order)
      if (const int found = compareBy(key, one, other); found != 0) return found;
    return 0;
  };
  std::vector<Row> result = rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<Row> before, peers;
    size_t earlier_peers = 0;
    for (size_t other = 0; other < rows.size(); ++other) {
      if (!is_same(rows[other], rows[i])) continue;
      const int found = order(rows[other], rows[i]);
      if (found < 0) before.push_back(rows[other]);
      if (found == 0) peers.push_back(rows[other]);
      if (found == 0 && other < i) ++earlier_peers;
    }
    for (const Window::Function& function : window.functions)
      result[i][function.iu] = windowValue(function, before, peers, earlier_peers);
  }
  return result;
}

std::vector<Row> unionRows(const Union& node, const Database& database, const Row& around) {
  std::vector<Row> result;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    for (const Row& below : rowsOf(*node.inputs[i], database, around)) {
      Row row = around;
      for (size_t column = 0; column < node.columns.size(); ++column)
        row[node.columns[column]] = evaluate(*node.values[i][column], below);
      result.push_back(std::move(row));
    }
  }
  return result;
}

std::vector<Row> sharedRows(const SharedScan& scan, const Database& database, const Row& around) {
  std::vector<Row> result;
  const auto& output = static_cast<const Output&>(*scan.source->root);
  for (const Row& below : rowsOf(output, database, {})) {
    Row row = around;
    for (const SharedScan::Column& column : scan.columns) row[column.iu] = below.at(output.columns[column.index].iu);
    result.push_back(std::move(row));
  }
  return result;
}

std::vector<Row> valuesRows(const Values& values, const Row& around) {
  std::vector<Row> result;
  for (const auto& literals : values.rows) {
    Row row = around;
    for (size_t i = 0; i < literals.size(); ++i) row[values.columns[i]] = evaluate(*literals[i], {});
    result.push_back(std::move(row));
  }
  return result;
}

}  // namespace

Number evaluate(const Expression& expression, const Row& row) {
  const Number result = valueOf(expression, row);
  CHECK(result || expression.nullable, "what is not nullable is never NULL");
  return result;
}

std::vector<Row> rowsOf(const Operator& op, const Database& database, const Row& around) {
  std::vector<Row> rows = producedRows(op, database, around);
  for (const Row& row : rows)
    for (const auto& [unit, value] : row) CHECK(value || unit->nullable, "what is not nullable is never NULL");
  return rows;
}

namespace {

Number valueOf(const Expression& expression, const Row& row) {
  const auto child = [&](size_t i) { return evaluate(*expression.children[i], row); };
  switch (expression.kind) {
    case Kind::Constant:
      return expression.value.is_null ? Number() : expression.value.asInt();
    case Kind::Column:
      return row.at(expression.iu);
    case Kind::Call:
      return evaluateCall(expression, row);
    case Kind::Cast:
      return child(0);
    case Kind::And:
    case Kind::Or:
      return evaluateJunction(expression, row);
    case Kind::Not:
      return child(0) ? truth(!isTrue(child(0))) : Number();
    case Kind::IsNull:
      return truth(!child(0));
    case Kind::IsNotNull:
      return truth(child(0).has_value());
    case Kind::IsTrue:
      return truth(isTrue(child(0)));
    case Kind::IsNotTrue:
      return truth(!isTrue(child(0)));
    case Kind::IsFalse:
      return truth(child(0) == Number(0));
    case Kind::IsNotFalse:
      return truth(child(0) != Number(0));
    case Kind::IsDistinct:
      return truth(child(0) != child(1));
    case Kind::IsNotDistinct:
      return truth(child(0) == child(1));
    case Kind::Case:
      return evaluateCase(expression, row);
    case Kind::Coalesce:
      return evaluateCoalesce(expression, row);
    case Kind::InList:
      return evaluateInList(expression, row);
    case Kind::Let: {
      Row inner = row;
      inner[expression.iu] = child(0);
      return evaluate(*expression.children[1], inner);
    }
    default:
      CHECK(false, "the tests use these expressions only");
      return std::nullopt;
  }
}

std::vector<Row> producedRows(const Operator& op, const Database& database, const Row& around) {
  switch (op.kind) {
    case Operator::Kind::TableScan:
      return scanRows(static_cast<const TableScan&>(op), database, around);
    case Operator::Kind::Selection: {
      std::vector<Row> rows = rowsOf(*op.inputs[0], database, around);
      std::erase_if(rows, [&](const Row& row) { return !passes(static_cast<const Selection&>(op).conditions, row); });
      return rows;
    }
    case Operator::Kind::Map: {
      std::vector<Row> rows = rowsOf(*op.inputs[0], database, around);
      for (Row& row : rows) {
        const Row below = row;
        for (const auto& column : static_cast<const Map&>(op).computed)
          row[column.iu] = evaluate(*column.expression, below);
      }
      return rows;
    }
    case Operator::Kind::Join:
      return joinRows(static_cast<const Join&>(op), database, around);
    case Operator::Kind::Aggregation:
      return aggregationRows(static_cast<const Aggregation&>(op), database, around);
    case Operator::Kind::Window:
      return windowRows(static_cast<const Window&>(op), database, around);
    case Operator::Kind::Sort:
      return sortedRows(static_cast<const Sort&>(op), database, around);
    case Operator::Kind::Limit: {
      const auto& limit = static_cast<const Limit&>(op);
      return limited(rowsOf(*op.inputs[0], database, around), limit.limit, limit.offset);
    }
    case Operator::Kind::Values:
      return valuesRows(static_cast<const Values&>(op), around);
    case Operator::Kind::Union:
      return unionRows(static_cast<const Union&>(op), database, around);
    case Operator::Kind::SharedScan:
      return sharedRows(static_cast<const SharedScan&>(op), database, around);
    default:
      return rowsOf(*op.inputs[0], database, around);
  }
}

}  // namespace

std::multiset<Tuple> resultOf(const Plan& plan, const Database& database) {
  std::multiset<Tuple> result;
  for (const Row& row : rowsOf(*plan.root, database, {})) {
    Tuple tuple;
    for (const Output::Column& column : static_cast<const Output&>(*plan.root).columns)
      tuple.push_back(row.at(column.iu));
    result.insert(std::move(tuple));
  }
  return result;
}

}  // namespace gnomon::sql::test
