#include "sql/bind/index_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/sql_error.h"
#include "sql/bind/collation.h"
#include "sql/bind/comparable.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/key_text.h"
#include "sql/bind/partition_definition.h"
#include "sql/bind/result_name.h"
#include "sql/bind/storage_parameters.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/variable_names.h"
#include "sql/catalog/body_view.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/inverted_keys.h"
#include "sql/optimise/simplify.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/definitions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/types/collation.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// As they are read where none of their values is NaN.
std::vector<ColumnEntry> withoutNan(std::vector<ColumnEntry> columns) {
  for (ColumnEntry& column : columns) column.type = column.type.withNan(false);
  return columns;
}

/// Binds what an index computes of a row of its table.
class IndexBinder {
 public:
  /// `is_stored`: that routines were immutable was seen when the text was stored. The columns as they are computed
  /// with.
  IndexBinder(BindState& state, const std::string& table, std::vector<ColumnEntry> columns, bool is_stored = false)
      : state_(state),
        columns_(std::move(columns)),
        is_stored_(is_stored),
        binder_(state, table, columns_, result_.units) {}

  void addColumn(uint32_t column) {
    result_.parts.push_back(Expression::column(&result_.units[column]));
    result_.texts.push_back(quotedIdentifier(result_.units[column].name));
  }
  /// Adds a part of the key, one that has an order or not. Returns the column it is after all, or
  /// IndexColumn::kExpression.
  uint32_t addExpression(const ast::Expression& node, bool is_ordered) {
    ExpressionPtr part = binder_.bind(node, "index expressions");
    requireImmutable(*part, node, "index expression");
    std::string text = keyText(*part, node, columns_);
    part = is_ordered ? orderKey(std::move(part)) : withoutCollate(std::move(part));
    if (part->kind == Kind::Column) {
      addColumn(part->iu->id);
      return callsRoutine(node) ? IndexColumn::kExpression : part->iu->id;
    }
    result_.texts.push_back(std::move(text));
    result_.parts.push_back(simplifyExpression(std::move(part)));
    return IndexColumn::kExpression;
  }
  void setPredicate(const ast::Expression& node) {
    ExpressionPtr predicate = binder_.bindCondition(node, "index predicates", "WHERE");
    requireImmutable(*predicate, node, "index predicate");
    std::vector<ExpressionPtr> conjuncts;
    conjuncts.push_back(std::move(predicate));
    result_.predicate = simplifyConditions(std::move(conjuncts));
  }
  /// Of the part that was added last, as it is written.
  [[nodiscard]] Type lastType() const { return writtenPart(*result_.parts.back()).type; }
  [[nodiscard]] IndexExpressions take() {
    for (const TablePtr& used : state_.tables)
      if (used->routine) result_.routines.push_back(used->oid);
    std::ranges::sort(result_.routines);
    return std::move(result_);
  }

 private:
  /// A body may be no more than one of its inputs.
  [[nodiscard]] bool callsRoutine(const ast::Expression& node) const {
    bool calls = false;
    forEachNode(node,
                [&](const ast::Expression& part) { calls = calls || part.kind == ast::Expression::Kind::Function; });
    return calls && std::ranges::any_of(state_.tables, [](const TablePtr& used) { return used->routine != nullptr; });
  }
  void requireImmutable(const Expression& expression, const ast::Expression& node, const std::string& what) {
    if (!is_stored_ && !binder_.isImmutable(expression) && !binder_.isSaidImmutable(node, what))
      throw SqlError(sqlstate::kInvalidObjectDefinition, fmt::format("functions in {} must be marked IMMUTABLE", what));
    binder_.requireComputable(expression, what + "s");
  }

  const BindState& state_;
  const std::vector<ColumnEntry> columns_;
  const bool is_stored_;
  IndexExpressions result_;
  TableExpressionBinder binder_;
};

/// Oids of the routines that the texts of the index call.
std::vector<uint32_t> routinesCalledBy(const IndexSpecification& index) {
  std::vector<uint32_t> called;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    const std::vector<uint32_t> found = calledRoutines(StoredExpression(text).tree());
    called.insert(called.end(), found.begin(), found.end());
  };
  for (const IndexColumn& part : index.columns) add(part.expression);
  add(index.predicate);
  return called;
}

