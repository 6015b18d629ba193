#include <algorithm>
#include <memory>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/distinct_rows.h"
#include "codegen/runtime/limit_counter.h"
#include "codegen/runtime/row_store.h"
#include "codegen/translate/row_store_translator.h"
#include "codegen/translate/value_operations.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::codegen {

/// Steps that are executed again and again, while they are emitted.
struct StepLoop {
  size_t begin;                       ///< the first one's number
  std::vector<bool> globals, locals;  ///< by number: slots that are not made anew
  bool is_left = false;               ///< what is emitted goes before it
  static void keep(std::vector<bool>& slots, size_t from, size_t to) {
    slots.resize(std::max(slots.size(), to));
    for (size_t slot = from; slot < to; ++slot) slots[slot] = true;
  }
};

namespace {

using Values = std::vector<SqlValue>;

/// The rows that are to be added in the first place, or next; then a loop of steps: they become the working rows, which
/// are handed on, and the recursive term adds the next ones. Structures that its steps use are made anew each time.
class RecursionTranslator {
 public:
  RecursionTranslator(PlanTranslator& translator, const sql::Recursion& recursion)
      : translator_(translator),
        program_(translator.program()),
        recursion_(recursion),
        next_(translator, fieldsOf(recursion), false),
        working_(translator, fieldsOf(recursion), false) {
    if (recursion.is_distinct) addDistinct();
  }

  void produce(const UnitSet& required, const Consumer& consumer, std::vector<StepLoop*>& loops);
  void scanWorking(const std::vector<std::pair<sql::Iu, size_t>>& units, const Consumer& consumer) const {
    working_.scan(units, "scan working rows of " + recursion_.name, false, consumer);
  }

 private:
  static std::vector<RowStoreTranslator::Field> fieldsOf(const sql::Recursion& recursion) {
    std::vector<RowStoreTranslator::Field> fields;
    for (const sql::Iu column : recursion.columns) fields.push_back({column->type, column->nullable});
    return fields;
  }
  void addDistinct();
  CodeUnit* emitEquality();
  void produceTerm(size_t term);
  void admit(Pipeline& pipeline, Values values);

