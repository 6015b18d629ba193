#include "codegen/translate/join_translator.h"

#include <algorithm>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/executor/index_source.h"
#include "codegen/executor/partitioned_source.h"
#include "codegen/runtime/partitioned_rows.h"
#include "codegen/translate/row_store_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

JoinTranslator::JoinTranslator(PlanTranslator& translator, const sql::Join& join, const UnitSet& required)
    : translator_(translator), join_(join), required_(required), build_left_(join.build_left) {
  CHECK(!(keepsBuildRows() && !isHash()), "a join that preserves or tests its build side has keys");
  CHECK(!(build_left_ && (join.join_kind == JoinKind::Single || isFull())), "matches are counted for each probe row");
  CHECK(!(build_left_ && (comparesKey() || join.compared)), "comparisons are made for each probe row");
  planLayout();
}

void JoinTranslator::produce(const Consumer& consumer) {
  planLookup();
  const auto build = [this] {
    addBuildPipeline();
    addBuildStep();
  };
  const bool is_lasting = lookup_ == nullptr && !keepsBuildRows();
  is_lasting ? translator_.emitOutsideLoop(*join_.inputs[build_left_ ? 0 : 1], build) : build();
  if (lookup_ != nullptr) addLookupStep();
  if (isSpilled()) return produceSpilled(consumer);
  filterProbeScan();
  translator_.produce(*join_.inputs[build_left_ ? 1 : 0], probe_required_,
                      [&](Pipeline& pipeline) { probe(pipeline, consumer); });
  if (keepsBuildRows()) addFinalPipeline(consumer);
}

bool JoinTranslator::isKeyField(size_t field) const {
  return std::find(key_fields_.begin(), key_fields_.end(), field) != key_fields_.end();
}

void JoinTranslator::planLayout() {
  UnitSet above = required_;
  for (const auto* extended : {&join_.null_extended, &join_.left_extended})
    for (const auto& [below, unit] : *extended)
      if (above.contains(unit)) above.insert(below);
  for (const auto& condition : join_.conditions) addUnits(*condition, above);
  if (join_.compared) addUnits(*join_.compared, above);
  probe_required_ = build_required_ = above;
  std::vector<sql::Iu> in_key;
  for (size_t i = 0; i < join_.keys.size(); ++i) {
    addUnits(probeKey(i), probe_required_);
    addUnits(buildKey(i), build_required_);
    const bool keeps_null = keepsBuildRows() || join_.keys[i].is_null_safe;
    key_fields_.push_back(layout_.addField(buildKey(i).type, keeps_null && buildKey(i).nullable));
    if (buildKey(i).kind == sql::Expression::Kind::Column) {
      unit_fields_.emplace_back(buildKey(i).iu, key_fields_.back());
      in_key.push_back(buildKey(i).iu);
    }
  }
  for (const sql::Iu unit : join_.inputs[build_left_ ? 0 : 1]->units())
    if (above.contains(unit) && std::find(in_key.begin(), in_key.end(), unit) == in_key.end())
      unit_fields_.emplace_back(unit, layout_.addField(unit->type, unit->nullable));
  if (keepsBuildRows()) matched_field_ = layout_.addField(sql::Type::of(sql::TypeKind::Boolean), false);
  layout_.finish();
}

