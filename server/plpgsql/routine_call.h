#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_account.h"
#include "base/sql_error.h"
#include "codegen/runtime/routine_frame.h"
#include "codegen/runtime/trigger_queue.h"
#include "server/plpgsql/compiled_routine.h"
#include "server/plpgsql/gathered_insert.h"
#include "server/plpgsql/piece_result.h"
#include "server/routine_calls.h"

namespace gnomon::sql {
struct RoutineColumn;
}

namespace gnomon::server {

class Portal;

/// One call of a routine in PL/pgSQL: does what its code asks for.
///
/// Threads: the session's. Failure: SqlErrors, with the routine's line of the context.
class RoutineCall final : private codegen::RoutineHost, private PendingRows {
 public:
  /// Where a routine is called: the innermost call of one in PL/pgSQL, and of one in SQL; null: there is none.
  struct Caller {
    RoutineCall* call;
    const RoutineCalls::SqlCall* sql;
  };
  /// `is_atomic`: it may not end the transaction. `trigger`: that calls it, and outlives this; null: none does.
  RoutineCall(SessionContext& session, std::shared_ptr<CompiledRoutine> compiled, Caller caller, bool is_atomic,
              const codegen::TriggerCall* trigger = nullptr);
  ~RoutineCall() override;

  /// `listed`: the types of the columns that the statement lists for a function that returns records; empty: none.
  void setListed(const std::vector<sql::Type>& listed) { listed_ = &listed; }
  /// Executes it. `inputs`: of the parameters' types. Returns its error, if it has one.
  std::optional<SqlError> tryRun(std::span<const sql::Value> inputs);
  /// The same; the error is thrown.
  void run(std::span<const sql::Value> inputs);
  /// What it has returned: one value, or rows, of a set as many as it has: of one value, or a row's fields.
  [[nodiscard]] std::optional<sql::Value>& value() { return value_; }
  [[nodiscard]] std::vector<ValueRow>& rows() { return rows_; }
  [[nodiscard]] const codegen::TriggerCall* trigger() const { return trigger_; }
  /// The values of the parameters that a procedure gives back.
  [[nodiscard]] ValueRow outputs();
  /// Of this call, and of those it is called in: as the context of an error says it.
  [[nodiscard]] std::string contextLines() const;
  /// The same, with the SQL that it executes at the moment.
  [[nodiscard]] std::string allContextLines() const;

 private:
  using Frame = codegen::RoutineFrame;
  using Fragment = sql::plpgsql::Fragment;
  using DatumId = sql::plpgsql::DatumId;

  /// The rows of a query that a loop goes over.
  class RowLoop;
  /// While it lives, the context has a line for the SQL that is executed. The text outlives it.
  class Running {
   public:
    Running(RoutineCall& call, const std::string& text) : call_(call) { call.running_text_ = &text; }
    ~Running() {
      call_.running_fragment_ = nullptr;
      call_.running_text_ = nullptr;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   protected:
    Running(RoutineCall& call, const Fragment& fragment) : call_(call) { call.running_fragment_ = &fragment; }

    RoutineCall& call_;
  };
  /// The same of a piece; an error that leaves it gets its context by whoever catches it (addFailedContext).
  class RunningPiece : private Running {
   public:
    RunningPiece(RoutineCall& call, const Fragment& fragment, const Piece& piece)
        : Running(call, fragment), piece_(piece) {}
    ~RunningPiece() {
      if (!is_done_ && !call_.has_put_failed_) call_.failed_ = {call_.runningLine(), piece_.text};
    }
    void setDone() { is_done_ = true; }

   private:
    const Piece& piece_;
    bool is_done_ = false;
  };

  // codegen::RoutineHost
  codegen::RoutineOutcome execute(Frame& frame, const sql::plpgsql::Statement& statement) override;
  void evaluate(Frame& frame, const Fragment& fragment, sql::Type type, uint32_t domain, DatumId compared,
                codegen::ParameterSlot& result) override;
  void assign(Frame& frame, const sql::plpgsql::Assignment& assignment) override;
  void initialise(Frame& frame, DatumId datum) override;
  int32_t loop(Frame& frame, const sql::plpgsql::Statement& statement, uint32_t body) override;
  int32_t guard(Frame& frame, const codegen::GuardedBlock& block) override;
  void setResult(Frame& frame, const sql::plpgsql::Return& statement) override;
  void addResult(Frame& frame, const sql::plpgsql::ReturnNext& statement, const codegen::ParameterSlot* value) override;
  void poll() override;

