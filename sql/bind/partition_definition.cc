#include "sql/bind/partition_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/index_expressions.h"
#include "sql/bind/collation.h"
#include "sql/bind/comparable.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/result_name.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_text.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/optimise/simplify.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/identifier.h"
#include "sql/types/collation.h"
#include "sql/types/text_io.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using EndKind = PartitionBound::End::Kind;

std::string_view strategyName(PartitionStrategy strategy) {
  return strategy == PartitionStrategy::Hash ? "hash" : strategy == PartitionStrategy::List ? "list" : "range";
}

SqlError badDefinition(std::string message, int32_t position = -1) {
  return SqlError(sqlstate::kInvalidObjectDefinition, std::move(message)).position(position);
}
SqlError badBound(std::string message, int32_t position = -1) {
  return SqlError(sqlstate::kInvalidTableDefinition, std::move(message)).position(position);
}

/// As get_const_expr writes a constant where its type is known.
std::string literalOf(const Value& value) {
  if (value.is_null) return "NULL";
  if (value.type.kind == TypeKind::Boolean) return value.lo != 0 ? "true" : "false";
  const std::string text = toText(value);
  const bool is_plain_integer = value.type.kind == TypeKind::Integer && text[0] != '-';
  const bool is_plain_numeric = value.type.kind == TypeKind::Numeric && text[0] >= '0' && text[0] <= '9' &&
                                text.find_first_of("eE.") != std::string::npos;
  if (is_plain_integer || is_plain_numeric) return text;
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? "''" : std::string(1, c));
  return quoted + "'";
}

std::string endsText(const std::vector<PartitionBound::End>& ends) {
  std::string text;
  for (const PartitionBound::End& end : ends) {
    if (!text.empty()) text += ", ";
    text += end.kind == EndKind::Minimum   ? "MINVALUE"
            : end.kind == EndKind::Maximum ? "MAXVALUE"
                                           : literalOf(end.value);
  }
  return "(" + text + ")";
}

/// Binds the values of bounds.
class BoundBinder {
 public:
  BoundBinder(BindState& state, const PartitionKey& key, const std::vector<ColumnEntry>* columns)
      : state_(state), key_(key), columns_(columns) {}

  PartitionBound bind(const ast::PartitionBound& node) {
    PartitionBound result;
    result.is_default = node.is_default;
    if (node.is_default) {
      if (key_.strategy == PartitionStrategy::Hash)
        throw badBound("a hash-partitioned table may not have a default partition");
      return result;
    }
    if (static_cast<int>(node.strategy) != static_cast<int>(key_.strategy))
      throw badBound(fmt::format("invalid bound specification for a {} partition", strategyName(key_.strategy)),
                     node.position);
    if (key_.strategy == PartitionStrategy::Hash) return bindHash(node);
    if (key_.strategy == PartitionStrategy::List) return bindList(node);
    if (node.from.size() != key_.parts.size())
      throw badBound("FROM must specify exactly one value per partitioning column");
    if (node.to.size() != key_.parts.size())
      throw badBound("TO must specify exactly one value per partitioning column");
    result.from = bindEnds(node.from);
    result.to = bindEnds(node.to);
    return result;
  }

 private:
  static PartitionBound bindHash(const ast::PartitionBound& node) {
    PartitionBound result;
    if (node.modulus <= 0) throw badBound("modulus for hash partition must be an integer value greater than zero");
    if (node.remainder < 0)
      throw badBound("remainder for hash partition must be an integer value greater than or equal to zero");
    if (node.remainder >= node.modulus) throw badBound("remainder for hash partition must be less than modulus");
    result.modulus = static_cast<uint32_t>(node.modulus);
    result.remainder = static_cast<uint32_t>(node.remainder);
    return result;
  }

  PartitionBound bindList(const ast::PartitionBound& node) {
    PartitionBound result;
    const auto isSame = [](const Value& left, const Value& right) {
      if (left.is_null || right.is_null) return left.is_null && right.is_null;
      return left.lo == right.lo && left.hi == right.hi && left.bytes == right.bytes;
    };
    for (const ast::ExpressionPtr& value : node.values) {
      Value bound = bindValue(*value, 0);
      if (std::ranges::none_of(result.values, [&](const Value& other) { return isSame(other, bound); }))
        result.values.push_back(std::move(bound));
    }
    return result;
  }

