#include <fmt/format.h>

#include "sql/algebra/index_expressions.h"
#include "sql/bind/coercion.h"
#include "sql/bind/collation.h"
#include "sql/bind/partition_definition.h"
#include "sql/bind/sequence_reference.h"
#include "sql/bind/storage_parameters.h"
#include "sql/bind/stored_expression.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/partitioning.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/definitions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"
#include "txn/sequence.h"
#include "txn/table.h"

/// Rows about tables and what belongs to them.
namespace gnomon::sql::pg_catalog {
namespace {

using Columns = std::vector<ColumnEntry>;

constexpr uint32_t kHeap = 2;
/// pg_class, pg_attrdef and pg_rewrite, where pg_depend speaks of them.
constexpr uint32_t kOfClass = 1259, kOfDefault = 2604, kOfRule = 2618;

std::vector<TablePtr> tables() {
  return requiredCatalogSession().catalog.tables();
}

/// What has columns, as pg_attribute has them.
struct AttributeFacts {
  int64_t length = 0;
  bool is_by_value = false;
  char align = 'i', storage = 'p';
};

AttributeFacts attributeFacts(Type type) {
  const TypeFacts own = factsOf(type);
  if (own.oid == 0) return {};
  return {own.length, own.is_by_value, own.align, own.storage};
}

class AttributeRows {
 public:
  explicit AttributeRows(const Columns& columns)
      : rows_(columns, {"attrelid",    "attname",      "atttypid",    "attstattarget", "attlen",       "attnum",
                        "attndims",    "attcacheoff",  "atttypmod",   "attbyval",      "attalign",     "attstorage",
                        "attnotnull",  "atthasdef",    "attidentity", "attgenerated",  "attisdropped", "attislocal",
                        "attinhcount", "attcollation", "attacl"}),
        acls_(std::ranges::find(columns, "attacl", &ColumnEntry::name)->type) {}

  void add(uint32_t relation, size_t number, const ColumnEntry& column, bool is_inherited = false) {
    const Type type = column.type;
    const AttributeFacts facts = attributeFacts(type);
    const bool is_dropped = column.isDropped();
    const std::string_view identity = column.identity == Identity::Always      ? "a"
                                      : column.identity == Identity::ByDefault ? "d"
                                                                               : "";
    rows_.add({relation,
               is_dropped ? fmt::format("........pg.dropped.{}........", number) : column.name,
               is_dropped           ? 0
               : column.domain != 0 ? column.domain
                                    : type.oid(),
               -1,
               facts.length,
               number,
               type.isArray() && (column.domain == 0 || isDomainArray(column.domain)) ? 1 : 0,
               -1,
               column.domain != 0 ? -1 : type.modifier(),
               facts.is_by_value,
               facts.align,
               facts.storage,
               column.not_null && !is_dropped,
               hasDefault(column),
               identity,
               column.is_generated ? "s" : "",
               is_dropped,
               !is_inherited,
               is_inherited ? 1 : 0,
               is_dropped ? 0 : collationOf(type),
               aclField(acls_, column.acl)});
  }
  VirtualRows take() { return rows_.take(); }

