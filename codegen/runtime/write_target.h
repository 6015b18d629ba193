#pragma once

#include <cstdint>
#include <optional>

#include "base/sql_error.h"
#include "codegen/runtime/runtime_object.h"

namespace gnomon::txn {
class WriteStatement;
}  // namespace gnomon::txn

namespace gnomon::codegen {

class ExecutionState;

/// A table that a statement writes to, for one execution. All of the statement's changes are done or none: what has
/// not been finished is undone, with all that the statement wrote since it began, when this object goes.
class WriteTarget : public RuntimeObject {
 public:
  /// Before the steps that find its rows: fires the triggers before the statement. Failure: theirs.
  virtual void begin() {}
  /// Behind the steps that note its rows: changes them. Failure: SqlError, StatementRestart.
  virtual void apply(ExecutionState& state) = 0;
  /// Behind the last step, the one that was applied last first: what foreign keys ask. Failure: the same. `refusal`: as
  /// ExecutionContext.
  virtual void finish(std::optional<SqlError>* refusal) = 0;
  [[nodiscard]] virtual uint64_t rowCount() const = 0;
  [[nodiscard]] virtual txn::WriteStatement& statement() = 0;
  /// After apply(): rows were left out, because they were there twice or something else had changed them.
  [[nodiscard]] virtual bool hasLeftOut() const { return false; }
  /// Whether that happened to the row that the worker noted as its number `row`.
  [[nodiscard]] virtual bool isLeftOut(ExecutionState& /*state*/, unsigned /*worker*/, uint64_t /*row*/) const {
    return false;
  }
};

}  // namespace gnomon::codegen
