#pragma once

#include <cstddef>
#include <string>

namespace gnomon::sql::pg_catalog {

/// The query, as the deparser writes it in one line, in lines as pg_get_viewdef() shows it: clauses, items of the
/// select list and of FROM, joins, subqueries and the arms of CASE each where PostgreSQL has them.
/// So is a change. `indent`: by how much all lines but the first stand further right.
/// Source: PostgreSQL 15, indentation of its rule utilities.
std::string laidOut(const std::string& query, size_t indent = 0);

}  // namespace gnomon::sql::pg_catalog
