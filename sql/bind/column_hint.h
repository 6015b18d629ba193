#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/bind/scope.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

/// The hint of "column x does not exist": the column, or the two, of what the statement has met whose names are the
/// closest, or the one that cannot be referred to here. `table`: the name in front of the column's; empty: there is
/// none. Empty: nothing is close.
///
/// Source: PostgreSQL's rules: at most three edits, and no more than half of the letters.
std::string columnHint(const FromLevels& levels, std::string_view table, std::string_view column);

/// The names of a table's columns, as FromEntry has them.
std::vector<std::string> columnNames(const TableEntry& table);

}  // namespace gnomon::sql