  std::vector<PartitionBound::End> bindEnds(const std::vector<ast::ExpressionPtr>& nodes) {
    std::vector<PartitionBound::End> ends;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const ast::Expression& node = *nodes[i];
      PartitionBound::End end;
      const bool is_name = node.kind == ast::Expression::Kind::Column && node.names.size() == 1;
      if (is_name && node.names[0] == "minvalue")
        end.kind = EndKind::Minimum;
      else if (is_name && node.names[0] == "maxvalue")
        end.kind = EndKind::Maximum;
      else
        end.value = bindValue(node, i);
      if (end.kind == EndKind::Value && end.value.is_null) throw badDefinition("cannot specify NULL in range bound");
      const bool follows = !ends.empty() && ends.back().kind != EndKind::Value && ends.back().kind != end.kind;
      if (follows) {
        const std::string_view word = ends.back().kind == EndKind::Minimum ? "MINVALUE" : "MAXVALUE";
        throw SqlError(sqlstate::kDatatypeMismatch, fmt::format("every bound following {} must also be {}", word, word))
            .position(node.position);
      }
      ends.push_back(std::move(end));
    }
    return ends;
  }

  Value bindValue(const ast::Expression& node, size_t part) {
    forEachNode(node, [](const ast::Expression& each) {
      if (each.kind == ast::Expression::Kind::Column)
        throw SqlError(sqlstate::kFeatureNotSupported, "cannot use column reference in partition bound expression")
            .position(each.position);
    });
    const Scope scope;
    ExpressionBinder binder(state_, scope, {.name = "partition bound"});
    const Type type = key_.types[part];
    ExpressionPtr bound = binder.bind(node);
    if (!Coercion::isPossible(*bound, type, CastContext::Assignment))
      throw SqlError(
          sqlstate::kDatatypeMismatch,
          fmt::format("specified value cannot be cast to type {} for column \"{}\"", type.name(), nameOf(part)))
          .position(node.position);
    bound = simplifyExpression(binder.coercion().assign(std::move(bound), type, nameOf(part)));
    if (!bound->isConstant()) throwNotSupported("a partition bound that is no constant", node.position);
    return bound->value;
  }

  [[nodiscard]] std::string nameOf(size_t part) const {
    const uint32_t column = key_.parts[part].column;
    return columns_ != nullptr && column != IndexColumn::kExpression ? (*columns_)[column].name : "expr";
  }

  BindState& state_;
  const PartitionKey& key_;
  const std::vector<ColumnEntry>* const columns_;  ///< null: nobody asks for names
};

/// A modulus that goes with those there are.
void requireFactor(const Partitioning& partitioning, const PartitionBound& bound) {
  const TableEntry* below = nullptr;
  const TableEntry* above = nullptr;
  for (const TablePtr& each : partitioning.partitions()) {
    const uint32_t modulus = each->partition->bound.modulus;
    if (modulus <= bound.modulus && (below == nullptr || modulus >= below->partition->bound.modulus))
      below = each.get();
    if (modulus > bound.modulus && (above == nullptr || modulus < above->partition->bound.modulus)) above = each.get();
  }
  constexpr const char* kMessage = "every hash partition modulus must be a factor of the next larger modulus";
  if (below != nullptr && bound.modulus % below->partition->bound.modulus != 0)
    throw badDefinition(kMessage).detail(
        fmt::format("The new modulus {} is not divisible by {}, the modulus of existing partition \"{}\".",
                    bound.modulus, below->partition->bound.modulus, below->name));
  if (above != nullptr && above->partition->bound.modulus % bound.modulus != 0)
    throw badDefinition(kMessage).detail(
        fmt::format("The new modulus {} is not a factor of {}, the modulus of existing partition \"{}\".",
                    bound.modulus, above->partition->bound.modulus, above->name));
}

void setTypes(PartitionKey& key, const std::vector<ColumnEntry>& columns) {
  key.types.clear();
  for (size_t i = 0; i < key.parts.size(); ++i)
    key.types.push_back(key.expressions ? key.expressions->parts[i]->type : columns[key.parts[i].column].type);
}

std::shared_ptr<const IndexExpressions> bindExpressions(const PartitionKey& key,
                                                        const std::vector<ColumnEntry>& columns,
                                                        const CatalogView& catalog) {
  IndexSpecification index;
  index.columns = key.parts;
  return bindIndexExpressions(columns, index, catalog);
}

}  // namespace

std::string boundText(const PartitionBound& bound) {
  if (bound.is_default) return "DEFAULT";
  if (bound.modulus != 0)
    return fmt::format("FOR VALUES WITH (modulus {}, remainder {})", bound.modulus, bound.remainder);
  if (!bound.from.empty()) return fmt::format("FOR VALUES FROM {} TO {}", endsText(bound.from), endsText(bound.to));
  std::string text;
  for (const Value& value : bound.values) text.append(text.empty() ? "" : ", ").append(literalOf(value));
  return "FOR VALUES IN (" + text + ")";
}

