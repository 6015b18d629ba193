#pragma once

#include "sql/catalog/catalog.h"

namespace gnomon::server {

/// The system view pg_sequences: the sequences that are committed. The catalog outlives it.
sql::VirtualRelation sequencesView(const sql::Catalog& catalog);

}  // namespace gnomon::server
