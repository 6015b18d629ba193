#include "sql/parse/written_alike.h"

#include <utility>

#include "sql/parse/ast.h"

namespace gnomon::sql {
namespace {

bool isSameType(const ast::TypeName& one, const ast::TypeName& two) {
  return one.schema == two.schema && one.name == two.name && one.modifiers == two.modifiers &&
         one.is_array == two.is_array;
}

bool isPlain(const ast::Expression& node) {
  return !node.query && !node.over && !node.filter && node.order.empty();
}

bool isSameNode(const ast::Expression& one, const ast::Expression& two) {
  return one.kind == two.kind && one.is_star == two.is_star && one.is_distinct == two.is_distinct &&
         one.is_within_group == two.is_within_group && one.is_all == two.is_all && one.is_variadic == two.is_variadic &&
         one.number == two.number && one.text == two.text && one.names == two.names &&
         one.argument_names == two.argument_names && isSameType(one.type, two.type) &&
         one.children.size() == two.children.size() && isPlain(one) && isPlain(two);
}

}  // namespace

bool isWrittenAlike(const ast::Expression& one, const ast::Expression& two) {
  std::vector<std::pair<const ast::Expression*, const ast::Expression*>> pending{{&one, &two}};
  while (!pending.empty()) {
    const auto [left, right] = pending.back();
    pending.pop_back();
    if (left == nullptr && right == nullptr) continue;
    if (left == nullptr || right == nullptr || !isSameNode(*left, *right)) return false;
    for (size_t i = 0; i < left->children.size(); ++i)
      pending.emplace_back(left->children[i].get(), right->children[i].get());
  }
  return true;
}

}  // namespace gnomon::sql