  // PendingRows: those of gathered_.
  [[nodiscard]] bool mayWaitFor(const KeptPlan& kept) override { return gathered_->mayWaitFor(kept); }
  void put() override;
  void beforeLock() override;
  void beforeRow() override;
  void putBehindFailure();
  /// Leaves the row of an INSERT in a loop to put(). False: nothing was done.
  bool tryGather(const sql::plpgsql::ExecuteSql& execute, const PiecePtr& piece);

  /// False: it has failed.
  bool runInside(std::span<const sql::Value> inputs);
  [[nodiscard]] static bool hasFailed(int32_t outcome) {
    return outcome == static_cast<int32_t>(codegen::RoutineOutcome::Failed);
  }
  void giveResult(bool has_returned);
  [[noreturn]] void throwNoReturn();
  int32_t handleFailure(Frame& frame, const codegen::GuardedBlock& block, size_t part);

  // Statements: routine_call.cc, and by subject.
  void executeKind(const sql::plpgsql::Perform& perform);
  void executeKind(const sql::plpgsql::ExecuteSql& execute);
  void executeKind(const sql::plpgsql::ExecuteDynamic& execute);
  void executeKind(const sql::plpgsql::Raise& raise);
  void executeKind(const sql::plpgsql::Assert& assertion);
  void executeKind(const sql::plpgsql::GetDiagnostics& get);
  void executeKind(const sql::plpgsql::ReturnQuery& query);
  void executeKind(const sql::plpgsql::Open& open);
  void executeKind(const sql::plpgsql::Fetch& fetch);
  void executeKind(const sql::plpgsql::Close& close);
  void executeKind(const sql::plpgsql::Call& call);
  void executeKind(const sql::plpgsql::EndTransaction& end);
  template <typename Other>
  void executeKind(const Other& /*other*/) {
    throw SqlError(sqlstate::kInternalError, "a statement of PL/pgSQL that has code of its own");
  }

  // Pieces of SQL: routine_pieces.cc.
  PiecePtr pieceOf(const Fragment& fragment, Piece::Rows rows, DatumId compared = sql::plpgsql::kNoDatum,
                   bool is_cursor = false);
  PiecePtr makePiece(const Fragment& fragment, Piece::Rows rows, DatumId compared, bool is_cursor);
  std::vector<sql::Value> parametersOf(const Piece& piece);
  /// What parametersOf() says, as code reads it. Valid until the next call, and while no variable changes.
  std::span<const codegen::ParameterSlot> parameterSlots(const Piece& piece);
  /// Their types. Likewise.
  std::span<const sql::Type> parameterTypes(const Piece& piece);
  /// How contexts and messages call a fragment.
  struct Shown {
    std::string text, context_line;
    uint32_t fragment_offset = 0;  ///< where it begins in `text`
    bool is_assignment = false;
  };
  [[nodiscard]] Shown shownOf(const Fragment& fragment) const;
  [[nodiscard]] bool isRunning() const { return running_fragment_ != nullptr || running_text_ != nullptr; }
  /// The context's line for the SQL that is executed.
  [[nodiscard]] std::string runningLine() const;
  void requireMayChange(const Piece& piece) const;
  void requireMaySet(const sql::SetTransactionStatement& set) const;
  [[nodiscard]] SqlError inPiece(SqlError& error, const std::string& text) const;
  void addFailedContext(SqlError& error);
  /// The rows of a query are held.
  /// `run`: gets that of a query, which the result refers to.
  PieceResult runPiece(Piece& piece, const Fragment& fragment, uint64_t rows_max, PieceRun& run);
  /// A statement by PlainRun alone, as most executions of most statements are. False: nothing was done that executing
  /// it otherwise would not do. `execute`: null: of PERFORM, whose rows are counted.
  bool runPlain(Piece& piece, const Fragment& fragment, const sql::plpgsql::ExecuteSql* execute);
  void lookAhead(PlainRun& plain, const Piece& piece, DatumId counter);
  /// `parameters`: null: the variables that the piece reads.
  PieceResult runQuery(Piece& piece, const std::span<const sql::Value>* parameters, uint64_t rows_max, PieceRun& run);
  PieceResult runStatement(Piece& piece, std::span<const sql::Value> parameters, uint64_t rows_max);
  /// The piece's columns are from now on those of the rows that a statement bound like this gives, as values hold them.
  static void noteColumns(Piece& piece, const std::shared_ptr<const CompiledQuery>& planned);
  PieceResult runFragment(const Fragment& fragment, uint64_t rows_max);
  /// `line`: gets the context's line for what was executed; null: nobody asks.
  PieceResult runDynamic(const sql::plpgsql::DynamicQuery& query, uint64_t rows_max, std::string* line = nullptr);
  /// The text of EXECUTE, and the values of USING.
  std::string dynamicText(const sql::plpgsql::DynamicQuery& query);
  std::vector<sql::Value> valuesOf(const std::vector<Fragment>& fragments);
  std::shared_ptr<DescribedStatement> bindDynamic(const std::string& text, std::span<const sql::Value> arguments,
                                                  bool is_cursor = false);
  std::shared_ptr<DescribedStatement> bindDynamic(const std::string& text, sql::ParsedStatement statement,
                                                  std::span<const sql::Value> arguments, bool is_cursor = false);
  /// An expression's value, of whatever type it has.
  sql::Value valueOf(const Fragment& fragment, DatumId compared = sql::plpgsql::kNoDatum);
  /// What code has left of a column of the type.
  static sql::Value valueOf(sql::Type type, const codegen::ParameterSlot& slot);
  /// As text; none: NULL.
  std::optional<std::string> textOf(const Fragment& fragment);

