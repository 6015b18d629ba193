#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/partition_definition.h"
#include "sql/bind/stored_expression.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/sequences.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/tree_alignment.h"
#include "sql/catalog/trigger_definer.h"
#include "storage/relation/scan.h"

/// What CatalogTransaction does for partitions: the entry of a partitioned table has those of its partitions, so it
/// changes when one of them does.
namespace gnomon::sql {
namespace {

/// Calls `visit` with the values of each row of a table.
template <typename Visit>
void forEachRow(const TableEntry& table, const std::vector<uint32_t>& columns, const CancelToken& cancel,
                Visit&& visit) {
  std::vector<storage::Datum> values(table.columns.size());
  std::vector<uint8_t> null_flags(table.columns.size());
  storage::RowCursor row(table.storage->relation(), table.storage->readBound());
  for (uint64_t rows = 0; row.next(); ++rows) {
    if (rows % 1024 == 0) cancel.poll();
    for (const uint32_t column : columns) {
      values[column] = row.value(column);
      null_flags[column] = row.isNull(column) ? 1 : 0;
    }
    visit(values.data(), null_flags.data());
  }
}

std::vector<TablePtr> leavesOf(const TablePtr& table) {
  return table->partitioning ? table->partitioning->leaves() : std::vector<TablePtr>{table};
}

}  // namespace

void renameInPartitionKey(const TableEntry& before, TableEntry& after) {
  if (!before.partitioning || !before.partitioning->key().expressions) return;
  const PartitionKey& key = before.partitioning->key();
  std::vector<IndexColumn> parts = key.parts;
  bool is_changed = false;
  for (const uint32_t column : key.columns()) {
    const std::string& from = before.columns[column].name;
    const std::string& to = after.columns[column].name;
    if (from == to) continue;
    is_changed = true;
    for (IndexColumn& part : parts)
      if (part.column == IndexColumn::kExpression) part.expression = withRenamedColumn(part.expression, from, to);
  }
  if (!is_changed) return;
  const Catalog no_routines;
  const CatalogSession* const session = catalogSession();
  const std::shared_ptr<PartitionKey> renamed =
      storedPartitionKey(key.strategy, std::move(parts), after.columns,
                         session != nullptr ? session->catalog : static_cast<const CatalogView&>(no_routines));
  renamed->evaluator = key.evaluator;
  after.partitioning = std::make_shared<const Partitioning>(renamed, before.partitioning->partitions());
}

bool isAlike(const IndexEntry& left, const IndexEntry& right) {
  const auto isSamePart = [](const IndexColumn& a, const IndexColumn& b) {
    return a.column == b.column && a.descending == b.descending && a.nulls_first == b.nulls_first &&
           a.expression == b.expression && a.operator_class == b.operator_class;
  };
  return left.is_unique == right.is_unique && left.nulls_are_equal == right.nulls_are_equal &&
         left.is_deferrable == right.is_deferrable && left.is_primary == right.is_primary &&
         left.is_constraint == right.is_constraint && left.method == right.method &&
         left.predicate == right.predicate && left.included == right.included &&
         std::ranges::equal(left.columns, right.columns, isSamePart);
}

/// What else is to be locked with a table: those above it, which read it, and those below it that have a lock of their
/// own.
std::vector<TablePtr> CatalogTransaction::lockedWith(const TableEntry& table) const {
  std::vector<TablePtr> result = ancestorsOf(*this, table);
  std::ranges::reverse(result);
  if (!table.partitioning) return result;
  for (const TablePtr& below : table.partitioning->descendants())
    if (below->storage->lock() != table.storage->lock()) result.push_back(below);
  return result;
}

/// The tables above have the partition as it is now. They are claimed.
void CatalogTransaction::tellPartitioned(const TableEntry* before, const TablePtr& after,
                                         const DefinitionContext& context) {
  const uint32_t oid = after ? after->oid : before->oid;
  const uint32_t from = before != nullptr && before->partition ? before->partition->parent : 0;
  const uint32_t to = after && after->partition ? after->partition->parent : 0;
  CHECK(from == to || from == 0 || to == 0, "a partition is detached before it is attached");
  if (from == 0 && to == 0) return;
  const TablePtr parent = findEntry(from != 0 ? from : to);
  // Dropped by the same statement.
  if (!parent) return;
  std::vector<TablePtr> partitions = parent->partitioning->partitions();
  std::erase_if(partitions, [oid](const TablePtr& each) { return each->oid == oid; });
  if (to != 0) partitions.push_back(after);
  auto told = std::make_shared<TableEntry>(*parent);
  told->partitioning = withPartitions(*parent->partitioning, std::move(partitions));
  const TablePtr now = std::move(told);
  changes_.push_back({.table = {parent, now}, .storage = {}});
  see(changes_.back().table);
  tellPartitioned(parent.get(), now, context);
}

/// Each index of the table has a part in the partition: one that is like it, or else a new one.
void CatalogTransaction::adoptIndexes(const TableEntry& parent, const ObjectPath& path,
                                      const DefinitionContext& context) {
  const TablePtr before = findEntry(path);
  auto after = std::make_shared<TableEntry>(*before);
  bool is_changed = false;
  for (const IndexPtr& index : parent.indexes) {
    if (std::ranges::find(after->indexes, index->oid, &IndexEntry::parent) != after->indexes.end()) continue;
    is_changed = true;
    const auto like = std::ranges::find_if(
        after->indexes, [&](const IndexPtr& each) { return each->parent == 0 && isAlike(*each, *index); });
    if (like != after->indexes.end()) {
      auto part = std::make_shared<IndexEntry>(**like);
      part->parent = index->oid;
      *like = std::move(part);
      continue;
    }
    if (index->is_primary && std::ranges::any_of(after->indexes, [](const IndexPtr& each) { return each->is_primary; }))
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("multiple primary keys for table \"{}\" are not allowed", before->name));
    addIndex(*after, partitionIndex(*index), context);
    auto part = std::make_shared<IndexEntry>(*after->indexes.back());
    part->parent = index->oid;
    after->indexes.back() = std::move(part);
  }
  if (is_changed) change(before, after, nullptr, context);
  adoptIndexesBelow(path, context);
}