IndexExpressions bindWith(const std::vector<ColumnEntry>& columns, const IndexSpecification& index,
                          const CatalogView& catalog) {
  BindContext context{catalog, {}, false, {}, {}, {}, {}};
  BindState state(context);
  IndexBinder binder(state, {}, columns, true);
  for (const IndexColumn& part : index.columns) {
    if (part.column == IndexColumn::kExpression)
      binder.addExpression(StoredExpression(part.expression).tree(), index.method == IndexMethod::Btree);
    else
      binder.addColumn(part.column);
    if (part.column == IndexColumn::kExpression && index.method != IndexMethod::Gin)
      requireIndexable(binder.lastType());
  }
  if (!index.predicate.empty()) binder.setPredicate(StoredExpression(index.predicate).tree());
  return binder.take();
}

/// In both forms, where one is needed for NaN.
IndexExpressions bindStored(const std::vector<ColumnEntry>& columns, const IndexSpecification& index,
                            const CatalogView& catalog) {
  IndexExpressions result = bindWith(withoutNan(columns), index, catalog);
  const auto mayBeNan = [&](uint32_t column) { return columns[column].type.may_be_nan != 0; };
  if (std::ranges::none_of(mentionedColumns(result), mayBeNan)) return result;
  IndexExpressions other = bindWith(columns, index, catalog);
  for (size_t i = 0; i < result.parts.size(); ++i) {
    const Type key = result.parts[i]->type.withNan(true);
    if (other.parts[i]->type != key) other.parts[i] = Expression::cast(std::move(other.parts[i]), key, false);
  }
  result.with_nan = std::make_shared<const IndexExpressions>(std::move(other));
  return result;
}

/// A name that none of the parts before has: with a number behind it when need be.
std::string distinctLabel(std::string name, const std::vector<IndexColumn>& parts) {
  const std::string wanted = name;
  for (uint32_t number = 1; std::ranges::find(parts, name, &IndexColumn::label) != parts.end(); ++number)
    name = wanted + std::to_string(number);
  return name;
}

}  // namespace

void requirePartCount(size_t count) {
  constexpr size_t kPartsMax = 32;
  if (count > kPartsMax)
    throw SqlError(sqlstate::kTooManyColumns, fmt::format("cannot use more than {} columns in an index", kPartsMax));
}

namespace {

/// Whether the class has an order of such values.
bool accepts(const pg_catalog::OperatorClassFacts& operator_class, Type type) {
  constexpr uint32_t kAnyArray = 2277, kAnyEnum = 3500;
  if (operator_class.type == kAnyArray) return type.isArray() || type.isVector();
  if (operator_class.type == kAnyEnum) return type.isEnum();
  Type taken;
  if (!typeFromOid(operator_class.type, taken)) return false;
  const bool is_like = (taken.kind == TypeKind::Text && type.kind == TypeKind::Varchar) ||
                       (taken.kind == TypeKind::Inet && type.kind == TypeKind::Cidr) ||
                       (taken.kind == TypeKind::Oid && type.isRegistered());
  return taken.kind == type.kind || is_like;
}

std::string_view methodName(IndexMethod method) {
  static constexpr std::string_view kNames[] = {"btree", "hash", "gin"};
  return kNames[static_cast<size_t>(method)];
}

uint32_t methodOid(IndexMethod method) {
  return method == IndexMethod::Hash  ? pg_catalog::kHashMethod
         : method == IndexMethod::Gin ? pg_catalog::kGinMethod
                                      : pg_catalog::kBtreeMethod;
}

/// Failure: 42704.
void requireDefaultClass(Type type, IndexMethod method) {
  const auto& classes = pg_catalog::operatorClassFacts();
  const bool has_class = std::ranges::any_of(classes, [&](const pg_catalog::OperatorClassFacts& each) {
    return each.method == methodOid(method) && each.is_default && accepts(each, type);
  });
  if (has_class) return;
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("data type {} has no default operator class for access method \"{}\"", type.baseName(),
                             methodName(method)))
      .hint("You must specify an operator class for the index or define a default operator class for the data type.");
}

}  // namespace

