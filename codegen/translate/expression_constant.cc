#include "codegen/translate/expression_constant.h"

#include "base/sql_error.h"
#include "codegen/backend/compiled_module.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {
namespace {

using sql::Physical;

/// What the function writes. Layout: lo 8 bytes, hi 8 bytes, NULL 8 bytes.
struct Result {
  uint64_t lo = 0;
  uint64_t hi = 0;
  uint64_t is_null = 0;
};

void storeResult(CodeContext& context, const SqlValue& value, ir::Value out) {
  ir::Builder& builder = context.builder;
  builder.store(builder.zext(isNull(context, value), ir::Type::I64), out, offsetof(Result, is_null));
  switch (value.type.physical()) {
    case Physical::Bool:
      builder.store(builder.zext(value.lo, ir::Type::I64), out);
      break;
    case Physical::Int16:
    case Physical::Int32:
      builder.store(builder.sext(value.lo, ir::Type::I64), out);
      break;
    default:
      builder.store(value.lo, out);
      break;
  }
  if (value.isPair()) builder.store(value.hi, out, offsetof(Result, hi));
}

sql::Value valueOf(const sql::Type& type, const Result& result) {
  if (result.is_null != 0) return sql::Value::null(type);
  switch (type.physical()) {
    case Physical::String: {
      const StringValue text(result.lo, result.hi);
      return sql::Value::fromString(type, text.view());
    }
    case Physical::Bool:
    case Physical::Int16:
    case Physical::Int32:
    case Physical::Int64:
      return sql::Value::fromInt(type, static_cast<int64_t>(result.lo));
    default:
      return {type, false, result.lo, result.hi, {}};
  }
}

}  // namespace

std::optional<sql::Value> evaluateConstant(CodeContext& context, const sql::Expression& expression) {
  ir::Module module("constant");
  const ir::FunctionId function =
      module.addFunction("evaluate", ir::Type::Void, {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder builder(module, function);
  CodeContext inner{builder, builder.parameter(0), builder.parameter(1), context.resources};
  Scope no_columns;
  SqlValue value =
      ExpressionTranslator(inner, no_columns, ExpressionTranslator::Constants::InPlace).translate(expression);
  value.type = expression.type;
  storeResult(inner, value, builder.parameter(2));
  builder.retVoid();

  const CompiledModule compiled(std::move(module), {.policy = {.mode = ExecutionMode::Vm}});
  Arena arena;
  GlobalState global{nullptr, nullptr, nullptr, {nullptr}};
  LocalState local{&arena, &arena, {nullptr}};
  Result result;
  try {
    compiled.function(function).call<void>(&global, &local, &result);
  } catch (const SqlError&) {
    return {};
  } catch (const DecimalOverflow&) {
    return {};
  }
  return valueOf(expression.type, result);
}

}  // namespace gnomon::codegen
