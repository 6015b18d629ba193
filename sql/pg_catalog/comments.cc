#include "sql/pg_catalog/comments.h"

#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/extensions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"

namespace gnomon::sql::pg_catalog {
namespace {

struct SystemComment {
  uint32_t oid, catalog;
  std::string text;
};

/// Those that tools show: languages, extensions, access methods and collations.
const std::vector<SystemComment>& systemComments() {
  static const std::vector<SystemComment> comments = {
      {kInternalLanguage, kLanguageClass, "built-in functions"},
      {kCLanguage, kLanguageClass, "dynamically-loaded C functions"},
      {kSqlLanguage, kLanguageClass, "SQL-language functions"},
      {kPlpgsqlLanguageOid, kLanguageClass, "PL/pgSQL procedural language"},
      {kPlpgsqlExtensionOid, kExtensionClass, "PL/pgSQL procedural language"},
      {2, kMethodClass, "heap table access method"},
      {403, kMethodClass, "b-tree index access method"},
      {405, kMethodClass, "hash index access method"},
      {2742, kMethodClass, "GIN index access method"},
      {100, kCollationClass, "database's default collation"},
      {950, kCollationClass, "standard C collation"},
      {951, kCollationClass, "standard POSIX collation"},
  };
  return comments;
}

}  // namespace

ObjectComments::ObjectComments(const CatalogView& catalog)
    : tables_(catalog.tables()),
      types_(catalog.types()),
      routines_(catalog.routines()),
      extensions_(installedExtensions(catalog)),
      schemas_(catalog.schemas()) {
  for (const SystemComment& each : systemComments()) add(each.oid, each.catalog, 0, each.text);
  for (const TablePtr& table : tables_) addTable(*table);
  for (const TablePtr& type : types_) addType(*type);
  for (const TablePtr& routine : routines_) add(routine->oid, kProcedureClass, 0, routine->comment);
  for (const TablePtr& entry : extensions_) add(entry->oid, kExtensionClass, 0, extensionComment(*entry));
  for (const SchemaPtr& schema : schemas_) add(schema->oid, kNamespaceClass, 0, schema->comment);
}

void ObjectComments::add(uint32_t oid, uint32_t catalog, int32_t part, const std::string& text) {
  if (!text.empty()) comments_.push_back({oid, catalog, part, &text});
}

void ObjectComments::addTable(const TableEntry& table) {
  add(table.oid, kClassClass, 0, table.comment);
  for (const uint32_t column : columnsInOrder(table))
    add(table.oid, kClassClass, static_cast<int32_t>(numberOfColumn(table, column)), table.columns[column].comment);
  for (const IndexPtr& index : table.indexes) add(index->oid, kClassClass, 0, index->comment);
  for (const Constraint& each : constraintsOf(table))
    add(each.oid, kConstraintClass, 0,
        each.key != nullptr     ? each.key->constraint_comment
        : each.check != nullptr ? each.check->comment
                                : each.reference->comment);
}

/// Attributes of a composite type are columns of its relation.
void ObjectComments::addType(const TableEntry& type) {
  add(type.oid | (type.type->form == TypeEntry::Form::Composite ? kRowTypeBit : 0), kTypeClass, 0, type.comment);
  if (type.type->form == TypeEntry::Form::Composite)
    for (size_t i = 0; i < type.columns.size(); ++i)
      add(type.oid, kClassClass, static_cast<int32_t>(i + 1), type.columns[i].comment);
  for (const Constraint& each : constraintsOf(type))
    if (each.check != nullptr) add(each.oid, kConstraintClass, 0, each.check->comment);
}

std::optional<std::string> commentOn(const CatalogView& catalog, uint32_t oid, uint32_t in_catalog, int32_t part) {
  const ObjectComments comments(catalog);
  for (const ObjectComment& each : comments.all())
    if (each.oid == oid && each.part == part && (in_catalog == 0 || each.catalog == in_catalog)) return *each.text;
  return std::nullopt;
}

VirtualRows descriptionRows(const std::vector<ColumnEntry>& columns) {
  RowMaker rows(columns, {"objoid", "classoid", "objsubid", "description"});
  const ObjectComments comments(requiredCatalogSession().catalog);
  for (const ObjectComment& each : comments.all()) rows.add({each.oid, each.catalog, each.part, *each.text});
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
