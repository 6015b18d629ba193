#include "sql/bind/foreign_key_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/creation_path.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/table_definition.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/key_conversion.h"

namespace gnomon::sql {
namespace {

constexpr size_t kKeyColumnsMax = 32;

/// The numbers of columns by their names.
std::vector<uint32_t> resolveColumns(const std::vector<ColumnEntry>& columns, const std::vector<std::string>& names) {
  std::vector<uint32_t> numbers;
  for (const std::string& name : names) {
    if (isSystemColumn(name)) throwNotSupported("system columns in foreign keys");
    const auto found = std::ranges::find(columns, name, &ColumnEntry::name);
    if (found == columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" referenced in foreign key constraint does not exist", name));
    if (numbers.size() == kKeyColumnsMax)
      throw SqlError(sqlstate::kTooManyColumns,
                     fmt::format("cannot have more than {} keys in a foreign key", kKeyColumnsMax));
    numbers.push_back(static_cast<uint32_t>(found - columns.begin()));
  }
  return numbers;
}

bool contains(const std::vector<uint32_t>& numbers, uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

/// Whether the index decides that no two rows have the same values in the columns.
bool isUniqueOver(const IndexSpecification& index, const std::vector<uint32_t>& columns) {
  if (!index.is_unique || !index.is_valid || !index.predicate.empty() || index.columns.size() != columns.size())
    return false;
  return std::ranges::all_of(index.columns, [&](const IndexColumn& part) {
    return part.column != IndexColumn::kExpression && contains(columns, part.column);
  });
}

class KeyBinder {
 public:
  KeyBinder(BindState& state, const ReferringTable& table, const ast::ForeignKey& key)
      : state_(state), table_(table), key_(key) {}

  ForeignKeyEntry bind() {
    result_.name = key_.name;
    if (!key_.name.empty() && isUsed(key_.name))
      throw SqlError(sqlstate::kDuplicateObject,
                     fmt::format("constraint \"{}\" for relation \"{}\" already exists", key_.name, table_.path.name));
    findParent();
    result_.columns = resolveColumns(table_.columns, key_.columns);
    bindSetColumns();
    if (result_.name.empty()) result_.name = chooseName();
    bindParentColumns();
    if (result_.columns.size() != result_.parent_columns.size())
      throw SqlError(sqlstate::kInvalidForeignKey,
                     "number of referencing and referenced columns for foreign key disagree");
    requireTypes();
    result_.on_delete = key_.on_delete;
    result_.on_update = key_.on_update;
    result_.is_full = key_.is_full;
    result_.is_deferrable = key_.is_deferrable;
    result_.is_deferred = key_.is_deferred;
    // All rows of a new table pass.
    result_.is_valid = table_.changed == nullptr || !key_.is_not_valid;
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool isSelf() const { return parent_ == nullptr; }
  [[nodiscard]] const std::vector<ColumnEntry>& parentColumns() const {
    return isSelf() ? table_.columns : parent_->columns;
  }
  [[nodiscard]] const std::string& parentName() const { return isSelf() ? table_.path.name : parent_->name; }

  [[nodiscard]] bool isUsed(const std::string& name) const {
    return std::ranges::find(table_.keys, name, &ForeignKeyEntry::name) != table_.keys.end() ||
           std::ranges::find(table_.constraint_names, name) != table_.constraint_names.end();
  }

  /// Whether the name means the table itself, which may be about to be made.
  [[nodiscard]] bool isTable(const CatalogView& catalog, const ObjectPath& written) const {
    if (written.name != table_.path.name) return false;
    if (!written.schema.empty()) return catalog.searchPath().actual(written.schema) == table_.path.schema;
    for (const std::string& schema : catalog.searchPath().schemas) {
      if (schema == table_.path.schema) return true;
      if (catalog.isTaken({schema, written.name})) return false;
    }
    return false;
  }

  void findParent() {
    const ast::RelationName& name = key_.parent;
    const CatalogView& catalog = state_.context.catalog;
    const ObjectPath written{name.schema, name.name};
    if (isTable(catalog, written)) {
      if (table_.changed != nullptr) result_.parent = table_.changed->oid;
      return;
    }
    const FoundRelation found = catalog.findRelation(written);
    if (!found) raiseNoRelation(catalog, written);
    if (found.index) throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is an index", name.name));
    parent_ = FromBinder(state_).findTable({name.schema, name.name, -1}, TableUse::Reference);
    if (isTemporaryPath(catalog, table_.path) != parent_->is_temporary)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     parent_->is_temporary ? "constraints on permanent tables may reference only permanent tables"
                                           : "constraints on temporary tables may reference only temporary tables");
    result_.parent = parent_->oid;
    if (std::ranges::find(table_.parents, parent_) == table_.parents.end()) table_.parents.push_back(parent_);
  }

  void bindSetColumns() {
    result_.set_columns = resolveColumns(table_.columns, key_.set_columns);
    for (size_t i = 0; i < result_.set_columns.size(); ++i)
      if (!contains(result_.columns, result_.set_columns[i]))
        throw SqlError(sqlstate::kInvalidColumnReference,
                       fmt::format("column \"{}\" referenced in ON DELETE SET action must be part of foreign key",
                                   key_.set_columns[i]));
    std::ranges::sort(result_.set_columns);
    const auto repeated = std::ranges::unique(result_.set_columns);
    result_.set_columns.erase(repeated.begin(), repeated.end());
  }

  [[nodiscard]] std::string chooseName() const {
    std::string columns;
    for (const std::string& name : key_.columns) columns += (columns.empty() ? "" : "_") + name;
    for (uint32_t attempt = 0;; ++attempt) {
      std::string name =
          composedName(table_.path.name, columns, attempt == 0 ? "fkey" : "fkey" + std::to_string(attempt));
      if (!isUsed(name) && !state_.context.catalog.hasConstraint({table_.path.schema, name}, table_.changed))
        return name;
    }
  }

  /// Calls `visit` with each index of the parent, and its oid, until it returns true.
  template <typename Visit>
  bool visitIndexes(Visit&& visit) const {
    const TableEntry* const entry = isSelf() ? table_.changed : parent_.get();
    if (entry != nullptr)
      for (const IndexPtr& index : entry->indexes) {
        const bool is_dropped =
            isSelf() && table_.dropped_indexes != nullptr &&
            std::ranges::find(*table_.dropped_indexes, index->name) != table_.dropped_indexes->end();
        if (!is_dropped && visit(*index, index->oid)) return true;
      }
    if (!isSelf()) return false;
    return std::ranges::any_of(table_.indexes, [&](const IndexSpecification& index) { return visit(index, 0); });
  }

  void bindParentColumns() {
    if (key_.parent_columns.empty()) {
      const bool has_primary = visitIndexes([&](const IndexSpecification& index, uint32_t oid) {
        if (!index.is_primary) return false;
        for (const IndexColumn& part : index.columns) result_.parent_columns.push_back(part.column);
        if (index.is_deferrable)
          throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                         fmt::format("cannot use a deferrable primary key for referenced table \"{}\"", parentName()));
        result_.parent_index = oid;
        return true;
      });
      if (!has_primary)
        throw SqlError(sqlstate::kUndefinedObject,
                       fmt::format("there is no primary key for referenced table \"{}\"", parentName()));
      return;
    }
    result_.parent_columns = resolveColumns(parentColumns(), key_.parent_columns);
    for (size_t i = 0; i < result_.parent_columns.size(); ++i)
      for (size_t other = 0; other < i; ++other)
        if (result_.parent_columns[i] == result_.parent_columns[other])
          throw SqlError(sqlstate::kInvalidForeignKey,
                         "foreign key referenced-columns list must not contain duplicates");
    bool is_deferrable = false;
    const bool is_unique = visitIndexes([&](const IndexSpecification& index, uint32_t oid) {
      if (!isUniqueOver(index, result_.parent_columns)) return false;
      is_deferrable = is_deferrable || index.is_deferrable;
      result_.parent_index = oid;
      return !index.is_deferrable;
    });
    if (!is_unique && is_deferrable)
      throw SqlError(
          sqlstate::kObjectNotInPrerequisiteState,
          fmt::format("cannot use a deferrable unique constraint for referenced table \"{}\"", parentName()));
    if (!is_unique)
      throw SqlError(
          sqlstate::kInvalidForeignKey,
          fmt::format("there is no unique constraint matching given keys for referenced table \"{}\"", parentName()));
  }

  void requireTypes() const {
    for (size_t i = 0; i < result_.columns.size(); ++i) {
      const ColumnEntry& child = table_.columns[result_.columns[i]];
      const ColumnEntry& parent = parentColumns()[result_.parent_columns[i]];
      switch (compareKeyTypes(child.type, parent.type)) {
        case KeyTypes::Comparable:
          break;
        case KeyTypes::Unsupported:
          throwNotSupported(fmt::format("a foreign key of type {} that refers to type {}", child.type.baseName(),
                                        parent.type.baseName()));
        case KeyTypes::Incomparable:
          throw SqlError(sqlstate::kDatatypeMismatch,
                         fmt::format("foreign key constraint \"{}\" cannot be implemented", result_.name))
              .detail(fmt::format("Key columns \"{}\" and \"{}\" are of incompatible types: {} and {}.", child.name,
                                  parent.name, child.type.baseName(), parent.type.baseName()));
      }
    }
  }

  BindState& state_;
  const ReferringTable& table_;
  const ast::ForeignKey& key_;
  TablePtr parent_;  ///< null: the table itself
  ForeignKeyEntry result_;
};

}  // namespace

std::string bindForeignKey(BindState& state, const ReferringTable& table, const ast::ForeignKey& key) {
  table.keys.push_back(KeyBinder(state, table, key).bind());
  return table.keys.back().name;
}

void finishForeignKeys(TableEntry& table, uint32_t number) {
  for (ForeignKeyEntry& key : table.foreign_keys) {
    if (key.number != 0) continue;
    key.number = number++;
    if (key.parent == 0) key.parent = table.oid;
    if (key.parent_index != 0) continue;
    const auto index = std::ranges::find_if(
        table.indexes, [&](const IndexPtr& each) { return isUniqueOver(*each, key.parent_columns); });
    CHECK(index != table.indexes.end(), "the binder saw the index");
    key.parent_index = (*index)->oid;
  }
}

}  // namespace gnomon::sql
