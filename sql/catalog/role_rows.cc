#include "sql/catalog/role_rows.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/sql_error.h"
#include "sql/catalog/acl_row.h"
#include "sql/catalog/catalog_row.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

constexpr txn::RelationId kRolesId{15};
constexpr txn::RelationId kRoleMembersId{16};
constexpr txn::RelationId kRoleSettingsId{17};
constexpr txn::RelationId kDefaultRightsId{19};

enum RoleField : uint32_t {
  kRoleNumber,
  kRoleName,
  kRoleFlags,
  kRoleConnectionLimit,
  kRolePassword,
  kRoleValidUntil,
  kRoleFields
};
enum MemberField : uint32_t { kMember, kMemberRole, kMemberGrantor, kMemberAdmin, kMemberFields };
enum RoleSettingField : uint32_t { kSettingRole, kSettingName, kSettingValue, kSettingDatabase, kSettingFields };

enum DefaultField : uint32_t {
  kDefaultRole,
  kDefaultSchema,
  kDefaultKind,
  kDefaultGrantee,
  kDefaultGrantor,
  kDefaultRights,
  kDefaultDatabase,
  kDefaultFields
};

struct Flag {
  int32_t bit;
  bool RoleEntry::* member;
};
constexpr std::array<Flag, 7> kFlags{{{1, &RoleEntry::is_superuser},
                                      {2, &RoleEntry::inherits},
                                      {4, &RoleEntry::creates_roles},
                                      {8, &RoleEntry::creates_databases},
                                      {16, &RoleEntry::may_log_in},
                                      {32, &RoleEntry::may_replicate},
                                      {64, &RoleEntry::bypasses_row_security}}};

using Loaded = std::map<uint32_t, std::shared_ptr<RoleEntry>>;

RoleEntry& roleOf(const Loaded& roles, uint32_t oid) {
  const auto found = roles.find(oid);
  if (found == roles.end()) throw SqlError(sqlstate::kDataCorrupted, "the catalog speaks of a role that is not there");
  return *found->second;
}

txn::RelationSchema rolesSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int16, false},
          {StoredKind::Int32, false}, {StoredKind::String, true},  {StoredKind::Int64, true}};
}

txn::RelationSchema roleMembersSchema() {
  return {
      {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Bool1, false}};
}

txn::RelationSchema roleSettingsSchema() {
  return {
      {StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::String, false}, {StoredKind::Int32, false}};
}

void appendRole(const RoleEntry& role, txn::WriteStatement& roles) {
  int32_t flags = 0;
  for (const auto& [bit, member] : kFlags)
    if (role.*member) flags |= bit;
  const std::array<Datum, kRoleFields> values{number(role.oid),    text(role.name),
                                              number(flags),       number(role.connection_limit),
                                              text(role.password), number(role.valid_until.value_or(0))};
  std::array<uint8_t, kRoleFields> nulls{};
  nulls[kRolePassword] = role.password.empty();
  nulls[kRoleValidUntil] = !role.valid_until;
  roles.append(values.data(), nulls.data());
}

void appendMemberships(const RoleEntry& role, txn::WriteStatement& members) {
  for (const Membership& each : role.memberships) {
    const std::array<Datum, kMemberFields> values{number(role.oid), number(each.role), number(each.grantor),
                                                  number(each.has_admin ? 1 : 0)};
    const std::array<uint8_t, kMemberFields> nulls{};
    members.append(values.data(), nulls.data());
  }
}

void appendRoleSettings(const RoleEntry& role, txn::WriteStatement& settings) {
  for (const RoleSetting& each : role.settings) {
    const std::array<Datum, kSettingFields> values{number(role.oid), text(each.name), text(each.value),
                                                   number(each.database)};
    const std::array<uint8_t, kSettingFields> nulls{};
    settings.append(values.data(), nulls.data());
  }
}

txn::RelationSchema defaultRightsSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Int16, false},
          {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Int32, false},
          {StoredKind::Int32, false}};
}

void appendDefaults(const RoleEntry& role, txn::WriteStatement& rows) {
  for (const DefaultAcl& each : role.defaults)
    forEachStored(each.acl, [&](const AclItem& item) {
      const std::array<Datum, kDefaultFields> values{
          number(role.oid),     number(each.schema),        number(each.kind),    number(item.grantee),
          number(item.grantor), number(storedRights(item)), number(each.database)};
      const std::array<uint8_t, kDefaultFields> nulls{};
      rows.append(values.data(), nulls.data());
    });
}