void CatalogTransaction::adoptIndexesBelow(const ObjectPath& path, const DefinitionContext& context) {
  const TablePtr table = findEntry(path);
  if (!table->partitioning) return;
  for (const TablePtr& each : table->partitioning->partitions()) adoptIndexes(*findEntry(path), each->path(), context);
}

/// Drops the indexes of partitions that are parts of these. The tables are claimed.
void CatalogTransaction::dropPartIndexes(const TablePtr& table, const std::vector<uint32_t>& parents,
                                         const DefinitionContext& context) {
  for (const TablePtr& each : table->partitioning->partitions()) {
    const TablePtr before = findEntry(each->oid);
    auto after = std::make_shared<TableEntry>(*before);
    std::vector<uint32_t> gone;
    std::erase_if(after->indexes, [&](const IndexPtr& index) {
      if (index->parent == 0 || std::ranges::find(parents, index->parent) == parents.end()) return false;
      gone.push_back(index->oid);
      return true;
    });
    if (gone.empty()) continue;
    for (const DependentKey& key : dependentKeys(*this, *before))
      if (key.key().part_of == 0 && std::ranges::find(gone, key.key().parent_index) != gone.end())
        throwNotSupported("dropping an index of partitions that foreign keys refer to");
    change(before, after, nullptr, context);
    if (after->partitioning) dropPartIndexes(findEntry(each->oid), gone, context);
  }
}

/// Rows of the default partition do not belong to another one that is new.
void CatalogTransaction::requireDefaultRows(const ObjectPath& path, const DefinitionContext& context) const {
  const TablePtr table = findEntry(path);
  const TablePtr other = table->partitioning->defaultPartition();
  if (!other) return;
  Partitioning::Scratch scratch;
  for (const TablePtr& leaf : leavesOf(other))
    forEachRow(*leaf, table->partitioning->key().columns(), context.patience.cancel,
               [&](const storage::Datum* values, const uint8_t* null_flags) {
                 const uint32_t found = table->partitioning->find(values, null_flags, scratch);
                 if (table->partitioning->partitions()[found]->oid == other->oid) return;
                 throw SqlError(
                     sqlstate::kCheckViolation,
                     fmt::format("updated partition constraint for default partition \"{}\" would be violated "
                                 "by some row",
                                 other->name))
                     .table(other->schema, other->name);
               });
}

