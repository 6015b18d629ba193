#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/dependents.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/routine_bodies.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "storage/relation/scan.h"

/// Definitions of types that users make.
namespace gnomon::sql {
namespace {

/// Looks at the values of a column for a change of their domain.
class ValueTest {
 public:
  ValueTest(const DefineTypeStatement& domain, RowChecker* checker) : domain_(domain), checker_(checker) {}

  void run(const TableEntry& table, const std::vector<uint32_t>& columns, const CancelToken& cancel) const {
    storage::RowCursor row(table.storage->relation(), table.storage->readBound());
    for (uint64_t rows = 0; row.next(); ++rows) {
      if (rows % 1024 == 0) cancel.poll();
      for (const uint32_t column : columns) require(table, row, column);
    }
  }

 private:
  void require(const TableEntry& table, const storage::RowCursor& row, uint32_t column) const {
    const std::string& name = table.columns[column].name;
    const uint8_t is_null = row.isNull(column) ? 1 : 0;
    if (domain_.tests_nulls && is_null != 0)
      throw SqlError(sqlstate::kNotNullViolation,
                     fmt::format("column \"{}\" of table \"{}\" contains null values", name, table.name))
          .table(table.schema, table.name)
          .column(name);
    if (checker_ == nullptr) return;
    const storage::Datum value = is_null != 0 ? storage::Datum{0, 0} : row.value(column);
    if (checker_->firstViolation(&value, &is_null) == RowChecker::kNone) return;
    throw SqlError(
        sqlstate::kCheckViolation,
        fmt::format("column \"{}\" of table \"{}\" contains values that violate the new constraint", name, table.name))
        .table(table.schema, table.name)
        .column(name);
  }