/// Texts compare by bytes in all of them, so those of trees say nothing but how the index is shown.
OperatorClass operatorClass(const std::string& name, Type type, IndexMethod method) {
  if (name.empty() && method != IndexMethod::Btree) requireDefaultClass(type, method);
  if (name.empty()) return OperatorClass::Default;
  const pg_catalog::OperatorClassFacts* const found = pg_catalog::findOperatorClass(methodOid(method), name);
  if (found == nullptr)
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("operator class \"{}\" does not exist for access method "
                                                           "\"{}\"",
                                                           name, methodName(method)));
  if (!accepts(*found, type))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("operator class \"{}\" does not accept data type {}", name, type.name()));
  return name == "text_pattern_ops"      ? OperatorClass::TextPattern
         : name == "varchar_pattern_ops" ? OperatorClass::VarcharPattern
         : name == "bpchar_pattern_ops"  ? OperatorClass::CharPattern
         : name == "jsonb_path_ops"      ? OperatorClass::JsonbPath
                                         : OperatorClass::Default;
}

namespace {

[[noreturn]] void refuseFor(IndexMethod method, std::string_view what) {
  throw SqlError(sqlstate::kFeatureNotSupported,
                 fmt::format("access method \"{}\" does not support {}", methodName(method), what));
}

/// Failure: 0A000 for what PostgreSQL's indexes of the method cannot do.
void requireServed(const ast::CreateIndex& create, IndexMethod method) {
  if (method == IndexMethod::Btree) return;
  if (create.is_unique) refuseFor(method, "unique indexes");
  if (!create.included.empty()) refuseFor(method, "included columns");
  if (method == IndexMethod::Hash && create.parts.size() > 1) refuseFor(method, "multicolumn indexes");
}

/// Likewise.
void requireNoOrder(const ast::IndexPart& part, IndexMethod method) {
  if (method == IndexMethod::Btree) return;
  if (part.has_order) refuseFor(method, "ASC/DESC options");
  if (part.has_nulls_order) refuseFor(method, "NULLS FIRST/LAST options");
}

/// Failure: 42704.
IndexMethod methodNamed(const std::string& name) {
  for (const IndexMethod method : {IndexMethod::Btree, IndexMethod::Hash, IndexMethod::Gin})
    if (name == methodName(method)) return method;
  throw SqlError(sqlstate::kUndefinedObject, fmt::format("access method \"{}\" does not exist", name));
}

/// Failure: 42704, 42883.
void requireKeys(Type type, const IndexColumn& column, IndexMethod method) {
  if (method == IndexMethod::Gin)
    InvertedPart(type, column.operator_class);
  else
    requireIndexable(type);
}

/// The column. Failure: 42703.
uint32_t columnNamed(const std::vector<ColumnEntry>& columns, const std::string& name) {
  const auto found = std::ranges::find(columns, name, &ColumnEntry::name);
  if (found == columns.end())
    throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", name));
  return static_cast<uint32_t>(found - columns.begin());
}

/// A part with the collation by which it is ordered, as SQL; empty: that is said already, or does not matter. An index
/// of a column that tells only whether values are equal has them as they are: any collation has the same ones equal.
/// Failure: 42704, 42804; 0A000 for a unique index by another collation than its column's.
std::string collatedText(BindState& state, const ast::IndexPart& part, const std::vector<ColumnEntry>& columns,
                         bool is_of_equality) {
  const Type* const type = part.expression ? nullptr : &columns[columnNamed(columns, part.column)].type;
  const uint16_t own = type != nullptr ? type->collation : 0;
  uint16_t collation = own;
  if (!part.collation.empty()) {
    collation = resolveCollation(part.collation);
    if (type != nullptr) requireCollatable(*type, -1);
  }
  if (part.collation.empty() && !isOfIcu(own)) return {};
  if (is_of_equality && type != nullptr) {
    if (collation != own && (isOfIcu(collation) || isOfIcu(own)))
      throwNotSupported("a unique index by another collation than its column's");
    return {};
  }
  std::string inner = quotedIdentifier(part.column);
  if (part.expression) {
    const StoredText stored(state);
    inner = "(" + withoutQualifiers(stored.write(*part.expression, part.expression_text)) + ")";
  }
  return inner + " COLLATE " + quotedIdentifier(knownCollation(collation).name);
}

std::vector<uint32_t> bindIncluded(const ast::CreateIndex& create, const std::vector<ColumnEntry>& columns) {
  std::vector<uint32_t> included;
  for (const ast::IndexPart& part : create.included) {
    if (part.expression)
      throw SqlError(sqlstate::kFeatureNotSupported, "expressions are not supported in included columns");
    if (part.has_order)
      throw SqlError(sqlstate::kInvalidObjectDefinition, "including column does not support ASC/DESC options");
    if (part.has_nulls_order)
      throw SqlError(sqlstate::kInvalidObjectDefinition, "including column does not support NULLS FIRST/LAST options");
    if (!part.operator_class.empty())
      throw SqlError(sqlstate::kInvalidObjectDefinition, "including column does not support an operator class");
    included.push_back(columnNamed(columns, part.column));
  }
  return included;
}

/// That what routines in it come to does not depend on the session's search path. Failure: 0A000.
void requireSameForAll(const IndexExpressions& bound, const std::vector<ColumnEntry>& columns,
                       const IndexSpecification& index, const CatalogView& catalog) {
  if (bound.routines.empty()) return;
  constexpr std::string_view kWhat = "a function whose body depends on search_path in an index";
  const std::shared_ptr<const IndexExpressions> kept = [&] {
    try {
      return bindIndexExpressions(columns, index, catalog);
    } catch (const SqlError&) {
      throwNotSupported(kWhat);
    }
  }();
  if (!computeAlike(bound, *kept)) throwNotSupported(kWhat);
}

}  // namespace

