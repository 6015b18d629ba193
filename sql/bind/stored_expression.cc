#include "sql/bind/stored_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_reference.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kSelect = "SELECT ";

/// The text with each reference to a column, however qualified, replaced by a mere name: `nameOf(its name)`.
std::string withColumnNames(const std::string& text, const std::function<std::string(const std::string&)>& nameOf) {
  struct Reference {
    size_t begin, end;
    std::string name;
  };
  std::vector<Reference> references;
  const StoredExpression stored(text);
  forEachNode(stored.tree(), [&](const ast::Expression& node) {
    if (node.kind != ast::Expression::Kind::Column) return;
    const auto begin = static_cast<size_t>(node.position) - kSelect.size();
    size_t end = identifierEnd(text, begin);
    // The deparser puts nothing around the dots.
    for (size_t i = 1; i < node.names.size(); ++i) end = identifierEnd(text, end + 1);
    references.push_back({begin, end, node.names.back()});
  });
  std::ranges::sort(references, {}, &Reference::begin);
  std::string result;
  size_t copied = 0;
  for (const Reference& reference : references) {
    result.append(text, copied, reference.begin - copied).append(quotedIdentifier(nameOf(reference.name)));
    copied = reference.end;
  }
  return result.append(text, copied);
}

/// Casts whose result depends on the time zone, or on how dates, times and bytea are to be written, or were.
bool dependsOnSettings(const Expression& cast) {
  const Type from = cast.children[0]->type;
  if (from.isRegistered() != cast.type.isRegistered() && (from.isString() || cast.type.isString())) return true;
  const auto isWrittenByStyle = [](Type type) {
    return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz ||
           type.kind == TypeKind::Time || type.kind == TypeKind::TimeTz || type.kind == TypeKind::Interval;
  };
  if ((from.kind == TypeKind::TimestampTz) != (cast.type.kind == TypeKind::TimestampTz)) return true;
  if (from.kind == TypeKind::Time && cast.type.kind == TypeKind::TimeTz) return true;
  if (cast.type.isString()) return isWrittenByStyle(from) || from.kind == TypeKind::Bytea;
  return from.isString() && isWrittenByStyle(cast.type);
}

bool hasSettingsCast(const Expression& expression) {
  if (expression.kind == Expression::Kind::Cast && dependsOnSettings(expression)) return true;
  return std::ranges::any_of(expression.children, [](const ExpressionPtr& child) { return hasSettingsCast(*child); });
}

}  // namespace

StoredExpression::StoredExpression(std::string_view text) : parsed_(parse(std::string(kSelect).append(text))) {
  CHECK(parsed_.size() == 1 && parsed_[0].tree != nullptr, "a stored expression was parsed when it was stored");
}

const ast::Expression& StoredExpression::tree() const {
  return *std::get<ast::QueryPtr>(parsed_[0].tree->body)->items[0].expression;
}

std::vector<const ast::Expression*> StoredExpression::trees() const {
  std::vector<const ast::Expression*> trees;
  for (const ast::SelectItem& item : std::get<ast::QueryPtr>(parsed_[0].tree->body)->items)
    trees.push_back(item.expression.get());
  return trees;
}

void forEachNode(const ast::Expression& node, const std::function<void(const ast::Expression&)>& visit) {
  visit(node);
  for (const ast::ExpressionPtr& child : node.children)
    if (child != nullptr) forEachNode(*child, visit);
}

std::vector<uint32_t> calledRoutines(const ast::Expression& tree) {
  std::vector<uint32_t> oids;
  forEachNode(tree, [&](const ast::Expression& node) {
    if (node.kind != ast::Expression::Kind::Function || node.names.size() != 2) return;
    if (const std::optional<uint32_t> oid = oidOf(node.names[0])) oids.push_back(*oid);
  });
  return oids;
}

std::string withoutQualifiers(const std::string& text) {
  return withColumnNames(text, [](const std::string& name) { return name; });
}

std::string withRenamedColumn(const std::string& text, std::string_view from, std::string_view to) {
  return withColumnNames(text, [&](const std::string& name) { return name == from ? std::string(to) : name; });
}

namespace {

/// While it lives, a routine's variables are not seen: what the catalog keeps means the same wherever it is used.
class HiddenVariables {
 public:
  explicit HiddenVariables(BindState& state) : state_(state), before_(std::exchange(state.hides_variables, true)) {}
  ~HiddenVariables() { state_.hides_variables = before_; }
  HiddenVariables(const HiddenVariables&) = delete;
  HiddenVariables& operator=(const HiddenVariables&) = delete;

 private:
  BindState& state_;
  const bool before_;
};

}  // namespace

namespace {

/// The table's columns, as messages about names may propose them, while it lives.
class FromLevel {
 public:
  FromLevel(BindState& state, const Range& table) : levels_(state.from_levels) {
    std::vector<std::string> names;
    for (const ScopeColumn& column : table.columns) names.push_back(column.name);
    levels_.push_back({{table.alias, table.table_name, std::move(names)}});
  }
  ~FromLevel() { levels_.pop_back(); }
  FromLevel(const FromLevel&) = delete;
  FromLevel& operator=(const FromLevel&) = delete;

 private:
  FromLevels& levels_;
};

}  // namespace

TableExpressionBinder::TableExpressionBinder(BindState& state, const std::string& table,
                                             const std::vector<ColumnEntry>& columns,
                                             std::deque<InformationUnit>& units)
    : state_(state) {
  for (uint32_t i = 0; i < columns.size(); ++i) {
    const Iu unit = &units.emplace_back(i, columns[i].name, columns[i].type, true);
    if (!columns[i].isDropped()) scope_.columns.push_back({columns[i].name, unit});
  }
  scope_.ranges.push_back({table, table, scope_.columns, false});
}

void TableExpressionBinder::begin(const ast::Expression& node) {
  forEachNode(node, [](const ast::Expression& part) {
    if (part.kind == ast::Expression::Kind::Parameter)
      throw SqlError(sqlstate::kUndefinedParameter, fmt::format("there is no parameter ${}", part.number))
          .position(part.position);
  });
  state_.is_immutable = true;
}

ExpressionPtr TableExpressionBinder::bind(const ast::Expression& node, std::string_view clause) {
  begin(node);
  const HiddenVariables hidden(state_);
  const FromLevel level(state_, scope_.ranges.front());
  return ExpressionBinder(state_, scope_, {clause}).bind(node);
}

ExpressionPtr TableExpressionBinder::bindCondition(const ast::Expression& node, std::string_view clause,
                                                   std::string_view word) {
  begin(node);
  const HiddenVariables hidden(state_);
  const FromLevel level(state_, scope_.ranges.front());
  return ExpressionBinder(state_, scope_, {clause}).bindCondition(node, word);
}

bool TableExpressionBinder::isImmutable(const Expression& bound) const {
  return state_.is_immutable && !hasSettingsCast(bound);
}

}  // namespace gnomon::sql