namespace {

/// Gives the partition the foreign keys of its table that it has not. The names of those.
std::vector<std::string> adoptKeys(const TableEntry& parent, TableEntry& partition) {
  std::vector<std::string> added;
  for (const ForeignKeyEntry& key : parent.foreign_keys) {
    if (key.part_of != 0 || isAmong(key, partition.foreign_keys)) continue;
    ForeignKeyEntry copy = key;
    copy.number = 0;
    copy.is_valid = true;
    copy.comment.clear();
    added.push_back(copy.name);
    partition.foreign_keys.push_back(std::move(copy));
  }
  return added;
}

}  // namespace

void CatalogTransaction::attachPartition(const PartitionStatement& statement, const DefinitionContext& context) {
  const TablePtr& before = statement.partition;
  auto after = std::make_shared<TableEntry>(*before);
  after->partition = statement.attached;
  after->check_expressions = bindCheckExpressions(*after);
  TriggerDefiner(*this).adopt(*after, findEntry(statement.table->oid).get());
  before->storage->lock()->share();
  const std::vector<std::string> added = adoptKeys(*statement.table, *after);
  change(before, after, nullptr, context, added);
  adoptIndexes(*findEntry(statement.table->oid), after->path(), context);
  const TablePtr now = findEntry(after->oid);
  const std::vector<TablePtr> ancestors = ancestorsOf(*this, *now);
  Partitioning::Scratch scratch;
  std::vector<uint32_t> columns;
  for (const TablePtr& ancestor : ancestors) {
    const std::vector<uint32_t> read = ancestor->partitioning->key().columns();
    columns.insert(columns.end(), read.begin(), read.end());
  }
  for (const TablePtr& leaf : leavesOf(now))
    forEachRow(*leaf, columns, context.patience.cancel, [&](const storage::Datum* values, const uint8_t* null_flags) {
      if (belongsTo(*now, ancestors, values, null_flags, scratch)) return;
      throw SqlError(sqlstate::kCheckViolation,
                     fmt::format("partition constraint of relation \"{}\" is violated by some row", leaf->name))
          .table(leaf->schema, leaf->name);
    });
  if (!statement.attached->bound.is_default) requireDefaultRows(statement.table->path(), context);
  tellChildren(childrenOfTree(*now), context);
}

/// The index of a partitioned table, which is claimed, is valid once all partitions have a valid part of it. So may be
/// that of which it is a part.
void CatalogTransaction::validateIndex(const ObjectPath& path, uint32_t index, const DefinitionContext& context) {
  const TablePtr before = findEntry(path);
  const auto own = std::ranges::find(before->indexes, index, &IndexEntry::oid);
  const bool is_whole = std::ranges::all_of(before->partitioning->partitions(), [&](const TablePtr& each) {
    return std::ranges::any_of(each->indexes,
                               [&](const IndexPtr& part) { return part->parent == index && part->is_valid; });
  });
  if (!is_whole || (*own)->is_valid) return;
  auto after = std::make_shared<TableEntry>(*before);
  auto valid = std::make_shared<IndexEntry>(**own);
  valid->is_valid = true;
  after->indexes[static_cast<size_t>(own - before->indexes.begin())] = valid;
  change(before, after, nullptr, context);
  if (valid->parent != 0) validateIndex(findEntry(after->partition->parent)->path(), valid->parent, context);
}

void CatalogTransaction::attachIndex(const AttachIndexStatement& statement, const DefinitionContext& context) {
  claim({statement.table, statement.partition}, context);
  const auto named = [](const TableEntry& table, const std::string& name) {
    return std::ranges::find(table.indexes, name, &IndexEntry::name);
  };
  const uint32_t parent = (*named(*statement.table, statement.index))->oid;
  if (!statement.part.empty()) {
    auto after = std::make_shared<TableEntry>(*statement.partition);
    const auto index = named(*after, statement.part);
    auto part = std::make_shared<IndexEntry>(**index);
    part->parent = parent;
    after->indexes[static_cast<size_t>(index - after->indexes.begin())] = std::move(part);
    change(statement.partition, after, nullptr, context);
  }
  validateIndex(statement.table->path(), parent, context);
}

