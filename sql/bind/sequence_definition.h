#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// What options make of a sequence.
struct SequenceOptions {
  SequenceDefinition definition;
  bool has_values = false;  ///< something else than OWNED BY was said
  bool restarts = false;
  std::optional<int64_t> restart;
  std::optional<std::vector<std::string>> owned_by;
  ObjectPath path;  ///< SEQUENCE NAME; empty name: none
};

/// Failure: 42601, 22003, 22023 with PostgreSQL's words.
SequenceOptions bindSequenceOptions(const std::vector<ast::SequenceOption>& options, const SequenceDefinition* before,
                                    std::optional<TypeKind> identity_type = std::nullopt);

/// The integer type that serial, or one of its kin, stands for; none: it is another type.
std::optional<TypeKind> serialType(const ast::TypeName& name);
/// The sequence of a column that is of type serial or GENERATED AS IDENTITY; none: it is neither. `type`: the column's.
/// Failure: as bindSequenceOptions.
std::optional<ColumnSequence> bindColumnSequence(const ast::ColumnDefinition& definition, Type type);
/// Failure: as bindSequenceOptions.
ColumnSequence bindIdentity(const ast::IdentityDefinition& identity, Type type);

CreateSequenceStatement bindCreateSequence(BindState& state, const ast::CreateSequence& create);
AlterSequenceStatement bindAlterSequence(BindState& state, const ast::AlterSequence& alter);
AlterSequenceStatement bindRenameSequence(BindState& state, const ast::Rename& rename);
DropSequenceStatement bindDropSequence(const ast::DropSequence& drop);

}  // namespace gnomon::sql
