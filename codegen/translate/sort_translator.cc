#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/limit_counter.h"
#include "codegen/runtime/sorter.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/tuple_layout.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

/// A sort's comparator in one execution.
struct SortOrder final : RuntimeObject {
  RowComparator comparator;
};

/// One sort's translation: a pipeline that materialises rows, a generated comparator, a step that sorts, and a pipeline
/// that reads the rows in order.
class SortTranslator {
 public:
  SortTranslator(PlanTranslator& translator, const sql::Sort& sort, const UnitSet& required)
      : translator_(translator), program_(translator.program()), sort_(sort), below_(required) {
    for (const auto& key : sort.keys) {
      addUnits(*key.expression, below_);
      key_fields_.push_back(layout_.addField(key.expression->type, key.expression->nullable));
      if (key.expression->kind == sql::Expression::Kind::Column)
        unit_fields_.emplace_back(key.expression->iu, key_fields_.back());
    }
    for (const sql::Iu unit : sort.units())
      if (required.contains(unit) && !fieldOf(unit))
        unit_fields_.emplace_back(unit, layout_.addField(unit->type, unit->nullable));
    layout_.finish();
  }

  void produce(const Consumer& consumer) {
    addRuntimeSlots();
    CodeUnit* comparator = emitComparator();
    addOpenStep(comparator);
    translator_.produce(*sort_.inputs[0], below_, [&](Pipeline& pipeline) { materialise(pipeline); });
    addSortStep(comparator);
    readRows(consumer);
  }

 private:
  [[nodiscard]] bool hasLimit() const { return sort_.limit != nullptr; }
  [[nodiscard]] const size_t* fieldOf(sql::Iu unit) const {
    for (const auto& [known, field] : unit_fields_)
      if (known == unit) return &field;
    return nullptr;
  }
  void addRuntimeSlots();
  CodeUnit* emitComparator();
  void addOpenStep(CodeUnit* comparator);
  void addSortStep(CodeUnit* comparator);
  void materialise(Pipeline& pipeline);
  void readRows(const Consumer& consumer);

  PlanTranslator& translator_;
  QueryProgram& program_;
  const sql::Sort& sort_;
  UnitSet below_;
  TupleLayout layout_{0};
  std::vector<size_t> key_fields_;
  std::vector<std::pair<sql::Iu, size_t>> unit_fields_;
  size_t sorter_slot_ = 0, order_slot_ = 0, local_slot_ = 0, source_slot_ = 0, limit_slot_ = 0;
};

void SortTranslator::addRuntimeSlots() {
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
  source_slot_ = program_.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<RowListSource>(true);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  local_slot_ =
      program_.addLocal([slot = sorter_slot_, bytes = layout_.bytes()](ExecutionState& state, unsigned worker) {
        auto made = std::make_unique<LocalSort>(state.workers[worker]->arena, bytes);
        state.globalObject<Sorter>(slot).addLocal(made.get());
        void* address = made.get();
        return QueryProgram::Made{std::move(made), address};
      });
  limit_slot_ = addLimitCounter(translator_, sort_.limit.get(), sort_.offset.get());
}

