#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/memory_account.h"
#include "base/temporary_file.h"
#include "base/worker_pool.h"
#include "codegen/backend/compiled_module.h"
#include "codegen/executor/state.h"
#include "sql/algebra/operator.h"
#include "sql/explain/explain.h"
#include "sql/statement.h"
#include "sql/types/bytea.h"
#include "sql/types/value.h"
#include "txn/version.h"

namespace gnomon::txn {
struct WriteContext;
}  // namespace gnomon::txn

namespace gnomon::storage {
class BufferManager;
}  // namespace gnomon::storage

namespace gnomon::codegen {

class SessionFunctions;
class TriggerHost;

/// How result rows are encoded.
struct OutputFormat {
  enum class Framing : uint8_t {
    DataRow,   ///< protocol messages 'D', columns in text or binary
    CopyData,  ///< protocol messages 'd', one line each, as `copy` says
    Counted,   ///< nothing: rows are computed, and counted where they leave each operator
    FirstRow,  ///< nothing: the first row's values are kept (Execution::firstRow()), and rows are counted
  };
  Framing framing = Framing::DataRow;
  std::vector<int16_t> column_formats;                    ///< DataRow: 0 text, 1 binary, one per output column
  std::optional<sql::CopyOptions> copy;                   ///< CopyData
  sql::ByteaOutput bytea_output = sql::ByteaOutput::Hex;  ///< of casts to text too
  bool is_timed = false;                                  ///< Counted: operators are timed
};

/// A plan compiled to IR and bytecode, and to machine code when it pays. Immutable but for the code's tier; executed
/// any number of times, by several sessions at once. Ownership: keeps the plan and thereby the tables alive.
class Program {
 public:
  virtual ~Program() = default;
  /// The pipelines and their steps, as text.
  [[nodiscard]] virtual std::string describePipelines() const = 0;
  /// The IR of every step, as text.
  [[nodiscard]] virtual std::string describeIr() const = 0;
  /// Runs in the caller's thread alone and in memory, asks the session for nothing, fires no triggers, locks no rows.
  [[nodiscard]] virtual bool isPlain() const = 0;
  /// An INSERT of one row that is plain, reads no table and has nothing to do beside it: Execution::put().
  [[nodiscard]] virtual bool gathersRows() const = 0;
  /// Whether it is a point query whose key is made of parameters so that other ones do no harm: Execution::lookAhead().
  [[nodiscard]] virtual bool looksAhead() const = 0;
  /// Rows that it writes have to satisfy foreign keys, or are referred to: it looks at other tables than the plan's.
  [[nodiscard]] virtual bool looksAtKeys() const = 0;
};

/// Translates an optimised plan. In mode Llvm machine code is ready on return; in Vm and Auto bytecode is.
std::shared_ptr<Program> compileProgram(std::shared_ptr<const sql::Plan> plan, const OutputFormat& format,
                                        ExecutionPolicy policy);

/// What an execution borrows from its session. Everything outlives the execution.
struct ExecutionContext {
  WorkerPool& workers;
  const CancelToken& cancel;
  MemoryAccount& memory;
  txn::Snapshot snapshot = {};               ///< what the run sees; taken before the tables' bounds
  const txn::WriteContext* write = nullptr;  ///< of a statement that writes; null: its rows are gathered
  TemporarySpace* temporary = nullptr;       ///< for what finds no room in memory; null: it fails with 53200
  uint64_t memory_limit_bytes = UINT64_MAX;  ///< of `memory`
  uint64_t work_memory_bytes = UINT64_MAX;   ///< what one operator may use before it spills
  SessionFunctions* session = nullptr;       ///< whom functions ask; null: they fail with 0A000
  TriggerHost* triggers = nullptr;           ///< who fires triggers; null: there are none
  /// Where errors for rows that a key refuses may be left in the place of being thrown, which costs many times the
  /// rest: run() returns Failed then. Null: they are thrown.
  std::optional<SqlError>* refusal = nullptr;
  /// Whose uses are counted where the framing is Counted; null: they are not.
  const storage::BufferManager* buffers = nullptr;
};

/// The values of $1, $2, ..., as values or as code reads them; whoever runs the execution keeps them until its run is
/// over.
struct Parameters {
  Parameters() = default;
  Parameters(std::span<const sql::Value> given) : values(given) {}
  Parameters(const std::vector<sql::Value>& given) : values(given) {}
  Parameters(std::span<const ParameterSlot> given, std::span<const sql::Type> of) : slots(given), slot_types(of) {}

