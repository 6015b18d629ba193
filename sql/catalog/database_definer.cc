#include "sql/catalog/database_definer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/database_copy.h"
#include "sql/catalog/roles.h"

namespace gnomon::sql {
namespace {

constexpr SqlState kDuplicateDatabase("42P04");

[[noreturn]] void raiseTakenDatabase(const std::string& name) {
  throw SqlError(kDuplicateDatabase, fmt::format("database \"{}\" already exists", name));
}

[[noreturn]] void raiseDenied(std::string message) {
  throw SqlError(sqlstate::kInsufficientPrivilege, std::move(message));
}

void apply(const DatabaseOptions& options, DatabaseEntry& database) {
  if (options.is_template) database.is_template = *options.is_template;
  if (options.allows_connections) database.allows_connections = *options.allows_connections;
  if (options.connection_limit) database.connection_limit = *options.connection_limit;
}

/// template0 has nothing that could depend on an encoding or on an order; nothing here does with other ones.
void requireLikeTemplate(const CreateDatabaseStatement& statement, const DatabaseEntry& from) {
  const auto require = [&](const std::optional<std::string>& wanted, std::string_view what, std::string_view has) {
    if (!wanted) return;
    if (from.oid == kEmptyTemplateOid) throwNotSupported(fmt::format("databases with the {} {}", what, *wanted));
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("new {} ({}) is incompatible with the {} of the template database ({})", what, *wanted,
                               what == "LC_CTYPE" ? "LC_CTYPE" : what, has))
        .hint(fmt::format("Use the same {} as in the template database, or use template0 as template.", what));
  };
  require(statement.encoding, "encoding", "UTF8");
  require(statement.collation, "collation", "C");
  require(statement.character_type, "LC_CTYPE", "C");
}

}  // namespace

DatabasePtr CatalogTransaction::database() const {
  const auto found = databases_.find(catalog_.databaseOid());
  return found == databases_.end() || !found->second ? catalog_.database() : found->second;
}

std::vector<DatabasePtr> CatalogTransaction::databases() const {
  std::vector<DatabasePtr> result = catalog_.databases();
  if (databases_.empty()) return result;
  std::erase_if(result, [this](const DatabasePtr& each) { return databases_.contains(each->oid); });
  for (const auto& [oid, database] : databases_)
    if (database) result.push_back(database);
  std::ranges::sort(result, {}, [](const DatabasePtr& each) { return each->oid; });
  return result;
}

DatabasePtr CatalogTransaction::claimDatabase(const std::string& name, const DefinitionContext& context) {
  context.transaction.owner().acquire(catalog_.nameLock({kDatabaseLocks, name}), txn::LockMode::Exclusive,
                                      context.patience);
  return findDatabase(name);
}

void CatalogTransaction::changeDatabase(const DatabasePtr& before, const DatabasePtr& after,
                                        const DefinitionContext& context, std::shared_ptr<Catalog> made) {
  catalog_.store().recordDatabase(before.get(), after.get(), context);
  Change change;
  change.table.database_before = before;
  change.table.database_after = after;
  change.table.made = std::move(made);
  changes_.push_back(std::move(change));
  see(changes_.back().table);
}

DatabasePtr DatabaseDefiner::claimAlone(const std::string& name) {
  catalog_.lockName({kDatabaseLocks, name}, context_);
  return claim(name);
}

CatalogTransaction& DatabaseDefiner::elsewhere(Catalog& catalog) {
  return *catalog_.elsewhere_.emplace_back(catalog_.mark(), std::make_unique<CatalogTransaction>(catalog)).second;
}

/// All but what sessions have for themselves, and what the system has anyway.
void DatabaseDefiner::copySchemas(const CatalogView& from, CatalogTransaction& to) {
  for (const SchemaPtr& schema : from.schemas()) {
    if (schema->is_temporary || isSystemSchema(schema->oid)) continue;
    auto copy = std::make_shared<SchemaEntry>(*schema);
    copy->oid = to.catalog_.newOid();
    copy->database = to.catalog_.databaseOid();
    to.changeSchema(nullptr, copy, context_);
  }
}

/// What roles have said of objects of the template that are made from then on holds in the copy too.
void DatabaseDefiner::copyDefaults(uint32_t from, const CatalogView& to, uint32_t database) {
  const std::shared_ptr<Catalog> source = catalog_.catalog_.cluster().catalogOf(from);
  for (const RolePtr& role : catalog_.roles()) {
    auto after = std::make_shared<RoleEntry>(*role);
    for (const DefaultAcl& each : role->defaults) {
      if (each.database != from) continue;
      const SchemaPtr schema = each.schema == 0 ? nullptr : source->findSchema(each.schema);
      const SchemaPtr copy = schema ? to.findSchema(schema->name) : nullptr;
      if (each.schema != 0 && !copy) continue;
      after->defaults.push_back({database, copy ? copy->oid : 0, each.kind, each.acl});
    }
    if (after->defaults.size() != role->defaults.size())
      catalog_.changeRole(catalog_.claimRole(role->name, context_), after, context_);
  }
}

DatabasePtr DatabaseDefiner::findByOid(uint32_t oid) const {
  for (DatabasePtr& each : catalog_.databases())
    if (each->oid == oid) return std::move(each);
  return nullptr;
}

