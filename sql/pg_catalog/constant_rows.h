#pragma once

#include <string_view>
#include <vector>

#include "sql/catalog/virtual_relation.h"
#include "sql/pg_catalog/facts.h"

namespace gnomon::sql::pg_catalog {

/// Takes a word off the text, and the separator behind it.
std::string_view cutWord(std::string_view& text, char separator = ' ');
/// The same of a number. The text has one.
uint32_t cutNumber(std::string_view& text);

/// The rows of a relation with these columns; what is not given is the system's: its schema, its owner, or nothing.
VirtualRows constantRows(const ConstantRows& facts, const std::vector<ColumnEntry>& columns);

}  // namespace gnomon::sql::pg_catalog
