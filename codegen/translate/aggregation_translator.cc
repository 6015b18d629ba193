#include <cstring>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/aggregation_table.h"
#include "codegen/translate/aggregate_state.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

/// One aggregation's translation: pre-aggregation inside the input's pipeline, a merge over partitions, and a pipeline
/// that reads the groups.
class AggregationTranslator {
 public:
  AggregationTranslator(PlanTranslator& translator, const sql::Aggregation& aggregation)
      : translator_(translator), program_(translator.program()), aggregation_(aggregation) {
    for (const auto& key : aggregation.keys) {
      key_fields_.push_back(layout_.addField(key.expression->type, key.expression->nullable));
      addUnits(*key.expression, below_);
    }
    for (const auto& aggregate : aggregation.aggregates) {
      states_.emplace_back(aggregate, aggregation.keys.empty(), layout_);
      if (aggregate.argument) addUnits(*aggregate.argument, below_);
    }
    layout_.finish();
  }

  void produce(const UnitSet& required, const Consumer& consumer) {
    addRuntimeSlots();
    translator_.produce(*aggregation_.inputs[0], below_, [&](Pipeline& pipeline) { aggregate(pipeline); });
    addMergeStep(emitMergeFunction());
    readGroups(required, consumer);
  }

 private:
  void addRuntimeSlots();
  void aggregate(Pipeline& pipeline);
  ir::Value findGroup(Pipeline& pipeline, const std::vector<SqlValue>& keys);
  ir::Value addGroup(Pipeline& pipeline, ir::Value table, ir::Value hash, const std::vector<SqlValue>& keys);
  CodeUnit* emitMergeFunction();
  void emitMergeBody(ir::Builder& builder, CodeContext& context, ir::Value merge, ir::Value row);
  void emitKeyComparison(CodeContext& context, ir::Value group, const std::vector<SqlValue>& keys, ir::Block different);
  void addMergeStep(CodeUnit* unit);
  void readGroups(const UnitSet& required, const Consumer& consumer);

  PlanTranslator& translator_;
  QueryProgram& program_;
  const sql::Aggregation& aggregation_;
  UnitSet below_;
  TupleLayout layout_{kGroupHeaderBytes};
  std::vector<size_t> key_fields_;
  std::vector<AggregateState> states_;
  size_t global_slot_ = 0, local_slot_ = 0, source_slot_ = 0;
};

