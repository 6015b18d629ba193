#include "codegen/translate/group_table.h"

#include <cstring>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/aggregation_table.h"
#include "codegen/runtime/group_source.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

static_assert(GroupTable::kHeaderBytes == kGroupHeaderBytes);

GroupTable::GroupTable(PlanTranslator& translator) : translator_(translator), program_(translator.program()) {}

void GroupTable::finish() {
  layout_.finish();
  spill_ = SpillSlots::add(translator_, layout_, !key_fields_.empty());
  global_slot_ = program_.addGlobal([](ExecutionState& state) {
    auto made = std::make_unique<Aggregation>(state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  source_slot_ = program_.addGlobal([slot = global_slot_](ExecutionState& state) {
    auto made =
        std::make_unique<GroupSource>(state.globalObject<Aggregation>(slot), state.workerCount(), state.context.cancel);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  local_slot_ = program_.addLocal(
      [slot = global_slot_, bytes = layout_.bytes(), spill = spill_](ExecutionState& state, unsigned worker) {
        auto made = std::make_unique<LocalAggregation>(spill.arena(state, worker), bytes, state.context.memory,
                                                       spill.area(state, worker));
        state.globalObject<Aggregation>(slot).addLocal(*made);
        void* address = made->shared();
        return QueryProgram::Made{std::move(made), address};
      });
}

void GroupTable::emitKeyComparison(CodeContext& context, ir::Value group, const std::vector<SqlValue>& keys,
                                   ir::Block different) {
  ir::Builder& b = context.builder;
  for (size_t i = 0; i < keys.size(); ++i) {
    const SqlValue stored = comparableBytes(layout_.load(context, key_fields_[i], group));
    const ir::Block equal = b.createBlock("");
    b.condBr(notDistinctValues(context, keys[i], stored), equal, different);
    b.setBlock(equal);
  }
}

ir::Value GroupTable::addGroup(Pipeline& pipeline, ir::Value table, ir::Value hash, const std::vector<SqlValue>& keys) {
  // The strings are copied behind the call, which may empty the arena.
  const ir::Value group = pipeline.builder.call(RUNTIME_FUNCTION(rt::aggregationInsert), {table, hash});
  const ir::Value arena = pipeline.context.localSlot(spill_.arena_slot);
  for (size_t i = 0; i < keys.size(); ++i)
    layout_.store(pipeline.context, key_fields_[i], copyValue(pipeline.context, keys[i], arena), group);
  return group;
}

ir::Value GroupTable::hashOf(Pipeline& pipeline, const std::vector<SqlValue>& keys) const {
  ir::Value hash = pipeline.builder.constU64(kHashSeed);
  for (const SqlValue& key : keys) hash = hashValue(pipeline.context, hash, comparableBytes(key));
  return hash;
}

ir::Value GroupTable::findGroup(Pipeline& pipeline, std::vector<SqlValue> keys, ir::Value hash) {
  ir::Builder& b = pipeline.builder;
  if (keys.empty())
    return pipeline.hoist([&] {
      return b.call(RUNTIME_FUNCTION(rt::aggregationSingleGroup), {pipeline.context.localSlot(local_slot_)});
    });
  if (!hash.isValid()) hash = hashOf(pipeline, keys);
  for (SqlValue& key : keys) key = comparableBytes(key);
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
CodeUnit* GroupTable::emitMergeFunction(const MergeState& merge_state) {
  ir::Module module("merge" + std::to_string(program_.steps.size() + 1));
  const ir::FunctionId function = module.addFunction(
      module.name(), ir::Type::Void, {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::I64});
  ir::Builder b(module, function);
  CodeContext context{b, b.parameter(0), b.parameter(1), program_.resources, spill_.arena_slot};
  const ir::Block header = b.createBlock("row");
  const ir::Block body = b.createBlock("body");
  const ir::Block exit = b.createBlock("exit");
  b.br(header);
  b.setBlock(header);
  const ir::Value number = b.phi(ir::Type::I64);
  b.addIncoming(number, b.constI64(0), b.entryBlock());
  b.condBr(b.slt(number, b.parameter(4)), body, exit);
  b.setBlock(body);
  emitMergeBody(b, context, b.ptrIndex(b.parameter(3), number, layout_.bytes()), merge_state);
  b.addIncoming(number, b.add(number, b.constI64(1)), b.currentBlock());
  b.br(header);
  b.setBlock(exit);
  b.retVoid();
  return program_.addCode(std::move(module));
}

void GroupTable::emitMergeBody(ir::Builder& b, CodeContext& context, ir::Value row, const MergeState& merge_state) {
  const ir::Value merge = b.parameter(2);
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
  merge_state(context, group, row);
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

void GroupTable::addMergeStep(const MergeState& merge_state) {
  CodeUnit* unit = emitMergeFunction(merge_state);
  const bool needs_group = key_fields_.empty();
  program_.addStep<RuntimeStep>(
      "merge groups", [unit, needs_group, global_slot = global_slot_, source_slot = source_slot_,
                       bytes = layout_.bytes(), spill = spill_](ExecutionState& state) {
        auto& aggregation = state.globalObject<Aggregation>(global_slot);
        unit->prepare(static_cast<double>(aggregation.rowCount()), state.workerCount());
        const auto merge_rows = [&state, unit](PartitionMerge* merge, char* rows, uint64_t count, unsigned worker) {
          state.context.cancel.poll();
          unit->function().call<void>(state.global(), state.workers[worker]->local(), merge, rows, count);
        };
        aggregation.merge(state.pool(), bytes, merge_rows);
        if (needs_group && aggregation.isEmpty()) {
          char* row = static_cast<char*>(state.workers[0]->arena.allocate(bytes));
          std::memset(row, 0, bytes);
          aggregation.addGroup(row);
        }
        const auto merge_into = [&state, merge_rows, slot = spill.arena_slot](
                                    PartitionMerge* merge, char* rows, uint64_t count, unsigned worker, Arena& arena) {
          state.workers[worker]->local()->slots[slot] = &arena;
          merge_rows(merge, rows, count, worker);
        };
        state.globalObject<GroupSource>(source_slot).open(merge_into, spill.area(state, 0));
      });
}

void GroupTable::readGroups(const std::function<void(Pipeline&, ir::Value row)>& body) {
  Pipeline pipeline(program_, source_slot_, "scan groups");
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    body(pipeline, pipeline.builder.load(ir::Type::Ptr, pipeline.builder.ptrIndex(pipeline.data, number, 8)));
  });
  pipeline.finish();
}

}  // namespace gnomon::codegen
