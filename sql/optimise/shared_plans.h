#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Shared plans that nobody scans go; one that is scanned once, outside what is repeated, becomes a part of its reader,
/// unless it is to stay separate.
void mergeSharedPlans(Plan& plan);

}  // namespace gnomon::sql
