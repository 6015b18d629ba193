#include "codegen/translate/sorted_rows.h"

#include <algorithm>
#include <cmath>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/limit_counter.h"
#include "codegen/runtime/sorted_source.h"
#include "codegen/runtime/sorter.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

/// A sort's comparator in one execution.
struct SortOrder final : RuntimeObject {
  RowComparator comparator;
};

}  // namespace

const size_t* SortedRows::fieldOf(sql::Iu unit) const {
  for (const auto& [known, field] : unit_fields_)
    if (known == unit) return &field;
  return nullptr;
}

void SortedRows::addKey(const sql::Expression& expression, bool descending, bool nulls_first) {
  keys_.push_back({&expression, descending, nulls_first, layout_.addField(expression.type, expression.nullable)});
  addUnits(expression, below_);
  if (expression.kind == sql::Expression::Kind::Column) unit_fields_.emplace_back(expression.iu, keys_.back().field);
}

void SortedRows::addUnit(sql::Iu unit) {
  if (fieldOf(unit)) return;
  below_.insert(unit);
  unit_fields_.emplace_back(unit, layout_.addField(unit->type, unit->nullable));
}

size_t SortedRows::addValue(const sql::Expression& expression) {
  if (expression.kind == sql::Expression::Kind::Column) {
    addUnit(expression.iu);
    return *fieldOf(expression.iu);
  }
  for (const Stored& stored : values_)
    if (stored.expression->equals(expression) && !expression.isVolatile()) return stored.field;
  addUnits(expression, below_);
  values_.push_back({&expression, layout_.addField(expression.type, expression.nullable)});
  return values_.back().field;
}

void SortedRows::produce(const sql::Operator& input) {
  layout_.finish();
  spill_ = SpillSlots::add(translator_, layout_, may_spill_);
  addRuntimeSlots();
  comparator_ = keys_.empty() ? nullptr : emitComparator(keys_.size());
  addOpenStep(input.estimated_rows);
  translator_.produceBehind(limit_slot_, input, below_, [&](Pipeline& pipeline) { materialise(pipeline); });
  addSortStep();
}

