#include "sql/bind/stored_literals.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/types/cast.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kSelect = "SELECT ";

/// The texts between quotes, in the order of the tree.
std::vector<const ast::Expression*> literalsOf(const ast::Expression& tree) {
  std::vector<const ast::Expression*> literals;
  forEachNode(tree, [&](const ast::Expression& node) {
    if (node.kind == ast::Expression::Kind::String) literals.push_back(&node);
  });
  return literals;
}

/// What every session reads as the same value.
std::string commonText(const Value& value) {
  const TextStyleScope style({}, textMoment());
  const SessionTimeZone zone(*TimeZone::ofOffset(0));
  return castValue(value, Type::of(TypeKind::Text), true).bytes;
}

}  // namespace

StoredLiterals::StoredLiterals(BindState& state) : state_(state) {
  CHECK(state.read_literals == nullptr, "one stored expression is not a part of another");
  state.read_literals = &read_;
}

StoredLiterals::~StoredLiterals() {
  state_.read_literals = nullptr;
}

std::string StoredLiterals::write(const ast::Expression& node, const std::string& text) const {
  if (read_.empty()) return text;
  const std::vector<const ast::Expression*> bound = literalsOf(node);
  const StoredExpression stored(text);
  const std::vector<const ast::Expression*> written = literalsOf(stored.tree());
  CHECK(bound.size() == written.size(), "an expression and its text have the same literals");
  struct Change {
    size_t begin;
    const Value* value;
  };
  std::vector<Change> changes;
  for (size_t i = 0; i < bound.size(); ++i) {
    const auto found = std::ranges::find(read_, bound[i]->position, &ReadLiteral::position);
    if (found == read_.end()) continue;
    changes.push_back({static_cast<size_t>(written[i]->position) - kSelect.size(), &found->value});
  }
  std::ranges::sort(changes, {}, &Change::begin);
  std::string result;
  size_t copied = 0;
  for (const Change& change : changes) {
    // Such texts have neither quotes nor backslashes.
    result.append(text, copied, change.begin - copied).append("'").append(commonText(*change.value)).append("'");
    copied = literalEnd(text, change.begin);
  }
  return result.append(text, copied);
}

}  // namespace gnomon::sql