 private:
  RowMaker rows_;
  const Type acls_;  ///< of attacl
};

Type partType(const TableEntry& table, const IndexEntry& index, size_t part) {
  if (part >= index.columns.size()) return table.columns[index.included[part - index.columns.size()]].type;
  const IndexColumn& column = index.columns[part];
  if (column.column != IndexColumn::kExpression) return table.columns[column.column].type;
  return writtenPart(*index.expressions->parts[part]).type;
}

/// The table's column that a part is, if also by a collation; IndexColumn::kExpression: it is none.
uint32_t partColumn(const IndexEntry& index, size_t part) {
  if (index.columns[part].column != IndexColumn::kExpression) return index.columns[part].column;
  // The body of a routine may be no more than its input.
  const bool has_bodies = !index.expressions->routines.empty();
  if (has_bodies && !calledRoutines(StoredExpression(index.columns[part].expression).tree()).empty())
    return IndexColumn::kExpression;
  const Expression& value = *writtenPart(*index.expressions->parts[part]).value;
  return value.kind == Expression::Kind::Column ? value.iu->id : IndexColumn::kExpression;
}

uint32_t methodOid(IndexMethod method) {
  return method == IndexMethod::Hash ? kHashMethod : method == IndexMethod::Gin ? kGinMethod : kBtreeMethod;
}

/// What an index keeps of a part: an inverted one its keys.
Type keptType(const TableEntry& table, const IndexEntry& index, size_t part) {
  const Type type = partType(table, index, part);
  if (index.method != IndexMethod::Gin) return type;
  if (type.isArray()) return WantedKind(type.element()).type();
  return Type::of(index.columns[part].operator_class == OperatorClass::JsonbPath ? TypeKind::Integer : TypeKind::Text);
}

std::string_view kindOf(const TableEntry& table) {
  return table.view ? "v" : table.materialized ? "m" : table.sequence ? "S" : table.partitioning ? "p" : "r";
}

char persistenceOf(const TableEntry& table) {
  return table.is_temporary ? 't' : table.options.is_unlogged ? 'u' : 'p';
}

std::vector<std::string> optionTexts(const TableEntry& table) {
  if (!table.view) return storageParameterTexts(table.options);
  std::vector<std::string> texts;
  if (table.view->is_invoker) texts.emplace_back("security_invoker=true");
  if (table.view->check_option != CheckOption::None)
    texts.emplace_back(table.view->check_option == CheckOption::Local ? "check_option=local" : "check_option=cascaded");
  return texts;
}

}  // namespace

uint32_t operatorClassOf(Type type) {
  if (type.isArray()) return 10000;
  if (type.isEnum()) return 10069;
  if (type.isRecord()) return 10034;
  switch (type.kind) {
    case TypeKind::Boolean:
      return 10003;
    case TypeKind::Smallint:
      return 1979;
    case TypeKind::Integer:
      return 1978;
    case TypeKind::Bigint:
      return 3124;
    case TypeKind::Numeric:
      return 3125;
    case TypeKind::Real:
      return 10012;
    case TypeKind::Double:
      return 3123;
    case TypeKind::Char:
      return 10004;
    case TypeKind::Bytea:
      return 10006;
    case TypeKind::Date:
      return 3122;
    case TypeKind::Timestamp:
      return 3128;
    case TypeKind::TimestampTz:
      return 3127;
    case TypeKind::Time:
      return 10038;
    case TypeKind::Interval:
      return 10022;
    case TypeKind::Uuid:
      return 10065;
    case TypeKind::TimeTz:
      return 10041;
    case TypeKind::Bit:
      return 10002;
    case TypeKind::VarBit:
      return 10043;
    case TypeKind::Inet:
    case TypeKind::Cidr:
      return 10015;
    case TypeKind::MacAddr:
      return 10024;
    case TypeKind::MacAddr8:
      return 10026;
    case TypeKind::PgLsn:
      return 10067;
    case TypeKind::Money:
      return 10047;
    case TypeKind::Xid8:
      return 10053;
    case TypeKind::Tid:
      return 10050;
    case TypeKind::Jsonb:
      return 10088;
    case TypeKind::Name:
      return 10028;
    case TypeKind::InternalChar:
      return 10007;
    default:
      return type.isOid() ? 1981 : 3126;
  }
}

namespace {

uint32_t operatorClass(Type type, OperatorClass named, IndexMethod method) {
  constexpr uint32_t kFirstPattern = 4217;
  if (method == IndexMethod::Gin)
    return findOperatorClass(kGinMethod, type.isArray()                      ? "array_ops"
                                         : named == OperatorClass::JsonbPath ? "jsonb_path_ops"
                                                                             : "jsonb_ops")
        ->oid;
  if (method == IndexMethod::Hash) return hashOperatorClass(operatorClassOf(type));
  if (named != OperatorClass::Default) return kFirstPattern + static_cast<uint32_t>(named) - 1;
  return operatorClassOf(type);
}

std::string numbersOf(std::string_view column, const Columns& columns, const std::vector<int64_t>& numbers) {
  return arrayOfNumbers(std::ranges::find(columns, column, &ColumnEntry::name)->type, numbers);
}

/// NULL for none.
Field textsOf(std::string_view column, const Columns& columns, const std::vector<std::string>& texts) {
  if (texts.empty()) return nullptr;
  return arrayOfTexts(std::ranges::find(columns, column, &ColumnEntry::name)->type, texts);
}

/// The constraint of the table above that a partition's is a part of; 0: none.
uint32_t parentOf(const Constraint& constraint, const TableEntry& above) {
  for (const Constraint& each : constraintsOf(above)) {
    const bool is_it = constraint.key != nullptr     ? each.key != nullptr && constraint.key->parent == each.key->oid
                       : constraint.check != nullptr ? each.check != nullptr && each.name() == constraint.name()
                       : each.reference == nullptr   ? false
                                                     : each.name() == constraint.name();
    if (is_it) return each.oid;
  }
  return 0;
}

/// Of a part of a foreign key, that of which it is one: for the table above the one that it refers to.
uint32_t parentOfPart(const TableEntry& table, const ForeignKeyEntry& part) {
  const TablePtr referred = findTable(requiredCatalogSession().catalog, part.parent);
  const uint32_t above = referred && referred->partition ? referred->partition->parent : 0;
  uint32_t result = 0;
  for (const Constraint& each : constraintsOf(table)) {
    if (each.reference == nullptr) continue;
    const bool is_whole = each.reference->number == part.part_of;
    const bool is_sibling = each.reference->part_of == part.part_of && each.reference->parent == above;
    if (is_sibling || (is_whole && result == 0)) result = each.oid;
  }
  return result;
}

char actionLetter(ReferentialAction action) {
  switch (action) {
    case ReferentialAction::NoAction:
      return 'a';
    case ReferentialAction::Restrict:
      return 'r';
    case ReferentialAction::Cascade:
      return 'c';
    case ReferentialAction::SetNull:
      return 'n';
    case ReferentialAction::SetDefault:
      return 'd';
  }
  return 'a';
}

}  // namespace

VirtualRows classRows(const Columns& columns) {
  RowMaker rows(columns,
                {"oid",         "relname",        "relnamespace",   "reltype",        "relowner",       "relam",
                 "relfilenode", "reltuples",      "relpages",       "relhasindex",    "relpersistence", "relkind",
                 "relnatts",    "relchecks",      "relhasrules",    "relhastriggers", "relispopulated", "relreplident",
                 "reloptions",  "relhassubclass", "relispartition", "relpartbound",   "relacl"});
  const Type acls = std::ranges::find(columns, "relacl", &ColumnEntry::name)->type;
  for (const TablePtr& table : tables()) {
    const bool is_partitioned = table->partitioning != nullptr;
    const bool is_table = isPlainTable(*table) && !is_partitioned;
    const uint64_t count = is_table ? table->storage->relation().tupleCount() : table->sequence ? 1 : 0;
    const uint64_t pages = is_table ? table->storage->relation().leafCount() : table->sequence ? 1 : 0;
    rows.add({table->oid,
              table->name,
              schemaOid(table->schema),
              table->sequence ? 0 : rowTypeOid(*table),
              table->owner,
              is_table ? kHeap : 0,
              table->view || is_partitioned ? 0 : table->oid,
              table->view || is_partitioned ? -1.0 : static_cast<double>(count),
              pages,
              !table->indexes.empty(),
              persistenceOf(*table),
              kindOf(*table),
              columnNumberCount(*table),
              table->checks.size(),
              table->query() != nullptr,
              !table->foreign_keys.empty() || !table->referring_keys.empty() || !table->triggers.empty(),
              !table->materialized || table->materialized->is_populated,
              is_table || is_partitioned ? 'd' : 'n',
              textsOf("reloptions", columns, optionTexts(*table)),
              is_partitioned,
              table->partition != nullptr,
              table->partition ? Field(boundText(table->partition->bound)) : Field(nullptr),
              aclField(acls, table->acl)});
    for (const IndexPtr& index : table->indexes)
      rows.add({index->oid,
                index->name,
                schemaOid(table->schema),
                0,
                table->owner,
                methodOid(index->method),
                is_partitioned ? 0 : index->oid,
                static_cast<double>(count),
                0,
                false,
                persistenceOf(*table),
                is_partitioned ? 'I' : 'i',
                index->columns.size() + index->included.size(),
                0,
                false,
                false,
                true,
                'n',
                textsOf("reloptions", columns, storageParameters(*index)),
                is_partitioned,
                index->parent != 0,
                nullptr,
                nullptr});
  }
  for (const TablePtr& type : requiredCatalogSession().catalog.types())
    if (type->type->form == TypeEntry::Form::Composite)
      rows.add({type->oid,
                type->name,
                schemaOid(type->schema),
                rowTypeOid(*type),
                type->owner,
                0,
                0,
                0.0,
                0,
                false,
                'p',
                'c',
                type->columns.size(),
                0,
                false,
                false,
                true,
                'n',
                nullptr,
                false,
                false,
                nullptr,
                nullptr});
  Acl for_all = defaultAcl(Securable::Table, kRoleOid);
  for_all.insert(for_all.begin(), {kPublicGrantee, kRoleOid, Privilege::Select, Privilege::None});
  const auto open_acl = std::make_shared<const Acl>(std::move(for_all));
  for (const VirtualRelationPtr& relation : requiredCatalogSession().catalog.virtualRelations())
    rows.add({relation->oid,
              relation->name,
              schemaOid(relation->schema),
              0,
              kRoleOid,
              relation->kind == 'r' ? kHeap : 0,
              relation->kind == 'r' ? relation->oid : 0,
              -1.0,
              0,
              false,
              'p',
              relation->kind,
              relation->columns.size(),
              0,
              relation->kind == 'v',
              false,
              true,
              'n',
              nullptr,
              false,
              false,
              nullptr,
              relation->is_superusers ? Field(nullptr) : aclField(acls, open_acl)});
  return rows.take();
}

VirtualRows attributeRows(const Columns& columns) {
  AttributeRows rows(columns);
  for (const TablePtr& table : tables()) {
    for (size_t number = 1; number <= columnNumberCount(*table); ++number) {
      const uint32_t column = columnOfNumber(*table, number);
      rows.add(table->oid, number, column == kNoColumn ? ColumnEntry() : table->columns[column],
               table->partition != nullptr);
    }
    for (const IndexPtr& index : table->indexes) {
      const std::vector<std::string> names = indexColumnNames(*table, *index);
      for (size_t i = 0; i < names.size(); ++i) {
        ColumnEntry part;
        part.name = names[i];
        part.type = keptType(*table, *index, i);
        rows.add(index->oid, i + 1, part);
      }
    }
  }
  for (const TablePtr& type : requiredCatalogSession().catalog.types())
    if (type->type->form == TypeEntry::Form::Composite)
      for (size_t i = 0; i < type->columns.size(); ++i) rows.add(type->oid, i + 1, type->columns[i]);
  for (const VirtualRelationPtr& relation : requiredCatalogSession().catalog.virtualRelations())
    for (size_t i = 0; i < relation->columns.size(); ++i) rows.add(relation->oid, i + 1, relation->columns[i]);
  return rows.take();
}

VirtualRows defaultRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "adrelid", "adnum", "adbin"});
  for (const TablePtr& table : tables())
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      const ColumnEntry& column = table->columns[i];
      if (hasDefault(column))
        rows.add({defaultOid(*table, i), table->oid, numberOfColumn(*table, i), storedDefault(i, column)});
    }
  return rows.take();
}

