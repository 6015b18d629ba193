#pragma once

#include <optional>
#include <string_view>

#include "sql/parse/ast.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// A type as a name has it.
struct NamedType {
  Type type;            ///< of a domain the one below it
  uint32_t domain = 0;  ///< see domainOid()
};

/// The type a name stands for, modifiers applied. Failure: 42704 for names PostgreSQL does not have either, 0A000 for
/// types it has and Gnomon has not; 22023, 42601 for bad modifiers.
NamedType resolveTypeName(const ast::TypeName& name);

/// The same where routines take or return it: also a record, void and what is polymorphic.
NamedType resolveRoutineTypeName(const ast::TypeName& name);

/// The kind named by the catalog's name for it ("int4", "bpchar"), if Gnomon has it.
std::optional<TypeKind> findTypeKind(std::string_view catalog_name);

}  // namespace gnomon::sql
