#include "codegen/executor/key_evaluator.h"

#include "base/sql_error.h"
#include "codegen/backend/compiled_module.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/stored_row.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/decimal.h"

namespace gnomon::codegen {
namespace {

using storage::Datum;

/// bool(GlobalState*, LocalState*, const Datum* values, const uint8_t* null_flags, Datum* parts, uint8_t* part_nulls)
ir::FunctionId emit(const sql::IndexExpressions& expressions, ir::Module& module, ProgramResources& resources) {
  const ir::FunctionId function =
      module.addFunction("evaluate", ir::Type::I1,
                         {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder builder(module, function);
  CodeContext context{builder, builder.parameter(0), builder.parameter(1), resources};
  Scope scope;
  bindStoredRow(context, scope, expressions.units, builder.parameter(2), builder.parameter(3));
  ExpressionTranslator translator(context, scope);
  const ir::Block left_out = builder.createBlock("left out");
  translator.requireAll(expressions.predicate, left_out);
  for (size_t i = 0; i < expressions.parts.size(); ++i) {
    SqlValue value = translator.translate(*expressions.parts[i]);
    value.type = expressions.parts[i]->type;
    storeDatum(context, value, builder.parameter(4), static_cast<int64_t>(i * sizeof(Datum)));
    storeNullFlag(context, value, builder.parameter(5), static_cast<int64_t>(i));
  }
  builder.ret(builder.constI1(true));
  builder.setBlock(left_out);
  builder.ret(builder.constI1(false));
  return function;
}

/// The columns that an index mentions of which a value may be NaN, and which integer that is.
std::vector<std::pair<uint32_t, Datum>> nansOf(const sql::IndexExpressions& expressions) {
  std::vector<std::pair<uint32_t, Datum>> nans;
  if (!expressions.with_nan) return nans;
  for (const uint32_t column : sql::mentionedColumns(expressions)) {
    const sql::Type type = expressions.with_nan->units[column].type;
    if (type.may_be_nan == 0) continue;
    const int128 nan = sql::decimalNan(type.form);
    nans.push_back({column, {static_cast<uint64_t>(nan), static_cast<uint64_t>(nan >> 64)}});
  }
  return nans;
}

class KeyEvaluator final : public txn::KeyExpressions {
 public:
  KeyEvaluator(const sql::IndexExpressions& expressions, SessionFunctions* session)
      : session_(session), nans_(nansOf(expressions)) {
    if (!nans_.empty()) with_nan_ = std::make_unique<const KeyEvaluator>(*expressions.with_nan, session);
    ir::Module module("key");
    function_ = emit(expressions, module, resources_);
    code_ = std::make_unique<CompiledModule>(std::move(module), BackendOptions{.policy = {.mode = ExecutionMode::Vm}});
  }

  bool evaluate(const Datum* values, const uint8_t* null_flags, Datum* parts, uint8_t* part_nulls,
                Arena& memory) const override {
    for (const auto& [column, nan] : nans_) {
      const bool is_wide = nan.hi != 0;
      if (null_flags[column] == 0 && values[column].lo == nan.lo && (!is_wide || values[column].hi == nan.hi))
        return with_nan_->evaluate(values, null_flags, parts, part_nulls, memory);
    }
    GlobalState global{nullptr, nullptr, session_, {nullptr}};
    LocalState local{&memory, &memory, {nullptr}};
    try {
      return code_->function(function_).call<bool>(&global, &local, values, null_flags, parts, part_nulls);
    } catch (const DecimalOverflow&) {
      throw SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
    }
  }

 private:
  SessionFunctions* const session_;
  const std::vector<std::pair<uint32_t, Datum>> nans_;
  std::unique_ptr<const KeyEvaluator> with_nan_;  ///< null: nothing is NaN
  ProgramResources resources_;
  std::unique_ptr<CompiledModule> code_;
  ir::FunctionId function_;
};

}  // namespace

std::shared_ptr<const txn::KeyExpressions> compileKeyExpressions(
    const std::shared_ptr<const sql::IndexExpressions>& expressions) {
  return std::make_shared<const KeyEvaluator>(*expressions, nullptr);
}

std::shared_ptr<const txn::KeyExpressions> compileRowExpressions(
    const std::shared_ptr<const sql::IndexExpressions>& expressions, SessionFunctions* session) {
  return std::make_shared<const KeyEvaluator>(*expressions, session);
}

}  // namespace gnomon::codegen
