#pragma once

#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

/// How what a name stands for is dropped instead.
inline const char* dropHint(const FoundRelation& found) {
  if (found.index) return "Use DROP INDEX to remove an index.";
  if (found.system ? found.system->kind == 'v' : found.table->view != nullptr) return "Use DROP VIEW to remove a view.";
  if (found.table && found.table->materialized) return "Use DROP MATERIALIZED VIEW to remove a materialized view.";
  const bool is_sequence = found.table && found.table->sequence;
  return is_sequence ? "Use DROP SEQUENCE to remove a sequence." : "Use DROP TABLE to remove a table.";
}

}  // namespace gnomon::sql
