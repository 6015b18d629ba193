#include <algorithm>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/spilled_join.h"
#include "codegen/translate/join_translator.h"
#include "codegen/translate/row_store_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

/// JoinTable::Shared*: of the whole build side, or of the partition at hand.
ir::Value JoinTranslator::tableAddress(Pipeline& pipeline) {
  return pipeline.hoist([&] {
    return isSpilled() ? pipeline.context.localSlot(local_table_slot_) : pipeline.context.globalSlot(table_slot_);
  });
}

/// The pipeline that would probe ends in a store of its rows, and another one begins there.
void JoinTranslator::produceSpilled(const Consumer& consumer) {
  addProbeSlots();
  translator_.produce(*join_.inputs[build_left_ ? 1 : 0], probe_required_,
                      [&](Pipeline& pipeline) { storeProbeRow(pipeline); });
  addPartitionStep();
  probeStored(consumer);
  if (keepsBuildRows()) addFinalPipeline(consumer);
}

void JoinTranslator::addProbeSlots() {
  for (const sql::Iu unit : join_.inputs[build_left_ ? 1 : 0]->units())
    if (probe_required_.contains(unit))
      probe_fields_.emplace_back(unit, probe_layout_.addField(unit->type, unit->nullable));
  probe_layout_.finish();
  probe_spill_ = SpillSlots::add(translator_, probe_layout_, true);
  QueryProgram& program = translator_.program();
  probe_rows_slot_ =
      program.addLocal([bytes = probe_layout_.bytes(), spill = probe_spill_](ExecutionState& state, unsigned worker) {
        auto made = std::make_unique<PartitionedRows>(spill.arena(state, worker), bytes, spill.area(state, worker));
        void* address = &made->rows();
        return QueryProgram::Made{std::move(made), address};
      });
  const SpilledJoinSource::Shape shape{.emits_unmatched = extendsProbeRows() || testsProbeRows(),
                                       .keeps_build_rows = keepsBuildRows()};
  spilled_source_slot_ = program.addGlobal([shape](ExecutionState& state) {
    auto made = std::make_unique<SpilledJoinSource>(shape, state.workerCount(), state.context.cancel);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  local_table_slot_ = program.addLocal([slot = spilled_source_slot_](ExecutionState& state, unsigned worker) {
    return QueryProgram::Made{nullptr, state.globalObject<SpilledJoinSource>(slot).table(worker)};
  });
}

void JoinTranslator::storeProbeRow(Pipeline& pipeline) {
  pipeline.describe("store for " + probeText());
  ir::Builder& b = pipeline.builder;
  const Scope::Level level(pipeline.scope);
  ir::Value has_null;
  const ir::Value hash = hashOfKeys(pipeline, probeKeys(pipeline, has_null));
  std::vector<SqlValue> values;
  for (const auto& [unit, field] : probe_fields_) values.push_back(pipeline.scope.get(unit));
  const ir::Value buffer = pipeline.hoist([&] { return pipeline.context.localSlot(probe_rows_slot_); });
  const ir::Value arena = pipeline.hoist([&] { return pipeline.context.localSlot(probe_spill_.arena_slot); });
  const ir::Value row = appendRow(pipeline, buffer, probe_layout_.bytes());
  b.store(hash, row, 8);
  for (size_t i = 0; i < values.size(); ++i)
    probe_layout_.store(pipeline.context, probe_fields_[i].second, copyValue(pipeline.context, values[i], arena), row);
}

void JoinTranslator::addPartitionStep() {
  translator_.program().addStep<RuntimeStep>(
      "partition both sides", [build_slot = builder_slot_, probe_slot = probe_rows_slot_, table = table_slot_,
                               source = spilled_source_slot_](ExecutionState& state) {
        std::vector<PartitionedRows*> build, probe;
        for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
          build.push_back(&state.localObject<PartitionedRows>(worker, build_slot));
          probe.push_back(&state.localObject<PartitionedRows>(worker, probe_slot));
        }
        state.pool().run([&](unsigned slot) {
          for (size_t i = slot; i < build.size(); i += state.workerCount()) {
            build[i]->spill();
            probe[i]->spill();
          }
        });
        state.globalObject<SpilledJoinSource>(source).open(*state.globalObject<JoinTable>(table).shared(), build,
                                                           probe);
      });
}

void JoinTranslator::probeStored(const Consumer& consumer) {
  Pipeline pipeline(translator_.program(), spilled_source_slot_, "scan stored rows");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    for (const auto& [unit, field] : probe_fields_)
      pipeline.scope.bindLazy(unit, [this, &pipeline, row, number_of_field = field] {
        return probe_layout_.load(pipeline.context, number_of_field, row);
      });
    probe(pipeline, consumer);
  });
  pipeline.finish();
}

/// The build rows, with what was noted in them; its global slot.
size_t JoinTranslator::addSpilledFinalSource() {
  QueryProgram& program = translator_.program();
  const size_t source = program.addGlobal([](ExecutionState& state) {
    auto made = std::make_unique<SpilledRunSource>(state.workerCount(), state.context.cancel);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  program.addStep<RuntimeStep>("gather build rows", [source, slot = spilled_source_slot_](ExecutionState& state) {
    auto& joined = state.globalObject<SpilledJoinSource>(slot);
    state.globalObject<SpilledRunSource>(source).open(joined.takeBuildRows(), joined.buildArea());
  });
  return source;
}

}  // namespace gnomon::codegen
