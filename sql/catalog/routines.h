#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/sequences.h"

/// What is asked of routines that users made.
namespace gnomon::sql {

inline constexpr auto kPlpgsqlLanguage = static_cast<RoutineEntry::Language>(2);

/// "name(type, ...)" of the inputs, as messages have it.
std::string routineSignature(const RoutineEntry& routine);
/// The same, with its schema where the search path finds another one, or none.
std::string shownRoutine(const CatalogView& catalog, const TableEntry& entry);
/// "function" or "procedure".
std::string_view routineKindName(const RoutineEntry& routine);

/// The expression with the schema before each call of a routine that users made and that is named without one.
std::string withRoutineSchemas(const CatalogView& catalog, const std::string& expression);
/// The defaults of columns that call one of the routines, by name: whichever of its overloads that is.
std::vector<DependentDefault> defaultsCalling(const CatalogView& catalog, const std::vector<TablePtr>& routines);

}  // namespace gnomon::sql
