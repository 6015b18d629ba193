#include "sql/bind/table_like.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/result_name.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/stored_expression.h"
#include "sql/catalog/access.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/sequences.h"

namespace gnomon::sql {
namespace {

/// A sequence like the one of an identity column.
ColumnSequence sequenceLike(BindState& state, const TableEntry& table, uint32_t column) {
  const auto owned = ownedSequences(state.context.catalog, table.oid, column);
  const auto found = std::ranges::find_if(owned, [](const TablePtr& each) { return each->sequence->is_identity; });
  if (found == owned.end()) throwNotSupported("INCLUDING IDENTITY of such a column");
  ColumnSequence made;
  made.definition = bindSequenceOptions({}, (*found)->sequence.get()).definition;
  return made;
}

uint32_t placeOf(const TableEntry& from, uint32_t column, const CreateTableStatement& to) {
  const auto found = std::ranges::find(to.columns, from.columns[column].name, &ColumnEntry::name);
  return static_cast<uint32_t>(found - to.columns.begin());
}

IndexSpecification indexLike(const TableEntry& table, const IndexEntry& index, CreateTableStatement& result) {
  IndexSpecification copy = index;
  copy.name.clear();
  for (IndexColumn& part : copy.columns) {
    if (part.column == IndexColumn::kExpression) {
      part.label = innerName(StoredExpression(part.expression).tree());
      if (part.label.empty()) part.label = "expr";
      continue;
    }
    part.column = placeOf(table, part.column, result);
    if (copy.is_primary) result.columns[part.column].not_null = true;
  }
  for (uint32_t& column : copy.included) column = placeOf(table, column, result);
  return copy;
}

/// Failure: 42809 for indexes and sequences.
void requireLikeable(BindState& state, const ast::RelationName& relation) {
  const FoundRelation found = FromBinder(state).find(relation);
  const bool is_sequence = found.table && found.table->sequence;
  if (!found.index && !is_sequence) return;
  throw SqlError(sqlstate::kWrongObjectType, fmt::format("relation \"{}\" is invalid in LIKE clause", relation.name))
      .detail(fmt::format("This operation is not supported for {}.", is_sequence ? "sequences" : "indexes"))
      .position(relation.position);
}

}  // namespace

TablePtr addLikeColumns(BindState& state, const ast::TableLike& like, CreateTableStatement& result) {
  requireLikeable(state, like.relation);
  TablePtr table = FromBinder(state).findStored(like.relation);
  requireAnyRight(state.context.catalog, *table, table->type ? Privilege::Usage : Privilege::Select);
  for (const uint32_t i : columnsInOrder(*table)) {
    const ColumnEntry& column = table->columns[i];
    if (std::ranges::find(result.columns, column.name, &ColumnEntry::name) != result.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", column.name));
    ColumnEntry copy;
    copy.name = column.name;
    copy.type = column.type;
    copy.domain = column.domain;
    copy.not_null = column.not_null;
    if (like.comments) copy.comment = column.comment;
    const bool is_plain_default = column.identity == Identity::None && !column.is_generated;
    if ((is_plain_default && like.defaults) || (column.is_generated && like.generated)) {
      copy.default_text = column.default_text;
      copy.is_generated = column.is_generated;
    }
    if (column.identity != Identity::None && like.identity) {
      copy.identity = column.identity;
      result.sequences.push_back(sequenceLike(state, *table, i));
      result.sequences.back().column = static_cast<uint32_t>(result.columns.size());
    }
    result.columns.push_back(std::move(copy));
  }
  return table;
}

void addLikeConstraints(const ast::TableLike& like, const TableEntry& table, CreateTableStatement& result) {
  if (like.constraints) {
    for (const CheckEntry& check : table.checks) {
      if (std::ranges::find(result.checks, check.name, &CheckEntry::name) != result.checks.end())
        throw SqlError(sqlstate::kDuplicateObject, fmt::format("check constraint \"{}\" already exists", check.name));
      CheckEntry copy = check;
      copy.is_valid = true;
      if (!like.comments) copy.comment.clear();
      result.checks.insert(std::ranges::upper_bound(result.checks, check.name, {}, &CheckEntry::name), std::move(copy));
    }
  }
  if (!like.indexes) return;
  for (const IndexPtr& index : table.indexes) {
    if (index->is_primary && std::ranges::any_of(result.indexes, &IndexSpecification::is_primary))
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("multiple primary keys for table \"{}\" are not allowed", result.path.name));
    result.indexes.push_back(indexLike(table, *index, result));
  }
}

}  // namespace gnomon::sql
