#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/stored_body.h"
#include "sql/catalog/stored_schema.h"

/// What CatalogTransaction does for views.
namespace gnomon::sql {

void CatalogTransaction::createView(const CreateViewStatement& statement, const DefinitionContext& context) {
  auto view = std::make_shared<const ViewEntry>(statement.view);
  std::vector<TablePtr> used = statement.used;
  std::erase(used, statement.replaced);
  if (statement.replaced) {
    const TablePtr& before = statement.replaced;
    claim({before}, context);
    claim(used, context, {}, txn::LockMode::AccessShare);
    auto after = std::make_shared<TableEntry>(*before);
    after->columns.insert(after->columns.end(),
                          statement.columns.begin() + static_cast<ptrdiff_t>(before->columns.size()),
                          statement.columns.end());
    std::vector<Value> added;
    for (size_t i = before->columns.size(); i < after->columns.size(); ++i)
      added.push_back(Value::null(after->columns[i].type));
    storeChangedColumns(before->columns, after->columns, added);
    after->view = std::move(view);
    change(before, after, nullptr, context);
    return;
  }
  useSchema(statement.path.schema, context);
  requireFree(statement.path, context);
  claim(used, context, {}, txn::LockMode::AccessShare);
  auto entry = std::make_shared<TableEntry>();
  entry->database = catalog_.databaseOid();
  entry->schema = statement.path.schema;
  entry->name = statement.path.name;
  entry->is_temporary = entry->schema == temporary_;
  entry->owner = claimRoleOf(context);
  if (!entry->is_temporary) entry->acl = firstAcl(*this, 'r', entry->schema);
  entry->columns = statement.columns;
  entry->view = std::move(view);
  storeNewColumns(entry->columns);
  Change& change = changes_.emplace_back();
  catalog_.store().createStorage(*entry, nullptr, context.patience.cancel);
  change.table.after = entry;
  catalog_.store().record(nullptr, entry.get(), context);
  see({nullptr, entry});
}

void CatalogTransaction::refreshView(const RefreshViewStatement& statement, const DefinitionContext& context) {
  const TablePtr& before = statement.view;
  if (statement.is_concurrent) return claim({before}, context, {}, txn::LockMode::Exclusive);
  claim({before}, context);
  auto query = std::make_shared<ViewEntry>(*before->materialized);
  query->is_populated = statement.has_data;
  auto after = std::make_shared<TableEntry>(*before);
  after->materialized = std::move(query);
  replaceStorage(before, after, context);
}

/// Views and routines that read the table, where it renames columns.
std::vector<TablePtr> CatalogTransaction::viewsToTell(const AlterTableStatement& statement) const {
  const std::vector<ColumnEntry>& before = statement.table->columns;
  for (size_t i = 0; i < before.size(); ++i) {
    const std::string& now = statement.columns[i].name;
    if (!now.empty() && now != before[i].name) return viewsReading(*this, *statement.table, ViewEntry::Use::kNoColumn);
  }
  return {};
}

/// They are claimed.
void CatalogTransaction::tellViews(const TableEntry& before, const TableEntry& after,
                                   const std::vector<TablePtr>& views, const DefinitionContext& context) {
  const auto telling = [&](const std::string& text) {
    StoredReferences references(text);
    for (uint32_t i = 0; i < before.columns.size(); ++i)
      if (before.columns[i].name != after.columns[i].name)
        references.renameColumn(before.oid, i, before.columns[i].name);
    return references.with(references.sql());
  };
  for (const TablePtr& view : views) {
    auto told = std::make_shared<TableEntry>(*view);
    if (view->routine) {
      StoredBody body = StoredBody::of(*view->routine);
      body.statements = telling(body.statements);
      auto routine = std::make_shared<RoutineEntry>(*view->routine);
      routine->body = body.text();
      told->routine = std::move(routine);
    } else {
      auto query = std::make_shared<ViewEntry>(*view->query());
      query->query = telling(query->query);
      (view->materialized ? told->materialized : told->view) = std::move(query);
    }
    redefine(view, std::move(told), context);
  }
}

}  // namespace gnomon::sql
