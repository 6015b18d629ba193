#pragma once

#include <string>

namespace gnomon::sql::pg_catalog {

/// The query, as the deparser writes it in one line, in lines as pg_get_viewdef() shows it: clauses, items of the
/// select list and of FROM, joins, subqueries and the arms of CASE each where PostgreSQL has them.
/// Source: PostgreSQL 15, indentation of its rule utilities.
std::string laidOut(const std::string& query);

}  // namespace gnomon::sql::pg_catalog