void JoinTranslator::planLookup() {
  const sql::Operator& probe = *join_.inputs[build_left_ ? 1 : 0];
  if (probe.kind != sql::Operator::Kind::TableScan) return;
  lookup_scan_ = &static_cast<const sql::TableScan&>(probe);
  lookup_ = lookup_scan_->lookup.get();
  if (lookup_ == nullptr) return;
  QueryProgram& program = translator_.program();
  lookup_keys_slot_ = program.addLocal([count = lookup_->keys.size()](ExecutionState& state, unsigned) {
    auto made = std::make_unique<LookupKeys>(count, state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  if (lookup_scan_->table->partitioning) {
    lookup_source_slot_ = addPartitionedSource(program, *lookup_scan_, {});
    translator_.setSource(*lookup_scan_, lookup_source_slot_);
    return;
  }
  lookup_source_slot_ = program.addGlobal([table = lookup_scan_->table, index = lookup_->index,
                                           rows = lookup_scan_->estimated_rows](ExecutionState& state) {
    auto made = std::make_unique<LookupSource>(*table->storage, state.context.snapshot, index->storage, rows);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  translator_.setSource(*lookup_scan_, lookup_source_slot_);
}

void JoinTranslator::addLookupStep() {
  translator_.program().addStep<RuntimeStep>(
      "look up keys in " + lookup_->index->name,
      [source = lookup_source_slot_, slot = lookup_keys_slot_, parts = lookup_->keys.size(),
       is_partitioned = lookup_scan_->table->partitioning != nullptr](ExecutionState& state) {
        std::vector<IndexBoundValue*> keys;
        for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
          const auto& found = state.localObject<LookupKeys>(worker, slot).keys();
          keys.insert(keys.end(), found.begin(), found.end());
        }
        if (is_partitioned)
          state.globalObject<PartitionedSource>(source).openLookup(keys, parts, state.context.cancel,
                                                                   state.context.memory);
        else
          state.globalObject<LookupSource>(source).open(keys, parts, state.context.cancel, state.context.memory);
      });
}

void JoinTranslator::storeLookupKey(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value arena) {
  ir::Builder& b = pipeline.builder;
  const ir::Value list = pipeline.hoist([&] { return pipeline.context.localSlot(lookup_keys_slot_); });
  const ir::Value stored = b.call(RUNTIME_FUNCTION(rt::lookupNextKey), {list});
  for (size_t part = 0; part < lookup_->keys.size(); ++part) {
    const SqlValue& key = keys[lookup_->keys[part]];
    storeBoundValue(pipeline.context, copyValue(pipeline.context, key, arena), stored, part);
  }
}

void JoinTranslator::addBuildPipeline() {
  QueryProgram& program = translator_.program();
  spill_ = SpillSlots::add(translator_, layout_, isHash() && lookup_ == nullptr);
  table_slot_ = program.addGlobal([](ExecutionState& state) {
    auto table = std::make_unique<JoinTable>(state.context.memory);
    void* address = table->shared();
    return QueryProgram::Made{std::move(table), address};
  });
  builder_slot_ = program.addLocal(
      [table_slot = table_slot_, bytes = layout_.bytes(), spill = spill_](ExecutionState& state, unsigned worker) {
        auto builder = std::make_unique<PartitionedRows>(spill.arena(state, worker), bytes, spill.area(state, worker));
        state.globalObject<JoinTable>(table_slot).addBuilder(&builder->rows());
        void* address = &builder->rows();
        return QueryProgram::Made{std::move(builder), address};
      });
  translator_.produce(*join_.inputs[build_left_ ? 0 : 1], build_required_,
                      [&](Pipeline& pipeline) { materialise(pipeline); });
}

void JoinTranslator::addBuildStep() {
  QueryProgram& program = translator_.program();
  program.addStep<RuntimeStep>(
      isHash() ? "build hash table" : "list rows",
      [slot = table_slot_, builder_slot = builder_slot_, is_hash = isHash(), join = &join_](ExecutionState& state) {
        auto& table = state.globalObject<JoinTable>(slot);
        if (!is_hash) return table.buildRowList();
        for (unsigned worker = 0; worker < state.workerCount(); ++worker)
          if (state.localObject<PartitionedRows>(worker, builder_slot).hasSpilled()) return state.noteSpill(join);
        table.buildDirectory(state.pool());
      });
  if (spill_.can_spill)
    program.spill_points[&join_] = {program.steps.size(), program.globals.size(), program.locals.size()};
}

/// Leaves out a row that matches nothing because its key is NULL.
void JoinTranslator::requireKey(Pipeline& pipeline, size_t number, SqlValue& key, ir::Block skip) {
  if (!key.isNullable() || keepsBuildRows() || join_.keys[number].is_null_safe) return;
  ir::Builder& b = pipeline.builder;
  const ir::Block valid = b.createBlock("");
  if (comparesKey()) {
    const ir::Value table = pipeline.hoist([&] { return pipeline.context.globalSlot(table_slot_); });
    const ir::Block noted = b.createBlock("");
    b.condBr(key.is_null, noted, valid);
    b.setBlock(noted);
    b.store(b.constI64(1), table, offsetof(JoinTable::Shared, has_null_key));
    b.br(skip);
  } else {
    b.condBr(key.is_null, skip, valid);
  }
  b.setBlock(valid);
  key.is_null = {};
}

void JoinTranslator::materialise(Pipeline& pipeline) {
  pipeline.describe("materialise");
  ir::Builder& b = pipeline.builder;
  const ir::Block skip = b.createBlock("");
  {
    const Scope::Level level(pipeline.scope);
    std::vector<SqlValue> keys;
    for (size_t i = 0; i < join_.keys.size(); ++i) {
      keys.push_back(pipeline.expressions().translate(buildKey(i)));
      requireKey(pipeline, i, keys.back(), skip);
    }
    const ir::Value hash = hashOfKeys(pipeline, keys);
    const ir::Value arena = pipeline.hoist([&] { return pipeline.context.localSlot(spill_.arena_slot); });
    std::vector<std::pair<size_t, SqlValue>> values;
    for (const auto& [unit, field] : unit_fields_)
      if (!isKeyField(field)) values.emplace_back(field, pipeline.scope.get(unit));
    // The strings are copied behind the append, which may empty the arena.
    const ir::Value buffer = pipeline.hoist([&] { return pipeline.context.localSlot(builder_slot_); });
    const ir::Value row = appendRow(pipeline, buffer, layout_.bytes());
    for (SqlValue& key : keys) key = copyValue(pipeline.context, key, arena);
    for (auto& [field, value] : values) value = copyValue(pipeline.context, value, arena);
    if (lookup_ != nullptr) storeLookupKey(pipeline, keys, arena);
    b.store(hash, row, 8);
    for (size_t i = 0; i < keys.size(); ++i) layout_.store(pipeline.context, key_fields_[i], keys[i], row);
    for (const auto& [field, value] : values) layout_.store(pipeline.context, field, value, row);
    if (keepsBuildRows()) b.store(b.constI8(0), row, layout_.offset(matched_field_));
  }
  b.br(skip);
  b.setBlock(skip);
}

/// The build side's rows as they are seen above once it is known whether they were matched.
void JoinTranslator::bindFinalUnits(Pipeline& pipeline, ir::Value row, ir::Value is_matched) {
  bindBuildUnits(pipeline, row);
  if (join_.mark) {
    SqlValue mark;
    mark.type = join_.mark->type;
    mark.lo = is_matched;
    pipeline.scope.bind(join_.mark, mark);
  }
  if (isFull()) bindProbeUnitsAbove(pipeline, join_.null_extended);
  for (const auto& [below, above] : isFull() ? join_.left_extended : join_.null_extended)
    if (required_.contains(above))
      pipeline.scope.bindLazy(
          above, [&pipeline, unit = above] { return constantValue(pipeline.context, sql::Value::null(unit->type)); });
}

/// The build rows; its global slot.
size_t JoinTranslator::addFinalSource() {
  if (isSpilled()) return addSpilledFinalSource();
  QueryProgram& program = translator_.program();
  const size_t source = program.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<RowListSource>(false);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  program.addStep<RuntimeStep>("list build rows", [source, slot = table_slot_](ExecutionState& state) {
    state.globalObject<RowListSource>(source).add(state.globalObject<JoinTable>(slot).listRows());
  });
  return source;
}

void JoinTranslator::addFinalPipeline(const Consumer& consumer) {
  const bool wants_match = join_.join_kind == JoinKind::Semi;
  Pipeline pipeline(translator_.program(), addFinalSource(),
                    join_.mark    ? "scan marked rows"
                    : wants_match ? "scan rows with a match"
                                  : "scan rows without a match");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    const ir::Value is_matched = b.ne(b.load(ir::Type::I8, row, layout_.offset(matched_field_)), b.constI8(0));
    const auto emit = [&] {
      const Scope::Level level(pipeline.scope);
      bindFinalUnits(pipeline, row, is_matched);
      consumer(pipeline);
    };
    if (join_.mark)
      emit();
    else
      pipeline.emitIf(wants_match ? is_matched : b.bitNot(is_matched), emit);
  });
  pipeline.finish();
}

void produceJoin(PlanTranslator& translator, const sql::Join& join, const UnitSet& required, const Consumer& consumer) {
  JoinTranslator(translator, join, required).produce(consumer);
}

}  // namespace gnomon::codegen