  // Values and rows: routine_values.cc.
  sql::Value convert(sql::Value value, sql::Type type, uint32_t domain);
  /// What the type's output function makes of it.
  [[nodiscard]] sql::Value textValue(const sql::Value& value) const;
  void requireDomain(const sql::Value& value, uint32_t domain);
  void requireDomains(const ValueRow& row, std::span<const sql::RoutineColumn> expected);
  void requireRowDomain(DatumId record, uint32_t slot, const sql::Value& value);
  void assignScalar(DatumId target, const sql::Value& value);
  void setField(DatumId record, uint32_t slot, const sql::Value& value);
  void assignRow(DatumId target, const ValueRow& row, const std::vector<ResultColumn>& columns);
  /// What plpgsql.extra_warnings and extra_errors say of a row with another number of fields than what it is put into.
  void checkFieldCount(size_t given, size_t wanted);
  /// A row that the piece has given. `message`: of HeldRows.
  void assignHeld(Piece& piece, DatumId target, std::string_view message,
                  const std::shared_ptr<const std::vector<ResultColumn>>& columns);
  /// The first row, of Piece::Rows::First.
  void assignFirst(Piece& piece, DatumId target, std::span<const codegen::ParameterSlot> row,
                   const std::shared_ptr<const std::vector<ResultColumn>>& columns);
  const Piece::Direct& directOf(Piece& piece, DatumId target,
                                const std::shared_ptr<const std::vector<ResultColumn>>& columns);
  void planDirect(Piece::Direct& direct);
  /// The shape that a record gets by rows of these columns; kNoShape: the target is no record.
  sql::plpgsql::FrameLayout::ShapeId shapeFor(DatumId target, const std::vector<ResultColumn>& columns);
  void assignFields(DatumId record, sql::plpgsql::FrameLayout::ShapeId shape, const ValueRow& row);
  /// To the field of a record that the slot is; nothing where it is none.
  void assignFieldAt(uint32_t slot, const sql::Value& value);
  void assignNoRow(DatumId target, const std::vector<ResultColumn>& columns);
  void assignRecord(DatumId target, const sql::Value& value);
  sql::Value rowOf(DatumId record);
  ValueRow fieldsOf(const sql::Value& record, std::vector<ResultColumn>* columns);
  void setFound(bool is_found);
  // Triggers: routine_trigger.cc.
  void beginTrigger();
  void endTrigger(bool has_returned);
  void setReturnedRow(const sql::Value& value);
  void setText(DatumId target, const std::string& text);
  void requireStructure(std::span<const sql::Type> types, const char* message) const;
  void requireListed() const;
  [[nodiscard]] std::vector<sql::RoutineColumn> expectedColumns() const;
  void addRows(PieceResult& result);
  /// Of a statement that may have INTO. `piece`: which gave held rows. `parameters`: what it was given, for a detail.
  template <typename Shown>
  void noteRows(Piece* piece, PieceResult& result, DatumId into, bool is_strict, bool is_change, bool sets_found,
                const Shown& parameters);
  [[nodiscard]] std::string shownParameters(const Piece& piece);
  std::optional<uint32_t> slotOf(DatumId id);
  [[nodiscard]] std::string shownParameter(const std::string& name, const sql::Value& value) const;

