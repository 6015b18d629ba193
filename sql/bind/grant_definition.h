#pragma once

#include "sql/bind/bind_state.h"
#include "sql/privilege_statement.h"

namespace gnomon::sql {

/// GRANT and REVOKE of rights on objects. Failure: 0A000 for objects of which nothing is known, 0LP01, 42601, 42704,
/// 42809, 42P01, 42703, 3F000.
GrantStatement bindGrant(BindState& state, const ast::Grant& grant);
/// Failure: 0LP01, 3F000, 42501, 42601, 42704.
DefaultPrivilegesStatement bindDefaultPrivileges(const BindState& state, const ast::DefaultPrivileges& defaults);
/// ALTER ... OWNER TO. Failure: 0A000, 42704, 42809, 42P01.
OwnerStatement bindAlterOwner(BindState& state, const ast::AlterOwner& alter);
/// REASSIGN OWNED, DROP OWNED. Failure: 42501, 42704.
OwnedStatement bindOwned(const BindState& state, const ast::Owned& owned);

}  // namespace gnomon::sql
