#pragma once

#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/catalog/view_entry.h"

namespace gnomon::sql {

/// Adds what a text that is stored uses, once.
void addUse(std::vector<ViewEntry::Use>& uses, ViewEntry::Use use);
/// The relations, types and functions that it names itself, and primary keys that its GROUP BY relies on.
void addNamedUses(const BindState& state, std::vector<ViewEntry::Use>& uses);

}  // namespace gnomon::sql
