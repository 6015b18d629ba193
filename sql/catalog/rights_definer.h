#pragma once

#include <string>
#include <vector>

#include "sql/catalog/access.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/privilege_statement.h"

namespace gnomon::sql {

/// An object whose ACL changes.
struct SecuredObject {
  Securable kind;
  uint32_t owner;
  Acl acl;
  std::string shown;  ///< "table t": for who may do nothing with it
  std::string name;   ///< t: for who may not do all of it
};
/// The ACL after GRANT or REVOKE, and what is to be said. `are_all`: ALL PRIVILEGES; `acl_above`: of the table that has
/// the column. Failure: 42501, 0LP01, 2BP01.
Acl grantedAcl(const CatalogView& catalog, const GrantStatement& statement, const SecuredObject& object,
               Privilege rights, bool are_all, const Acl& acl_above, std::vector<SqlError>& notices);

/// What a transaction does with rights on objects, and with their owners: a part of CatalogTransaction. Threads: the
/// session's.
class RightsDefiner {
 public:
  RightsDefiner(CatalogTransaction& catalog, const DefinitionContext& context) : catalog_(catalog), context_(context) {}

  /// Gives or takes rights on objects, once nobody changes these; `notices`: warnings. Failure: 0LP01, 2BP01, 42501.
  void grant(const GrantStatement& statement, std::vector<SqlError>& notices);
  /// What others may do with objects that are made from now on. Failure: 0LP01, 2BP01.
  void setDefaults(const DefaultPrivilegesStatement& statement);
  /// Forgets what others may do with objects that are made in a schema, which goes.
  void dropDefaults(const SchemaEntry& schema);
  /// Failure: 42501; 57014.
  void changeOwner(const OwnerStatement& statement);
  /// The same of a schema that is the definer's alone.
  void changeOwner(const SchemaPtr& schema, uint32_t owner);
  /// Gives another role all that these own. Failure: 2BP01 for the system's; 57014.
  void reassignOwned(const OwnedStatement& statement);
  /// Drops all that roles own, and takes their rights on what others own. Failure: 2BP01; 57014.
  void dropOwned(const OwnedStatement& statement, std::vector<SqlError>* notices = nullptr);

 private:
  void grantOnEntry(const GrantStatement& statement, const GrantTarget& target, std::vector<SqlError>& notices);
  void grantOnSchema(const GrantStatement& statement, const GrantTarget& target, std::vector<SqlError>& notices);
  void grantOnDatabase(const GrantStatement& statement, const GrantTarget& target, std::vector<SqlError>& notices);
  void noteSystemColumns(const GrantStatement& statement, const GrantTarget& target, const TableEntry& entry,
                         std::vector<SqlError>& notices) const;
  [[nodiscard]] bool isOthersTemporary(const TableEntry& entry) const {
    return entry.is_temporary && entry.schema != catalog_.temporary_;
  }
  void claimGrantees(const std::vector<uint32_t>& roles);
  void giveEntry(const TablePtr& entry, uint32_t owner);
  void giveDatabase(const DatabasePtr& database, uint32_t owner);
  DatabasePtr claimDatabase(const std::string& name);
  void giveSchema(const SchemaPtr& schema, uint32_t owner);
  void dropEntry(const TableEntry& entry, bool is_cascade, std::vector<SqlError>* notices);
  void dropRightsOf(const std::vector<uint32_t>& roles);

  CatalogTransaction& catalog_;
  const DefinitionContext& context_;
};

}  // namespace gnomon::sql