VirtualRows indexRows(const Columns& columns) {
  RowMaker rows(columns, {"indexrelid", "indrelid", "indnatts", "indnkeyatts", "indisunique", "indnullsnotdistinct",
                          "indisprimary", "indimmediate", "indisvalid", "indisready", "indislive", "indkey",
                          "indcollation", "indclass", "indoption", "indexprs", "indpred"});
  constexpr int64_t kDescending = 1, kNullsFirst = 2;
  for (const TablePtr& table : tables()) {
    for (const IndexPtr& index : table->indexes) {
      std::vector<int64_t> keys, collations, classes, options;
      std::string expressions;
      for (size_t i = 0; i < index->columns.size(); ++i) {
        const IndexColumn& part = index->columns[i];
        const uint32_t column = partColumn(*index, i);
        const bool is_column = column != IndexColumn::kExpression;
        const Type type = partType(*table, *index, i);
        keys.push_back(is_column ? int64_t{numberOfColumn(*table, column)} : 0);
        collations.push_back(collationOf(type));
        classes.push_back(operatorClass(type, part.operator_class, index->method));
        options.push_back((part.descending ? kDescending : 0) + (part.nulls_first ? kNullsFirst : 0));
        if (!is_column) expressions.append(expressions.empty() ? "" : ", ").append(part.expression);
      }
      for (const uint32_t column : index->included) keys.push_back(numberOfColumn(*table, column));
      rows.add({index->oid, table->oid, index->columns.size() + index->included.size(), index->columns.size(),
                index->is_unique, index->nulls_are_equal, index->is_primary, !index->is_deferrable, index->is_valid,
                true, true, numbersOf("indkey", columns, keys), numbersOf("indcollation", columns, collations),
                numbersOf("indclass", columns, classes), numbersOf("indoption", columns, options),
                expressions.empty() ? Field(nullptr) : Field(expressions),
                index->predicate.empty() ? Field(nullptr) : Field(index->predicate)});
    }
  }
  return rows.take();
}

