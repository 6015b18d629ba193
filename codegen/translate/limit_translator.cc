#include "codegen/executor/execution_state.h"
#include "codegen/runtime/limit_counter.h"
#include "codegen/translate/plan_translator.h"

namespace gnomon::codegen {

size_t addCountedSource(QueryProgram& program, uint64_t rows) {
  return program.addGlobal([rows](ExecutionState&) {
    auto made = std::make_unique<CountedSource>(nullptr, rows);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
}

size_t addLimitCounter(PlanTranslator& translator, const sql::Expression* limit, const sql::Expression* offset) {
  QueryProgram& program = translator.program();
  const size_t slot = program.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<LimitCounter>();
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  if (!limit && !offset) return slot;
  Pipeline pipeline(program, "evaluate limit");
  ir::Builder& b = pipeline.builder;
  pipeline.once([&] {
    const Scope::Level level(pipeline.scope);
    ir::Value limit_value = b.constI64(0);
    ir::Value has_limit = b.constI1(false);
    ir::Value offset_value = b.constI64(0);
    if (limit) {
      const SqlValue value = pipeline.expressions().translate(*limit);
      limit_value = value.lo;
      has_limit = value.isNullable() ? b.bitNot(value.is_null) : b.constI1(true);
    }
    if (offset) {
      const SqlValue value = pipeline.expressions().translate(*offset);
      offset_value = value.isNullable() ? b.select(value.is_null, b.constI64(0), value.lo) : value.lo;
    }
    b.call(RUNTIME_FUNCTION(rt::limitSet), {pipeline.context.globalSlot(slot), limit_value, has_limit, offset_value});
  });
  pipeline.finish();
  return slot;
}

void produceGate(PlanTranslator& translator, const sql::Join& gate, const UnitSet& required, const Consumer& consumer) {
  const size_t slot = translator.program().addGlobal([](ExecutionState&) {
    auto made = std::make_unique<LimitCounter>(true);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  // It has one row at most.
  translator.produce(*gate.inputs[1], {}, [&](Pipeline& pipeline) {
    pipeline.describe("open gate");
    ir::Builder& b = pipeline.builder;
    b.call(RUNTIME_FUNCTION(rt::limitSet),
           {pipeline.context.globalSlot(slot), b.constI64(0), b.constI1(false), b.constI64(0)});
  });
  translator.produceBehind(slot, *gate.inputs[0], required, consumer);
}

namespace {

/// All rows pass, or none: NULL, or CASE WHEN ... THEN the same ELSE 0 END.
bool isAllOrNothing(const sql::Expression& limit) {
  if (limit.kind == sql::Expression::Kind::Constant) return limit.value.is_null;
  if (limit.kind != sql::Expression::Kind::Case || limit.children.size() != 3) return false;
  const sql::Expression& otherwise = *limit.children[2];
  return otherwise.kind == sql::Expression::Kind::Constant && !otherwise.value.is_null &&
         otherwise.value.asInt() == 0 && isAllOrNothing(*limit.children[1]);
}

/// A scan all of whose rows would pass gives the first ones.
void noteGoal(PlanTranslator& translator, const sql::Limit& limit) {
  const sql::Operator* input = limit.inputs[0].get();
  while (input->kind == sql::Operator::Kind::Map) input = input->inputs[0].get();
  const bool is_known = limit.limit && limit.limit->kind == sql::Expression::Kind::Constant &&
                        !limit.limit->value.is_null && limit.limit->value.asInt() > 0 && !limit.offset;
  if (is_known && input->kind == sql::Operator::Kind::TableScan)
    translator.noteGoal(static_cast<const sql::TableScan&>(*input), static_cast<size_t>(limit.limit->value.asInt()));
}

}  // namespace

void produceLimit(PlanTranslator& translator, const sql::Limit& limit, const UnitSet& required,
                  const Consumer& consumer) {
  noteGoal(translator, limit);
  const size_t slot = addLimitCounter(translator, limit.limit.get(), limit.offset.get());
  if (!limit.offset && limit.limit && isAllOrNothing(*limit.limit))
    return translator.produceBehind(slot, *limit.inputs[0], required, consumer);
  translator.produceBehind(slot, *limit.inputs[0], required, [&](Pipeline& pipeline) {
    pipeline.describe("limit");
    pipeline.description.limit_slots.push_back(slot);
    ir::Builder& b = pipeline.builder;
    const ir::Value counter = pipeline.hoist([&] { return pipeline.context.globalSlot(slot); });
    pipeline.emitIf(b.call(RUNTIME_FUNCTION(rt::limitAdmit), {counter}), [&] { consumer(pipeline); });
  });
}

}  // namespace gnomon::codegen
