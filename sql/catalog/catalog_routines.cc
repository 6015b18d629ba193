#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/dependents.h"
#include "sql/catalog/routine_bodies.h"
#include "sql/catalog/routines.h"

/// What CatalogTransaction does for functions and procedures.
namespace gnomon::sql {

void CatalogTransaction::defineRoutine(const DefineRoutineStatement& statement, const DefinitionContext& context) {
  const TablePtr& before = statement.before;
  const ObjectPath path{statement.schema, routineKey(statement.routine)};
  if (before) {
    claim({before}, context);
    requireOwner(*this, *before);
  }
  claim(statement.used, context, {}, txn::LockMode::AccessShare);
  if (!before || before->schema != path.schema) useSchema(path.schema, context);
  if (!before || before->path() != path) {
    const auto require = [&] {
      const TablePtr taken = findEntry(path);
      if (!taken) return;
      throw SqlError(
          SqlState("42723"),
          before ? fmt::format("{} {} already exists in schema \"{}\"", routineKindName(*taken->routine),
                               routineSignature(*taken->routine), path.schema)
                 : fmt::format("function \"{}\" already exists with same argument types", statement.routine.name));
    };
    require();
    lockName(path, context);
    require();
  }
  auto entry = before ? std::make_shared<TableEntry>(*before) : std::make_shared<TableEntry>();
  entry->database = catalog_.databaseOid();
  entry->schema = path.schema;
  entry->name = path.name;
  entry->is_temporary = entry->schema == temporary_;
  entry->routine = std::make_shared<const RoutineEntry>(statement.routine);
  if (before) {
    redefine(before, std::move(entry), context);
    return followRoutines(*this, context);
  }
  entry->owner = claimRoleOf(context);
  catalog_.store().createStorage(*entry, nullptr, context.patience.cancel);
  changes_.push_back({.table = {nullptr, entry}, .storage = {}});
  catalog_.store().record(nullptr, entry.get(), context);
  see({nullptr, entry});
  followRoutines(*this, context);
}

void CatalogTransaction::dropRoutines(const DropRoutineStatement& drop, const DefinitionContext& context,
                                      std::vector<SqlError>* notices) {
  // From here on nobody defines what calls them.
  claim(drop.routines, context);
  while (true) {
    const Dependents dependents = dependentsOfDrop(drop.routines, drop.is_cascade);
    for (const TablePtr& routine : drop.routines) requireMayDrop(*this, *routine);
    std::vector<SqlError> said;
    if (!dropWith(dependents, context, said)) continue;
    followRoutines(*this, context);
    if (notices != nullptr) notices->insert(notices->end(), said.begin(), said.end());
    return;
  }
}

}  // namespace gnomon::sql
