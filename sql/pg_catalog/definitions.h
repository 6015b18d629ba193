#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sql/bind/key_text.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/table_entry.h"

/// What PostgreSQL's pg_get_... functions say of tables, as SQL. `Parentheses::Needed` is their pretty form, in which
/// relations are also named as short as they can be.
namespace gnomon::sql::pg_catalog {

/// A DEFAULT as SQL; of an identity column, or none: nothing.
std::optional<std::string> defaultText(const CatalogView& catalog, const ColumnEntry& column, Parentheses parentheses);
/// The condition of a CHECK, or of a partial index; or expressions, with commas between them.
std::string conditionText(const CatalogView& catalog, const TableEntry& table, const std::string& condition,
                          Parentheses parentheses);
/// The columns that the condition of a CHECK mentions, as they come up.
std::vector<uint32_t> conditionColumns(const CatalogView& catalog, const TableEntry& table,
                                       const std::string& condition);
/// A part of an index's key: its column, or expression.
std::string keyPartText(const CatalogView& catalog, const TableEntry& table, const IndexColumn& part,
                        Parentheses parentheses);
/// What its WITH (...) says, as pg_class.reloptions has it.
std::vector<std::string> storageParameters(const IndexEntry& index);
/// CREATE INDEX ...
std::string indexText(const CatalogView& catalog, const TableEntry& table, const IndexEntry& index,
                      Parentheses parentheses);
/// PRIMARY KEY (...), UNIQUE (...): of an index that is a constraint.
std::string keyConstraintText(const TableEntry& table, const IndexEntry& index);
std::string checkText(const CatalogView& catalog, const TableEntry& table, const CheckEntry& check,
                      Parentheses parentheses);
std::string foreignKeyText(const CatalogView& catalog, const TableEntry& table, const ForeignKeyEntry& key);

/// CREATE TRIGGER ...
std::string triggerText(const CatalogView& catalog, const TableEntry& table, const TriggerEntry& trigger,
                        Parentheses parentheses);
/// Its clause of the constraint, with a blank behind it.
std::string deferralText(const TriggerEntry& trigger);

/// What is stored, or was made of it, with the names that routines and types have now (sql/bind/stored_reference.h).
std::string withShownObjects(const CatalogView& catalog, const std::string& text);
/// What is stored with references, with the names of now. `targets`: what of it is changed, and takes no names of
/// columns, and whether AS must stand before another name for it.
std::string withShownReferences(const CatalogView& catalog, const StoredReferences& references,
                                const std::map<const StoredReference*, bool>& targets = {});
/// What the view shows.
std::string viewText(const CatalogView& catalog, const ViewEntry& view);

/// A body in the manner of the SQL standard: RETURN ..., or BEGIN ATOMIC ... END in lines.
std::string bodyText(const CatalogView& catalog, const TableEntry& routine);

}  // namespace gnomon::sql::pg_catalog
