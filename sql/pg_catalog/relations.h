#pragma once

#include <vector>

#include "sql/catalog/catalog.h"

/// The relations of schemas pg_catalog and information_schema, made of what the session's transaction sees.
namespace gnomon::sql::pg_catalog {

/// Adds all of them; before sessions begin. Those that PostgreSQL has, and of which Gnomon has nothing, have no rows.
void addRelations(Catalog& catalog);

// The rows of one relation each, which has these columns. Threads: any that works for a session.
VirtualRows classRows(const std::vector<ColumnEntry>& columns);
VirtualRows attributeRows(const std::vector<ColumnEntry>& columns);
VirtualRows defaultRows(const std::vector<ColumnEntry>& columns);
VirtualRows indexRows(const std::vector<ColumnEntry>& columns);
VirtualRows constraintRows(const std::vector<ColumnEntry>& columns);
VirtualRows sequenceRows(const std::vector<ColumnEntry>& columns);
VirtualRows rewriteRows(const std::vector<ColumnEntry>& columns);
VirtualRows dependRows(const std::vector<ColumnEntry>& columns);
VirtualRows typeRows(const std::vector<ColumnEntry>& columns);
VirtualRows procedureRows(const std::vector<ColumnEntry>& columns);
VirtualRows operatorClassRows(const std::vector<ColumnEntry>& columns);
VirtualRows namespaceRows(const std::vector<ColumnEntry>& columns);
VirtualRows accessMethodRows(const std::vector<ColumnEntry>& columns);
VirtualRows databaseRows(const std::vector<ColumnEntry>& columns);
VirtualRows roleRows(const std::vector<ColumnEntry>& columns);
VirtualRows collationRows(const std::vector<ColumnEntry>& columns);
VirtualRows tablespaceRows(const std::vector<ColumnEntry>& columns);
VirtualRows languageRows(const std::vector<ColumnEntry>& columns);
VirtualRows settingRows(const std::vector<ColumnEntry>& columns);

}  // namespace gnomon::sql::pg_catalog
