#include "sql/catalog/routine_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/sql_error.h"
#include "sql/algebra/index_expressions.h"
#include "sql/bind/index_definition.h"
#include "sql/catalog/partitioning.h"

namespace gnomon::sql {
namespace {

bool testsDomain(const ExpressionPtr& expression) {
  return (expression->kind == Expression::Kind::ArrayCall && expression->function == FunctionId::CheckDomain) ||
         std::ranges::any_of(expression->children, testsDomain);
}

/// Whether they have bodies of routines as parts, or domains, whose checks may come to call some.
bool hasBodies(const std::shared_ptr<const IndexExpressions>& expressions) {
  return expressions && (!expressions->routines.empty() || std::ranges::any_of(expressions->parts, testsDomain) ||
                         std::ranges::any_of(expressions->predicate, testsDomain));
}

/// Whether they are no longer what they were. `name`: whose they are.
bool isOther(const CatalogView& catalog, const TableEntry& table, const IndexSpecification& index,
             const IndexExpressions& before, const std::string& name) {
  try {
    const auto now = bindIndexExpressions(table.columns, index, catalog);
    return !computeAlike(before, *now) || now->texts != before.texts || now->routines != before.routines;
  } catch (const SqlError& error) {
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("changing what a function means that {} calls is not supported", name))
        .detail(error.message());
  }
}

/// Its rows are where the key has put them.
void requireSameKey(const CatalogView& catalog, const TableEntry& table) {
  if (!table.partitioning || !hasBodies(table.partitioning->key().expressions)) return;
  const PartitionKey& key = table.partitioning->key();
  IndexSpecification parts;
  parts.columns = key.parts;
  const std::string name = fmt::format("the partition key of table \"{}\"", table.name);
  if (isOther(catalog, table, parts, *key.expressions, name))
    throwNotSupported("changing what a function means that " + name + " calls");
}

}  // namespace

void followRoutines(CatalogTransaction& catalog, const DefinitionContext& context) {
  ReindexStatement anew;
  for (const TablePtr& table : catalog.entries()) {
    requireSameKey(catalog, *table);
    ReindexStatement::Target target;
    for (const IndexPtr& index : table->indexes)
      if (hasBodies(index->expressions) &&
          isOther(catalog, *table, *index, *index->expressions, fmt::format("index \"{}\"", index->name)))
        target.indexes.push_back(index->oid);
    if (target.indexes.empty()) continue;
    target.table = table;
    anew.targets.push_back(std::move(target));
  }
  if (!anew.targets.empty()) catalog.reindex(anew, context);
}

}  // namespace gnomon::sql