  PlanTranslator& translator_;
  QueryProgram& program_;
  const sql::Recursion& recursion_;
  RowStoreTranslator next_, working_;
  size_t distinct_slot_ = 0;
};

void RecursionTranslator::addDistinct() {
  const TupleLayout& layout = next_.layout();
  std::vector<int64_t> strings;
  for (size_t field = 0; field < recursion_.columns.size(); ++field)
    if (layout.type(field).physical() == sql::Physical::String) strings.push_back(layout.offset(field));
  distinct_slot_ = program_.addGlobal([bytes = layout.bytes(), strings](ExecutionState& state) {
    auto made = std::make_unique<DistinctRows>(bytes, strings, state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  CodeUnit* const equality = emitEquality();
  program_.addStep<RuntimeStep>("open the rows that were there",
                                [equality, slot = distinct_slot_](ExecutionState& state) {
                                  state.globalObject<DistinctRows>(slot).open(
                                      [function = &equality->function()](const char* left, const char* right) {
                                        return function->call<bool>(left, right);
                                      });
                                });
}

/// bool(one row, another row): their columns are equal, or both NULL.
CodeUnit* RecursionTranslator::emitEquality() {
  ir::Module module("equal" + std::to_string(program_.steps.size() + 1));
  const ir::FunctionId function = module.addFunction(module.name(), ir::Type::I1, {ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder b(module, function);
  CodeContext context{b, {}, {}, program_.resources};
  const TupleLayout& layout = next_.layout();
  ir::Value same = b.constI1(true);
  for (size_t field = 0; field < recursion_.columns.size(); ++field)
    same = b.bitAnd(same, notDistinctValues(context, layout.load(context, field, b.parameter(0)),
                                            layout.load(context, field, b.parameter(1))));
  b.ret(same);
  return program_.addCode(std::move(module));
}

/// Leaves the builder where the row was dealt with.
void RecursionTranslator::admit(Pipeline& pipeline, Values values) {
  if (!recursion_.is_distinct) return next_.append(pipeline, values);
  ir::Builder& b = pipeline.builder;
  const TupleLayout& layout = next_.layout();
  ir::Value hash = b.constU64(kHashSeed);
  for (const SqlValue& value : values) hash = hashValue(pipeline.context, hash, value);
  const ir::Value candidate = pipeline.hoist([&] { return b.allocaBytes(layout.bytes()); });
  for (size_t field = 0; field < values.size(); ++field)
    layout.store(pipeline.context, field, values[field], candidate);
  const ir::Value rows = pipeline.hoist([&] { return pipeline.context.globalSlot(distinct_slot_); });
  const ir::Value row = b.call(RUNTIME_FUNCTION(rt::distinctAdmit), {rows, candidate, hash});
  pipeline.emitIf(b.ne(row, b.constNull()), [&] {
    for (size_t field = 0; field < values.size(); ++field) values[field] = layout.load(pipeline.context, field, row);
    next_.append(pipeline, values);
  });
}

void RecursionTranslator::produceTerm(size_t term) {
  UnitSet below;
  for (const sql::ExpressionPtr& value : recursion_.values[term]) addUnits(*value, below);
  translator_.produce(*recursion_.inputs[term], below, [&](Pipeline& pipeline) {
    pipeline.describe("add to " + recursion_.name);
    const Scope::Level level(pipeline.scope);
    Values values;
    for (const sql::ExpressionPtr& value : recursion_.values[term])
      values.push_back(pipeline.expressions().translate(*value));
    admit(pipeline, std::move(values));
  });
}

void RecursionTranslator::produce(const UnitSet& required, const Consumer& consumer, std::vector<StepLoop*>& loops) {
  produceTerm(0);
  StepLoop loop{program_.steps.size(), {}, {}};
  // What is to be made anew is known once the recursive term is translated.
  auto repeated = std::make_shared<ExecutionState::SlotList>();
  program_.addStep<RuntimeStep>("next step of " + recursion_.name,
                                [repeated, next = next_.slot(), working = working_.slot()](ExecutionState& state) {
                                  state.renew(*repeated);
                                  state.globalObject<RowStore>(working).swap(state.globalObject<RowStore>(next));
                                  state.globalObject<RowStore>(next).clear();
                                  state.context.cancel.poll();
                                });
  std::vector<std::pair<sql::Iu, size_t>> units;
  for (size_t column = 0; column < recursion_.columns.size(); ++column)
    if (required.contains(recursion_.columns[column])) units.emplace_back(recursion_.columns[column], column);
  const auto handed_on = working_.scan(units, "scan rows added to " + recursion_.name, false, consumer);
  auto& leave = program_.addStep<JumpStep>(
      "leave when no more rows are wanted", [slots = handed_on.limit_slots](ExecutionState& state) {
        return std::any_of(slots.begin(), slots.end(),
                           [&](size_t slot) { return state.globalObject<LimitCounter>(slot).isExhausted(); });
      });
  const size_t leave_after = program_.steps.size() - 1 - loop.begin;
  const size_t globals_before = program_.globals.size(), locals_before = program_.locals.size();
  loops.push_back(&loop);
  produceTerm(1);
  loops.pop_back();
  const auto isKept = [](const std::vector<bool>& kept, size_t slot) { return slot < kept.size() && kept[slot]; };
  repeated->globals.push_back(handed_on.source_slot);
  for (size_t slot = globals_before; slot < program_.globals.size(); ++slot)
    if (!isKept(loop.globals, slot)) repeated->globals.push_back(slot);
  for (size_t slot = locals_before; slot < program_.locals.size(); ++slot)
    if (!isKept(loop.locals, slot)) repeated->locals.push_back(slot);
  auto& again = program_.addStep<JumpStep>("again while rows were added", [next = next_.slot()](ExecutionState& state) {
    return state.globalObject<RowStore>(next).rowCount() > 0;
  });
  const size_t again_at = program_.steps.size() - 1;
  again.setDistance(static_cast<std::ptrdiff_t>(loop.begin) - static_cast<std::ptrdiff_t>(again_at));
  leave.setDistance(static_cast<std::ptrdiff_t>(again_at + 1 - loop.begin - leave_after));
}

}  // namespace

void PlanTranslator::produceRecursion(const sql::Recursion& recursion, const UnitSet& required,
                                      const Consumer& consumer) {
  RecursionTranslator recursion_translator(*this, recursion);
  recursions_[&recursion] = [&](const std::vector<std::pair<sql::Iu, size_t>>& units, const Consumer& above) {
    recursion_translator.scanWorking(units, above);
  };
  recursion_translator.produce(required, consumer, loops_);
  recursions_.erase(&recursion);
}

void PlanTranslator::emitOutsideLoop(const sql::Operator& op, const std::function<void()>& emit) {
  if (loops_.empty() || loops_.back()->is_left || sql::readsWorkingRows(op)) return emit();
  StepLoop& loop = *loops_.back();
  const size_t globals_before = program_.globals.size(), locals_before = program_.locals.size();
  const size_t steps_before = program_.steps.size();
  loop.is_left = true;
  emit();
  loop.is_left = false;
  StepLoop::keep(loop.globals, globals_before, program_.globals.size());
  StepLoop::keep(loop.locals, locals_before, program_.locals.size());
  auto& steps = program_.steps;
  const auto at = [&steps](size_t number) { return steps.begin() + static_cast<std::ptrdiff_t>(number); };
  std::rotate(at(loop.begin), at(steps_before), steps.end());
  loop.begin += steps.size() - steps_before;
}

void PlanTranslator::produceWorking(const sql::WorkingScan& scan, const UnitSet& required, const Consumer& consumer) {
  const auto recursion = recursions_.find(scan.recursion);
  CHECK(recursion != recursions_.end(), "working rows are scanned inside their recursion");
  std::vector<std::pair<sql::Iu, size_t>> units;
  for (const sql::WorkingScan::Column& column : scan.columns)
    if (required.contains(column.iu)) units.emplace_back(column.iu, column.index);
  recursion->second(units, consumer);
}

}  // namespace gnomon::codegen
