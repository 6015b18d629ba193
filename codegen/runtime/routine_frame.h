#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/memory_account.h"
#include "codegen/executor/state.h"
#include "sql/plpgsql/frame_layout.h"
#include "sql/types/text_io.h"
#include "sql/types/value.h"

namespace gnomon::codegen {

class RoutineCode;
struct RoutineFrame;

/// How a function of a routine's code ends. Others are those of EXIT and CONTINUE (leaveCode()).
enum class RoutineOutcome : int32_t {
  Done = 0,  ///< fell off its end; of a loop's body: the next round
  Returned,  ///< RETURN
  Again,     ///< of a loop: call me again; what it is about is in the frame
  LeftLoop,  ///< of the body of a loop over rows: EXIT of that loop
  Failed,  ///< the host has an error, which a block with handlers may catch: nothing is to be done any more until then
};
/// Of EXIT or CONTINUE of a block or loop further out.
constexpr int32_t leaveCode(sql::plpgsql::ScopeId target, bool is_continue) {
  constexpr int32_t kFirst = 5;
  return kFirst + 2 * static_cast<int32_t>(target.value) + (is_continue ? 1 : 0);
}

/// After so many rounds a loop of the code returns Again, so that faster code can go on with it.
inline constexpr int32_t kLoopRounds = 4096;

/// A block with exception handlers, as the code knows it.
struct GuardedBlock {
  const sql::plpgsql::Block* block;
  uint32_t body;                   ///< numbers of functions
  std::vector<uint32_t> handlers;  ///< one for each of the block's
};

/// What the code of a routine asks for: all that is no expression over its variables.
///
/// Threads: the session's. Failure: SqlError, which passes through the code; of statements most are kept, and the code
/// is told (RoutineOutcome::Failed), since an exception takes many times longer.
class RoutineHost {
 public:
  virtual ~RoutineHost() = default;
  /// A statement that has no code of its own. Done or Failed.
  virtual RoutineOutcome execute(RoutineFrame& frame, const sql::plpgsql::Statement& statement) = 0;
  /// Computes a fragment as a value of the type, which may be NULL; what it refers to lives as long as the frame's
  /// scratch memory. `compared`: as FragmentBinder::bind.
  virtual void evaluate(RoutineFrame& frame, const sql::plpgsql::Fragment& fragment, sql::Type type, uint32_t domain,
                        sql::plpgsql::DatumId compared, ParameterSlot& result) = 0;
  /// Assigns to what has no slot of its own: a record, a part of a value.
  virtual void assign(RoutineFrame& frame, const sql::plpgsql::Assignment& assignment) = 0;
  /// The initial value of a declared record.
  virtual void initialise(RoutineFrame& frame, sql::plpgsql::DatumId datum) = 0;
  /// FOR over rows: calls the function of the code for each. RoutineOutcome, or a leaveCode().
  virtual int32_t loop(RoutineFrame& frame, const sql::plpgsql::Statement& statement, uint32_t body) = 0;
  /// Calls the body; when it fails what it has changed is undone, and the handler called that catches the error.
  /// Failed: none does.
  virtual int32_t guard(RoutineFrame& frame, const GuardedBlock& block) = 0;
  /// RETURN of a value that has no slot: a row.
  virtual void setResult(RoutineFrame& frame, const sql::plpgsql::Return& statement) = 0;
  /// RETURN NEXT. `value`: null where it is none that the code has computed.
  virtual void addResult(RoutineFrame& frame, const sql::plpgsql::ReturnNext& statement,
                         const ParameterSlot* value) = 0;
  virtual void poll() = 0;
};

/// Where a call stands, as error contexts say it. Written by the code.
struct RoutinePlace {
  const sql::plpgsql::Statement* statement = nullptr;
  const char* phase = nullptr;  ///< in the place of the statement's name; null: the statement's
  uint64_t phase_line = 0;      ///< likewise; 0: the statement's
};

/// A call of a routine: the values of its variables, and where it stands.
///
/// Invariants:  R1  the bytes of a long string in a slot are the slot's own
///              R2  slots_ has as many slots as the layout once the layout has grown and grow() was called
/// Ownership: everything. Threads: the session's.
struct RoutineFrame {
 private:
  struct Bytes {
    std::unique_ptr<char[]> memory;
    size_t capacity = 0;
  };

