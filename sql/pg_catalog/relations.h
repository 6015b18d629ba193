#pragma once

#include <vector>

#include "sql/catalog/catalog.h"

/// The relations of schemas pg_catalog and information_schema, made of what the session's transaction sees.
namespace gnomon::sql::pg_catalog {

/// Adds all of them; before sessions begin. Those that PostgreSQL has, and of which Gnomon has nothing, have no rows.
void addRelations(Catalog& catalog);

// The rows of one relation each, which has these columns. Threads: any that works for a session.
VirtualRows descriptionRows(const std::vector<ColumnEntry>& columns);
VirtualRows classRows(const std::vector<ColumnEntry>& columns);
VirtualRows attributeRows(const std::vector<ColumnEntry>& columns);
VirtualRows defaultRows(const std::vector<ColumnEntry>& columns);
VirtualRows indexRows(const std::vector<ColumnEntry>& columns);
VirtualRows constraintRows(const std::vector<ColumnEntry>& columns);
VirtualRows sequenceRows(const std::vector<ColumnEntry>& columns);
VirtualRows rewriteRows(const std::vector<ColumnEntry>& columns);
VirtualRows dependRows(const std::vector<ColumnEntry>& columns);
VirtualRows enumRows(const std::vector<ColumnEntry>& columns);
VirtualRows triggerRows(const std::vector<ColumnEntry>& columns);
VirtualRows typeRows(const std::vector<ColumnEntry>& columns);
VirtualRows procedureRows(const std::vector<ColumnEntry>& columns);
/// The class of hash indexes that has the name of a class of trees.
uint32_t hashOperatorClass(uint32_t btree);
VirtualRows namespaceRows(const std::vector<ColumnEntry>& columns);
VirtualRows accessMethodRows(const std::vector<ColumnEntry>& columns);
VirtualRows databaseRows(const std::vector<ColumnEntry>& columns);
VirtualRows sharedDescriptionRows(const std::vector<ColumnEntry>& columns);
VirtualRows roleRows(const std::vector<ColumnEntry>& columns);
VirtualRows authorizationRows(const std::vector<ColumnEntry>& columns);
VirtualRows membershipRows(const std::vector<ColumnEntry>& columns);
VirtualRows roleSettingRows(const std::vector<ColumnEntry>& columns);
VirtualRows defaultAclRows(const std::vector<ColumnEntry>& columns);
VirtualRows collationRows(const std::vector<ColumnEntry>& columns);
VirtualRows tablespaceRows(const std::vector<ColumnEntry>& columns);
VirtualRows extensionRows(const std::vector<ColumnEntry>& columns);
VirtualRows availableExtensionRows(const std::vector<ColumnEntry>& columns);
VirtualRows languageRows(const std::vector<ColumnEntry>& columns);
VirtualRows inheritRows(const std::vector<ColumnEntry>& columns);
VirtualRows partitionedTableRows(const std::vector<ColumnEntry>& columns);
VirtualRows zoneRows(const std::vector<ColumnEntry>& columns);
VirtualRows zoneAbbreviationRows(const std::vector<ColumnEntry>& columns);
VirtualRows settingRows(const std::vector<ColumnEntry>& columns);

}  // namespace gnomon::sql::pg_catalog