/// bool(left row, right row): left sorts before right.
CodeUnit* SortTranslator::emitComparator() {
  ir::Module module("order" + std::to_string(program_.steps.size() + 1));
  const ir::FunctionId function = module.addFunction(module.name(), ir::Type::I1, {ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder b(module, function);
  CodeContext context{b, {}, {}, program_.resources};
  for (size_t i = 0; i < key_fields_.size(); ++i) {
    const sql::SortKey& key = sort_.keys[i];
    SqlValue left = layout_.load(context, key_fields_[i], b.parameter(0));
    SqlValue right = layout_.load(context, key_fields_[i], b.parameter(1));
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

void SortTranslator::addOpenStep(CodeUnit* unit) {
  program_.addStep<RuntimeStep>(
      "open sort", [unit, order_slot = order_slot_, local_slot = local_slot_, limit_slot = limit_slot_,
                    has_limit = hasLimit(), rows = sort_.inputs[0]->estimated_rows](ExecutionState& state) {
        unit->expect(state.program, rows, state.workerCount());
        RowComparator& comparator = state.globalObject<SortOrder>(order_slot).comparator;
        comparator.fallback = [function = &unit->function()](const char* left, const char* right) {
          return function->call<bool>(left, right);
        };
        const auto& window = state.globalObject<LimitCounter>(limit_slot);
        const bool is_bounded = has_limit && window.limit() != LimitCounter::kNoLimit;
        for (unsigned worker = 0; worker < state.workerCount(); ++worker)
          state.localObject<LocalSort>(worker, local_slot)
              .open(&comparator, is_bounded ? window.offset() + window.limit() : LocalSort::kNoLimit);
      });
}

void SortTranslator::materialise(Pipeline& pipeline) {
  pipeline.describe(hasLimit() ? "top-k" : "materialise for sort");
  ir::Builder& b = pipeline.builder;
  const ir::Value sort = pipeline.hoist([&] { return pipeline.context.localSlot(local_slot_); });
  std::vector<SqlValue> keys;
  for (const auto& key : sort_.keys) keys.push_back(pipeline.expressions().translate(*key.expression));
  const ir::Block skip = b.createBlock("");
  ir::Value row;
  if (hasLimit()) {
    const ir::Value candidate = b.allocaBytes(layout_.bytes());
    for (size_t i = 0; i < keys.size(); ++i) layout_.store(pipeline.context, key_fields_[i], keys[i], candidate);
    row = b.call(RUNTIME_FUNCTION(rt::sortAdmit), {sort, candidate});
    const ir::Block admitted = b.createBlock("admitted");
    b.condBr(b.eq(row, b.constNull()), skip, admitted);
    b.setBlock(admitted);
  }
  {
    const Scope::Level level(pipeline.scope);
    const ir::Value arena = pipeline.hoist([&] { return pipeline.context.executionArena(); });
    if (!hasLimit()) row = b.call(RUNTIME_FUNCTION(rt::sortAppend), {sort});
    for (size_t i = 0; i < keys.size(); ++i)
      layout_.store(pipeline.context, key_fields_[i], copyValue(pipeline.context, keys[i], arena), row);
    for (const auto& [unit, field] : unit_fields_) {
      if (std::find(key_fields_.begin(), key_fields_.end(), field) != key_fields_.end()) continue;
      const SqlValue value = copyValue(pipeline.context, pipeline.scope.get(unit), arena);
      layout_.store(pipeline.context, field, value, row);
    }
  }
  b.br(skip);
  b.setBlock(skip);
}

void SortTranslator::addSortStep(CodeUnit* unit) {
  program_.addStep<RuntimeStep>(
      hasLimit() ? "sort best rows" : "sort",
      [unit, sorter_slot = sorter_slot_, order_slot = order_slot_, limit_slot = limit_slot_,
       source_slot = source_slot_](ExecutionState& state) {
        auto& sorter = state.globalObject<Sorter>(sorter_slot);
        const auto& window = state.globalObject<LimitCounter>(limit_slot);
        RowComparator& comparator = state.globalObject<SortOrder>(order_slot).comparator;
        const auto rows = static_cast<double>(sorter.rowCount());
        unit->prepare(rows * std::log2(rows + 1), state.workerCount());
        comparator.native = reinterpret_cast<RowComparator::Native>(const_cast<void*>(unit->function().native()));
        sorter.sort(state.context.workers, comparator, state.context.cancel, window.offset(), window.limit());
        state.globalObject<RowListSource>(source_slot).add(sorter.rows());
      });
}

void SortTranslator::readRows(const Consumer& consumer) {
  Pipeline pipeline(program_, source_slot_, "scan sorted rows");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    for (const auto& [unit, field] : unit_fields_)
      pipeline.scope.bindLazy(unit, [this, &pipeline, row, number_of_field = field] {
        return layout_.load(pipeline.context, number_of_field, row);
      });
    consumer(pipeline);
  });
  pipeline.finish();
}

}  // namespace

void produceSort(PlanTranslator& translator, const sql::Sort& sort, const UnitSet& required, const Consumer& consumer) {
  SortTranslator(translator, sort, required).produce(consumer);
}

}  // namespace gnomon::codegen
