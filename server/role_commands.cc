#include "server/role_commands.h"

#include <fmt/format.h>

#include "server/scram.h"
#include "sql/catalog/rights_definer.h"
#include "sql/catalog/role_definer.h"
#include "sql/catalog/roles.h"

namespace gnomon::server {
namespace {

constexpr std::string_view kNone = "none";

void say(const SessionContext& session, const std::vector<SqlError>& notices) {
  for (const SqlError& notice : notices)
    session.notice(notice, notice.state() == SqlState("01000") ? Severity::Warning : Severity::Notice);
}

/// In the place of the password what is stored of it. What looks as if it was that already is taken as it is.
sql::RoleOptions withoutPassword(sql::RoleOptions options) {
  if (!options.password || options.password->empty() || ScramVerifier::read(*options.password)) return options;
  constexpr size_t kMd5Characters = 35;
  if (options.password->starts_with("md5") && options.password->size() == kMd5Characters &&
      options.password->find_first_not_of("0123456789abcdef", 3) == std::string::npos)
    throwNotSupported("a password that was hashed with MD5");
  options.password = ScramVerifier::make(*options.password).text();
  return options;
}

/// Who the session works for from now on.
void changeActor(SessionContext& session, const sql::SetStatement& statement, bool is_role, const std::string& name,
                 bool is_superuser) {
  session.transaction.changeSettings(statement.is_local, [&](Settings& settings) {
    settings.setInternal(SettingId::Role, is_role ? std::string_view(name) : kNone);
    if (!is_role) settings.setInternal(SettingId::SessionAuthorization, name);
    settings.setInternal(SettingId::IsSuperuser, is_superuser ? "on" : "off");
  });
}

/// About owners and rights.
std::optional<UtilityResult> runPrivilegeStatement(SessionContext& session, const sql::BoundStatement& bound) {
  std::vector<SqlError> notices;
  const auto define = [&](auto&& change) {
    session.transaction.define(
        [&](sql::CatalogTransaction& catalog, const auto& context) { change(catalog, context); });
    return UtilityResult{{}, bound.command};
  };
  if (const auto* grant = std::get_if<sql::GrantStatement>(&bound.body)) {
    for (const SqlError& notice : grant->notices) session.notice(notice, Severity::Warning);
    const bool is_of_large_objects = !grant->targets.empty() && grant->targets.front().large_object != 0;
    if (is_of_large_objects) {
      for (const sql::GrantTarget& target : grant->targets)
        session.services.largeObjects().grant(*grant, target, notices);
      for (const SqlError& notice : notices) session.notice(notice, Severity::Warning);
      return UtilityResult{{}, bound.command};
    }
    UtilityResult result = define(
        [&](auto& catalog, const auto& context) { sql::RightsDefiner(catalog, context).grant(*grant, notices); });
    for (const SqlError& notice : notices) session.notice(notice, Severity::Warning);
    return result;
  }
  if (const auto* defaults = std::get_if<sql::DefaultPrivilegesStatement>(&bound.body))
    return define(
        [&](auto& catalog, const auto& context) { sql::RightsDefiner(catalog, context).setDefaults(*defaults); });
  if (const auto* owner = std::get_if<sql::OwnerStatement>(&bound.body)) {
    for (const SqlError& notice : owner->notices)
      session.notice(notice, notice.state() == sqlstate::kWrongObjectType ? Severity::Warning : Severity::Notice);
    if (owner->large_object != 0) {
      session.services.largeObjects().changeOwner(owner->large_object, owner->owner);
      return UtilityResult{{}, bound.command};
    }
    if (!owner->entry && owner->database.empty()) return UtilityResult{{}, bound.command};
    return define(
        [&](auto& catalog, const auto& context) { sql::RightsDefiner(catalog, context).changeOwner(*owner); });
  }
  if (const auto* owned = std::get_if<sql::OwnedStatement>(&bound.body)) {
    for (const uint32_t role : owned->roles)
      if (owned->new_owner != 0)
        session.services.largeObjects().reassign(role, owned->new_owner);
      else
        session.services.largeObjects().dropOwned(role);
    UtilityResult result = define([&](auto& catalog, const auto& context) {
      if (owned->new_owner != 0)
        sql::RightsDefiner(catalog, context).reassignOwned(*owned);
      else
        sql::RightsDefiner(catalog, context).dropOwned(*owned, &notices);
    });
    say(session, notices);
    return result;
  }
  return std::nullopt;
}

}  // namespace

sql::RoleSettingStatement checkedSetting(const SessionContext& session, sql::RoleSettingStatement statement,
                                         std::string_view command) {
  if (statement.name.empty()) return statement;
  Settings checked = session.settings;
  if (statement.is_current) statement.value = checked.show(statement.name);
  if (statement.value)
    checked.set(statement.name, *statement.value, SettingSource::Session);
  else
    checked.reset(statement.name);
  statement.name = checked.shownName(statement.name);
  if (statement.name == "role" || statement.name == "session_authorization")
    throwNotSupported(fmt::format("{} ... SET {}", command, statement.name));
  return statement;
}

void beginAs(SessionContext& session, const sql::RoleEntry& role) {
  session.login = role.oid;
  session.is_superusers = role.is_superuser;
  const auto set = [&](const std::string& name, const std::string& value) {
    session.settings.set(name, value, SettingSource::StartupPacket);
  };
  // What is said of less counts for more.
  const sql::DatabasePtr database = session.transaction.catalog().database();
  for (const auto& [name, value] : database->settings) set(name, value);
  for (const uint32_t in : {uint32_t{0}, database->oid})
    for (const sql::RoleSetting& each : role.settings)
      if (each.database == in) set(each.name, each.value);
  session.settings.setInternal(SettingId::SessionAuthorization, role.name);
  session.settings.setInternal(SettingId::IsSuperuser, role.is_superuser ? "on" : "off");
}

bool setActor(SessionContext& session, const sql::SetStatement& statement) {
  const bool is_role = statement.name == "role";
  if (!is_role && statement.name != "session_authorization") return false;
  const sql::CatalogTransaction& catalog = session.transaction.catalog();
  if (catalog.definer() != 0)
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("cannot set parameter \"{}\" within security-definer function", statement.name));
  if (is_role && statement.value.value_or(std::string(kNone)) == kNone) {
    changeActor(session, statement, true, std::string(kNone), isSuperuser(catalog, catalog.actors().session));
    return true;
  }
  const sql::RolePtr role = statement.value ? catalog.findRole(*statement.value) : catalog.findRole(session.login);
  if (!role)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("role \"{}\" does not exist", statement.value.value_or("")));
  if (is_role && !isMemberOf(catalog, catalog.actors().session, role->oid))
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied to set role \"{}\"", role->name));
  if (!is_role && role->oid != session.login && !session.is_superusers)
    throw SqlError(sqlstate::kInsufficientPrivilege, "permission denied to set session authorization");
  changeActor(session, statement, is_role, role->name, role->is_superuser);
  return true;
}

