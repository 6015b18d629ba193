#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/sequences.h"

/// What is asked of routines that users made.
namespace gnomon::sql {

/// "name(type, ...)" of the inputs, as messages have it.
std::string routineSignature(const RoutineEntry& routine);
/// The same, with its schema where the search path finds another one, or none.
std::string shownRoutine(const CatalogView& catalog, const TableEntry& entry);
/// "function" or "procedure".
std::string_view routineKindName(const RoutineEntry& routine);

/// Whether the entry is still the catalog's. Of a polymorphic routine with the types of a call: what it is made of.
bool isCurrent(const CatalogView& catalog, const TablePtr& entry);

/// Whether the stored expressions, with commas between them, call the routine.
bool calls(const std::string& text, const TableEntry& routine);
/// The defaults of columns that call one of the routines.
std::vector<DependentDefault> defaultsCalling(const CatalogView& catalog, const std::vector<TablePtr>& routines);

}  // namespace gnomon::sql