void DatabaseDefiner::create(const CreateDatabaseStatement& statement) {
  const uint32_t owner = statement.owner ? requireRole(catalog_, *statement.owner)->oid : catalog_.actors().current;
  if (!mayCreateDatabases(catalog_)) raiseDenied("permission denied to create database");
  requireMayGive(catalog_, owner, {});
  const DatabasePtr from = claimAlone(statement.from);
  if (!from)
    throw SqlError(sqlstate::kInvalidCatalogName,
                   fmt::format("template database \"{}\" does not exist", statement.from));
  if (!from->is_template && !hasRightsOf(catalog_, catalog_.actors().current, from->owner))
    raiseDenied(fmt::format("permission denied to copy database \"{}\"", from->name));
  requireLikeTemplate(statement, *from);
  if (claimAlone(statement.name)) raiseTakenDatabase(statement.name);
  require_unused_(*from);
  Cluster& cluster = catalog_.catalog_.cluster();
  uint32_t oid = statement.oid ? *statement.oid : cluster.newOid();
  while (const DatabasePtr other = findByOid(oid)) {
    if (statement.oid)
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("database OID {} is already in use by database \"{}\"", oid, other->name));
    oid = cluster.newOid();
  }
  DatabaseEntry made{.oid = oid, .name = statement.name, .owner = catalog_.claimRoleOf(owner, context_)};
  apply(statement.options, made);
  const std::shared_ptr<Catalog> source = cluster.catalogOf(from->oid);
  const auto catalog = std::make_shared<Catalog>(cluster, oid);
  CatalogTransaction& definitions = elsewhere(*catalog);
  change(nullptr, std::make_shared<const DatabaseEntry>(std::move(made)), catalog);
  copySchemas(*source, definitions);
  DatabaseCopy(*source, definitions, context_).make();
  copyDefaults(from->oid, definitions, oid);
}

void DatabaseDefiner::alter(const AlterDatabaseStatement& statement) {
  const bool is_renamed = !statement.new_name.empty();
  const DatabasePtr before = is_renamed ? claimAlone(statement.name) : claim(statement.name);
  if (!before) raiseNoDatabase(statement.name);
  requireOwner(catalog_, *before);
  auto after = std::make_shared<DatabaseEntry>(*before);
  const bool is_own = before->oid == catalog_.catalog_.databaseOid();
  if (is_renamed) {
    if (!mayCreateDatabases(catalog_)) raiseDenied("permission denied to rename database");
    if (claimAlone(statement.new_name)) raiseTakenDatabase(statement.new_name);
    if (is_own) throw SqlError(sqlstate::kFeatureNotSupported, "current database cannot be renamed");
    require_unused_(*before);
    after->name = statement.new_name;
  }
  if (is_own && !statement.options.allows_connections.value_or(true))
    throw SqlError(sqlstate::kInvalidParameterValue, "cannot disallow connections for current database");
  apply(statement.options, *after);
  change(before, after);
}

void DatabaseDefiner::set(const DatabaseSettingStatement& statement) {
  const DatabasePtr before = claim(statement.name);
  if (!before) raiseNoDatabase(statement.name);
  requireOwner(catalog_, *before);
  auto after = std::make_shared<DatabaseEntry>(*before);
  auto& settings = after->settings;
  const auto found = std::ranges::find_if(settings, [&](const auto& each) { return each.first == statement.setting; });
  if (statement.setting.empty())
    settings.clear();
  else if (statement.value && found != settings.end())
    found->second = *statement.value;
  else if (statement.value)
    settings.emplace_back(statement.setting, *statement.value);
  else if (found != settings.end())
    settings.erase(found);
  change(before, after);
}

/// Settings and default rights of roles in a database that goes.
void DatabaseDefiner::forgetInRoles(uint32_t database) {
  for (const RolePtr& role : catalog_.roles()) {
    auto after = std::make_shared<RoleEntry>(*role);
    const size_t gone =
        std::erase_if(after->settings, [&](const RoleSetting& each) { return each.database == database; }) +
        std::erase_if(after->defaults, [&](const DefaultAcl& each) { return each.database == database; });
    if (gone != 0) catalog_.changeRole(catalog_.claimRole(role->name, context_), after, context_);
  }
}

/// The database goes: nobody is in it.
void DatabaseDefiner::removeAll(CatalogTransaction& from) {
  const std::vector<TablePtr> all = from.entriesOf(from.catalog_.databaseOid());
  from.claim(all, context_);
  for (const TablePtr& entry : all) {
    from.catalog_.store().record(entry.get(), nullptr, context_);
    from.changes_.push_back({.table = {entry, nullptr}, .storage = {}});
    from.see(from.changes_.back().table);
  }
  for (const SchemaPtr& schema : from.schemas())
    if (!isSystemSchema(schema->oid)) from.changeSchema(schema, nullptr, context_);
}

bool DatabaseDefiner::drop(const DropDatabaseStatement& statement) {
  const DatabasePtr database = claimAlone(statement.name);
  if (!database && statement.if_exists) return false;
  if (!database) raiseNoDatabase(statement.name);
  requireOwner(catalog_, *database);
  if (database->is_template) throw SqlError(sqlstate::kWrongObjectType, "cannot drop a template database");
  if (database->oid == catalog_.catalog_.databaseOid())
    throw SqlError(sqlstate::kObjectInUse, "cannot drop the currently open database");
  require_unused_(*database);
  removeAll(elsewhere(*catalog_.catalog_.cluster().catalogOf(database->oid)));
  forgetInRoles(database->oid);
  change(database, nullptr);
  return true;
}

}  // namespace gnomon::sql
