#pragma once

#include <vector>

#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/triggers.h"

namespace gnomon::sql {

/// What a transaction defines of triggers: a part of CatalogTransaction. Threads: its.
class TriggerDefiner {
 public:
  explicit TriggerDefiner(CatalogTransaction& catalog) : catalog_(catalog) {}

  /// Tables, or views, get other triggers, once nobody uses them. Failure: 57014.
  void define(const DefineTriggersStatement& statement, const DefinitionContext& context);
  /// A partition that is being made one has the row triggers of its table, and no longer those of a former one.
  /// `above`: null: it is none any more. Failure: 42710 where it has one of the name.
  void adopt(TableEntry& partition, const TableEntry* above);
  /// They are claimed.
  void remove(const std::vector<DependentTrigger>& triggers, const DefinitionContext& context);
  /// Those that call one of the routines among what was dropped, once nobody uses their tables.
  void removeCalling(const std::vector<TablePtr>& dropped, const DefinitionContext& context);

 private:
  CatalogTransaction& catalog_;
};

}  // namespace gnomon::sql
