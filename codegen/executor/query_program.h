#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codegen/executor/code_unit.h"
#include "codegen/executor/program.h"
#include "codegen/executor/step.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/translate/code_context.h"

namespace gnomon::codegen {

class ExecutionState;
struct ForeignKeySettings;

/// A compiled statement: steps, their code, and the runtime structures an execution needs.
class QueryProgram final : public Program {
 public:
  /// Makes a runtime structure and gives the address that generated code gets in its slot.
  struct Made {
    std::unique_ptr<RuntimeObject> object;
    void* address;
  };
  using GlobalFactory = std::function<Made(ExecutionState&)>;
  using LocalFactory = std::function<Made(ExecutionState&, unsigned worker)>;

  [[nodiscard]] std::string describePipelines() const override;
  [[nodiscard]] std::string describeIr() const override;

  size_t addGlobal(GlobalFactory factory) {
    globals.push_back(std::move(factory));
    return globals.size() - 1;
  }
  size_t addLocal(LocalFactory factory) {
    locals.push_back(std::move(factory));
    return locals.size() - 1;
  }
  /// Takes a finished module.
  CodeUnit* addCode(ir::Module module);
  template <typename StepType, typename... Arguments>
  StepType& addStep(Arguments&&... arguments) {
    auto step = std::make_unique<StepType>(std::forward<Arguments>(arguments)...);
    StepType& result = *step;
    steps.push_back(std::move(step));
    return result;
  }

  /// For rows that foreign keys change.
  [[nodiscard]] ForeignKeySettings keySettings() const;

  std::shared_ptr<const sql::Plan> plan;
  ExecutionPolicy policy;
  ProgramResources resources;
  std::vector<GlobalFactory> globals;
  std::vector<LocalFactory> locals;
  std::vector<std::unique_ptr<CodeUnit>> units;
  std::vector<std::unique_ptr<Step>> steps;
  bool has_output = false;                    ///< rows are encoded into output_slot
  std::vector<const sql::Operator*> counted;  ///< framing Counted: operators by the number of their counter
  size_t counters_slot = 0;                   ///< local: RowCounters
  bool is_write = false;
  bool has_row_locks = false;  ///< row_locks_slot: output is held back until its rows are locked
  size_t row_locks_slot = 0;
  size_t write_target_slot = 0;  ///< global: WriteTarget
  size_t output_slot = 0;        ///< local: OutputSink
};

}  // namespace gnomon::codegen