std::optional<UtilityResult> runRoleStatement(SessionContext& session, const sql::BoundStatement& bound) {
  std::vector<SqlError> notices;
  const auto define = [&](auto&& change) {
    session.transaction.define([&](sql::CatalogTransaction& catalog, const auto& context) {
      sql::RoleDefiner roles(catalog, context, notices);
      change(roles);
    });
    say(session, notices);
    return UtilityResult{{}, bound.command};
  };
  if (const auto* create = std::get_if<sql::CreateRoleStatement>(&bound.body)) {
    say(session, create->notices);
    sql::CreateRoleStatement statement = *create;
    statement.options = withoutPassword(create->options);
    return define([&](auto& roles) { roles.create(statement); });
  }
  if (const auto* alter = std::get_if<sql::AlterRoleStatement>(&bound.body)) {
    say(session, alter->notices);
    sql::AlterRoleStatement statement = *alter;
    statement.options = withoutPassword(alter->options);
    return define([&](auto& roles) { roles.alter(statement); });
  }
  if (const auto* rename = std::get_if<sql::RenameRoleStatement>(&bound.body))
    return define([&](auto& roles) { roles.rename(*rename); });
  if (const auto* setting = std::get_if<sql::RoleSettingStatement>(&bound.body)) {
    const sql::RoleSettingStatement statement = checkedSetting(session, *setting);
    return define([&](auto& roles) { roles.setFor(statement); });
  }
  if (const auto* drop = std::get_if<sql::DropRoleStatement>(&bound.body)) {
    for (const sql::RoleName& role : drop->roles)
      if (role.kind == sql::RoleName::Kind::Name) session.services.largeObjects().requireNothingOf(role.name);
    return define([&](auto& roles) { roles.drop(*drop); });
  }
  if (const auto* grant = std::get_if<sql::GrantRoleStatement>(&bound.body))
    return define([&](auto& roles) { roles.grant(*grant); });
  return runPrivilegeStatement(session, bound);
}

}  // namespace gnomon::server