void SortedRows::addRuntimeSlots() {
  sorter_slot_ = program_.addGlobal([](ExecutionState& state) {
    auto made = std::make_unique<Sorter>(state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  order_slot_ = program_.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<SortOrder>();
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  local_slot_ = program_.addLocal(
      [slot = sorter_slot_, bytes = layout_.bytes(), spill = spill_](ExecutionState& state, unsigned worker) {
        auto made = std::make_unique<LocalSort>(spill.arena(state, worker), bytes, spill.area(state, worker));
        state.globalObject<Sorter>(slot).addLocal(made.get());
        void* address = made.get();
        return QueryProgram::Made{std::move(made), address};
      });
  limit_slot_ = addLimitCounter(translator_, limit_, offset_);
}

CodeUnit* SortedRows::emitComparator(size_t count) {
  ir::Module module("order" + std::to_string(program_.steps.size() + 1));
  const ir::FunctionId function = module.addFunction(module.name(), ir::Type::I1, {ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder b(module, function);
  CodeContext context{b, {}, {}, program_.resources};
  for (size_t i = 0; i < count; ++i) {
    const Key& key = keys_[i];
    SqlValue left = layout_.load(context, key.field, b.parameter(0));
    SqlValue right = layout_.load(context, key.field, b.parameter(1));
    const ir::Block next = b.createBlock("next_key");
    if (left.isNullable()) {
      const ir::Block one_null = b.createBlock("");
      const ir::Block same = b.createBlock("");
      const ir::Block values = b.createBlock("");
      b.condBr(b.ne(left.is_null, right.is_null), one_null, same);
      b.setBlock(one_null);
      b.ret(key.nulls_first ? left.is_null : right.is_null);
      b.setBlock(same);
      b.condBr(left.is_null, next, values);
      b.setBlock(values);
    }
    const ir::Value order = compareValues(context, left, right);
    const ir::Block differs = b.createBlock("");
    b.condBr(b.eq(order, b.constI32(0)), next, differs);
    b.setBlock(differs);
    b.ret(key.descending ? b.sgt(order, b.constI32(0)) : b.slt(order, b.constI32(0)));
    b.setBlock(next);
  }
  b.ret(b.constI1(false));
  return program_.addCode(std::move(module));
}

void SortedRows::addOpenStep(double rows) {
  program_.addStep<RuntimeStep>(
      "open sort", [unit = comparator_, order_slot = order_slot_, local_slot = local_slot_, limit_slot = limit_slot_,
                    has_limit = limit_ != nullptr, rows](ExecutionState& state) {
        RowComparator& comparator = state.globalObject<SortOrder>(order_slot).comparator;
        if (unit) {
          unit->expect(state.program, rows, state.workerCount());
          comparator.fallback = [function = &unit->function()](const char* left, const char* right) {
            return function->call<bool>(left, right);
          };
        }
        const auto& window = state.globalObject<LimitCounter>(limit_slot);
        const bool is_bounded = has_limit && window.limit() != LimitCounter::kNoLimit;
        for (unsigned worker = 0; worker < state.workerCount(); ++worker)
          state.localObject<LocalSort>(worker, local_slot)
              .open(&comparator, is_bounded ? window.offset() + window.limit() : LocalSort::kNoLimit);
      });
}

void SortedRows::materialise(Pipeline& pipeline) {
  const bool has_limit = limit_ != nullptr;
  pipeline.describe(has_limit ? "top-k" : keys_.empty() ? "materialise" : "materialise for sort");
  ir::Builder& b = pipeline.builder;
  const ir::Value sort = pipeline.hoist([&] { return pipeline.context.localSlot(local_slot_); });
  std::vector<SqlValue> keys;
  for (const Key& key : keys_) keys.push_back(pipeline.expressions().translate(*key.expression));
  const ir::Block skip = b.createBlock("");
  ir::Value row;
  if (has_limit) {
    const ir::Value candidate = b.allocaBytes(layout_.bytes());
    for (size_t i = 0; i < keys.size(); ++i) layout_.store(pipeline.context, keys_[i].field, keys[i], candidate);
    row = b.call(RUNTIME_FUNCTION(rt::sortAdmit), {sort, candidate});
    const ir::Block admitted = b.createBlock("admitted");
    b.condBr(b.eq(row, b.constNull()), skip, admitted);
    b.setBlock(admitted);
  }
  {
    const Scope::Level level(pipeline.scope);
    const ir::Value arena = pipeline.hoist([&] { return pipeline.context.localSlot(spill_.arena_slot); });
    std::vector<SqlValue> values;
    for (const Stored& stored : values_) values.push_back(pipeline.expressions().translate(*stored.expression));
    if (!has_limit) row = b.call(RUNTIME_FUNCTION(rt::sortAppend), {sort});
    for (size_t i = 0; i < keys.size(); ++i)
      layout_.store(pipeline.context, keys_[i].field, copyValue(pipeline.context, keys[i], arena), row);
    for (size_t i = 0; i < values.size(); ++i)
      layout_.store(pipeline.context, values_[i].field, copyValue(pipeline.context, values[i], arena), row);
    const auto is_key = [&](size_t field) { return std::ranges::find(keys_, field, &Key::field) != keys_.end(); };
    for (const auto& [unit, field] : unit_fields_) {
      if (is_key(field)) continue;
      const SqlValue value = copyValue(pipeline.context, pipeline.scope.get(unit), arena);
      layout_.store(pipeline.context, field, value, row);
    }
  }
  b.br(skip);
  b.setBlock(skip);
}

void SortedRows::addSortStep() {
  const char* const text = limit_ ? "sort best rows" : keys_.empty() ? "gather rows" : "sort";
  program_.addStep<RuntimeStep>(text, [unit = comparator_, sorter_slot = sorter_slot_, order_slot = order_slot_,
                                       limit_slot = limit_slot_](ExecutionState& state) {
    auto& sorter = state.globalObject<Sorter>(sorter_slot);
    const auto& window = state.globalObject<LimitCounter>(limit_slot);
    RowComparator& comparator = state.globalObject<SortOrder>(order_slot).comparator;
    if (unit) {
      const auto rows = static_cast<double>(sorter.rowCount());
      unit->prepare(rows * std::log2(rows + 1), state.workerCount());
      comparator.native = reinterpret_cast<RowComparator::Native>(const_cast<void*>(unit->function().native()));
    }
    sorter.sort(state.pool(), comparator, state.context.cancel, window.offset(), window.limit());
  });
}

void SortedRows::read(const std::vector<std::pair<sql::Iu, size_t>>& more, bool is_ordered, const Consumer& consumer) {
  const size_t source_slot = program_.addGlobal([slot = sorter_slot_, is_ordered](ExecutionState& state) {
    auto made = std::make_unique<SortedSource>(state.globalObject<Sorter>(slot), is_ordered, state.workerCount(),
                                               state.context.cancel, state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  Pipeline pipeline(program_, source_slot, "scan sorted rows");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    for (const auto* fields : {&std::as_const(unit_fields_), &more})
      for (const auto& [unit, field] : *fields)
        pipeline.scope.bindLazy(unit, [this, &pipeline, row, number_of_field = field] {
          return layout_.load(pipeline.context, number_of_field, row);
        });
    consumer(pipeline);
  });
  pipeline.finish();
}

}  // namespace gnomon::codegen