CreateIndexStatement bindCreateIndex(BindState& state, const ast::CreateIndex& create) {
  CreateIndexStatement result;
  result.table = FromBinder(state).findTable({create.relation.schema, create.relation.name, -1}, TableUse::Index);
  IndexSpecification& index = result.index;
  index.name = create.name;
  index.is_unique = create.is_unique;
  index.nulls_are_equal = create.nulls_are_equal;
  result.if_not_exists = create.if_not_exists;
  result.is_concurrent = create.is_concurrent;
  result.is_only = create.relation.is_only && result.table->partitioning;
  index.is_valid = !result.is_only || result.table->partitioning->partitions().empty();
  index.method = methodNamed(create.method);
  requireServed(create, index.method);
  if (index.method == IndexMethod::Gin)
    index.parameters = ginParameters(create.parameters);
  else
    index.fillfactor = indexFillfactor(create.parameters);
  const std::vector<ColumnEntry>& columns = result.table->columns;
  IndexBinder binder(state, result.table->name, withoutNan(columns));
  if (create.where) {
    const StoredText stored(state);
    binder.setPredicate(*create.where);
    index.predicate = withoutQualifiers(stored.write(*create.where, create.where_text));
  }
  for (const ast::IndexPart& part : create.parts) {
    IndexColumn column{.descending = part.descending, .nulls_first = part.nulls_first};
    const bool is_ordered = index.method == IndexMethod::Btree;
    std::string label = part.expression ? innerName(*part.expression) : part.column;
    const std::string collated = collatedText(state, part, columns, create.is_unique || !is_ordered);
    if (!collated.empty()) {
      column.column = binder.addExpression(StoredExpression(collated).tree(), is_ordered);
      if (column.column == IndexColumn::kExpression) column.expression = collated;
    } else if (part.expression) {
      const StoredText stored(state);
      column.column = binder.addExpression(*part.expression, is_ordered);
      if (column.column == IndexColumn::kExpression)
        column.expression = withoutQualifiers(stored.write(*part.expression, part.expression_text));
    } else {
      column.column = columnNamed(columns, part.column);
      binder.addColumn(column.column);
    }
    if (index.method == IndexMethod::Btree) requireIndexable(binder.lastType());
    column.operator_class = operatorClass(part.operator_class, binder.lastType(), index.method);
    requireNoOrder(part, index.method);
    requireKeys(binder.lastType(), column, index.method);
    column.label = distinctLabel(label.empty() ? "expr" : std::move(label), index.columns);
    index.columns.push_back(std::move(column));
  }
  index.included = bindIncluded(create, columns);
  requirePartCount(index.columns.size() + index.included.size());
  requireSameForAll(binder.take(), columns, index, state.context.catalog);
  if (result.table->partitioning) {
    if (result.is_concurrent)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("cannot create index on partitioned table \"{}\" concurrently", result.table->name));
    requirePartitionColumns(index, result.table->partitioning->key(), result.table->name, columns);
  }
  return result;
}

