#pragma once

#include <deque>
#include <vector>

#include "codegen/translate/code_context.h"
#include "codegen/translate/scope.h"

namespace gnomon::codegen {

/// Binds the units of a table's columns, whose ids are the columns' numbers, to a row as it is stored: `values`, one
/// txn::Datum a column, and `null_flags`, one byte each, are addresses that dominate all that reads the units.
void bindStoredRow(CodeContext& context, Scope& scope, const std::deque<sql::InformationUnit>& units, ir::Value values,
                   ir::Value null_flags);
/// The same for units that stand in the order of the columns.
void bindStoredRow(CodeContext& context, Scope& scope, const std::vector<sql::Iu>& units, ir::Value values,
                   ir::Value null_flags);

}  // namespace gnomon::codegen
