#pragma once

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// The pass: every predicate goes as far down as it keeps its meaning, scans take theirs as filters, and what follows
/// from several predicates together is derived.
///
///   map, grouping     predicates are put in terms of what is below (grouping: those over keys alone)
///   inner join        a region of inner joins is opened: its predicates go to single inputs, or to the lowest join
///                     that has all units; derived tables that only compute columns over joins are merged in
///   left join         predicates above: those over the left input go left, others stay above; the join's own: those
///                     over the right input go right
///   limit             stops them
/// Order: a condition stays behind those that stood below it, and conditions that may raise an error come last.
/// Input from which nothing can pass becomes Values without rows.
void pushDownPredicates(Plan& plan);

}  // namespace gnomon::sql
