#include "sql/bind/stored_uses.h"

#include <algorithm>

#include "sql/catalog/dependent_views.h"

namespace gnomon::sql {

void addUse(std::vector<ViewEntry::Use>& uses, ViewEntry::Use use) {
  if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
}

void addNamedUses(const BindState& state, std::vector<ViewEntry::Use>& uses) {
  for (const TablePtr& table : state.tables) {
    if (!state.own_tables.contains(table->oid)) continue;
    addUse(uses, {table->oid});
    for (const IndexPtr& index : table->indexes)
      if (state.own_tables.contains(index->oid)) addUse(uses, {table->oid, kPrimaryKeyUse});
  }
}

}  // namespace gnomon::sql
