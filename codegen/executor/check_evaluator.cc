#include "codegen/executor/check_evaluator.h"

#include <bit>
#include <numeric>
#include <vector>

#include "base/arena.h"
#include "codegen/executor/code_unit.h"
#include "codegen/executor/state.h"
#include "codegen/translate/check_translator.h"
#include "codegen/translate/stored_row.h"

namespace gnomon::codegen {
namespace {

using storage::Datum;

/// i32(GlobalState*, LocalState*, const Datum* values, const uint8_t* null_flags)
ir::Module emit(const sql::CheckExpressions& checks, ProgramResources& resources) {
  ir::Module module("checks");
  const ir::FunctionId function =
      module.addFunction("check", ir::Type::I32, {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder builder(module, function);
  CodeContext context{builder, builder.parameter(0), builder.parameter(1), resources};
  Scope scope;
  bindStoredRow(context, scope, checks.units, builder.parameter(2), builder.parameter(3));
  std::vector<uint32_t> tested(checks.checks.size());
  std::iota(tested.begin(), tested.end(), 0);
  emitChecks(context, scope, checks, tested,
             [&](uint32_t check) { builder.ret(builder.constI32(static_cast<int32_t>(check))); });
  builder.ret(builder.constI32(static_cast<int32_t>(sql::RowChecker::kNone)));
  return module;
}

/// One form of the checks, compiled.
class CheckFunction {
 public:
  CheckFunction(const sql::CheckExpressions& checks, ExecutionPolicy policy, sql::ByteaOutput bytea_output) {
    resources_.bytea_output = bytea_output;
    code_ = std::make_unique<CodeUnit>(emit(checks, resources_), BackendOptions{.policy = policy});
  }
  uint32_t firstViolation(const Datum* values, const uint8_t* null_flags, Arena& memory, SessionFunctions* session) {
    // There are perhaps as many rows to come as there were.
    if (++rows_ >= kRowsMin && std::has_single_bit(rows_)) code_->prepare(static_cast<double>(rows_), 1);
    GlobalState global{nullptr, nullptr, session, {nullptr}};
    LocalState local{&memory, &memory, {nullptr}};
    return static_cast<uint32_t>(code_->function().call<int32_t>(&global, &local, values, null_flags));
  }

 private:
  static constexpr uint64_t kRowsMin = 1024;
  ProgramResources resources_;
  std::unique_ptr<CodeUnit> code_;
  uint64_t rows_ = 0;
};

class CheckEvaluator final : public sql::RowChecker {
 public:
  CheckEvaluator(sql::CheckForms checks, ExecutionPolicy policy, sql::ByteaOutput bytea_output, MemoryAccount& memory,
                 SessionFunctions* session)
      : checks_(std::move(checks)),
        policy_(policy),
        bytea_output_(bytea_output),
        memory_(&memory),
        session_(session),
        function_(std::make_unique<CheckFunction>(*checks_.usual, policy, bytea_output)) {}

  uint32_t firstViolation(const Datum* values, const uint8_t* null_flags) override {
    if (memory_.reservedBytes() > kMemoryBytesKept) memory_.clear();
    try {
      return function_->firstViolation(values, null_flags, memory_, session_);
    } catch (const DecimalOverflow&) {
      function_ = std::make_unique<CheckFunction>(*checks_.unlimited, policy_, bytea_output_);
      return function_->firstViolation(values, null_flags, memory_, session_);
    }
  }

 private:
  static constexpr size_t kMemoryBytesKept = size_t{64} << 10;
  const sql::CheckForms checks_;
  const ExecutionPolicy policy_;
  const sql::ByteaOutput bytea_output_;
  Arena memory_;
  SessionFunctions* const session_;
  std::unique_ptr<CheckFunction> function_;
};

}  // namespace

std::unique_ptr<sql::RowChecker> compileChecks(const sql::CheckForms& checks, ExecutionPolicy policy,
                                               sql::ByteaOutput bytea_output, MemoryAccount& memory,
                                               SessionFunctions* session) {
  return std::make_unique<CheckEvaluator>(checks, policy, bytea_output, memory, session);
}

}  // namespace gnomon::codegen