  const DefineTypeStatement& domain_;
  RowChecker* const checker_;
};

}  // namespace

/// For a name that a type is to have.
void CatalogTransaction::requireFreeType(const ObjectPath& path, const DefinitionContext& context) {
  const auto require = [&] {
    if (findEntry(path) != nullptr)
      throw SqlError(sqlstate::kDuplicateObject, fmt::format("type \"{}\" already exists", path.name));
    // Indexes and relations of the system have the names of types only elsewhere.
    if (isTaken(path))
      throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", path.name));
  };
  require();
  lockName(path, context);
  require();
}

/// Values of the domain, and of those above it, in tables whose writers wait.
void CatalogTransaction::testValues(const DefineTypeStatement& statement, RowChecker* checker,
                                    const DefinitionContext& context) {
  if (checker == nullptr && !statement.tests_nulls) return;
  std::vector<uint32_t> domains{statement.before->oid};
  for (size_t i = 0; i < domains.size(); ++i)
    for (const TablePtr& type : types())
      if (type->type->form == TypeEntry::Form::Domain && type->type->base_domain == domains[i])
        domains.push_back(type->oid);
  std::vector<TablePtr> tested;
  const auto isTested = [&](const ColumnEntry& column) {
    return !column.isDropped() && std::ranges::find(domains, column.domain) != domains.end();
  };
  for (const TablePtr& table : tables())
    if (!table->view && std::ranges::any_of(table->columns, isTested)) tested.push_back(table);
  // In the order in which they were made.
  std::ranges::sort(tested, {}, &TableEntry::oid);
  claim(tested, context, {}, txn::LockMode::Share);
  const ValueTest test(statement, checker);
  for (const TablePtr& table : tested) {
    std::vector<uint32_t> columns;
    for (uint32_t column = 0; column < table->columns.size(); ++column)
      if (isTested(table->columns[column])) columns.push_back(column);
    test.run(*table, columns, context.patience.cancel);
  }
}

/// Types of columns that are to be stay until the transaction ends.
void CatalogTransaction::claimTypes(const std::vector<ColumnEntry>& columns, const DefinitionContext& context) {
  std::vector<TablePtr> used;
  const auto add = [&](uint32_t oid) {
    if (oid == 0) return;
    TablePtr entry = findEntry(oid);
    if (!entry) throw SqlError(sqlstate::kUndefinedObject, fmt::format("type with OID {} does not exist", oid));
    if (entry->type && rightsOn(*this, actors().current, *entry, Privilege::Usage) == Privilege::None)
      throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for type {}", shownName(*entry)));
    if (std::ranges::find(used, entry) == used.end()) used.push_back(std::move(entry));
  };
  for (const ColumnEntry& column : columns) {
    if (column.isDropped()) continue;
    add(domainOid(column.domain));
    if (column.type.isDefined()) add(column.type.definition());
  }
  if (!used.empty()) claim(used, context, {}, txn::LockMode::AccessShare);
}

void CatalogTransaction::defineType(const DefineTypeStatement& statement, RowChecker* checker,
                                    const DefinitionContext& context) {
  if (statement.changes_nothing) return;
  const TablePtr& before = statement.before;
  if (before) claim({before}, context);
  claim(statement.used, context, {}, txn::LockMode::AccessShare);
  if (!before) useSchema(statement.path.schema, context);
  if (!before || before->path() != statement.path) requireFreeType(statement.path, context);
  testValues(statement, checker, context);
  auto type = std::make_shared<TypeEntry>(statement.type);
  std::vector<uint32_t> added;
  for (TypeEntry::Label& label : type->labels)
    if (label.oid == 0) {
      label.oid = catalog_.newOid();
      if (before) added.push_back(label.oid);
    }
  auto entry = before ? std::make_shared<TableEntry>(*before) : std::make_shared<TableEntry>();
  entry->database = catalog_.databaseOid();
  entry->schema = statement.path.schema;
  entry->name = statement.path.name;
  entry->is_temporary = entry->schema == temporary_;
  if (!before) entry->owner = claimRoleOf(context);
  if (!before) entry->acl = firstAcl(*this, 'T', entry->schema);
  entry->columns = statement.columns;
  entry->checks = statement.checks;
  entry->type = std::move(type);
  entry->check_expressions = bindCheckExpressions(*entry);
  storeNewColumns(entry->columns);
  Change& change = changes_.emplace_back();
  // A type has no rows: where its columns change it gets new storage, as an emptied table does.
  catalog_.store().createStorage(*entry, before ? before->storage->lock() : nullptr, context.patience.cancel);
  change.table = {before, entry};
  catalog_.store().record(before.get(), entry.get(), context);
  for (const uint32_t label : added) new_labels_.emplace(label, changes_.size() - 1);
  see({before, entry});
  followRoutines(*this, context);
}

void CatalogTransaction::dropTypes(const DropTypeStatement& statement, const DefinitionContext& context,
                                   std::vector<SqlError>* notices) {
  while (true) {
    std::vector<TablePtr> dropped;
    std::vector<SqlError> said;
    for (const ObjectPath& path : statement.names) {
      TablePtr entry = findType(path.schema, path.name);
      if (!entry) {
        passOver(path, "type", statement.if_exists, &said);
        continue;
      }
      if (statement.are_domains && (!entry->type || entry->type->form != TypeEntry::Form::Domain))
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a domain", path.shown()));
      if (!entry->type) {
        const std::string owner = describe(*this, *entry);
        throw SqlError(sqlstate::kDependentObjectsStillExist,
                       fmt::format("cannot drop type {} because {} requires it", shownName(*entry), owner))
            .hint(fmt::format("You can drop {} instead.", owner));
      }
      requireMayDrop(*this, *entry);
      if (std::ranges::find(dropped, entry) == dropped.end()) dropped.push_back(std::move(entry));
    }
    const Dependents dependents = dependentsOfDrop(dropped, statement.is_cascade);
    if (!dropWith(dependents, context, said)) continue;
    followRoutines(*this, context);
    if (notices != nullptr) notices->insert(notices->end(), said.begin(), said.end());
    return;
  }
}

}  // namespace gnomon::sql
