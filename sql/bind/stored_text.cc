#include "sql/bind/stored_text.h"

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "base/text_style.h"
#include "base/time_zone.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/routine_entry.h"
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
  // The name of an object, by its oid.
  if (value.type.isString()) return std::string(value.bytes);
  const TextStyleScope style({}, textMoment());
  const SessionTimeZone zone(*TimeZone::ofOffset(0));
  return castValue(value, Type::of(TypeKind::Text), true).bytes;
}

/// A part of a text that something else stands for.
struct Change {
  size_t begin, end;
  std::string text;
};

Change changeOf(const std::string& text, size_t begin, const Value& literal) {
  return {begin, literalEnd(text, begin), asLiteral(commonText(literal))};
}

/// (a.b).f, of which a is where it begins; or f(a.b), or f(a.*).
Change changeOfNotation(const std::string& text, size_t begin, const std::string& notation) {
  size_t end = identifierEnd(text, begin);
  const bool is_call = text[end] == '(';
  if (is_call) end = identifierEnd(text, end + 1);
  while (text[end] == '.') end = text[end + 1] == '*' ? end + 2 : identifierEnd(text, end + 1);
  CHECK(text[end] == ')', "names in parentheses");
  if (is_call) return {begin, end + 1, notation};
  return {begin - 1, identifierEnd(text, end + 2), notation};
}

Change changeOf(const std::string& text, size_t begin, const StarExpansion& name) {
  if (name.qualifiers == 0 && name.is_relation) return changeOfNotation(text, begin, name.columns);
  size_t end = begin;
  // The deparser puts nothing around the dots.
  for (size_t i = 0; i < name.qualifiers; ++i) end = identifierEnd(text, end) + 1;
  CHECK(name.is_relation || (end < text.size() && text[end] == '*'), "a star in the text");
  return {begin, name.is_relation ? end - 1 : end + 1, name.columns};
}

std::string withChanges(const std::string& text, std::vector<Change> changes) {
  std::ranges::sort(changes, {}, &Change::begin);
  std::string result;
  size_t copied = 0;
  const Change* last = nullptr;
  for (const Change& change : changes) {
    // A common table may be bound several times, and so may what a condition compares with several values.
    if (last != nullptr && change.begin < copied) {
      if (change.begin == last->begin && change.text.starts_with('\'') && change.text != last->text)
        throwNotSupported("a literal of several types in a query or an expression that is stored");
      continue;
    }
    result.append(text, copied, change.begin - copied).append(change.text);
    copied = change.end;
    last = &change;
  }
  return result.append(text, copied);
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
  std::vector<Change> changes;
  const std::vector<const ast::Expression*> bound = changeable(node);
  const StoredExpression stored(text);
  const std::vector<const ast::Expression*> written = changeable(stored.tree());
  CHECK(bound.size() == written.size(), "an expression and its text have the same literals and names");
  for (size_t i = 0; i < bound.size(); ++i) {
    const auto begin = static_cast<size_t>(placeOf(*written[i])) - kSelect.size();
    if (bound[i]->kind == ast::Expression::Kind::String) {
      const auto found = std::ranges::find(read_, bound[i]->position, &ReadLiteral::position);
      if (found != read_.end()) changes.push_back(changeOf(text, begin, found->value));
      continue;
    }
    const auto found = std::ranges::find(names_, placeOf(*bound[i]), &StarExpansion::position);
    if (found != names_.end()) changes.push_back(changeOf(text, begin, *found));
  }
  return withChanges(text, std::move(changes));
}

std::string StoredText::write(const std::string& query) const {
  std::vector<Change> changes;
  for (const StarExpansion& name : names_) changes.push_back(changeOf(query, static_cast<size_t>(name.position), name));
  for (const ReadLiteral& literal : read_)
    if (literal.position >= 0) changes.push_back(changeOf(query, static_cast<size_t>(literal.position), literal.value));
  return withChanges(query, std::move(changes));
}

bool writesStoredText(const BindState& state, int32_t position) {
  return state.stars != nullptr && state.view_depth == 0 && position >= 0;
}

void noteStoredText(BindState& state, int32_t position, size_t parts, std::string text) {
  if (writesStoredText(state, position)) state.stars->push_back({position, parts, std::move(text), true});
}

void noteStoredName(BindState& state, int32_t position, size_t parts, uint32_t oid, const std::string& name) {
  if (!writesStoredText(state, position)) return;
  // It would go with its session, and what names it would not.
  if (const TablePtr entry = state.context.catalog.findEntry(oid);
      entry && entry->is_temporary && state.made_references == nullptr)
    throwNotSupported("a temporary type or function in an expression that is stored", position);
  state.stars->push_back({position, parts, namedByOid(oid, name), true});
}

bool noteObjectLiteral(BindState& state, int32_t position, Type type, uint32_t oid) {
  const bool is_named =
      type.kind == TypeKind::Regclass || type.kind == TypeKind::Regtype || type.kind == TypeKind::Regproc;
  if (state.read_literals == nullptr || !is_named || position < 0) return false;
  const TablePtr entry = state.context.catalog.findEntry(oid);
  if (entry == nullptr || entry->is_temporary) return false;
  const std::string& name = entry->routine ? entry->routine->name : entry->name;
  state.read_literals->push_back({position, Value::fromString(Type::of(TypeKind::Text), namedByOid(oid, name))});
  // What a view names is not dropped without it.
  if (state.made_references != nullptr) state.addTable(entry);
  return true;
}

void noteStoredType(BindState& state, const ast::TypeName& name, const NamedType& named) {
  const uint32_t oid = named.domain != 0        ? domainOid(named.domain)
                       : named.type.isDefined() ? named.type.definition()
                                                : 0;
  if (oid != 0) noteStoredName(state, name.position, name.schema.empty() ? 1 : 2, oid, name.name);
}

}  // namespace gnomon::sql