  std::string openCursor(DatumId cursor, sql::plpgsql::Scrolling scrolling, PiecePtr piece,
                         std::vector<sql::Value> parameters);
  std::string openBound(DatumId cursor, const std::vector<Fragment>& arguments);
  std::string cursorName(DatumId cursor);
  void holdLoops();
  void requireMayEndTransaction(bool is_rollback) const;
  int32_t loopOverQuery(const sql::plpgsql::ForQuery& loop, uint32_t body);
  int32_t loopOverCursor(const sql::plpgsql::ForCursor& loop, uint32_t body);
  int32_t loopOverArray(const sql::plpgsql::ForEach& loop, uint32_t body);
  /// One round; false: the loop is over, as `outcome` says.
  bool round(uint32_t body, int32_t& outcome);

  /// The one that a record has now.
  [[nodiscard]] sql::plpgsql::FrameLayout::ShapeId shapeOf(DatumId record);
  [[nodiscard]] sql::plpgsql::FrameNames::ShapeNow shapeNow() {
    return [this](DatumId record) { return shapeOf(record); };
  }
  [[nodiscard]] const sql::plpgsql::Datum& datum(DatumId id) const { return routine_.datum(id); }
  [[nodiscard]] std::string placeLine() const;
  /// The context's line for the expression at hand, where a call of the same routine around this one is in it, too.
  [[nodiscard]] std::optional<std::string> nestedLine() const;
  /// The context's line for an expression that PostgreSQL computes when it plans, and that fails: one without
  /// variables. None: the statement at hand has none such.
  [[nodiscard]] std::optional<std::string> plannedLine();

  SessionContext& session_;
  const std::shared_ptr<CompiledRoutine> compiled_;
  const sql::plpgsql::Routine& routine_;
  sql::plpgsql::FrameLayout& layout_;
  RoutineCall* const caller_;
  const RoutineCalls::SqlCall* const sql_caller_;
  const bool is_atomic_;
  const codegen::TriggerCall* const trigger_;
  MemoryAccount memory_;
  Frame frame_;
  std::optional<sql::Value> value_;
  std::vector<ValueRow> rows_;
  const std::vector<sql::Type>* listed_ = nullptr;  ///< null: nothing lists columns
  uint64_t row_count_ = 0;                          ///< GET DIAGNOSTICS
  bool has_just_begun_ = false;  ///< the transaction, by the statement before: what it is may still be said
  // Memory that is used again: of parameterSlots(), and of held rows.
  std::vector<codegen::ParameterSlot> parameter_slots_;
  std::vector<sql::Type> parameter_types_;
  std::string held_memory_;
  std::optional<SqlError> failure_;  ///< that the code was told of, and that nobody has caught
  std::optional<FailedPiece> failed_;
  std::optional<GatheredInsert> gathered_;  ///< rows of an INSERT in a loop, not yet in the table
  bool has_put_failed_ = false;             ///< failed_ says it of these
  std::vector<HandledError> errors_;
  uint32_t guarded_ = 0;             ///< blocks with handlers that are executed
  std::vector<RowLoop*> row_loops_;  ///< that are executed, outermost first
  // The SQL that is executed: a piece of the routine, or a text that it has made; both null: none is.
  const Fragment* running_fragment_ = nullptr;
  const std::string* running_text_ = nullptr;
};

}  // namespace gnomon::server
