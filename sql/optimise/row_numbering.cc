#include "sql/optimise/row_numbering.h"

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {

using Kind = Operator::Kind;

void numberRows(OperatorPtr& tree, Iu row) {
  auto window = std::make_unique<Window>();
  window->functions.push_back({row, WindowFunctionId::RowNumber, {}, {}, {}});
  window->inputs.push_back(std::move(tree));
  tree = std::move(window);
}

void WorkingNumbers::read(Plan& plan, Operator& tree, Iu row) {
  Operator* below = &tree;
  while (below->kind == Kind::Map || below->kind == Kind::Selection) below = below->inputs[0].get();
  if (below->kind != Kind::WorkingScan || static_cast<WorkingScan*>(below)->recursion->is_distinct)
    throwNotSupported("volatile functions in a correlated subquery of this kind of recursive query");
  auto& scan = static_cast<WorkingScan&>(*below);
  scan.columns.push_back({numbersOf(plan, *scan.recursion).column, row});
}

const WorkingNumbers::Numbered& WorkingNumbers::numbersOf(Plan& plan, const Recursion& recursion) {
  const auto known = std::ranges::find(numbered_, &recursion, &Numbered::recursion);
  if (known != numbered_.end()) return *known;
  Numbered added{nullptr, recursion.columns.size(), {}};
  forEachOperator(plan, [&](OperatorPtr& op) {
    if (op.get() == &recursion) added.recursion = static_cast<Recursion*>(op.get());
  });
  const Type type = Type::of(TypeKind::Bigint);
  added.recursion->columns.push_back(plan.makeUnit("row", type, false));
  for (const size_t side : {size_t{0}, size_t{1}}) {
    added.numbers[side] = plan.makeUnit("row", type, false);
    added.recursion->values[side].push_back(Expression::column(added.numbers[side]));
  }
  return numbered_.emplace_back(added);
}

void WorkingNumbers::make() {
  for (const Numbered& numbered : numbered_)
    for (const size_t side : {size_t{0}, size_t{1}})
      numberRows(numbered.recursion->inputs[side], numbered.numbers[side]);
}

}  // namespace gnomon::sql
