#include "sql/catalog/virtual_relation.h"

#include "base/assert.h"

namespace gnomon::sql {

void VirtualRelations::add(VirtualRelation relation) {
  CHECK(find(relation.schema, relation.name) == nullptr, "C2");
  CHECK(relation.rows != nullptr, "a virtual relation makes rows");
  relations_.push_back(std::make_shared<const VirtualRelation>(std::move(relation)));
}

VirtualRelationPtr VirtualRelations::find(std::string_view schema, std::string_view name) const {
  for (const VirtualRelationPtr& relation : relations_)
    if (relation->name == name && relation->schema == schema) return relation;
  return nullptr;
}

}  // namespace gnomon::sql
