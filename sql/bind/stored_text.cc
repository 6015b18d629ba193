#include "sql/bind/stored_text.h"

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/user_types.h"
#include "sql/types/cast.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kSelect = "SELECT ";

/// What may be stored otherwise than it was written, in the order of the tree.
std::vector<const ast::Expression*> changeable(const ast::Expression& tree) {
  using Kind = ast::Expression::Kind;
  std::vector<const ast::Expression*> nodes;
  forEachNode(tree, [&](const ast::Expression& node) {
    if (node.kind == Kind::String || node.kind == Kind::Function || node.kind == Kind::Cast) nodes.push_back(&node);
  });
  return nodes;
}

/// Where its text begins, or the name of its type.
int32_t placeOf(const ast::Expression& node) {
  return node.kind == ast::Expression::Kind::Cast ? node.type.position : node.position;
}

/// What every session reads as the same value.
std::string commonText(const Value& value) {
  const TextStyleScope style({}, textMoment());
  const SessionTimeZone zone(*TimeZone::ofOffset(0));
  return castValue(value, Type::of(TypeKind::Text), true).bytes;
}

}  // namespace

StoredText::StoredText(BindState& state) : state_(state) {
  CHECK(state.read_literals == nullptr && state.stars == nullptr, "one stored expression is not a part of another");
  state.read_literals = &read_;
  state.stars = &names_;
}

StoredText::~StoredText() {
  state_.read_literals = nullptr;
  state_.stars = nullptr;
}

std::string StoredText::write(const ast::Expression& node, const std::string& text) const {
  if (read_.empty() && names_.empty()) return text;
  struct Change {
    size_t begin, end;
    std::string text;
  };
  std::vector<Change> changes;
  const std::vector<const ast::Expression*> bound = changeable(node);
  const StoredExpression stored(text);
  const std::vector<const ast::Expression*> written = changeable(stored.tree());
  CHECK(bound.size() == written.size(), "an expression and its text have the same literals and names");
  for (size_t i = 0; i < bound.size(); ++i) {
    const auto begin = static_cast<size_t>(placeOf(*written[i])) - kSelect.size();
    if (bound[i]->kind == ast::Expression::Kind::String) {
      const auto found = std::ranges::find(read_, bound[i]->position, &ReadLiteral::position);
      // Such texts have neither quotes nor backslashes.
      if (found != read_.end())
        changes.push_back({begin, literalEnd(text, begin), "'" + commonText(found->value) + "'"});
      continue;
    }
    const auto found = std::ranges::find(names_, placeOf(*bound[i]), &StarExpansion::position);
    if (found == names_.end()) continue;
    size_t end = identifierEnd(text, begin);
    // The deparser puts nothing around the dots.
    for (size_t part = 1; part < found->qualifiers; ++part) end = identifierEnd(text, end + 1);
    changes.push_back({begin, end, found->columns});
  }
  std::ranges::sort(changes, {}, &Change::begin);
  std::string result;
  size_t copied = 0;
  for (const Change& change : changes) {
    result.append(text, copied, change.begin - copied).append(change.text);
    copied = change.end;
  }
  return result.append(text, copied);
}

void noteStoredName(BindState& state, int32_t position, size_t parts, uint32_t oid, const std::string& name) {
  if (state.stars == nullptr || state.view_depth > 0 || position < 0) return;
  // It would go with its session, and what names it would not.
  if (const TablePtr entry = state.context.catalog.findEntry(oid);
      entry && entry->is_temporary && state.made_references == nullptr)
    throwNotSupported("a temporary type or function in an expression that is stored", position);
  state.stars->push_back({position, parts, namedByOid(oid, name), true});
}

void noteStoredType(BindState& state, const ast::TypeName& name, const NamedType& named) {
  const uint32_t oid = named.domain != 0        ? domainOid(named.domain)
                       : named.type.isDefined() ? named.type.definition()
                                                : 0;
  if (oid != 0) noteStoredName(state, name.position, name.schema.empty() ? 1 : 2, oid, name.name);
}

}  // namespace gnomon::sql