 public:
  /// What one call leaves to the next one: of its slots and their strings the memory.
  struct Memory {
    std::vector<ParameterSlot> slots;
    std::vector<Bytes> bytes;  ///< of long strings, by slot
  };
  RoutineFrame(RoutineHost& host, sql::plpgsql::FrameLayout& layout, RoutineCode& code, MemoryAccount& memory,
               const CancelToken& cancel, SessionFunctions* session, Memory kept = {});
  ~RoutineFrame();
  RoutineFrame(const RoutineFrame&) = delete;
  RoutineFrame& operator=(const RoutineFrame&) = delete;

  /// Nothing but the destructor comes behind it. Empty where it is large.
  Memory takeMemory();
  /// One of the code's functions.
  int32_t call(uint32_t function);
  /// The slots that the layout got since.
  void grow() {
    if (slots_.size() != layout.slotCount()) addSlots();
  }
  [[nodiscard]] ParameterSlot& slot(uint32_t number) { return slots_[number]; }
  [[nodiscard]] sql::Value value(uint32_t number) const;
  void set(uint32_t number, const sql::Value& value);
  /// A string, perhaps a part of what the slot has.
  void setString(uint32_t number, StringValue text);
  void setNull(uint32_t number);
  /// Puts a value in the place of an element of the array in a slot. False: as sql::overwriteElement, or it is too
  /// short.
  bool overwriteElement(uint32_t number, sql::Type element, std::span<const int32_t> subscripts,
                        sql::RegisterPair value);

  RoutinePlace place;
  RoutineHost& host;
  sql::plpgsql::FrameLayout& layout;
  RoutineCode& code;
  Arena scratch;

 private:
  void addSlots();

  std::vector<ParameterSlot> slots_;
  std::vector<Bytes> bytes_;  ///< as Memory
  GlobalState global_;
  LocalState local_;
};

namespace rt {
/// As the code calls them.
void setRoutineString(RoutineFrame* frame, uint32_t slot, uint64_t lo, uint64_t hi);
/// As RoutineFrame's; the value in two words.
bool overwriteRoutineElement(RoutineFrame* frame, uint32_t slot, uint64_t element, const int32_t* subscripts,
                             uint32_t dimensions, uint64_t lo, uint64_t hi);
int32_t executeInRoutine(RoutineFrame* frame, const sql::plpgsql::Statement* statement);
/// The type as one word: its bits.
void evaluateInRoutine(RoutineFrame* frame, const sql::plpgsql::Fragment* fragment, uint64_t type, uint32_t domain,
                       uint32_t compared, ParameterSlot* result);
void assignInRoutine(RoutineFrame* frame, const sql::plpgsql::Assignment* assignment);
void initialiseInRoutine(RoutineFrame* frame, uint32_t datum);
int32_t loopOverRows(RoutineFrame* frame, const sql::plpgsql::Statement* statement, uint32_t body);
/// Calls a loop's function until it is over.
int32_t runRoutineLoop(RoutineFrame* frame, uint32_t function);
int32_t guardBlock(RoutineFrame* frame, const GuardedBlock* block);
void setRoutineResult(RoutineFrame* frame, const sql::plpgsql::Return* statement);
void addRoutineResult(RoutineFrame* frame, const sql::plpgsql::ReturnNext* statement, const ParameterSlot* value);
void emptyRoutineScratch(RoutineFrame* frame);
/// 22004 for a variable that is NOT NULL.
void refuseNullOf(const std::string* variable);
/// 22004: "lower bound of FOR loop cannot be null" and its kin.
void refuseNullBound(const char* which);
/// 22023 for a step that does not grow.
void refuseStep();
/// 20000 of a CASE.
void refuseCase();
}  // namespace rt

}  // namespace gnomon::codegen
