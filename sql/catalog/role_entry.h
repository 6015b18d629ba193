#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/catalog/privilege.h"

namespace gnomon::sql {

/// The superuser that there always is: `postgres`, unless it was given another name.
inline constexpr uint32_t kRoleOid = 10;
/// Of the roles that there are from the start: the owner of the database is its only member.
inline constexpr uint32_t kDatabaseOwnerRole = 6171;
inline constexpr uint32_t kReadAllDataRole = 6181;
inline constexpr uint32_t kWriteAllDataRole = 6182;
inline constexpr uint32_t kReadAllStatsRole = 3375;
inline constexpr uint32_t kReadServerFilesRole = 4569;
inline constexpr uint32_t kWriteServerFilesRole = 4570;
inline constexpr uint32_t kSignalBackendRole = 4200;
inline constexpr uint32_t kCheckpointRole = 4544;

/// What a role is a member of.
struct Membership {
  uint32_t role = 0;
  uint32_t grantor = 0;
  bool has_admin = false;  ///< it may make others members
};

/// What others may do with objects that a role makes, as pg_default_acl has it.
struct DefaultAcl {
  uint32_t database = 0;
  uint32_t schema = 0;  ///< of the database; 0: in all of its
  char kind = 'r';      ///< r: tables and views, S: sequences, T: types, n: schemas
  Acl acl;              ///< of a schema: beside what there is in all of them
};

/// What sessions begin with.
struct RoleSetting {
  uint32_t database = 0;  ///< in which they are; 0: in any
  std::string name;
  std::string value;
};

/// A role as the catalog knows it. Immutable.
struct RoleEntry {
  uint32_t oid = 0;
  std::string name;
  bool is_superuser = false;
  bool inherits = true;  ///< it may do what the roles may that it is a member of
  bool creates_roles = false;
  bool creates_databases = false;
  bool may_log_in = false;
  bool may_replicate = false;
  bool bypasses_row_security = false;
  int32_t connection_limit = -1;             ///< -1: none
  std::string password = {};                 ///< a SCRAM-SHA-256 verifier; empty: none
  std::optional<int64_t> valid_until = {};   ///< of the password; a timestamptz
  std::vector<Membership> memberships = {};  ///< in the order of the roles' oids
  std::vector<RoleSetting> settings = {};    ///< of its sessions
  std::vector<DefaultAcl> defaults = {};
};
using RolePtr = std::shared_ptr<const RoleEntry>;

/// For whom a session works, by oids.
struct Actors {
  uint32_t session = kRoleOid;  ///< who logged in, or SET SESSION AUTHORIZATION
  uint32_t current = kRoleOid;  ///< the same, or SET ROLE

  bool operator==(const Actors&) const = default;
};

}  // namespace gnomon::sql
