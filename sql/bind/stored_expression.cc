#include "sql/bind/stored_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/routines.h"
#include "sql/parse/ast_statement.h"
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

/// Of a cast alone.
bool dependsOnSettings(const Expression& cast) {
  const Type from = cast.children[0]->type;
  if (from.isRegistered() != cast.type.isRegistered() && (from.isString() || cast.type.isString())) return true;
  const auto isWrittenByStyle = [](Type type) {
    return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz ||
           type.kind == TypeKind::Time || type.kind == TypeKind::TimeTz || type.kind == TypeKind::Interval;
  };
  if ((from.kind == TypeKind::TimestampTz) != (cast.type.kind == TypeKind::TimestampTz)) return true;
  // What is in them may, or the names of labels.
  const auto isMadeOfOthers = [](Type type) { return type.isEnum() || type.isRecord() || type.isArray(); };
  if ((from.isString() && isMadeOfOthers(cast.type)) || (cast.type.isString() && isMadeOfOthers(from))) return true;
  if ((from.kind == TypeKind::Money) != (cast.type.kind == TypeKind::Money)) return true;
  if (from.kind == TypeKind::Time && cast.type.kind == TypeKind::TimeTz) return true;
  if (cast.type.isString()) return isWrittenByStyle(from) || from.kind == TypeKind::Bytea;
  return from.isString() && isWrittenByStyle(cast.type);
}

}  // namespace

bool hasSettingsCast(const Expression& expression) {
  if (expression.kind == Expression::Kind::Cast && dependsOnSettings(expression)) return true;
  return std::ranges::any_of(expression.children, [](const ExpressionPtr& child) { return hasSettingsCast(*child); });
}

namespace {

/// Whether every session writes values of the type, or of an array's elements, as the same text.
bool isWrittenAlike(Type type) {
  switch (type.isArray() ? type.element().kind : type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Numeric:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Name:
    case TypeKind::Uuid:
    case TypeKind::Unknown:
      return true;
    default:
      return false;
  }
}

}  // namespace

void noteTextsOf(BindState& state, const std::vector<ExpressionPtr>& values) {
  const auto isAlike = [](const ExpressionPtr& value) { return isWrittenAlike(value->type); };
  if (state.routine == nullptr || !std::ranges::all_of(values, isAlike)) state.is_immutable = false;
}

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

bool TableExpressionBinder::isSaidImmutable(const ast::Expression& node, std::string_view clause) {
  std::vector<uint32_t> called = state_.context.called;
  for (const TablePtr& used : state_.tables)
    if (used->routine) called.push_back(used->oid);
  called.swap(state_.context.called);
  const bool was_immutable = state_.is_immutable;
  const ExpressionPtr bound = bind(node, clause);
  called.swap(state_.context.called);
  const bool is_immutable = isImmutable(*bound);
  state_.is_immutable = was_immutable;
  return is_immutable;
}

namespace {

/// The routine of a call that has remained one; 0: there is none.
uint32_t remainingCall(const Expression& expression) {
  if (expression.kind == Expression::Kind::ArrayCall && expression.function == kCallRoutine)
    return static_cast<uint32_t>(expression.children.front()->value.lo);
  for (const ExpressionPtr& child : expression.children)
    if (const uint32_t oid = remainingCall(*child); oid != 0) return oid;
  return 0;
}

/// Whether values are tested by a domain whose checks call routines, or may be.
bool testsByRoutine(const Expression& expression) {
  if (expression.kind == Expression::Kind::ArrayCall && expression.function == FunctionId::CheckDomain) {
    const auto domain = static_cast<uint32_t>(expression.children[1]->value.lo);
    if (domain == 0 || domainCallsRoutines(domain)) return true;
  }
  return std::ranges::any_of(expression.children, [](const ExpressionPtr& child) { return testsByRoutine(*child); });
}

}  // namespace

void TableExpressionBinder::requireComputable(const Expression& bound, std::string_view clause) const {
  if (const uint32_t oid = remainingCall(bound); oid != 0) {
    const TablePtr entry = state_.context.catalog.findEntry(oid);
    const std::string name = entry && entry->routine ? routineSignature(*entry->routine) : "of the session";
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("function {} is not supported in {}", name, clause))
        .detail("There are functions in SQL whose body is one expression, without SET and SECURITY DEFINER.");
  }
  if (testsByRoutine(bound)) throwNotSupported(fmt::format("a domain in {} whose checks call functions", clause));
  const bool has_body =
      std::ranges::any_of(state_.tables, [](const TablePtr& used) { return used->routine != nullptr; });
  if (has_body && !isImmutable(bound))
    throwNotSupported(fmt::format("a function in {} whose body depends on settings or the session", clause));
}

}  // namespace gnomon::sql
