#include "codegen/runtime/routine_frame.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/sql_error.h"
#include "codegen/executor/routine_code.h"
#include "sql/types/array_overwrite.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen {
namespace {

constexpr size_t kScratchBytesKept = size_t{64} << 10;

bool isString(const sql::Type& type) {
  return type.physical() == sql::Physical::String;
}

}  // namespace

RoutineFrame::RoutineFrame(RoutineHost& host_of, sql::plpgsql::FrameLayout& layout_of, RoutineCode& code_of,
                           MemoryAccount& memory, const CancelToken& cancel, SessionFunctions* session, Memory kept)
    : host(host_of),
      layout(layout_of),
      code(code_of),
      scratch(&memory),
      slots_(std::move(kept.slots)),
      bytes_(std::move(kept.bytes)),
      global_{nullptr, &cancel, session, {this}},
      local_{&scratch, &scratch, {&place}} {
  slots_.clear();
  grow();
}

RoutineFrame::Memory RoutineFrame::takeMemory() {
  constexpr size_t kBytesMax = size_t{64} << 10;
  size_t total = slots_.size() * sizeof(ParameterSlot);
  for (const Bytes& bytes : bytes_) total += bytes.capacity;
  if (total > kBytesMax) return {};
  return {std::move(slots_), std::move(bytes_)};
}

RoutineFrame::~RoutineFrame() = default;

void RoutineFrame::addSlots() {
  slots_.resize(layout.slotCount(), ParameterSlot{0, 0, 1, 0});
  bytes_.resize(layout.slotCount());
  global_.parameters = slots_.data();
}

int32_t RoutineFrame::call(uint32_t function) {
  return code.function(function).call<int32_t>(&global_, &local_);
}

sql::Value RoutineFrame::value(uint32_t number) const {
  const ParameterSlot& slot = slots_[number];
  const sql::Type type = layout.typeOf(number);
  return slot.is_null != 0 ? sql::Value::null(type) : sql::fromRegisters(type, slot.lo, slot.hi);
}

void RoutineFrame::set(uint32_t number, const sql::Value& value) {
  if (value.is_null) return setNull(number);
  if (isString(value.type)) return setString(number, StringValue::refer(value.bytes, StringValue::Storage::Transient));
  slots_[number] = {value.lo, value.hi, 0, 0};
}

void RoutineFrame::setString(uint32_t number, StringValue text) {
  const std::string_view view = text.view();
  if (text.isInline()) {
    slots_[number] = {text.lo(), text.hi(), 0, 0};
    return;
  }
  Bytes& own = bytes_[number];
  if (own.capacity < view.size()) {
    // What the slot had may be a part of the text, so it goes last.
    const size_t capacity = std::max(view.size(), own.capacity * 2);
    auto memory = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(memory.get(), view.data(), view.size());
    own = {std::move(memory), capacity};
  } else {
    std::memmove(own.memory.get(), view.data(), view.size());
  }
  const StringValue kept = StringValue::refer({own.memory.get(), view.size()}, StringValue::Storage::Transient);
  slots_[number] = {kept.lo(), kept.hi(), 0, 0};
}

bool RoutineFrame::overwriteElement(uint32_t number, sql::Type element, std::span<const int32_t> subscripts,
                                    sql::RegisterPair value) {
  const ParameterSlot& slot = slots_[number];
  const StringValue array(slot.lo, slot.hi);
  if (slot.is_null != 0 || array.isInline()) return false;
  if (!sql::overwriteElement(element, {bytes_[number].memory.get(), array.length()}, subscripts, value)) return false;
  // Its first bytes stand in the slot, too.
  const StringValue now = StringValue::refer({bytes_[number].memory.get(), array.length()}, array.storage());
  slots_[number] = {now.lo(), now.hi(), 0, 0};
  return true;
}

void RoutineFrame::setNull(uint32_t number) {
  slots_[number] = {0, 0, 1, 0};
}

namespace rt {
namespace {
constexpr SqlState kCaseNotFound("20000");
}

void setRoutineString(RoutineFrame* frame, uint32_t slot, uint64_t lo, uint64_t hi) {
  frame->setString(slot, StringValue(lo, hi));
}

bool overwriteRoutineElement(RoutineFrame* frame, uint32_t slot, uint64_t element, const int32_t* subscripts,
                             uint32_t dimensions, uint64_t lo, uint64_t hi) {
  return frame->overwriteElement(slot, std::bit_cast<sql::Type>(element), {subscripts, dimensions}, {lo, hi});
}

int32_t executeInRoutine(RoutineFrame* frame, const sql::plpgsql::Statement* statement) {
  return static_cast<int32_t>(frame->host.execute(*frame, *statement));
}

void evaluateInRoutine(RoutineFrame* frame, const sql::plpgsql::Fragment* fragment, uint64_t type, uint32_t domain,
                       uint32_t compared, ParameterSlot* result) {
  frame->host.evaluate(*frame, *fragment, std::bit_cast<sql::Type>(type), domain, sql::plpgsql::DatumId{compared},
                       *result);
}

void assignInRoutine(RoutineFrame* frame, const sql::plpgsql::Assignment* assignment) {
  frame->host.assign(*frame, *assignment);
}

void initialiseInRoutine(RoutineFrame* frame, uint32_t datum) {
  frame->host.initialise(*frame, sql::plpgsql::DatumId{datum});
}

int32_t loopOverRows(RoutineFrame* frame, const sql::plpgsql::Statement* statement, uint32_t body) {
  return frame->host.loop(*frame, *statement, body);
}

int32_t runRoutineLoop(RoutineFrame* frame, uint32_t function) {
  for (;;) {
    const int32_t outcome = frame->call(function);
    if (outcome != static_cast<int32_t>(RoutineOutcome::Again)) return outcome;
    frame->host.poll();
    frame->code.noteRounds(kLoopRounds);
  }
}

int32_t guardBlock(RoutineFrame* frame, const GuardedBlock* block) {
  return frame->host.guard(*frame, *block);
}

void setRoutineResult(RoutineFrame* frame, const sql::plpgsql::Return* statement) {
  frame->host.setResult(*frame, *statement);
}

void addRoutineResult(RoutineFrame* frame, const sql::plpgsql::ReturnNext* statement, const ParameterSlot* value) {
  frame->host.addResult(*frame, *statement, value);
}

void emptyRoutineScratch(RoutineFrame* frame) {
  if (frame->scratch.reservedBytes() > kScratchBytesKept) frame->scratch.clear();
}

void refuseNullOf(const std::string* variable) {
  throw SqlError(sqlstate::kNullValueNotAllowed,
                 "null value cannot be assigned to variable \"" + *variable + "\" declared NOT NULL");
}

void refuseNullBound(const char* which) {
  throw SqlError(sqlstate::kNullValueNotAllowed, std::string(which) + " of FOR loop cannot be null");
}

void refuseStep() {
  throw SqlError(sqlstate::kInvalidParameterValue, "BY value of FOR loop must be greater than zero");
}

void refuseCase() {
  throw SqlError(kCaseNotFound, "case not found").hint("CASE statement is missing ELSE part.");
}

}  // namespace rt
}  // namespace gnomon::codegen
