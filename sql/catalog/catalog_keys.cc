#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/foreign_key_definition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/existing_references.h"
#include "sql/catalog/partitioning.h"

/// What CatalogTransaction does for foreign keys: a key is an entry of its child, and its parent knows of it.
namespace gnomon::sql {
namespace {

bool hasTable(const std::vector<TablePtr>& tables, uint32_t oid) {
  return std::ranges::any_of(tables, [oid](const TablePtr& table) { return table->oid == oid; });
}

void addTable(std::vector<TablePtr>& tables, const TablePtr& table) {
  if (!hasTable(tables, table->oid)) tables.push_back(table);
}

bool isOf(const std::vector<ForeignKeyEntry>& keys, uint32_t number) {
  return std::ranges::find(keys, number, &ForeignKeyEntry::number) != keys.end();
}

/// The keys that refer to a table once those of one child have changed.
std::vector<ReferringKey> withChild(std::vector<ReferringKey> referring, uint32_t parent, uint32_t child,
                                    const std::vector<ForeignKeyEntry>& keys) {
  std::erase_if(referring, [&](const ReferringKey& key) { return key.table == child; });
  for (const ForeignKeyEntry& key : keys)
    if (key.parent == parent) referring.push_back({child, key.number, key.part_of != 0});
  std::ranges::sort(referring, [](const ReferringKey& left, const ReferringKey& right) {
    return left.number != right.number ? left.number < right.number : left.table < right.table;
  });
  return referring;
}

}  // namespace

/// Two transactions may give the same: of keys of one table that cannot be.
uint32_t CatalogTransaction::nextKeyNumber() const {
  uint32_t last = 0;
  for (const TablePtr& table : tables())
    for (const ForeignKeyEntry& key : table->foreign_keys) last = std::max(last, key.number);
  return last + 1;
}

/// New keys become whole, and the table knows those of its own that refer to itself. Its indexes have their oids.
void CatalogTransaction::finishKeys(const TableEntry* before, TableEntry& after) const {
  if (after.foreign_keys.empty() && (before == nullptr || before->foreign_keys.empty())) return;
  finishForeignKeys(after, nextKeyNumber());
  finishParts(after);
  after.referring_keys = withChild(after.referring_keys, after.oid, after.oid, after.foreign_keys);
}

namespace {

/// The tables below a partitioned one, each with the part of an index of its.
void addPartIndexes(const TableEntry& table, uint32_t index, std::vector<std::pair<TablePtr, uint32_t>>& parts) {
  for (const TablePtr& each : table.partitioning->partitions()) {
    const auto part = std::ranges::find(each->indexes, index, &IndexEntry::parent);
    if (part == each->indexes.end()) continue;
    parts.emplace_back(each, (*part)->oid);
    if (each->partitioning) addPartIndexes(*each, (*part)->oid, parts);
  }
}

}  // namespace

/// Whether a table has the key from one above.
bool CatalogTransaction::isKeyInherited(const TableEntry& table, const ForeignKeyEntry& key) const {
  return std::ranges::any_of(ancestorsOf(*this, table), [&](const TablePtr& above) {
    const ForeignKeyEntry* const found = findKey(*above, key.name);
    return found != nullptr && found->part_of == 0;
  });
}

/// A name for a part of a key, as PostgreSQL chooses it.
std::string CatalogTransaction::choosePartName(const TableEntry& table, const ForeignKeyEntry& key) const {
  std::string columns;
  for (const uint32_t column : key.columns) columns += (columns.empty() ? "" : "_") + table.columns[column].name;
  std::unordered_set<std::string_view> taken;
  const auto add = [&taken](const TableEntry& each) {
    for (const ForeignKeyEntry& other : each.foreign_keys) taken.insert(other.name);
    for (const CheckEntry& check : each.checks) taken.insert(check.name);
    for (const IndexPtr& index : each.indexes)
      if (index->is_constraint) taken.insert(index->name);
  };
  add(table);
  const std::vector<TablePtr> others = tables();
  for (const TablePtr& each : others)
    if (each->schema == table.schema && each->name != table.name) add(*each);
  for (uint32_t attempt = 0;; ++attempt) {
    std::string name = composedName(table.name, columns, attempt == 0 ? "fkey" : "fkey" + std::to_string(attempt));
    if (!taken.contains(name)) return name;
  }
}

/// Keys that refer to partitioned tables have a part for each table below these, and no other parts.
void CatalogTransaction::finishParts(TableEntry& table) const {
  std::vector<ForeignKeyEntry>& keys = table.foreign_keys;
  const auto isWhole = [](const ForeignKeyEntry& key) { return key.part_of == 0; };
  std::erase_if(keys,
                [&](const ForeignKeyEntry& key) { return !isWhole(key) && findKey(table, key.part_of) == nullptr; });
  std::vector<ForeignKeyEntry> wholes;
  std::ranges::copy_if(keys, std::back_inserter(wholes), isWhole);
  uint32_t number = nextKeyNumber();
  for (const ForeignKeyEntry& key : keys) number = std::max(number, key.number + 1);
  for (const ForeignKeyEntry& whole : wholes) {
    std::vector<std::pair<TablePtr, uint32_t>> wanted;
    const TablePtr other = whole.parent == table.oid ? nullptr : findTable(*this, whole.parent);
    const TableEntry* const parent = whole.parent == table.oid ? &table : other.get();
    if (parent != nullptr && parent->partitioning && !isKeyInherited(table, whole))
      addPartIndexes(*parent, whole.parent_index, wanted);
    std::erase_if(keys, [&](const ForeignKeyEntry& key) {
      return key.part_of == whole.number && std::ranges::none_of(wanted, [&](const auto& part) {
               return part.first->oid == key.parent && part.second == key.parent_index;
             });
    });
    for (ForeignKeyEntry& key : keys) {
      if (key.part_of != whole.number) continue;
      key.is_valid = whole.is_valid;
      key.is_deferrable = whole.is_deferrable;
      key.is_deferred = whole.is_deferred;
    }
    for (const auto& [below, index] : wanted) {
      const bool is_there = std::ranges::any_of(keys, [&, oid = below->oid](const ForeignKeyEntry& key) {
        return key.part_of == whole.number && key.parent == oid;
      });
      if (is_there) continue;
      ForeignKeyEntry part = whole;
      part.name = choosePartName(table, whole);
      part.number = number++;
      part.part_of = whole.number;
      part.parent = below->oid;
      part.parent_index = index;
      part.comment.clear();
      keys.push_back(std::move(part));
    }
  }
  std::ranges::sort(keys, {}, &ForeignKeyEntry::number);
}

/// The tables with keys that refer to the table or to one above it.
std::vector<TablePtr> CatalogTransaction::childrenOfTree(const TableEntry& table) const {
  std::vector<TablePtr> trees = ancestorsOf(*this, table);
  if (const TablePtr own = findEntry(table.oid)) trees.push_back(own);
  std::vector<TablePtr> children;
  for (const TablePtr& each : trees)
    for (const ReferringKey& key : each->referring_keys)
      if (const TablePtr child = key.is_part ? nullptr : findTable(*this, key.table)) addTable(children, child);
  return children;
}

/// Their keys get or lose parts, since the tree has other partitions. They are claimed.
void CatalogTransaction::tellChildren(const std::vector<TablePtr>& children, const DefinitionContext& context) {
  for (const TablePtr& each : children) {
    const TablePtr before = findEntry(each->oid);
    if (!before) continue;
    auto after = std::make_shared<TableEntry>(*before);
    finishKeys(before.get(), *after);
    if (after->foreign_keys == before->foreign_keys) continue;
    redefine(before, after, context);
    tellParents(before.get(), after.get(), context);
  }
}

/// Nobody refers to a row of the partition, which is about to be none. Failure: 23503.
void CatalogTransaction::requireUnreferenced(const TablePtr& partition, const CancelToken& cancel) const {
  for (const DependentKey& dependent : dependentKeys(*this, *partition)) {
    const ForeignKeyEntry& key = dependent.key();
    if (key.part_of == 0) continue;
    std::vector<TablePtr> children{dependent.child};
    if (dependent.child->partitioning) children = dependent.child->partitioning->leaves();
    for (const TablePtr& child : children) requireNoReferences(*child, *dependent.child, key, *partition, cancel);
  }
}

void CatalogTransaction::requireKeys(const TableEntry& table, const std::vector<std::string>& names,
                                     const CancelToken& cancel) const {
  for (const std::string& name : names) {
    const ForeignKeyEntry* const key = findKey(table, name);
    CHECK(key != nullptr, "the statement tests its own keys");
    if (key->parent == table.oid) {
      requireReferences(table, *key, table, cancel);
    } else {
      const TablePtr parent = findTable(*this, key->parent);
      CHECK(parent != nullptr, "a parent outlives its keys");
      requireReferences(table, *key, *parent, cancel);
    }
  }
}

/// The table has another entry, and the same storage. It is claimed.
void CatalogTransaction::redefine(const TablePtr& before, std::shared_ptr<TableEntry> after,
                                  const DefinitionContext& context) {
  catalog_.store().record(before.get(), after.get(), context);
  const TablePtr now = std::move(after);
  changes_.push_back({.table = {before, now}, .storage = {}});
  see(changes_.back().table);
  tellPartitioned(before.get(), now, context);
}

/// Other tables that keys of the table have come to refer to, or no longer do, know of that. They are claimed.
void CatalogTransaction::tellParents(const TableEntry* before, const TableEntry* after,
                                     const DefinitionContext& context) {
  const uint32_t child = after != nullptr ? after->oid : before->oid;
  static const std::vector<ForeignKeyEntry> kNone;
  const std::vector<ForeignKeyEntry>& keys = after != nullptr ? after->foreign_keys : kNone;
  std::vector<uint32_t> parents;
  for (const std::vector<ForeignKeyEntry>* each : {before != nullptr ? &before->foreign_keys : &kNone, &keys})
    for (const ForeignKeyEntry& key : *each)
      if (key.parent != child && std::ranges::find(parents, key.parent) == parents.end()) parents.push_back(key.parent);
  for (const uint32_t oid : parents) {
    const TablePtr parent = findTable(*this, oid);
    // Dropped by the same statement.
    if (parent == nullptr) continue;
    std::vector<ReferringKey> referring = withChild(parent->referring_keys, oid, child, keys);
    if (referring == parent->referring_keys) continue;
    auto told = std::make_shared<TableEntry>(*parent);
    told->referring_keys = std::move(referring);
    redefine(parent, std::move(told), context);
  }
}

/// Keys of tables that are claimed, as their parents are.
void CatalogTransaction::removeKeys(const std::vector<DependentKey>& keys, const DefinitionContext& context) {
  std::map<ObjectPath, std::vector<uint32_t>> numbers;  // by child
  for (const DependentKey& key : keys) numbers[key.child->path()].push_back(key.whole().number);
  for (const auto& [path, gone] : numbers) {
    const TablePtr child = find(path);
    auto after = std::make_shared<TableEntry>(*child);
    std::erase_if(after->foreign_keys,
                  [&gone](const ForeignKeyEntry& key) { return std::ranges::find(gone, key.number) != gone.end(); });
    finishKeys(child.get(), *after);
    redefine(child, after, context);
    tellParents(child.get(), after.get(), context);
  }
}

/// The keys of other tables that refer to one of these, each once as a whole.
std::vector<DependentKey> CatalogTransaction::dependentsOf(const std::vector<TablePtr>& dropped) const {
  std::vector<DependentKey> result;
  for (const TablePtr& parent : dropped)
    for (DependentKey& key : dependentKeys(*this, *parent)) {
      key.number = key.whole().number;
      const bool is_known = std::ranges::any_of(result, [&](const DependentKey& known) {
        return known.child->oid == key.child->oid && known.number == key.number;
      });
      if (!is_known && !hasTable(dropped, key.child->oid)) result.push_back(std::move(key));
    }
  return result;
}

/// The tables, those of the keys, and those that keys of the tables refer to.
std::vector<TablePtr> CatalogTransaction::neighboursOf(const std::vector<TablePtr>& tables,
                                                       const std::vector<DependentKey>& keys) const {
  std::vector<TablePtr> result = tables;
  for (const DependentKey& key : keys) addTable(result, key.child);
  for (const TablePtr& table : tables)
    for (const ForeignKeyEntry& key : table->foreign_keys)
      if (const TablePtr parent = findTable(*this, key.parent); parent != nullptr) addTable(result, parent);
  return result;
}

/// Other tables that keys refer to which are not there afterwards.
std::vector<TablePtr> CatalogTransaction::parentsOfRemoved(const TableEntry& before,
                                                           const std::vector<ForeignKeyEntry>& after) const {
  std::vector<TablePtr> result;
  for (const ForeignKeyEntry& key : before.foreign_keys) {
    if (key.parent == before.oid || isOf(after, key.number)) continue;
    if (const TablePtr parent = findTable(*this, key.parent); parent != nullptr) addTable(result, parent);
  }
  return result;
}

/// The tables to be emptied, claimed.
std::vector<TablePtr> CatalogTransaction::claimForTruncate(const TruncateStatement& statement,
                                                           const DefinitionContext& context,
                                                           std::vector<SqlError>* notices) {
  std::vector<TablePtr> tables, partitioned;
  const auto add = [&](const TablePtr& table) {
    if (!table->partitioning) return addTable(tables, table);
    addTable(partitioned, table);
    claim({table}, context);
    for (const TablePtr& leaf : table->partitioning->leaves()) addTable(tables, leaf);
  };
  for (const TablePtr& table : statement.tables) add(table);
  for (;;) {
    claim(tables, context);
    std::vector<TablePtr> emptied = partitioned;
    emptied.insert(emptied.end(), tables.begin(), tables.end());
    std::vector<DependentKey> dependents = dependentsOf(emptied);
    if (dependents.empty()) return tables;
    std::ranges::sort(dependents, {}, [](const DependentKey& key) { return std::pair(key.child->oid, key.number); });
    if (!statement.is_cascade) {
      const DependentKey& first = dependents.front();
      const auto parent = std::ranges::find(emptied, first.needed, [](const TablePtr& table) { return table->oid; });
      throw SqlError(sqlstate::kFeatureNotSupported, "cannot truncate a table referenced in a foreign key constraint")
          .detail(fmt::format("Table \"{}\" references \"{}\".", first.child->name, (*parent)->name))
          .hint(fmt::format("Truncate table \"{}\" at the same time, or use TRUNCATE ... CASCADE.", first.child->name));
    }
    for (const DependentKey& key : dependents) {
      if (hasTable(tables, key.child->oid) || hasTable(partitioned, key.child->oid)) continue;
      add(key.child);
      if (notices != nullptr)
        notices->emplace_back(SqlState("00000"), fmt::format("truncate cascades to table \"{}\"", key.child->name));
      requireAnyRight(*this, *key.child, Privilege::Truncate);
    }
  }
}

}  // namespace gnomon::sql
