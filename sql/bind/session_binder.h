#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/parse/parser.h"
#include "sql/session_statement.h"

namespace gnomon::sql {

/// PREPARE. Failure: 42704 for types.
PrepareStatement bindPrepare(const ast::Prepare& prepare);
/// What the parameters of a PREPARE have to do with domains (domainOid()).
std::vector<uint32_t> parameterDomains(const ParsedStatement& statement);
/// DECLARE, behind its query, which `root` is. Failure: 42P11, 0A000 for options that do not go together.
DeclareCursorStatement bindDeclareCursor(const ast::DeclareCursor& declare, const Output& root);
FetchStatement bindFetch(const ast::Fetch& fetch);
/// LOCK TABLE; a view's tables are locked as well. Failure: 42P01, 42809.
LockTableStatement bindLockTable(BindState& state, const ast::LockTable& lock);
/// Failure: 42704, 3F000; 42809 for what is not deferrable.
SetConstraintsStatement bindSetConstraints(const BindState& state, const ast::SetConstraints& set);

/// The arguments of an EXECUTE as values of these types and `domains` (domainOid()), of which there may be fewer.
/// Failure: 42601, 42804, and those of expressions.
std::vector<ExpressionPtr> bindArguments(const ParsedStatement& statement, std::span<const Type> types,
                                         std::span<const uint32_t> domains, BindContext& context);

}  // namespace gnomon::sql
