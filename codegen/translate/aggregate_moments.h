#pragma once

#include <cstdint>
#include <vector>

#include "codegen/translate/code_context.h"
#include "sql/algebra/operator.h"

namespace gnomon::codegen {

/// Variances, covariances and regressions: a state that C++ keeps (runtime/moments.h). Bytes 0: another aggregate.
[[nodiscard]] uint32_t momentsBytes(const sql::Aggregation::Aggregate& aggregate);
/// Offsets of the string headers in them.
[[nodiscard]] std::vector<uint32_t> stringsOfMoments(const sql::Aggregation::Aggregate& aggregate);
/// `state` is the address of those bytes. No argument is NULL; `second` is unused unless there are two.
void addToMoments(CodeContext& context, const sql::Aggregation::Aggregate& aggregate, ir::Value state,
                  const SqlValue& argument, const SqlValue& second);
void mergeMoments(CodeContext& context, const sql::Aggregation::Aggregate& aggregate, ir::Value into, ir::Value from);
[[nodiscard]] SqlValue momentsResult(CodeContext& context, const sql::Aggregation::Aggregate& aggregate,
                                     ir::Value state);

}  // namespace gnomon::codegen