void loadDefault(const storage::RowCursor& row, RoleEntry& role) {
  const auto schema = static_cast<uint32_t>(readNumber(row, kDefaultSchema));
  const auto kind = static_cast<char>(readNumber(row, kDefaultKind));
  const auto database = static_cast<uint32_t>(readNumber(row, kDefaultDatabase));
  const auto found = std::ranges::find_if(role.defaults, [&](const DefaultAcl& each) {
    return each.database == database && each.schema == schema && each.kind == kind;
  });
  DefaultAcl& defaults =
      found == role.defaults.end() ? role.defaults.emplace_back(DefaultAcl{database, schema, kind, {}}) : *found;
  const AclItem item = readAclItem(row, kDefaultGrantee);
  if (item.rights != Privilege::None) defaults.acl.push_back(item);
}

}  // namespace

RoleRelations::RoleRelations(txn::DatabaseStorage& storage) {
  const auto relation = [&storage](txn::RelationId id, const txn::RelationSchema& schema) {
    return storage.isNew() ? storage.createSystemTable(id, schema) : storage.openTable(id);
  };
  roles_ = relation(kRolesId, rolesSchema());
  members_ = relation(kRoleMembersId, roleMembersSchema());
  settings_ = relation(kRoleSettingsId, roleSettingsSchema());
  defaults_ = relation(kDefaultRightsId, defaultRightsSchema());
}

void RoleRelations::record(const RoleEntry* before, const RoleEntry* after, const txn::WriteContext& context) {
  txn::WriteStatement roles(*roles_, context);
  txn::WriteStatement members(*members_, context);
  txn::WriteStatement settings(*settings_, context);
  txn::WriteStatement defaults(*defaults_, context);
  if (before) {
    removeRows(*roles_, roles, {before->oid});
    removeRows(*members_, members, {before->oid});
    removeRows(*settings_, settings, {before->oid});
    removeRows(*defaults_, defaults, {before->oid});
  }
  if (after) {
    appendRole(*after, roles);
    appendMemberships(*after, members);
    appendRoleSettings(*after, settings);
    appendDefaults(*after, defaults);
  }
  defaults.finish();
  settings.finish();
  members.finish();
  roles.finish();
}

std::vector<RolePtr> RoleRelations::load() const {
  Loaded loaded;
  storage::RowCursor row(roles_->relation(), roles_->readBound());
  while (row.next()) {
    auto role = std::make_shared<RoleEntry>();
    role->oid = static_cast<uint32_t>(readNumber(row, kRoleNumber));
    role->name = readText(row, kRoleName);
    const int32_t flags = readNumber(row, kRoleFlags);
    for (const auto& [bit, member] : kFlags) (*role).*member = (flags & bit) != 0;
    role->connection_limit = readNumber(row, kRoleConnectionLimit);
    role->password = readText(row, kRolePassword);
    if (!row.isNull(kRoleValidUntil)) role->valid_until = static_cast<int64_t>(row.value(kRoleValidUntil).lo);
    loaded[role->oid] = std::move(role);
  }
  storage::RowCursor member(members_->relation(), members_->readBound());
  while (member.next()) {
    const auto above = static_cast<uint32_t>(readNumber(member, kMemberRole));
    roleOf(loaded, above);
    roleOf(loaded, static_cast<uint32_t>(readNumber(member, kMember)))
        .memberships.push_back(
            {above, static_cast<uint32_t>(readNumber(member, kMemberGrantor)), member.value(kMemberAdmin).lo != 0});
  }
  storage::RowCursor setting(settings_->relation(), settings_->readBound());
  while (setting.next())
    roleOf(loaded, static_cast<uint32_t>(readNumber(setting, kSettingRole)))
        .settings.push_back({static_cast<uint32_t>(readNumber(setting, kSettingDatabase)),
                             readText(setting, kSettingName), readText(setting, kSettingValue)});
  storage::RowCursor right(defaults_->relation(), defaults_->readBound());
  while (right.next()) loadDefault(right, roleOf(loaded, static_cast<uint32_t>(readNumber(right, kDefaultRole))));
  std::vector<RolePtr> result;
  for (auto& [oid, role] : loaded) {
    std::ranges::sort(role->memberships, {}, &Membership::role);
    result.push_back(std::move(role));
  }
  return result;
}

}  // namespace gnomon::sql