std::shared_ptr<PartitionKey> storedPartitionKey(PartitionStrategy strategy, std::vector<IndexColumn> parts,
                                                 const std::vector<ColumnEntry>& columns, const CatalogView& catalog) {
  auto key = std::make_shared<PartitionKey>();
  key->strategy = strategy;
  key->parts = std::move(parts);
  key->expressions = bindExpressions(*key, columns, catalog);
  setTypes(*key, columns);
  return key;
}

std::shared_ptr<const PartitionKey> bindPartitionKey(BindState& state, const ast::PartitionSpecification& specification,
                                                     const std::string& table,
                                                     const std::vector<ColumnEntry>& columns) {
  const auto strategy = static_cast<PartitionStrategy>(specification.strategy);
  if (strategy == PartitionStrategy::List && specification.parts.size() != 1)
    throw badDefinition("cannot use \"list\" partition strategy with more than one column");
  if (specification.parts.size() > 32)
    throw SqlError(sqlstate::kTooManyColumns, "cannot partition using more than 32 columns");
  std::deque<InformationUnit> units;
  TableExpressionBinder binder(state, table, columns, units);
  std::vector<IndexColumn> parts;
  const auto addColumn = [&](const std::string& name, int32_t position) {
    const auto found = std::ranges::find(columns, name, &ColumnEntry::name);
    if (found == columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" named in partition key does not exist", name))
          .position(position);
    if (found->is_generated)
      throw badDefinition("cannot use generated column in partition key", position)
          .detail(fmt::format("Column \"{}\" is a generated column.", name));
    requireIndexable(found->type);
    parts.push_back({.column = static_cast<uint32_t>(found - columns.begin())});
  };
  for (const ast::PartitionSpecification::Part& part : specification.parts) {
    if (!part.expression) {
      addColumn(part.column, part.position);
      continue;
    }
    const StoredText stored(state);
    const ExpressionPtr bound = binder.bind(*part.expression, "partition key expressions");
    if (bound->kind == Expression::Kind::Column && part.expression->kind != ast::Expression::Kind::Function) {
      addColumn(columns[bound->iu->id].name, part.position);
      continue;
    }
    if (bound->isConstant()) throw badDefinition("cannot use constant expression as partition key");
    if (!binder.isImmutable(*bound) && !binder.isSaidImmutable(*part.expression, "partition key expressions"))
      throw badDefinition("functions in partition key expression must be marked IMMUTABLE");
    binder.requireComputable(*bound, "partition key expressions");
    requireIndexable(bound->type);
    parts.push_back({.column = IndexColumn::kExpression,
                     .expression = withoutQualifiers(stored.write(*part.expression, part.expression_text))});
  }
  std::shared_ptr<PartitionKey> key = storedPartitionKey(strategy, std::move(parts), columns, state.context.catalog);
  for (size_t i = 0; i < key->types.size(); ++i) {
    const auto& [names, position] = std::tie(specification.parts[i].collation, specification.parts[i].position);
    if (!names.empty()) requireCollatable(key->types[i], position);
    const uint16_t collation = names.empty() ? key->types[i].collation : resolveCollation(names, position);
    if (isOfIcu(collation)) throwNotSupported("a partition key by a collation of ICU", position);
  }
  for (size_t i = 0; i < key->types.size(); ++i)
    if (operatorClass(specification.parts[i].operator_class, key->types[i],
                      strategy == PartitionStrategy::Hash ? IndexMethod::Hash : IndexMethod::Btree) !=
        OperatorClass::Default)
      throwNotSupported("an operator class of patterns in a partition key", specification.parts[i].position);
  if (key->expressions)
    for (const uint32_t column : key->columns())
      if (columns[column].is_generated)
        throw badDefinition("cannot use generated column in partition key")
            .detail(fmt::format("Column \"{}\" is a generated column.", columns[column].name));
  return key;
}

