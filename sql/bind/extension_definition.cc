#include "sql/bind/extension_definition.h"

#include <fmt/format.h>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

/// The one that every database has.
constexpr std::string_view kBuiltIn = "plpgsql";
constexpr SqlState kSuccess("00000");

}  // namespace

ExtensionStatement bindCreateExtension(const ast::CreateExtension& create) {
  if (create.name != kBuiltIn)
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("extension \"{}\" is not available", create.name));
  const std::string text = fmt::format("extension \"{}\" already exists", create.name);
  if (!create.if_not_exists) throw SqlError(sqlstate::kDuplicateObject, text);
  ExtensionStatement result;
  result.notices.emplace_back(sqlstate::kDuplicateObject, text + ", skipping");
  return result;
}

ExtensionStatement bindDropExtension(const ast::DropExtension& drop) {
  ExtensionStatement result;
  for (const std::string& name : drop.names) {
    if (name == kBuiltIn) throwNotSupported(fmt::format("DROP EXTENSION {}", name));
    const std::string text = fmt::format("extension \"{}\" does not exist", name);
    if (!drop.if_exists) throw SqlError(sqlstate::kUndefinedObject, text);
    result.notices.emplace_back(kSuccess, text + ", skipping");
  }
  return result;
}

}  // namespace gnomon::sql