VirtualRows constraintRows(const Columns& columns) {
  RowMaker rows(columns,
                {"oid",           "conname",    "connamespace", "contype",    "condeferrable", "condeferred",
                 "convalidated",  "conrelid",   "conindid",     "confrelid",  "confupdtype",   "confdeltype",
                 "confmatchtype", "conislocal", "connoinherit", "conkey",     "confkey",       "confdelsetcols",
                 "conbin",        "contypid",   "conparentid",  "coninhcount"});
  const auto numbers = [&](std::string_view column, const TableEntry& table, const std::vector<uint32_t>& of) {
    return numbersOf(column, columns, numbersOfColumns(table, of));
  };
  for (const TablePtr& table : tables()) {
    const TablePtr above =
        table->partition ? findTable(requiredCatalogSession().catalog, table->partition->parent) : nullptr;
    for (const Constraint& each : constraintsOf(*table)) {
      const uint32_t schema = schemaOid(table->schema);
      const bool is_part = each.reference != nullptr && each.reference->part_of != 0;
      const uint32_t parent = is_part ? parentOfPart(*table, *each.reference) : above ? parentOf(each, *above) : 0;
      const bool is_inherited = parent != 0;
      // Checks are known by their names alone.
      const uint32_t shown_parent = each.check != nullptr ? 0 : parent;
      if (each.key != nullptr) {
        std::vector<uint32_t> keys;
        for (const IndexColumn& part : each.key->columns) keys.push_back(part.column);
        rows.add({each.oid,
                  each.name(),
                  schema,
                  each.key->is_primary ? 'p' : 'u',
                  each.key->is_deferrable,
                  each.key->is_deferred,
                  true,
                  table->oid,
                  each.key->oid,
                  0,
                  ' ',
                  ' ',
                  ' ',
                  !is_inherited,
                  true,
                  numbers("conkey", *table, keys),
                  nullptr,
                  nullptr,
                  nullptr,
                  0,
                  shown_parent,
                  is_inherited ? 1 : 0});
      } else if (each.check != nullptr) {
        const auto read = conditionColumns(requiredCatalogSession().catalog, *table, each.check->expression);
        rows.add({each.oid,
                  each.name(),
                  schema,
                  'c',
                  false,
                  false,
                  each.check->is_valid,
                  table->oid,
                  0,
                  0,
                  ' ',
                  ' ',
                  ' ',
                  !is_inherited,
                  each.check->is_no_inherit,
                  numbers("conkey", *table, read),
                  nullptr,
                  nullptr,
                  each.check->expression,
                  0,
                  shown_parent,
                  is_inherited ? 1 : 0});
      } else {
        const ForeignKeyEntry& key = *each.reference;
        const TablePtr found = findTable(requiredCatalogSession().catalog, key.parent);
        const TableEntry* const referred = found ? found.get() : table.get();
        rows.add({each.oid,
                  each.name(),
                  schema,
                  'f',
                  key.is_deferrable,
                  key.is_deferred,
                  key.is_valid,
                  table->oid,
                  key.parent_index,
                  key.parent,
                  actionLetter(key.on_update),
                  actionLetter(key.on_delete),
                  key.is_full ? 'f' : 's',
                  !is_inherited,
                  key.part_of == 0,
                  numbers("conkey", *table, key.columns),
                  numbers("confkey", *referred, key.parent_columns),
                  key.set_columns.empty() ? Field(nullptr) : Field(numbers("confdelsetcols", *table, key.set_columns)),
                  nullptr,
                  0,
                  shown_parent,
                  is_inherited ? 1 : 0});
      }
    }
  }
  for (const TablePtr& table : requiredCatalogSession().catalog.entries())
    for (const TriggerEntry& trigger : table->triggers)
      if (trigger.is_constraint)
        rows.add({trigger.constraint,
                  trigger.name,
                  schemaOid(table->schema),
                  't',
                  trigger.is_deferrable,
                  trigger.is_deferred,
                  true,
                  table->oid,
                  0,
                  trigger.referenced,
                  ' ',
                  ' ',
                  ' ',
                  true,
                  true,
                  nullptr,
                  nullptr,
                  nullptr,
                  nullptr,
                  0,
                  0,
                  0});
  for (const TablePtr& type : requiredCatalogSession().catalog.types())
    for (const Constraint& each : constraintsOf(*type))
      rows.add({each.oid,
                each.name(),
                schemaOid(type->schema),
                'c',
                false,
                false,
                each.check->is_valid,
                0,
                0,
                0,
                ' ',
                ' ',
                ' ',
                true,
                false,
                nullptr,
                nullptr,
                nullptr,
                each.check->expression,
                type->oid,
                0,
                0});
  return rows.take();
}

