#pragma once

#include <string>

#include "sql/algebra/operator.h"
#include "sql/algebra/rewrite.h"

namespace gnomon::sql {

/// What changes a table and has nobody who waits for its rows comes behind the root, the last one first, as in
/// PostgreSQL; what these scan right before them. Other shared plans that nobody scans go; one that is scanned once,
/// outside what is repeated, becomes a part of its reader, unless it is to stay separate.
void mergeSharedPlans(Plan& plan);

/// Shared plans that nobody scans any more go, because no rows come from where they were scanned; what changes a table
/// stays.
void dropUnscannedPlans(Plan& plan);

/// The tree, which has its estimates, as a shared plan that hands on all its units. It stays separate.
SharedPlan sharedPlan(std::string name, OperatorPtr tree);

}  // namespace gnomon::sql
