#include <algorithm>
#include <span>

#include "sql/catalog/catalog_session.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"

/// Rows about types and functions.
namespace gnomon::sql::pg_catalog {
namespace {

using Columns = std::vector<ColumnEntry>;

Type typeOfColumn(const Columns& columns, std::string_view name) {
  return std::ranges::find(columns, name, &ColumnEntry::name)->type;
}

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
               facts.collation,
               below,
               value != nullptr && value->not_null,
               has_default ? Field(value->default_text) : Field(nullptr),
               has_default ? Field(value->default_text) : Field(nullptr),
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

VirtualRows procedureRows(const Columns& columns) {
  RowMaker rows(
      columns, {"oid", "proname", "pronamespace", "proowner", "prolang", "procost", "prorows", "prokind", "proisstrict",
                "proretset", "provolatile", "proparallel", "pronargs", "prorettype", "proargtypes", "prosrc"});
  constexpr uint32_t kInternal = 12;
  const Type vector = typeOfColumn(columns, "proargtypes");
  for (const ProcedureFacts& facts : procedureFacts()) {
    const std::vector<int64_t> arguments(facts.arguments.begin(), facts.arguments.end());
    rows.add({facts.oid, facts.name, kCatalogSchemaOid, kRoleOid, kInternal, 1.0, facts.returns_set ? 1000.0 : 0.0,
              facts.kind, facts.is_strict, facts.returns_set, facts.volatility, 's', arguments.size(), facts.result,
              arrayOfNumbers(vector, arguments), facts.name});
  }
  return rows.take();
}

namespace {

constexpr uint32_t kBtree = 403, kHash = 405;

struct OperatorClassFacts {
  uint32_t oid;
  std::string_view name;
  uint32_t family, type;
  bool is_default;
};

constexpr OperatorClassFacts kBtreeClasses[] = {{10000, "array_ops", 397, 2277, true},
                                                {10003, "bool_ops", 424, 16, true},
                                                {10004, "bpchar_ops", 426, 1042, true},
                                                {10006, "bytea_ops", 428, 17, true},
                                                {10007, "char_ops", 429, 18, true},
                                                {3122, "date_ops", 434, 1082, true},
                                                {10012, "float4_ops", 1970, 700, true},
                                                {3123, "float8_ops", 1970, 701, true},
                                                {1979, "int2_ops", 1976, 21, true},
                                                {1978, "int4_ops", 1976, 23, true},
                                                {3124, "int8_ops", 1976, 20, true},
                                                {10022, "interval_ops", 1982, 1186, true},
                                                {10028, "name_ops", 1994, 19, true},
                                                {3125, "numeric_ops", 1988, 1700, true},
                                                {1981, "oid_ops", 1989, 26, true},
                                                {3126, "text_ops", 1994, 25, true},
                                                {10038, "time_ops", 1996, 1083, true},
                                                {3127, "timestamptz_ops", 434, 1184, true},
                                                {10044, "varchar_ops", 1994, 25, false},
                                                {3128, "timestamp_ops", 434, 1114, true},
                                                {10065, "uuid_ops", 2968, 2950, true},
                                                {10069, "enum_ops", 3522, 3500, true},
                                                {10034, "record_ops", 2994, 2249, true},
                                                {10088, "jsonb_ops", 4033, 3802, true},
                                                {4217, "text_pattern_ops", 2095, 25, false},
                                                {4218, "varchar_pattern_ops", 2095, 25, false},
                                                {4219, "bpchar_pattern_ops", 2097, 1042, false}};
constexpr OperatorClassFacts kHashClasses[] = {{10001, "array_ops", 627, 2277, true},
                                               {10048, "bool_ops", 2222, 16, true},
                                               {10005, "bpchar_ops", 427, 1042, true},
                                               {10049, "bytea_ops", 2223, 17, true},
                                               {10008, "char_ops", 431, 18, true},
                                               {10011, "date_ops", 435, 1082, true},
                                               {10013, "float4_ops", 1971, 700, true},
                                               {10014, "float8_ops", 1971, 701, true},
                                               {10019, "int2_ops", 1977, 21, true},
                                               {10020, "int4_ops", 1977, 23, true},
                                               {10021, "int8_ops", 1977, 20, true},
                                               {10023, "interval_ops", 1983, 1186, true},
                                               {10029, "name_ops", 1995, 19, true},
                                               {10030, "numeric_ops", 1998, 1700, true},
                                               {10031, "oid_ops", 1990, 26, true},
                                               {10037, "text_ops", 1995, 25, true},
                                               {10039, "time_ops", 1997, 1083, true},
                                               {10040, "timestamptz_ops", 1999, 1184, true},
                                               {10045, "varchar_ops", 1995, 25, false},
                                               {10046, "timestamp_ops", 2040, 1114, true},
                                               {10066, "uuid_ops", 2969, 2950, true},
                                               {10070, "enum_ops", 3523, 3500, true},
                                               {10035, "record_ops", 6194, 2249, true},
                                               {10089, "jsonb_ops", 4034, 3802, true},
                                               {10056, "text_pattern_ops", 2229, 25, false},
                                               {10057, "varchar_pattern_ops", 2229, 25, false},
                                               {10058, "bpchar_pattern_ops", 2231, 1042, false}};

}  // namespace

uint32_t hashOperatorClass(uint32_t btree) {
  const auto class_of = std::ranges::find(kBtreeClasses, btree, &OperatorClassFacts::oid);
  if (class_of == std::end(kBtreeClasses)) return btree;
  const auto found = std::ranges::find(kHashClasses, class_of->name, &OperatorClassFacts::name);
  return found == std::end(kHashClasses) ? btree : found->oid;
}

VirtualRows operatorClassRows(const Columns& columns) {
  RowMaker rows(columns,
                {"oid", "opcmethod", "opcname", "opcnamespace", "opcowner", "opcfamily", "opcintype", "opcdefault"});
  const auto add = [&](uint32_t method, std::span<const OperatorClassFacts> classes) {
    for (const OperatorClassFacts& each : classes)
      rows.add({each.oid, method, each.name, kCatalogSchemaOid, kRoleOid, each.family, each.type, each.is_default});
  };
  add(kBtree, kBtreeClasses);
  add(kHash, kHashClasses);
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
