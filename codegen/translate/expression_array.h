#pragma once

#include <functional>
#include <span>

#include "codegen/translate/code_context.h"
#include "sql/algebra/expression.h"

namespace gnomon::codegen {

/// A function of arrays; arguments may be NULL.
SqlValue emitArrayCall(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                       std::span<const SqlValue> arguments);

/// value op ANY (array), or ALL (array), as SQL's boolean; neither is NULL. `compare` emits the boolean of value and
/// element, neither of them NULL, which may be NULL itself. The elements are looked at until one decides.
SqlValue emitAnyOf(CodeContext& context, const sql::Expression& expression, const SqlValue& value,
                   const SqlValue& array, const std::function<SqlValue(const SqlValue&)>& compare);

/// Element `index` (I64, from 0 through all dimensions) of an array that has it.
SqlValue emitElement(CodeContext& context, const SqlValue& array, ir::Value index);
/// I64: the number of elements.
ir::Value emitArraySize(CodeContext& context, const SqlValue& array);

/// Stores a value, which may be NULL, as a ParameterSlot at slots + offset.
void storeSlot(CodeContext& context, const SqlValue& value, ir::Value slots, int64_t offset);

/// The value that a runtime function has left in a ParameterSlot.
SqlValue loadSlot(CodeContext& context, const sql::Type& type, ir::Value slot);
/// The bits of a type as runtime functions take it.
ir::Value typeConstant(CodeContext& context, const sql::Type& type);

}  // namespace gnomon::codegen
