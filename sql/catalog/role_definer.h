#pragma once

#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_transaction.h"

namespace gnomon::sql {

/// What a transaction does with roles: a part of CatalogTransaction. Threads: the session's.
class RoleDefiner {
 public:
  /// `notices` get what is to be said; those of class 01 are warnings.
  RoleDefiner(CatalogTransaction& catalog, const DefinitionContext& context, std::vector<SqlError>& notices)
      : catalog_(catalog), context_(context), notices_(notices) {}

  /// Creates the role. Failure: 42501, 42710.
  void create(const CreateRoleStatement& statement);
  /// Changes its options, or the roles that are its members. Failure: 42501, 42704.
  void alter(const AlterRoleStatement& statement);
  /// Failure: 0A000 for who asks, 42501, 42704, 42710.
  void rename(const RenameRoleStatement& statement);
  /// Failure: 42501, 42704.
  void setFor(const RoleSettingStatement& statement);
  /// Failure: 2BP01, 42501, 42704, 55006.
  void drop(const DropRoleStatement& statement);
  /// Makes roles members of others, or no longer members. Failure: 0LP01, 42501, 42704.
  void grant(const GrantRoleStatement& statement);

 private:
  void addMember(const RolePtr& role, const RolePtr& member, uint32_t grantor, bool with_admin);
  void removeMember(const RolePtr& role, const RolePtr& member, bool admin_only);

  CatalogTransaction& catalog_;
  const DefinitionContext& context_;
  std::vector<SqlError>& notices_;
};

}  // namespace gnomon::sql