/// The columns of the table, which is claimed, come to lie as those of the other; it has no rows then.
void CatalogTransaction::layTable(const TablePtr& before, const TableEntry& as, const DefinitionContext& context) {
  auto after = std::make_shared<TableEntry>(*before);
  const std::vector<uint32_t> places = layColumns(*after, as);
  storeNewColumns(after->columns);
  for (IndexPtr& index : after->indexes) {
    auto bound = std::make_shared<IndexEntry>(*index);
    bound->expressions = bindIndexExpressions(after->columns, *bound, *this);
    index = std::move(bound);
  }
  after->check_expressions = bindCheckExpressions(*after);
  if (before->partitioning) {
    const PartitionKey& key = before->partitioning->key();
    std::vector<IndexColumn> parts = key.parts;
    for (IndexColumn& part : parts)
      if (part.column != IndexColumn::kExpression) part.column = places[part.column];
    after->partitioning = std::make_shared<const Partitioning>(
        storedPartitionKey(key.strategy, std::move(parts), after->columns, *this), before->partitioning->partitions());
  }
  for (const TablePtr& sequence : ownedSequences(*this, before->oid)) {
    SequenceChange change;
    change.sequence = sequence;
    change.path = sequence->path();
    change.definition = *sequence->sequence;
    change.definition.owner_column = places[change.definition.owner_column];
    changeSequence(change, context);
  }
  replaceStorage(before, after, context);
}

void CatalogTransaction::layPartition(const PartitionStatement& statement, const DefinitionContext& context) {
  const std::vector<TablePtr> tables = tablesToLay(statement.partition, *statement.table);
  std::vector<TablePtr> claimed = tables;
  for (const TablePtr& table : tables)
    for (TablePtr& sequence : ownedSequences(*this, table->oid)) claimed.push_back(std::move(sequence));
  claim(claimed, context);
  // Changes of partitions make other entries of those above.
  for (const TablePtr& table : tables) layTable(findEntry(table->oid), *statement.table, context);
}

void CatalogTransaction::changePartition(const PartitionStatement& statement, const DefinitionContext& context) {
  claim({statement.table, statement.partition}, context);
  const std::vector<TablePtr> children = childrenOfTree(*statement.table);
  claim({}, context, children);
  // Keys of the partition become the table's or its own, which have parts.
  std::vector<TablePtr> parents;
  for (const TablePtr& each : {statement.table, statement.partition})
    for (const ForeignKeyEntry& key : each->foreign_keys)
      if (const TablePtr parent = findTable(*this, key.parent);
          parent && std::ranges::find(parents, parent) == parents.end())
        parents.push_back(parent);
  claim({}, context, parents);
  if (statement.attached) return attachPartition(statement, context);
  requireUnreferenced(statement.partition, context.patience.cancel);
  auto after = std::make_shared<TableEntry>(*statement.partition);
  after->partition.reset();
  TriggerDefiner(*this).adopt(*after, nullptr);
  for (IndexPtr& index : after->indexes) {
    if (index->parent == 0) continue;
    auto own = std::make_shared<IndexEntry>(*index);
    own->parent = 0;
    index = std::move(own);
  }
  if (statement.kept_check) {
    const CheckEntry& kept = *statement.kept_check;
    after->checks.insert(std::ranges::upper_bound(after->checks, kept.name, {}, &CheckEntry::name), kept);
    after->check_expressions = bindCheckExpressions(*after);
  }
  change(statement.partition, after, nullptr, context);
  tellChildren(children, context);
}

/// Partitions have kept columns that are taken back.
void CatalogTransaction::alignPartitions(const std::vector<uint32_t>& widened) noexcept {
  std::vector<uint32_t> roots;
  for (const uint32_t oid : widened) {
    const TablePtr table = findEntry(oid);
    if (!table || !table->partition) continue;
    const std::vector<TablePtr> above = ancestorsOf(*this, *table);
    if (above.empty() || std::ranges::find(roots, above.back()->oid) != roots.end()) continue;
    roots.push_back(above.back()->oid);
    const auto find = [this](uint32_t below) { return findEntry(below); };
    for (const auto& [before, now] : alignedTree(above.back(), find)) replace(before, now);
  }
  for (const Change& change : changes_) see(change.table);
}

}  // namespace gnomon::sql