void AggregationTranslator::addRuntimeSlots() {
  global_slot_ = program_.addGlobal([](ExecutionState& state) {
    auto made = std::make_unique<Aggregation>(state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  source_slot_ = program_.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<RowListSource>(false);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  local_slot_ =
      program_.addLocal([slot = global_slot_, bytes = layout_.bytes()](ExecutionState& state, unsigned worker) {
        auto made = std::make_unique<LocalAggregation>(state.workers[worker]->arena, bytes, state.context.memory);
        state.globalObject<Aggregation>(slot).addLocal(made.get());
        void* address = made->shared();
        return QueryProgram::Made{std::move(made), address};
      });
}

void AggregationTranslator::aggregate(Pipeline& pipeline) {
  pipeline.describe(aggregation_.keys.empty() ? "aggregate" : "group");
  ir::Value group;
  if (aggregation_.keys.empty()) {
    group = pipeline.hoist([&] {
      const ir::Value table = pipeline.context.localSlot(local_slot_);
      return pipeline.builder.call(RUNTIME_FUNCTION(rt::aggregationSingleGroup), {table});
    });
  } else {
    std::vector<SqlValue> keys;
    for (const auto& key : aggregation_.keys)
      keys.push_back(comparableBytes(pipeline.expressions().translate(*key.expression)));
    group = findGroup(pipeline, keys);
  }
  for (const AggregateState& state : states_) state.update(pipeline, layout_, group);
}

void AggregationTranslator::emitKeyComparison(CodeContext& context, ir::Value group, const std::vector<SqlValue>& keys,
                                              ir::Block different) {
  ir::Builder& b = context.builder;
  for (size_t i = 0; i < keys.size(); ++i) {
    const SqlValue stored = comparableBytes(layout_.load(context, key_fields_[i], group));
    const ir::Block equal = b.createBlock("");
    b.condBr(notDistinctValues(context, keys[i], stored), equal, different);
    b.setBlock(equal);
  }
}

ir::Value AggregationTranslator::addGroup(Pipeline& pipeline, ir::Value table, ir::Value hash,
                                          const std::vector<SqlValue>& keys) {
  const ir::Value arena = pipeline.context.executionArena();
  std::vector<SqlValue> copies;
  for (const SqlValue& key : keys) copies.push_back(copyValue(pipeline.context, key, arena));
  const ir::Value group = pipeline.builder.call(RUNTIME_FUNCTION(rt::aggregationInsert), {table, hash});
  for (size_t i = 0; i < copies.size(); ++i) layout_.store(pipeline.context, key_fields_[i], copies[i], group);
  return group;
}

ir::Value AggregationTranslator::findGroup(Pipeline& pipeline, const std::vector<SqlValue>& keys) {
  ir::Builder& b = pipeline.builder;
  ir::Value hash = b.constU64(kHashSeed);
  for (const SqlValue& key : keys) hash = hashValue(pipeline.context, hash, key);
  const ir::Value table = pipeline.hoist([&] { return pipeline.context.localSlot(local_slot_); });
  const ir::Value directory = b.load(ir::Type::Ptr, table, offsetof(LocalAggregation::Shared, directory));
  const ir::Value mask = b.load(ir::Type::I64, table, offsetof(LocalAggregation::Shared, mask));
  const ir::Value first = b.load(ir::Type::Ptr, b.ptrIndex(directory, b.bitAnd(hash, mask), 8));

  const ir::Block before = b.currentBlock();
  const ir::Block header = b.createBlock("chain");
  const ir::Block candidate = b.createBlock("candidate");
  const ir::Block advance = b.createBlock("advance");
  const ir::Block missing = b.createBlock("new_group");
  const ir::Block found = b.createBlock("group");
  b.br(header);
  b.setBlock(header);
  const ir::Value row = b.phi(ir::Type::Ptr);
  b.addIncoming(row, first, before);
  b.condBr(b.eq(row, b.constNull()), missing, candidate);
  b.setBlock(candidate);
  const ir::Block same_hash = b.createBlock("");
  b.condBr(b.eq(b.load(ir::Type::I64, row, 8), hash), same_hash, advance);
  b.setBlock(same_hash);
  emitKeyComparison(pipeline.context, row, keys, advance);
  const ir::Block matched = b.currentBlock();
  b.br(found);
  b.setBlock(advance);
  b.addIncoming(row, b.load(ir::Type::Ptr, row, 0), advance);
  b.br(header);
  b.setBlock(missing);
  const ir::Value added = addGroup(pipeline, table, hash, keys);
  const ir::Block inserted = b.currentBlock();
  b.br(found);
  b.setBlock(found);
  return b.phi(ir::Type::Ptr, {{row, matched}, {added, inserted}});
}

/// void(GlobalState*, LocalState*, PartitionMerge*, first row, row count)
CodeUnit* AggregationTranslator::emitMergeFunction() {
  ir::Module module("merge" + std::to_string(program_.steps.size() + 1));
  const ir::FunctionId function = module.addFunction(
      module.name(), ir::Type::Void, {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::I64});
  ir::Builder b(module, function);
  CodeContext context{b, b.parameter(0), b.parameter(1), program_.resources};
  const ir::Value merge = b.parameter(2);
  const ir::Block header = b.createBlock("row");
  const ir::Block body = b.createBlock("body");
  const ir::Block exit = b.createBlock("exit");
  b.br(header);
  b.setBlock(header);
  const ir::Value number = b.phi(ir::Type::I64);
  b.addIncoming(number, b.constI64(0), b.entryBlock());
  b.condBr(b.slt(number, b.parameter(4)), body, exit);
  b.setBlock(body);
  emitMergeBody(b, context, merge, b.ptrIndex(b.parameter(3), number, layout_.bytes()));
  b.addIncoming(number, b.add(number, b.constI64(1)), b.currentBlock());
  b.br(header);
  b.setBlock(exit);
  b.retVoid();
  return program_.addCode(std::move(module));
}

void AggregationTranslator::emitMergeBody(ir::Builder& b, CodeContext& context, ir::Value merge, ir::Value row) {
  const ir::Value hash = b.load(ir::Type::I64, row, 8);
  const ir::Value mask = b.load(ir::Type::I64, merge, offsetof(PartitionMerge, mask));
  const ir::Value head =
      b.ptrIndex(b.load(ir::Type::Ptr, merge, offsetof(PartitionMerge, directory)), b.bitAnd(hash, mask), 8);
  const ir::Value first = b.load(ir::Type::Ptr, head);
  std::vector<SqlValue> keys;
  for (const size_t field : key_fields_) keys.push_back(comparableBytes(layout_.load(context, field, row)));
  const ir::Block before = b.currentBlock();
  const ir::Block chain = b.createBlock("chain");
  const ir::Block candidate = b.createBlock("candidate");
  const ir::Block advance = b.createBlock("advance");
  const ir::Block missing = b.createBlock("new_group");
  const ir::Block done = b.createBlock("done");
  b.br(chain);
  b.setBlock(chain);
  const ir::Value group = b.phi(ir::Type::Ptr);
  b.addIncoming(group, first, before);
  b.condBr(b.eq(group, b.constNull()), missing, candidate);
  b.setBlock(candidate);
  const ir::Block same_hash = b.createBlock("");
  b.condBr(b.eq(b.load(ir::Type::I64, group, 8), hash), same_hash, advance);
  b.setBlock(same_hash);
  emitKeyComparison(context, group, keys, advance);
  for (const AggregateState& state : states_) state.merge(context, layout_, group, row);
  b.br(done);
  b.setBlock(advance);
  b.addIncoming(group, b.load(ir::Type::Ptr, group, 0), advance);
  b.br(chain);
  b.setBlock(missing);
  b.store(first, row, 0);
  b.store(row, head);
  const ir::Value count = b.load(ir::Type::I64, merge, offsetof(PartitionMerge, group_count));
  b.store(row, b.ptrIndex(b.load(ir::Type::Ptr, merge, offsetof(PartitionMerge, groups)), count, 8));
  b.store(b.add(count, b.constI64(1)), merge, offsetof(PartitionMerge, group_count));
  b.br(done);
  b.setBlock(done);
}

void AggregationTranslator::addMergeStep(CodeUnit* unit) {
  const bool needs_group = aggregation_.keys.empty();
  program_.addStep<RuntimeStep>(
      "merge groups", [unit, needs_group, global_slot = global_slot_, source_slot = source_slot_,
                       bytes = layout_.bytes()](ExecutionState& state) {
        auto& aggregation = state.globalObject<Aggregation>(global_slot);
        const CompiledFunction& merge_rows = unit->code->function(ir::FunctionId{0});
        aggregation.merge(state.context.workers, bytes,
                          [&](PartitionMerge* merge, char* rows, uint64_t count, unsigned worker) {
                            state.context.cancel.poll();
                            merge_rows.call<void>(state.global(), state.workers[worker]->local(), merge, rows, count);
                          });
        if (needs_group && aggregation.isEmpty()) {
          char* row = static_cast<char*>(state.workers[0]->arena.allocate(bytes));
          std::memset(row, 0, bytes);
          aggregation.addGroup(row);
        }
        auto& source = state.globalObject<RowListSource>(source_slot);
        for (const auto& rows : aggregation.groups()) source.add(rows);
      });
}

void AggregationTranslator::readGroups(const UnitSet& required, const Consumer& consumer) {
  Pipeline pipeline(program_, source_slot_, "scan groups");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    for (size_t i = 0; i < key_fields_.size(); ++i)
      if (required.contains(aggregation_.keys[i].iu))
        pipeline.scope.bindLazy(aggregation_.keys[i].iu, [this, &pipeline, row, i] {
          return layout_.load(pipeline.context, key_fields_[i], row);
        });
    for (size_t i = 0; i < states_.size(); ++i)
      if (required.contains(aggregation_.aggregates[i].iu))
        pipeline.scope.bindLazy(aggregation_.aggregates[i].iu, [this, &pipeline, row, i] {
          return states_[i].result(pipeline.context, layout_, row);
        });
    consumer(pipeline);
  });
  pipeline.finish();
}

}  // namespace

void produceAggregation(PlanTranslator& translator, const sql::Aggregation& aggregation, const UnitSet& required,
                        const Consumer& consumer) {
  AggregationTranslator(translator, aggregation).produce(required, consumer);
}

}  // namespace gnomon::codegen