VirtualRows sequenceRows(const Columns& columns) {
  RowMaker rows(columns,
                {"seqrelid", "seqtypid", "seqstart", "seqincrement", "seqmax", "seqmin", "seqcache", "seqcycle"});
  for (const TablePtr& table : tables()) {
    if (!table->sequence) continue;
    const txn::SequenceRange& range = table->sequence->range;
    rows.add({table->oid, Type::of(table->sequence->type).oid(), table->sequence->start, range.increment, range.maximum,
              range.minimum, range.cache, range.is_cycle});
  }
  return rows.take();
}

VirtualRows rewriteRows(const Columns& columns) {
  RowMaker rows(columns, {"oid", "rulename", "ev_class", "ev_type", "ev_enabled", "is_instead", "ev_action"});
  for (const TablePtr& table : tables())
    if (table->query() != nullptr)
      rows.add({ruleOid(*table), "_RETURN", table->oid, '1', 'O', true,
                viewText(requiredCatalogSession().catalog, *table->query())});
  return rows.take();
}

namespace {

/// Null: it has none.
IndexPtr primaryKeyOf(uint32_t table) {
  const TablePtr entry = requiredCatalogSession().catalog.findEntry(table);
  if (!entry) return nullptr;
  const auto found = std::ranges::find(entry->indexes, true, &IndexEntry::is_primary);
  return found == entry->indexes.end() ? nullptr : *found;
}

/// The number of a column of the table with the oid, which may be one of the system.
uint32_t numberIn(uint32_t table, uint32_t column) {
  const TablePtr entry = requiredCatalogSession().catalog.findEntry(table);
  return entry ? numberOfColumn(*entry, column) : column + 1;
}

/// What bodies of routines in the manner of the standard need.
void addUsesOfRoutines(RowMaker& rows) {
  constexpr uint32_t kOfRoutine = 1255, kOfType = 1247, kOfConstraint = 2606;
  const CatalogView& catalog = requiredCatalogSession().catalog;
  for (const TablePtr& routine : catalog.routines())
    for (const ViewEntry::Use& use : usesOf(*routine)) {
      const TablePtr used = catalog.findEntry(use.table);
      if (!used) continue;
      const IndexPtr key = use.column == kPrimaryKeyUse ? primaryKeyOf(use.table) : nullptr;
      if (key)
        rows.add({kOfRoutine, routine->oid, 0, kOfConstraint, key->oid, 0, 'n'});
      else if (use.column != kPrimaryKeyUse)
        rows.add({kOfRoutine, routine->oid, 0,
                  used->routine ? kOfRoutine
                  : used->type  ? kOfType
                                : kOfClass,
                  use.table, use.column == ViewEntry::Use::kNoColumn ? 0 : numberIn(use.table, use.column), 'n'});
    }
}

}  // namespace

