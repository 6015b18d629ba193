#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/set_functions.h"
#include "sql/functions/value_function.h"

namespace gnomon::sql {
namespace {

const SqlState kInvalidSampleArgument("2202H");

/// The scan of a table that makes the rows; null: others do.
TableScan* scanBelow(Operator& op) {
  if (op.kind == Operator::Kind::TableScan) return &static_cast<TableScan&>(op);
  const bool passes = op.kind == Operator::Kind::Map || op.kind == Operator::Kind::Selection;
  return passes ? scanBelow(*op.inputs[0]) : nullptr;
}

ExpressionPtr callOf(std::string_view function, Type type, std::vector<ExpressionPtr> arguments) {
  const FunctionId id = internalFunction(function, arguments.size());
  ExpressionPtr call = Expression::arrayCall(id, type, std::move(arguments));
  call->nullable = false;
  return call;
}

/// TABLESAMPLE's arguments, bound.
class SampleBinder {
 public:
  SampleBinder(BindState& state, const Scope& before, const ast::TableSample& sample)
      : sample_(sample),
        clause_{.name = kFunctionsInFrom, .subqueries = &subqueries_},
        binder_(state, before, clause_) {}

  /// Failure: 42704, 2202H.
  [[nodiscard]] std::string_view test() const {
    if (sample_.method != "system" && sample_.method != "bernoulli")
      throw SqlError(sqlstate::kUndefinedObject, fmt::format("tablesample method {} does not exist", sample_.method))
          .position(sample_.position);
    if (sample_.arguments.size() != 1)
      throw SqlError(kInvalidSampleArgument, fmt::format("tablesample method {} requires 1 argument, not {}",
                                                         sample_.method, sample_.arguments.size()))
          .position(sample_.arguments.empty() ? sample_.position : sample_.arguments.front()->position);
    return sample_.method == "system" ? "$system" : "$bernoulli";
  }
  ExpressionPtr cutoff() {
    ExpressionPtr percent = value(*sample_.arguments[0], TypeKind::Real, "TABLESAMPLE");
    percent = binder_.coercion().toKind(std::move(percent), TypeKind::Double);
    return wrapped("$sample_cutoff", std::move(percent));
  }
  ExpressionPtr seed() {
    ExpressionPtr seed = sample_.seed ? value(*sample_.seed, TypeKind::Double, "REPEATABLE")
                                      : Expression::call(FunctionId::Random, Type::of(TypeKind::Double), {});
    return wrapped("$sample_seed", std::move(seed));
  }
  OperatorPtr attach(OperatorPtr row) { return subqueries_.attach(std::move(row)); }

 private:
  ExpressionPtr value(const ast::Expression& node, TypeKind kind, std::string_view clause) {
    return binder_.coercion().require(binder_.bind(node), kind, clause);
  }
  static ExpressionPtr wrapped(std::string_view function, ExpressionPtr argument) {
    std::vector<ExpressionPtr> arguments;
    arguments.push_back(std::move(argument));
    return callOf(function, Type::of(TypeKind::Bigint), std::move(arguments));
  }

  const ast::TableSample& sample_;
  SubqueryJoins subqueries_;
  const Clause clause_;
  ExpressionBinder binder_;
};

}  // namespace

/// What is the same for all rows is computed once, beside them.
void FromBinder::sampleRows(const ast::FromItem& item, Result& result) {
  TableScan* const scan = result.scope.ranges.back().rows ? nullptr : scanBelow(*result.tree);
  if (!scan && result.tree->kind == Operator::Kind::VirtualScan)
    throwNotSupported("TABLESAMPLE of a system catalog", item.sample->position);
  if (!scan || findCommonTable(state_, item.relation) != nullptr)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "TABLESAMPLE clause can only be applied to tables and materialized views")
        .position(item.position);
  const Scope before = scopeBefore();
  SampleBinder sample(state_, before, *item.sample);
  const std::string_view test = sample.test();
  const Iu id = state_.plan->makeUnit("ctid", Type::of(TypeKind::Bigint), false);
  const Iu cutoff = state_.plan->makeUnit("cutoff", Type::of(TypeKind::Bigint), false);
  const Iu seed = state_.plan->makeUnit("seed", Type::of(TypeKind::Bigint), false);
  scan->columns.push_back({TableScan::kTupleId, id});
  auto once = std::make_unique<Map>();
  once->computed.push_back({cutoff, sample.cutoff()});
  once->computed.push_back({seed, sample.seed()});
  auto row = std::make_unique<Values>();
  row->rows.emplace_back();
  once->inputs.push_back(sample.attach(std::move(row)));
  auto join = std::make_unique<Join>();
  join->inputs.push_back(std::move(result.tree));
  join->inputs.push_back(std::move(once));
  auto selection = std::make_unique<Selection>();
  std::vector<ExpressionPtr> arguments;
  for (const Iu unit : {id, cutoff, seed}) arguments.push_back(Expression::column(unit));
  selection->conditions.push_back(callOf(test, Type::of(TypeKind::Boolean), std::move(arguments)));
  selection->inputs.push_back(std::move(join));
  result.tree = std::move(selection);
}

}  // namespace gnomon::sql