std::shared_ptr<const PartitionEntry> bindPartition(BindState& state, const ast::PartitionBound& bound,
                                                    const TableEntry& parent, const std::string& name) {
  const Partitioning& partitioning = *parent.partitioning;
  auto result = std::make_shared<PartitionEntry>();
  result->parent = parent.oid;
  result->bound = BoundBinder(state, partitioning.key(), &parent.columns).bind(bound);
  if (bound.is_default) {
    if (const TablePtr other = partitioning.defaultPartition())
      throw badDefinition(
          fmt::format("partition \"{}\" conflicts with existing default partition \"{}\"", name, other->name),
          bound.position);
    return result;
  }
  if (result->bound.modulus != 0) requireFactor(partitioning, result->bound);
  if (!result->bound.from.empty() && Partitioning::isEmptyRange(partitioning.key(), result->bound))
    throw badDefinition(fmt::format("empty range bound specified for partition \"{}\"", name),
                        bound.from.front()->position)
        .detail(fmt::format("Specified lower bound {} is greater than or equal to upper bound {}.",
                            endsText(result->bound.from), endsText(result->bound.to)));
  if (const TablePtr other = partitioning.overlapping(result->bound)) {
    int32_t position = bound.position;
    if (!bound.from.empty()) position = bound.from.front()->position;
    if (!bound.values.empty()) position = bound.values.front()->position;
    throw badDefinition(fmt::format("partition \"{}\" would overlap partition \"{}\"", name, other->name), position);
  }
  return result;
}

PartitionBound storedPartitionBound(const std::string& text, const PartitionKey& key) {
  const std::vector<ParsedStatement> parsed = parse("CREATE TABLE p PARTITION OF t " + text);
  const auto& create = std::get<ast::CreateTable>(parsed.at(0).tree->body);
  const Catalog no_tables;
  BindContext context{no_tables, {}, false, {}, {}, {}, {}};
  BindState state(context);
  return BoundBinder(state, key, nullptr).bind(*create.bound);
}

void requirePartitionColumns(const IndexSpecification& index, const PartitionKey& key, const std::string& table,
                             const std::vector<ColumnEntry>& columns) {
  if (!index.is_unique) return;
  if (index.is_deferrable) throwNotSupported("deferrable constraints of partitioned tables");
  const std::string_view kind = index.is_primary ? "PRIMARY KEY" : "UNIQUE";
  if (key.expressions)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("unsupported {} constraint with partition key definition", kind))
        .detail(fmt::format("{} constraints cannot be used when partition keys include expressions.", kind));
  for (const IndexColumn& part : key.parts)
    if (std::ranges::find(index.columns, part.column, &IndexColumn::column) == index.columns.end())
      throw SqlError(sqlstate::kFeatureNotSupported,
                     "unique constraint on partitioned table must include all partitioning columns")
          .detail(fmt::format("{} constraint on table \"{}\" lacks column \"{}\" which is part of the partition key.",
                              kind, table, columns[part.column].name));
}

void requireSteadyKeys(const CatalogView& catalog, const std::vector<ForeignKeyEntry>& keys, const PartitionKey* own,
                       const PartitionEntry* partition, const std::vector<TablePtr>& below) {
  if (keys.empty() || (own == nullptr && partition == nullptr)) return;
  std::vector<uint32_t> read;
  const auto add = [&read](const PartitionKey& key) {
    const std::vector<uint32_t> columns = key.columns();
    read.insert(read.end(), columns.begin(), columns.end());
  };
  if (own != nullptr) add(*own);
  for (const TablePtr& each : below)
    if (each->partitioning) add(each->partitioning->key());
  if (partition != nullptr)
    if (const TablePtr parent = findTable(catalog, partition->parent)) {
      add(parent->partitioning->key());
      for (const TablePtr& each : ancestorsOf(catalog, *parent)) add(each->partitioning->key());
    }
  const auto isRead = [&read](const std::vector<uint32_t>& columns) {
    return std::ranges::any_of(columns, [&](uint32_t each) { return std::ranges::find(read, each) != read.end(); });
  };
  using Action = ReferentialAction;
  for (const ForeignKeyEntry& key : keys) {
    const bool changes_on_update = key.on_update != Action::NoAction && key.on_update != Action::Restrict;
    const bool changes_on_delete = key.on_delete == Action::SetNull || key.on_delete == Action::SetDefault;
    if ((changes_on_update && isRead(key.columns)) ||
        (changes_on_delete && isRead(key.set_columns.empty() ? key.columns : key.set_columns)))
      throwNotSupported("actions of foreign keys on columns of a partition key");
  }
}

IndexSpecification partitionIndex(const IndexEntry& index) {
  IndexSpecification copy = index;
  copy.name.clear();
  copy.is_valid = true;
  for (IndexColumn& part : copy.columns) {
    if (part.column != IndexColumn::kExpression) continue;
    part.label = innerName(StoredExpression(part.expression).tree());
    if (part.label.empty()) part.label = "expr";
  }
  return copy;
}

}  // namespace gnomon::sql
