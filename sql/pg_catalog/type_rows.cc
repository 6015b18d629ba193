#include <algorithm>
#include <span>

#include "sql/catalog/catalog_session.h"
#include "sql/pg_catalog/definitions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"

/// Rows about types and functions.
namespace gnomon::sql::pg_catalog {
namespace {

using Columns = std::vector<ColumnEntry>;

class TypeRows {
 public:
  explicit TypeRows(const Columns& columns)
      : rows_(columns, {"oid",          "typname",      "typnamespace",   "typowner",     "typlen",     "typbyval",
                        "typtype",      "typcategory",  "typispreferred", "typisdefined", "typdelim",   "typrelid",
                        "typsubscript", "typelem",      "typarray",       "typinput",     "typoutput",  "typreceive",
                        "typsend",      "typmodin",     "typmodout",      "typanalyze",   "typalign",   "typstorage",
                        "typtypmod",    "typcollation", "typbasetype",    "typnotnull",   "typdefault", "typdefaultbin",
                        "typacl"}),
        acls_(std::ranges::find(columns, "typacl", &ColumnEntry::name)->type) {}

  /// `domain`: null: it is none.
  void add(const TypeFacts& facts, std::string_view name, uint32_t schema, uint32_t relation,
           const TableEntry* domain = nullptr, const TableEntry* user_type = nullptr) {
    const ColumnEntry* const value = domain == nullptr ? nullptr : &domain->columns.front();
    const bool has_default = value != nullptr && !value->default_text.empty();
    const std::string shown =
        has_default ? withShownObjects(requiredCatalogSession().catalog, value->default_text) : std::string();
    const uint32_t below = value == nullptr                 ? 0
                           : domain->type->base_domain != 0 ? domain->type->base_domain
                                                            : value->type.oid();
    const bool is_limited = value != nullptr && domain->type->base_domain == 0;
    const auto& functions = facts.functions;
    rows_.add({facts.oid,
               name,
               schema,
               user_type != nullptr ? user_type->owner : kRoleOid,
               facts.length,
               facts.is_by_value,
               facts.kind,
               facts.category,
               facts.is_preferred,
               true,
               ',',
               relation,
               functions[7],
               facts.element,
               facts.array,
               functions[0],
               functions[1],
               functions[2],
               functions[3],
               functions[4],
               functions[5],
               functions[6],
               facts.align,
               facts.storage,
               is_limited ? value->type.modifier() : -1,
               value == nullptr ? facts.collation : collationOf(value->type),
               below,
               value != nullptr && value->not_null,
               has_default ? Field(shown) : Field(nullptr),
               has_default ? Field(shown) : Field(nullptr),
               user_type != nullptr && user_type->type ? aclField(acls_, user_type->acl) : Field(nullptr)});
  }
  VirtualRows take() { return rows_.take(); }

 private:
  RowMaker rows_;
  const Type acls_;  ///< of typacl
};

}  // namespace

VirtualRows typeRows(const Columns& columns) {
  TypeRows rows(columns);
  for (const TypeFacts& facts : typeFacts()) {
    rows.add(facts, facts.name, kCatalogSchemaOid, 0);
    if (facts.array != 0) rows.add(arrayFacts(facts), "_" + std::string(facts.name), kCatalogSchemaOid, 0);
  }
  for (const TablePtr& entry : requiredCatalogSession().catalog.entries()) {
    if (entry->routine) continue;
    if (entry->sequence) continue;
    const uint32_t schema = schemaOid(entry->schema);
    const TypeFacts facts = userTypeFacts(*entry);
    rows.add(facts, entry->name, schema, facts.kind == 'c' ? entry->oid : 0, facts.kind == 'd' ? entry.get() : nullptr,
             entry.get());
    TypeFacts array = arrayFacts(facts);
    array.kind = 'b';
    rows.add(array, "_" + entry->name, schema, 0, nullptr, entry.get());
  }
  return rows.take();
}

VirtualRows enumRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "enumtypid", "enumsortorder", "enumlabel"});
  for (const TablePtr& entry : requiredCatalogSession().catalog.types())
    for (const TypeEntry::Label& label : entry->type->labels)
      rows.add({label.oid, entry->oid, static_cast<double>(label.sort_order), label.name});
  return rows.take();
}

uint32_t hashOperatorClass(uint32_t btree) {
  const auto& all = operatorClassFacts();
  const auto class_of = std::ranges::find(all, btree, &OperatorClassFacts::oid);
  if (class_of == all.end()) return btree;
  const OperatorClassFacts* const found = findOperatorClass(kHashMethod, class_of->name);
  return found == nullptr ? btree : found->oid;
}

}  // namespace gnomon::sql::pg_catalog
