#pragma once

#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// REINDEX. Failure: 42P01, 42809, 3F000; 42601 for options that PostgreSQL does not know; 0A000.
ReindexStatement bindReindex(BindState& state, const ast::Reindex& reindex);

}  // namespace gnomon::sql