std::shared_ptr<const IndexExpressions> bindIndexExpressions(const std::vector<ColumnEntry>& columns,
                                                             const IndexSpecification& index,
                                                             const CatalogView& catalog) {
  const bool has_expression = std::ranges::any_of(
      index.columns, [](const IndexColumn& part) { return part.column == IndexColumn::kExpression; });
  if (!has_expression && index.predicate.empty()) return nullptr;
  const std::vector<uint32_t> called = routinesCalledBy(index);
  const Catalog no_tables;
  if (called.empty()) return std::make_shared<const IndexExpressions>(bindStored(columns, index, no_tables));
  const BodyView bodies(catalog, called);
  IndexExpressions bound = bindStored(columns, index, bodies);
  // Messages say what was written.
  TableEntry table;
  table.columns = columns;
  for (size_t i = 0; i < index.columns.size(); ++i)
    if (!index.columns[i].expression.empty())
      bound.texts[i] = pg_catalog::keyPartText(bodies, table, index.columns[i], Parentheses::Needed);
  return std::make_shared<const IndexExpressions>(std::move(bound));
}

IndexExpressions bindInference(BindState& state, const TableEntry& table, const ast::OnConflict& conflict) {
  IndexBinder binder(state, table.name, withoutNan(table.columns));
  for (const ast::IndexPart& part : conflict.elements) {
    if (part.expression) {
      binder.addExpression(*part.expression, true);
      continue;
    }
    const auto found = std::ranges::find(table.columns, part.column, &ColumnEntry::name);
    if (found == table.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", part.column))
          .position(conflict.target_position);
    const VariableNames* const variables =
        state.view_depth > 0 || state.hides_variables ? nullptr : state.context.variables;
    if (variables != nullptr && variables->conflict() == VariableNames::Conflict::Error &&
        variables->knows(std::span(&part.column, 1)))
      throw SqlError(sqlstate::kAmbiguousColumn, fmt::format("column reference \"{}\" is ambiguous", part.column))
          .detail("It could refer to either a PL/pgSQL variable or a table column.")
          .position(conflict.target_position);
    binder.addColumn(static_cast<uint32_t>(found - table.columns.begin()));
  }
  if (conflict.predicate) binder.setPredicate(*conflict.predicate);
  return binder.take();
}

std::vector<uint32_t> dependedColumns(const IndexEntry& index) {
  std::vector<uint32_t> columns = index.included;
  if (index.expressions) {
    const std::vector<uint32_t> mentioned = mentionedColumns(*index.expressions);
    columns.insert(columns.end(), mentioned.begin(), mentioned.end());
  } else {
    for (const IndexColumn& part : index.columns) columns.push_back(part.column);
  }
  std::ranges::sort(columns);
  const auto repeated = std::ranges::unique(columns);
  columns.erase(repeated.begin(), repeated.end());
  return columns;
}

void renameColumn(IndexSpecification& index, std::string_view from, std::string_view to) {
  for (IndexColumn& part : index.columns)
    if (part.column == IndexColumn::kExpression) part.expression = withRenamedColumn(part.expression, from, to);
  if (!index.predicate.empty()) index.predicate = withRenamedColumn(index.predicate, from, to);
}

}  // namespace gnomon::sql
