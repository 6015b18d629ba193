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
      : rows_(columns, {"oid",          "typname",     "typnamespace",   "typowner",     "typlen",    "typbyval",
                        "typtype",      "typcategory", "typispreferred", "typisdefined", "typdelim",  "typrelid",
                        "typsubscript", "typelem",     "typarray",       "typinput",     "typoutput", "typreceive",
                        "typsend",      "typmodin",    "typmodout",      "typanalyze",   "typalign",  "typstorage",
                        "typtypmod",    "typcollation"}) {}

  void add(const TypeFacts& facts, std::string_view name, uint32_t schema, uint32_t relation) {
    const auto& functions = facts.functions;
    rows_.add({facts.oid,
               name,
               schema,
               kRoleOid,
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
               -1,
               facts.collation});
  }
  VirtualRows take() { return rows_.take(); }

 private:
  RowMaker rows_;
};

/// Of the rows of a table.
TypeFacts rowFacts(const TableEntry& table) {
  constexpr uint32_t kIn = 2290, kOut = 2291, kReceive = 2402, kSend = 2403;
  return {.oid = rowTypeOid(table),
          .array = rowArrayOid(table),
          .name = table.name,
          .length = -1,
          .is_by_value = false,
          .category = 'C',
          .is_preferred = false,
          .align = 'd',
          .storage = 'x',
          .functions = {kIn, kOut, kReceive, kSend, 0, 0, 0, 0},
          .collation = 0,
          .element = 0,
          .kind = 'c'};
}

}  // namespace

VirtualRows typeRows(const Columns& columns) {
  TypeRows rows(columns);
  for (const TypeFacts& facts : typeFacts()) {
    rows.add(facts, facts.name, kCatalogSchemaOid, 0);
    if (facts.array != 0) rows.add(arrayFacts(facts), "_" + std::string(facts.name), kCatalogSchemaOid, 0);
  }
  for (const TablePtr& table : requiredCatalogSession().catalog.tables()) {
    if (table->sequence) continue;
    const uint32_t schema = schemaOid(table->schema);
    const TypeFacts facts = rowFacts(*table);
    rows.add(facts, table->name, schema, table->oid);
    TypeFacts array = arrayFacts(facts);
    array.kind = 'b';
    rows.add(array, "_" + table->name, schema, 0);
  }
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

VirtualRows operatorClassRows(const Columns& columns) {
  struct Class {
    uint32_t oid;
    std::string_view name;
    uint32_t family, type;
    bool is_default;
  };
  static constexpr Class kClasses[] = {
      {10000, "array_ops", 397, 2277, true},   {10003, "bool_ops", 424, 16, true},
      {10004, "bpchar_ops", 426, 1042, true},  {10006, "bytea_ops", 428, 17, true},
      {10007, "char_ops", 429, 18, true},      {3122, "date_ops", 434, 1082, true},
      {10012, "float4_ops", 1970, 700, true},  {3123, "float8_ops", 1970, 701, true},
      {1979, "int2_ops", 1976, 21, true},      {1978, "int4_ops", 1976, 23, true},
      {3124, "int8_ops", 1976, 20, true},      {10022, "interval_ops", 1982, 1186, true},
      {10028, "name_ops", 1994, 19, true},     {3125, "numeric_ops", 1988, 1700, true},
      {1981, "oid_ops", 1989, 26, true},       {3126, "text_ops", 1994, 25, true},
      {10038, "time_ops", 1996, 1083, true},   {3127, "timestamptz_ops", 434, 1184, true},
      {10044, "varchar_ops", 1994, 25, false}, {3128, "timestamp_ops", 434, 1114, true},
      {10065, "uuid_ops", 2968, 2950, true}};
  RowMaker rows(columns,
                {"oid", "opcmethod", "opcname", "opcnamespace", "opcowner", "opcfamily", "opcintype", "opcdefault"});
  constexpr uint32_t kBtree = 403;
  for (const Class& each : kClasses)
    rows.add({each.oid, kBtree, each.name, kCatalogSchemaOid, kRoleOid, each.family, each.type, each.is_default});
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
