#include <algorithm>
#include <map>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/cascade_notice.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependent_types.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/dependents.h"
#include "sql/catalog/stored_schema.h"

/// What CatalogTransaction does for all that goes along with something.
namespace gnomon::sql {
namespace {

using Kind = Dependent::Kind;

/// The table, or another entry, without a part of it.
void removePart(TableEntry& table, const Dependent& part) {
  const auto isNamed = [&](const auto& each) { return each.name == part.name; };
  switch (part.kind) {
    case Kind::Column: {
      ColumnEntry& column = table.columns[part.number];
      column.name.clear();
      column.default_text.clear();
      column.not_null = false;
      column.identity = Identity::None;
      column.is_generated = false;
      column.domain = 0;
      return;
    }
    case Kind::Default:
      table.columns[part.number].default_text.clear();
      return;
    case Kind::Check:
      std::erase_if(table.checks, isNamed);
      return;
    case Kind::Index:
      std::erase_if(table.indexes, [&](const IndexPtr& index) { return isNamed(*index); });
      return;
    case Kind::Trigger:
      std::erase_if(table.triggers, isNamed);
      return;
    case Kind::Entry:
    case Kind::ForeignKey:
      return;
  }
}

}  // namespace

/// Of all that goes, and what has parts that go, nobody else uses anything until the transaction ends. False: somebody
/// else dropped or changed one of them meanwhile; the caller looks again.
bool CatalogTransaction::claimDependents(const Dependents& dependents, const DefinitionContext& context) {
  std::vector<TablePtr> concerned;
  for (const Dependent& each : dependents.all())
    if (std::ranges::find(concerned, each.entry) == concerned.end()) concerned.push_back(each.entry);
  try {
    claim(neighboursOf(concerned, {}), context);
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kUndefinedTable) throw;
    return false;
  }
  return true;
}

/// Rows of a table that loses columns have the columns of the table as it was, where they are values. Failure: 0A000.
void CatalogTransaction::requireNoStoredRows(const TablePtr& table, const Dependents& dependents) const {
  const std::vector<Dependent> gone = dependents.all();
  for (const DependentType& user : dependentTypes(*this, {table})) {
    const bool goes = std::ranges::any_of(gone, [&](const Dependent& each) {
      return each.entry->oid == user.entry->oid &&
             (each.kind == Kind::Entry || (each.kind == Kind::Column && each.number == user.column));
    });
    if (user.column != DependentType::kWhole && !goes)
      throwNotSupported("dropping a column of " + describe(*this, *table) + ", whose rows are values of " +
                        user.describe(*this) + ",");
  }
}

/// They are claimed.
void CatalogTransaction::removeDependents(const Dependents& dependents, const DefinitionContext& context) {
  removeKeys(dependents.keys(), context);
  std::map<uint32_t, std::vector<Dependent>> parts;  // by entry
  for (Dependent& each : dependents.all())
    if (each.kind != Kind::Entry && each.kind != Kind::ForeignKey) parts[each.entry->oid].push_back(std::move(each));
  for (const auto& [oid, gone] : parts) {
    const TablePtr before = findEntry(oid);
    auto after = std::make_shared<TableEntry>(*before);
    for (const Dependent& each : gone) removePart(*after, each);
    const bool has_columns = std::ranges::find(gone, Kind::Column, &Dependent::kind) != gone.end();
    if (has_columns && before->type) throwNotSupported("DROP ... CASCADE of a type of attributes");
    if (has_columns) requireNoStoredRows(before, dependents);
    after->check_expressions = bindCheckExpressions(*after);
    if (has_columns) storeChangedColumns(before->columns, after->columns, {});
    if (has_columns || after->indexes.size() != before->indexes.size())
      change(before, after, nullptr, context);
    else
      redefine(before, std::move(after), context);
  }
  remove(dependents.entries(), context);
}

/// What DROP does of things that are claimed along with what needs them. False: as claimDependents.
bool CatalogTransaction::dropWith(const Dependents& dependents, const DefinitionContext& context,
                                  std::vector<SqlError>& notices) {
  if (!claimDependents(dependents, context)) return false;
  if (!dependents.isEmpty()) notices.push_back(cascadeNotice(dependents.told()));
  removeDependents(dependents, context);
  return true;
}

/// Things that are to be dropped, and what needs them. Failure: 2BP01 where that is anything, unless it goes as well.
Dependents CatalogTransaction::dependentsOfDrop(const std::vector<TablePtr>& dropped, bool is_cascade) const {
  Dependents dependents(*this);
  for (const TablePtr& each : dropped) dependents.drop(each);
  dependents.finish();
  if (!dependents.isEmpty() && !is_cascade)
    throw dependents.stillThere(dropped.size() == 1 ? describe(*this, *dropped.front())
                                                    : std::string(Dependents::kSeveral));
  return dependents;
}

}  // namespace gnomon::sql