  std::span<const sql::Value> values;
  // In the place of values.
  std::span<const ParameterSlot> slots;
  std::span<const sql::Type> slot_types;
};

/// One run of a program. Threads: used by the session's thread; parallel steps enlist the pool.
///
/// No latch is held and no worker is occupied between calls of run() or while the sink is called, so a client may take
/// all the time it wants.
class Execution {
 public:
  enum class State : uint8_t { Finished, Suspended, Failed };
  /// Takes encoded messages (whole ones), in the order of the result.
  using Sink = std::function<void(std::span<const char> messages)>;

  virtual ~Execution() = default;
  /// Puts out rows until `row_limit` of them were given to the sink in this call (Suspended) or there are none left
  /// (Finished). row_limit 0: no limit. Throws SqlError, or leaves it where the context says (Failed); then the
  /// execution is over, and what it has written is undone when it goes.
  virtual State run(uint64_t row_limit, const Sink& sink) = 0;
  /// After a finished run, once: lets go of all that belongs to it. Memory that is kept for restart() stays charged.
  virtual void park() = 0;
  /// Another run of the program for the same session, after park(): less work than starting a new execution. The
  /// context is the same but for the snapshot and the write. Failure: as startExecution(); the execution is over then.
  virtual void restart(Parameters parameters, const txn::Snapshot& snapshot, const txn::WriteContext* write) = 0;
  /// Of a program that looksAhead(), before run() with these parameters: further runs are expected with one of them, an
  /// integer, one larger each time. What they will read is asked of memory. Changes that parameter meanwhile.
  virtual void lookAhead(std::span<ParameterSlot> parameters, size_t counter) = 0;
  /// Of a program that gathersRows(), started or restarted without a write context: run() has computed a row and kept
  /// it, and restart() without park() goes on to the next one. Writes the rows kept, as one statement, and is over.
  /// Failure: as run(). A row at which run() has failed is not among them.
  virtual State put(const txn::Snapshot& snapshot, const txn::WriteContext& write) = 0;
  /// Rows put out so far by all calls.
  [[nodiscard]] virtual uint64_t rowCount() const = 0;
  /// Rows that were inserted, changed or deleted.
  [[nodiscard]] virtual uint64_t writtenCount() const = 0;
  /// Of framing FirstRow, where the last run has put out rows: a slot for each output column, whose value is as records
  /// hold it (sql::heldInRecord()). Until park().
  [[nodiscard]] virtual std::span<const ParameterSlot> firstRow() const = 0;
  /// What framing Counted counted, once the run is finished; the root of a plan that writes has the rows written. The
  /// time of the whole is not among it.
  [[nodiscard]] virtual sql::ExecutionFigures figures() const = 0;
  /// The steps with their times, as text: a line each. After a finished run with framing Counted.
  [[nodiscard]] virtual std::string describeSteps() const = 0;
  /// Microseconds (steady clock) at which the first morsel began; 0: not yet; kNotMeasured: of a run that was
  /// restarted.
  [[nodiscard]] virtual int64_t firstMorselTimeUs() const = 0;
  static constexpr int64_t kNotMeasured = -1;
};

/// Starts a run: each table's bound is taken here. The caller holds the tables' shared locks.
/// `parameters`: as many as the plan has, of its types.
std::unique_ptr<Execution> startExecution(std::shared_ptr<Program> program, Parameters parameters,
                                          const ExecutionContext& context);

}  // namespace gnomon::codegen