VirtualRows dependRows(const Columns& columns) {
  RowMaker rows(columns, {"classid", "objid", "objsubid", "refclassid", "refobjid", "refobjsubid", "deptype"});
  constexpr uint32_t kOfConstraint = 2606;
  addUsesOfRoutines(rows);
  for (const TablePtr& table : tables()) {
    if (table->sequence && table->sequence->owner != 0)
      rows.add({kOfClass, table->oid, 0, kOfClass, table->sequence->owner,
                numberIn(table->sequence->owner, table->sequence->owner_column),
                table->sequence->is_identity ? 'i' : 'a'});
    if (const ViewEntry* const query = table->query()) {
      rows.add({kOfRule, ruleOid(*table), 0, kOfClass, table->oid, 0, 'i'});
      rows.add({kOfRule, ruleOid(*table), 0, kOfClass, table->oid, 0, 'n'});
      for (const ViewEntry::Use& use : query->uses)
        if (use.column != kPrimaryKeyUse)
          rows.add({kOfRule, ruleOid(*table), 0, kOfClass, use.table,
                    use.column == ViewEntry::Use::kNoColumn ? 0 : numberIn(use.table, use.column), 'n'});
        else if (const IndexPtr key = primaryKeyOf(use.table))
          rows.add({kOfRule, ruleOid(*table), 0, kOfConstraint, key->oid, 0, 'n'});
    }
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      const ColumnEntry& column = table->columns[i];
      if (!hasDefault(column)) continue;
      rows.add({kOfDefault, defaultOid(*table, i), 0, kOfClass, table->oid, numberOfColumn(*table, i), 'a'});
      for (const uint32_t sequence : namedSequences(column.default_text))
        rows.add({kOfDefault, defaultOid(*table, i), 0, kOfClass, sequence, 0, 'n'});
    }
    for (const IndexPtr& index : table->indexes) {
      if (index->is_constraint) {
        rows.add({kOfClass, index->oid, 0, kOfConstraint, index->oid, 0, 'i'});
        continue;
      }
      for (const IndexColumn& part : index->columns)
        if (part.column != IndexColumn::kExpression)
          rows.add({kOfClass, index->oid, 0, kOfClass, table->oid, numberOfColumn(*table, part.column), 'a'});
    }
    for (const Constraint& each : constraintsOf(*table)) {
      std::vector<uint32_t> own;
      if (each.key != nullptr)
        for (const IndexColumn& part : each.key->columns) own.push_back(part.column);
      if (each.reference != nullptr) own = each.reference->columns;
      for (const uint32_t column : own)
        rows.add({kOfConstraint, each.oid, 0, kOfClass, table->oid, numberOfColumn(*table, column), 'a'});
      if (each.reference == nullptr) continue;
      for (const uint32_t column : each.reference->parent_columns)
        rows.add({kOfConstraint, each.oid, 0, kOfClass, each.reference->parent,
                  numberIn(each.reference->parent, column), 'n'});
      rows.add({kOfConstraint, each.oid, 0, kOfClass, each.reference->parent_index, 0, 'n'});
    }
  }
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
