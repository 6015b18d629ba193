#include "sql/algebra/error_freedom.h"

#include <vector>

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool isSafeCast(const Expression& cast) {
  const Type from = cast.children[0]->type;
  const Type to = cast.type;
  if (from.isInteger() && to.isInteger()) return from.kind <= to.kind;
  if (from.kind == TypeKind::Real && to.kind == TypeKind::Double) return true;
  return from.isString() && to.kind == TypeKind::Text;
}

bool isSafeFunction(FunctionId function) {
  switch (function) {
    case FunctionId::Length:
    case FunctionId::OctetLength:
    case FunctionId::Lower:
    case FunctionId::Upper:
    case FunctionId::Position:
    case FunctionId::StartsWith:
      return true;
    default:
      return function >= FunctionId::Equal && function <= FunctionId::GreaterEqual;
  }
}

/// One that ends with its escape is an error.
bool isSafePattern(const Expression& pattern) {
  return pattern.kind == Kind::Constant && !pattern.value.bytes.ends_with('\\');
}

bool nodeNeverRaises(const Expression& node) {
  if (node.kind == Kind::Cast) return isSafeCast(node);
  if (node.kind == Kind::ArrayCall) return node.function == FunctionId::ArraySubscript;
  const bool is_like = node.function == FunctionId::Like || node.function == FunctionId::ILike;
  if (node.kind == Kind::Call && is_like) return node.children.size() == 2 && isSafePattern(*node.children[1]);
  const bool calls = node.kind == Kind::Call || node.kind == Kind::AnyOf || node.kind == Kind::AllOf;
  return !calls || isSafeFunction(node.function);
}

}  // namespace

bool neverRaises(const Expression& expression) {
  std::vector<const Expression*> pending{&expression};
  while (!pending.empty()) {
    const Expression* last = pending.back();
    pending.pop_back();
    if (!nodeNeverRaises(*last)) return false;
    for (const ExpressionPtr& child : last->children) pending.push_back(child.get());
  }
  return true;
}

bool neverRaises(OperatorPtr& tree, std::span<const Iu> wanted) {
  using OpKind = Operator::Kind;
  std::vector<Iu> read(wanted.begin(), wanted.end());
  forEachOperator(tree, [&](OperatorPtr& op) {
    forEachExpression(*op, [&](ExpressionPtr& expression) { expression->collectUnits(read); });
  });
  const UnitSet used(read.begin(), read.end());
  bool never = true;
  const auto require = [&](const Expression& expression) { never = never && neverRaises(expression); };
  forEachOperator(tree, [&](OperatorPtr& op) {
    const bool is_single =
        op->kind == OpKind::Join && static_cast<const Join&>(*op).join_kind == Join::JoinKind::Single;
    const bool is_known = op->kind == OpKind::TableScan || op->kind == OpKind::Selection || op->kind == OpKind::Map ||
                          op->kind == OpKind::Join || op->kind == OpKind::Sort;
    never = never && is_known && !is_single;
    if (!never) return;
    if (op->kind != OpKind::Map)
      return forEachExpression(*op, [&](ExpressionPtr& expression) { require(*expression); });
    for (const auto& [unit, expression] : static_cast<const Map&>(*op).computed)
      if (used.contains(unit)) require(*expression);
  });
  return never;
}

}  // namespace gnomon::sql
