#include <algorithm>

#include "sql/algebra/index_expressions.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/partitioning.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"

/// Rows about partitioned tables and partitions.
namespace gnomon::sql::pg_catalog {
namespace {

using Columns = std::vector<ColumnEntry>;

Type typeOf(const Columns& columns, std::string_view name) {
  return std::ranges::find(columns, name, &ColumnEntry::name)->type;
}

}  // namespace

VirtualRows inheritRows(const Columns& columns) {
  RowMaker rows(columns, {"inhrelid", "inhparent", "inhseqno", "inhdetachpending"});
  for (const TablePtr& table : requiredCatalogSession().catalog.tables()) {
    if (!table->partition) continue;
    rows.add({table->oid, table->partition->parent, 1, false});
    for (const IndexPtr& index : table->indexes)
      if (index->parent != 0) rows.add({index->oid, index->parent, 1, false});
  }
  return rows.take();
}

VirtualRows partitionedTableRows(const Columns& columns) {
  RowMaker rows(columns, {"partrelid", "partstrat", "partnatts", "partdefid", "partattrs", "partclass", "partcollation",
                          "partexprs"});
  static constexpr char kLetters[] = {'r', 'l', 'h'};
  for (const TablePtr& table : requiredCatalogSession().catalog.tables()) {
    if (!table->partitioning) continue;
    const PartitionKey& key = table->partitioning->key();
    std::vector<int64_t> attributes, classes, collations;
    std::string expressions;
    for (size_t i = 0; i < key.parts.size(); ++i) {
      const IndexColumn& part = key.parts[i];
      const bool is_column = part.column != IndexColumn::kExpression;
      attributes.push_back(is_column ? int64_t{numberOfColumn(*table, part.column)} : 0);
      const uint32_t tree_class = operatorClassOf(key.types[i]);
      classes.push_back(key.strategy == PartitionStrategy::Hash ? hashOperatorClass(tree_class) : tree_class);
      collations.push_back(collationOf(key.types[i]));
      if (!is_column) expressions.append(expressions.empty() ? "" : ", ").append(part.expression);
    }
    const TablePtr other = table->partitioning->defaultPartition();
    rows.add({table->oid, kLetters[static_cast<size_t>(key.strategy)], key.parts.size(), other ? other->oid : 0,
              arrayOfNumbers(typeOf(columns, "partattrs"), attributes),
              arrayOfNumbers(typeOf(columns, "partclass"), classes),
              arrayOfNumbers(typeOf(columns, "partcollation"), collations),
              expressions.empty() ? Field(nullptr) : Field(expressions)});
  }
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
