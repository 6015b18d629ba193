#include "sql/catalog/database_rows.h"

#include <array>
#include <map>

#include "base/sql_error.h"
#include "sql/catalog/acl_row.h"
#include "sql/catalog/catalog_row.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

constexpr txn::RelationId kDatabasesId{30};
constexpr txn::RelationId kDatabaseSettingsId{31};
constexpr txn::RelationId kDatabaseRightsId{32};

enum DatabaseField : uint32_t { kNumber, kName, kOwner, kFlags, kConnectionLimit, kComment, kDatabaseFields };
enum SettingField : uint32_t { kSettingDatabase, kSettingName, kSettingValue, kSettingFields };
enum RightField : uint32_t { kRightDatabase, kRightGrantee, kRightGrantor, kRights, kRightFields };
constexpr int32_t kConnectable = 1, kTemplate = 2, kHasAcl = 4;

txn::RelationSchema databasesSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int32, false},
          {StoredKind::Int16, false}, {StoredKind::Int32, false},  {StoredKind::String, true}};
}

txn::RelationSchema settingsSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::String, false}};
}

txn::RelationSchema rightsSchema() {
  return {
      {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Int32, false}};
}

using Loaded = std::map<uint32_t, std::shared_ptr<DatabaseEntry>>;

DatabaseEntry& databaseOf(const Loaded& databases, const storage::RowCursor& row) {
  const auto found = databases.find(static_cast<uint32_t>(readNumber(row, 0)));
  if (found == databases.end())
    throw SqlError(sqlstate::kDataCorrupted, "the catalog speaks of a database that is not there");
  return *found->second;
}

void appendDatabase(const DatabaseEntry& database, txn::WriteStatement& rows) {
  const int32_t flags = (database.allows_connections ? kConnectable : 0) | (database.is_template ? kTemplate : 0) |
                        (database.acl ? kHasAcl : 0);
  const std::array<Datum, kDatabaseFields> values{number(database.oid),
                                                  text(database.name),
                                                  number(database.owner),
                                                  number(flags),
                                                  number(database.connection_limit),
                                                  text(database.comment)};
  std::array<uint8_t, kDatabaseFields> nulls{};
  nulls[kComment] = database.comment.empty();
  rows.append(values.data(), nulls.data());
}

void appendSettings(const DatabaseEntry& database, txn::WriteStatement& rows) {
  for (const auto& [name, value] : database.settings) {
    const std::array<Datum, kSettingFields> values{number(database.oid), text(name), text(value)};
    const std::array<uint8_t, kSettingFields> nulls{};
    rows.append(values.data(), nulls.data());
  }
}

void appendRights(const DatabaseEntry& database, txn::WriteStatement& rows) {
  if (!database.acl) return;
  for (const AclItem& item : *database.acl) {
    const std::array<Datum, kRightFields> values{number(database.oid), number(item.grantee), number(item.grantor),
                                                 number(storedRights(item))};
    const std::array<uint8_t, kRightFields> nulls{};
    rows.append(values.data(), nulls.data());
  }
}

}  // namespace

DatabaseRelations::DatabaseRelations(txn::DatabaseStorage& storage) {
  const auto relation = [&storage](txn::RelationId id, const txn::RelationSchema& schema) {
    return storage.isNew() ? storage.createSystemTable(id, schema) : storage.openTable(id);
  };
  databases_ = relation(kDatabasesId, databasesSchema());
  settings_ = relation(kDatabaseSettingsId, settingsSchema());
  rights_ = relation(kDatabaseRightsId, rightsSchema());
}

void DatabaseRelations::record(const DatabaseEntry* before, const DatabaseEntry* after,
                               const txn::WriteContext& context) {
  txn::WriteStatement databases(*databases_, context);
  txn::WriteStatement settings(*settings_, context);
  txn::WriteStatement rights(*rights_, context);
  if (before) {
    removeRows(*databases_, databases, {before->oid});
    removeRows(*settings_, settings, {before->oid});
    removeRows(*rights_, rights, {before->oid});
  }
  if (after) {
    appendDatabase(*after, databases);
    appendSettings(*after, settings);
    appendRights(*after, rights);
  }
  rights.finish();
  settings.finish();
  databases.finish();
}

std::vector<DatabasePtr> DatabaseRelations::load() const {
  Loaded loaded;
  std::map<uint32_t, std::shared_ptr<Acl>> acls;
  storage::RowCursor row(databases_->relation(), databases_->readBound());
  while (row.next()) {
    auto database = std::make_shared<DatabaseEntry>();
    database->oid = static_cast<uint32_t>(readNumber(row, kNumber));
    database->name = readText(row, kName);
    database->owner = static_cast<uint32_t>(readNumber(row, kOwner));
    const int32_t flags = readNumber(row, kFlags);
    database->allows_connections = (flags & kConnectable) != 0;
    database->is_template = (flags & kTemplate) != 0;
    database->connection_limit = readNumber(row, kConnectionLimit);
    database->comment = readText(row, kComment);
    if ((flags & kHasAcl) != 0) database->acl = acls[database->oid] = std::make_shared<Acl>();
    loaded[database->oid] = std::move(database);
  }
  storage::RowCursor setting(settings_->relation(), settings_->readBound());
  while (setting.next())
    databaseOf(loaded, setting)
        .settings.emplace_back(readText(setting, kSettingName), readText(setting, kSettingValue));
  storage::RowCursor right(rights_->relation(), rights_->readBound());
  while (right.next()) {
    const DatabaseEntry& database = databaseOf(loaded, right);
    if (!database.acl) throw SqlError(sqlstate::kDataCorrupted, "the catalog has rights on a database without an ACL");
    acls[database.oid]->push_back(readAclItem(right, kRightGrantee));
  }
  std::vector<DatabasePtr> result;
  for (auto& [oid, database] : loaded) result.push_back(std::move(database));
  return result;
}

}  // namespace gnomon::sql
