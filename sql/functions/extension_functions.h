#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// A function that a database has with an extension (sql/catalog/extensions.h). Strict.
///
/// One that answers the same to the same is a value function; the others are executed by the session (kCallRoutine),
/// under an oid that says their place in the table.
struct ExtensionFunction {
  std::string_view extension;
  std::string_view name;
  std::vector<TypeKind> arguments = {};
  TypeKind result = TypeKind::Void;
  Value (*answer)(std::span<const Value> arguments, Type result) = nullptr;  ///< null: PostgreSQL alone has it
  std::string_view registered = {};  ///< what it is called as a value function; empty: it is volatile
};
std::span<const ExtensionFunction> extensionFunctions();

/// Oids of those that the session executes: below those of PostgreSQL's functions of large objects.
inline constexpr uint32_t kFirstExtensionFunction = 100;
inline constexpr uint32_t kLastExtensionFunction = 299;

/// Appends those that are value functions.
void addExtensionFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
