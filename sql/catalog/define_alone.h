#pragma once

#include <utility>

#include "sql/catalog/catalog_transaction.h"
#include "txn/local_transaction.h"

namespace gnomon::sql {

/// Defines as a transaction of its own, for those who have no session: `define` gets the CatalogTransaction and the
/// DefinitionContext.
template <typename Define>
void defineAlone(Catalog& catalog, txn::TransactionManager& manager, const CancelToken& cancel, Define&& define) {
  CatalogTransaction definitions(catalog);
  txn::LocalTransaction transaction(manager, cancel);
  define(definitions, DefinitionContext{manager, transaction.context().transaction, {cancel}});
  transaction.commit();
  definitions.commit();
}

}  // namespace gnomon::sql
