#include "sql/optimise/membership_lookups.h"

#include <algorithm>
#include <utility>

#include "sql/algebra/function_scan.h"
#include "sql/algebra/rewrite.h"
#include "sql/optimise/index_shape.h"
#include "sql/optimise/join_keys.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// A table has to have so many rows for each member before these are looked up.
constexpr double kRowsPerMember = 200;
/// Members of an array, whose number is not known.
constexpr double kMembersUnknown = 10;

bool isList(const Expression& filter) {
  if (filter.kind != Kind::InList) return false;
  return std::all_of(filter.children.begin() + 1, filter.children.end(),
                     [](const ExpressionPtr& item) { return readsNone(*item); });
}

bool isArray(const Expression& filter) {
  return filter.kind == Kind::AnyOf && filter.function == FunctionId::Equal && readsNone(*filter.children[1]);
}

/// The member's type when all have one. Unknown: they have not.
Type memberType(const Expression& filter) {
  if (filter.kind == Kind::AnyOf) return filter.children[1]->type.element();
  const Type type = filter.children[1]->type;
  const bool are_alike = std::all_of(filter.children.begin() + 1, filter.children.end(),
                                     [&](const ExpressionPtr& item) { return item->type == type; });
  return are_alike ? type : Type::of(TypeKind::Unknown);
}

/// Rows of the members.
OperatorPtr membersOf(Plan& plan, Expression& filter, Type type, Iu& member) {
  member = plan.makeUnit("member", type, true);
  auto values = std::make_unique<Values>();
  if (filter.kind == Kind::InList) {
    values->columns.push_back(member);
    for (size_t i = 1; i < filter.children.size(); ++i)
      values->rows.emplace_back().push_back(std::move(filter.children[i]));
    return values;
  }
  values->rows.emplace_back();
  auto project = std::make_unique<ProjectSet>();
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(filter.children[1]));
  project->calls.push_back({"unnest", std::move(arguments), member});
  project->inputs.push_back(std::move(values));
  return project;
}

/// The filter to be taken out of the scan: of several the first. None: its number is theirs.
size_t findMembership(const TableScan& scan, const Cardinality& cardinality) {
  const std::vector<IndexShape> shapes = usableIndexes(scan, cardinality.statistics());
  const auto isLed = [&](const ExpressionPtr& filter) {
    if ((!isList(*filter) && !isArray(*filter)) || filter->isVolatile()) return false;
    const Expression& value = *filter->children[0];
    const Type member = memberType(*filter);
    return member.kind != TypeKind::Unknown && canAlign(value.type, member) &&
           std::ranges::any_of(shapes, [&](const IndexShape& shape) { return shape.isPart(0, value); });
  };
  return static_cast<size_t>(std::ranges::find_if(scan.filters, isLed) - scan.filters.begin());
}

/// An equality of the leading column is at least as good.
bool hasEquality(const TableScan& scan) {
  return std::ranges::any_of(scan.filters, [](const ExpressionPtr& filter) {
    return isEquality(*filter) && (readsNone(*filter->children[0]) || readsNone(*filter->children[1]));
  });
}

void joinMembers(Plan& plan, OperatorPtr& op, Cardinality& cardinality) {
  auto& scan = static_cast<TableScan&>(*op);
  if (scan.cursor_row || scan.filters.empty() || scan.columns.empty() || scan.table->indexes.empty() ||
      hasEquality(scan))
    return;
  const size_t number = findMembership(scan, cardinality);
  if (number == scan.filters.size()) return;
  const double members_expected = scan.filters[number]->kind == Kind::InList
                                      ? static_cast<double>(scan.filters[number]->children.size() - 1)
                                      : kMembersUnknown;
  if (cardinality.baseRows(scan.columns[0].iu) < members_expected * kRowsPerMember) return;
  ExpressionPtr filter = std::move(scan.filters[number]);
  scan.filters.erase(scan.filters.begin() + static_cast<ptrdiff_t>(number));
  Iu member = nullptr;
  OperatorPtr members = membersOf(plan, *filter, memberType(*filter), member);
  for (OperatorPtr& input : members->inputs) cardinality.estimate(*input);
  cardinality.estimate(*members);
  cardinality.estimate(scan);
  auto join = std::make_unique<Join>();
  join->join_kind = Join::JoinKind::Semi;
  std::vector<ExpressionPtr> sides;
  sides.push_back(std::move(filter->children[0]));
  sides.push_back(Expression::column(member));
  join->conditions.push_back(Expression::call(FunctionId::Equal, Type::of(TypeKind::Boolean), std::move(sides)));
  join->inputs.push_back(std::move(op));
  join->inputs.push_back(std::move(members));
  extractKeys(*join);
  cardinality.estimate(*join);
  op = std::move(join);
}

}  // namespace

void joinMembers(Plan& plan, Cardinality& cardinality) {
  forEachOperator(plan, [&](OperatorPtr& op) {
    if (op->kind == Operator::Kind::TableScan) joinMembers(plan, op, cardinality);
  });
}

}  // namespace gnomon::sql
