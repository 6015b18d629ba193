#pragma once

#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// json_to_record, json_populate_record and their kin.
bool isJsonRows(const ast::Expression& call);
/// Of these: whether it returns a set.
bool isJsonRowSet(const ast::Expression& call);

/// The row that the call returns, or of a set the array of its rows. `listed`: the columns that the statement lists,
/// whose domains the caller tests; all others are tested. Failure: 42883, 42804.
ExpressionPtr bindJsonRows(BindState& state, const ast::Expression& node, std::vector<ExpressionPtr> arguments,
                           const std::vector<RecordField>& listed = {});

/// The value, of which rows have their domains tested (CheckDomain), where they have any.
ExpressionPtr checkFieldDomains(BindState& state, ExpressionPtr value);

}  // namespace gnomon::sql
