#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "codegen/executor/execution_state.h"
#include "codegen/executor/index_source.h"
#include "codegen/runtime/join_table.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/tuple_layout.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

/// A worker's part of the build side.
struct JoinBuilder final : RuntimeObject {
  RowBuffer rows;
};

/// One join's translation: a pipeline that materialises the build side, a step that chains its rows, and the probe code
/// inside the pipeline of the other side.
class JoinTranslator {
 public:
  JoinTranslator(PlanTranslator& translator, const sql::Join& join, const UnitSet& required)
      : translator_(translator),
        join_(join),
        required_(required),
        is_outer_(join.join_kind == sql::Join::JoinKind::LeftOuter),
        build_left_(join.build_left) {
    CHECK(!(keepsBuildRows() && !isHash()), "a left join that builds on the left has keys");
    planLayout();
  }

  void produce(const Consumer& consumer) {
    planLookup();
    addBuildPipeline();
    addBuildStep();
    if (lookup_ != nullptr) addLookupStep();
    translator_.produce(*join_.inputs[build_left_ ? 1 : 0], probe_required_,
                        [&](Pipeline& pipeline) { probe(pipeline, consumer); });
    if (keepsBuildRows()) addUnmatchedPipeline(consumer);
  }

 private:
  /// A left join whose left side is in the hash table: rows note that they were matched, and a last pipeline hands on
  /// those that were not.
  [[nodiscard]] bool keepsBuildRows() const { return is_outer_ && build_left_; }
  /// A left join that finds out per probe row whether there was a match.
  [[nodiscard]] bool extendsProbeRows() const { return is_outer_ && !build_left_; }
  [[nodiscard]] bool isHash() const { return !join_.keys.empty(); }
  [[nodiscard]] const sql::Expression& buildKey(size_t i) const {
    return build_left_ ? *join_.keys[i].left : *join_.keys[i].right;
  }
  [[nodiscard]] const sql::Expression& probeKey(size_t i) const {
    return build_left_ ? *join_.keys[i].right : *join_.keys[i].left;
  }

  [[nodiscard]] bool isKeyField(size_t field) const {
    return std::find(key_fields_.begin(), key_fields_.end(), field) != key_fields_.end();
  }

  void planLayout();
  void planLookup();
  void addLookupStep();
  void storeLookupKey(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value arena);
  void addBuildPipeline();
  void addBuildStep();
  void materialise(Pipeline& pipeline);
  ir::Value appendRow(Pipeline& pipeline);
  void probe(Pipeline& pipeline, const Consumer& consumer);
  void emitMatch(Pipeline& pipeline, ir::Value row, ir::Value is_extended, const Consumer& consumer);
  void bindBuildUnits(Pipeline& pipeline, ir::Value row);
  void bindAbove(Pipeline& pipeline, ir::Value row, ir::Value is_extended);
  ir::Value firstOfChain(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value& hash);
  void emitHashLoop(Pipeline& pipeline, const Consumer& consumer);
  void emitNestedLoop(Pipeline& pipeline, const Consumer& consumer);
  void addUnmatchedPipeline(const Consumer& consumer);
  [[nodiscard]] SqlValue comparableKey(const SqlValue& key, size_t number) const;
  void bindProbeUnitsAbove(Pipeline& pipeline);
  std::pair<ir::Value, ir::Value> windowOfList(Pipeline& pipeline, ir::Value table);
  void checkCandidate(Pipeline& pipeline, ir::Value row, ir::Block mismatch);

  PlanTranslator& translator_;
  const sql::Join& join_;
  const UnitSet required_;
  const bool is_outer_;
  const bool build_left_;
  UnitSet build_required_, probe_required_;
  TupleLayout layout_{JoinTable::kRowHeaderBytes};
  std::vector<size_t> key_fields_;
  std::vector<std::pair<sql::Iu, size_t>> unit_fields_;
  size_t table_slot_ = 0;
  size_t builder_slot_ = 0;
  size_t matched_field_ = 0;
  const sql::TableScan* lookup_scan_ = nullptr;          ///< the probe side, when it is read by the build side's keys
  const sql::TableScan::IndexLookup* lookup_ = nullptr;  ///< of it
  size_t lookup_keys_slot_ = 0;
  size_t lookup_source_slot_ = 0;
};

void JoinTranslator::planLayout() {
  UnitSet above = required_;
  for (const auto& [below, unit] : join_.null_extended)
    if (above.contains(unit)) above.insert(below);
  for (const auto& condition : join_.conditions) addUnits(*condition, above);
  probe_required_ = build_required_ = above;
  std::vector<sql::Iu> in_key;
  for (size_t i = 0; i < join_.keys.size(); ++i) {
    addUnits(probeKey(i), probe_required_);
    addUnits(buildKey(i), build_required_);
    key_fields_.push_back(layout_.addField(buildKey(i).type, keepsBuildRows() && buildKey(i).nullable));
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
      [source = lookup_source_slot_, slot = lookup_keys_slot_, parts = lookup_->keys.size()](ExecutionState& state) {
        std::vector<IndexBoundValue*> keys;
        for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
          const auto& found = state.localObject<LookupKeys>(worker, slot).keys();
          keys.insert(keys.end(), found.begin(), found.end());
        }
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
  table_slot_ = program.addGlobal([](ExecutionState& state) {
    auto table = std::make_unique<JoinTable>(state.context.memory);
    void* address = table->shared();
    return QueryProgram::Made{std::move(table), address};
  });
  builder_slot_ =
      program.addLocal([table_slot = table_slot_, bytes = layout_.bytes()](ExecutionState& state, unsigned worker) {
        auto builder = std::make_unique<JoinBuilder>();
        builder->rows.open(&state.workers[worker]->arena, bytes);
        state.globalObject<JoinTable>(table_slot).addBuilder(&builder->rows);
        void* address = &builder->rows;
        return QueryProgram::Made{std::move(builder), address};
      });
  translator_.produce(*join_.inputs[build_left_ ? 0 : 1], build_required_,
                      [&](Pipeline& pipeline) { materialise(pipeline); });
}

void JoinTranslator::addBuildStep() {
  translator_.program().addStep<RuntimeStep>(
      isHash() ? "build hash table" : "list rows", [slot = table_slot_, is_hash = isHash()](ExecutionState& state) {
        auto& table = state.globalObject<JoinTable>(slot);
        is_hash ? table.buildDirectory(state.context.workers) : table.buildRowList();
      });
}

ir::Value JoinTranslator::appendRow(Pipeline& pipeline) {
  ir::Builder& b = pipeline.builder;
  const ir::Value buffer = pipeline.hoist([&] { return pipeline.context.localSlot(builder_slot_); });
  const ir::Value next = b.load(ir::Type::Ptr, buffer, offsetof(RowBuffer, next));
  const ir::Value after = b.ptrAdd(next, int64_t{layout_.bytes()});
  const ir::Value end = b.load(ir::Type::Ptr, buffer, offsetof(RowBuffer, end));
  const ir::Block grow = b.createBlock("");
  const ir::Block fits = b.createBlock("");
  const ir::Block done = b.createBlock("");
  b.condBr(b.icmp(ir::IntPredicate::Ugt, after, end), grow, fits, ir::BranchWeight::Unlikely);
  b.setBlock(grow);
  const ir::Value grown = b.call(RUNTIME_FUNCTION(rt::rowBufferGrow), {buffer});
  b.br(done);
  b.setBlock(fits);
  b.store(after, buffer, offsetof(RowBuffer, next));
  b.br(done);
  b.setBlock(done);
  return b.phi(ir::Type::Ptr, {{grown, grow}, {next, fits}});
}

void JoinTranslator::materialise(Pipeline& pipeline) {
  pipeline.describe("materialise");
  ir::Builder& b = pipeline.builder;
  const ir::Block skip = b.createBlock("");
  {
    const Scope::Level level(pipeline.scope);
    std::vector<SqlValue> keys;
    for (size_t i = 0; i < join_.keys.size(); ++i) {
      SqlValue key = pipeline.expressions().translate(buildKey(i));
      if (key.isNullable() && !keepsBuildRows()) {
        // A NULL key matches nothing.
        const ir::Block valid = b.createBlock("");
        b.condBr(key.is_null, skip, valid);
        b.setBlock(valid);
        key.is_null = {};
      }
      keys.push_back(key);
    }
    ir::Value hash = b.constU64(kHashSeed);
    for (size_t i = 0; i < keys.size(); ++i) hash = hashValue(pipeline.context, hash, comparableKey(keys[i], i));
    const ir::Value arena = pipeline.hoist([&] { return pipeline.context.executionArena(); });
    std::vector<std::pair<size_t, SqlValue>> values;
    for (const auto& [unit, field] : unit_fields_)
      if (!isKeyField(field)) values.emplace_back(field, pipeline.scope.get(unit));
    for (SqlValue& key : keys) key = copyValue(pipeline.context, key, arena);
    for (auto& [field, value] : values) value = copyValue(pipeline.context, value, arena);
    if (lookup_ != nullptr) storeLookupKey(pipeline, keys, arena);
    const ir::Value row = appendRow(pipeline);
    b.store(hash, row, 8);
    for (size_t i = 0; i < keys.size(); ++i) layout_.store(pipeline.context, key_fields_[i], keys[i], row);
    for (const auto& [field, value] : values) layout_.store(pipeline.context, field, value, row);
    if (keepsBuildRows()) b.store(b.constI8(0), row, layout_.offset(matched_field_));
  }
  b.br(skip);
  b.setBlock(skip);
}

void JoinTranslator::bindBuildUnits(Pipeline& pipeline, ir::Value row) {
  for (const auto& [unit, field] : unit_fields_)
    pipeline.scope.bindLazy(
        unit, [this, &pipeline, row, number = field] { return layout_.load(pipeline.context, number, row); });
}

void JoinTranslator::bindAbove(Pipeline& pipeline, ir::Value row, ir::Value is_extended) {
  for (const auto& [below, above] : join_.null_extended) {
    const auto found = std::find_if(unit_fields_.begin(), unit_fields_.end(),
                                    [unit = below](const auto& entry) { return entry.first == unit; });
    if (found == unit_fields_.end() || !required_.contains(above)) continue;
    pipeline.scope.bindLazy(above, [this, &pipeline, row, is_extended, number = found->second] {
      ir::Builder& b = pipeline.builder;
      SqlValue value = layout_.load(pipeline.context, number, row);
      value.is_null = value.isNullable() ? b.bitOr(value.is_null, is_extended) : is_extended;
      return value;
    });
  }
}

void JoinTranslator::emitMatch(Pipeline& pipeline, ir::Value row, ir::Value is_extended, const Consumer& consumer) {
  const Scope::Level level(pipeline.scope);
  bindBuildUnits(pipeline, row);
  if (extendsProbeRows()) bindAbove(pipeline, row, is_extended);
  if (keepsBuildRows()) {
    pipeline.builder.store(pipeline.builder.constI8(1), row, layout_.offset(matched_field_));
    bindProbeUnitsAbove(pipeline);
  }
  consumer(pipeline);
}

ir::Value JoinTranslator::firstOfChain(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value& hash) {
  ir::Builder& b = pipeline.builder;
  hash = b.constU64(kHashSeed);
  for (size_t i = 0; i < keys.size(); ++i) hash = hashValue(pipeline.context, hash, comparableKey(keys[i], i));
  const ir::Value table = pipeline.hoist([&] { return pipeline.context.globalSlot(table_slot_); });
  const ir::Value directory =
      pipeline.hoist([&] { return b.load(ir::Type::Ptr, table, offsetof(JoinTable::Shared, directory)); });
  const ir::Value shift =
      pipeline.hoist([&] { return b.load(ir::Type::I64, table, offsetof(JoinTable::Shared, shift)); });
  const ir::Value entry = b.load(ir::Type::I64, b.ptrIndex(directory, b.lshr(hash, shift), 8));
  const ir::Value tag_bit = b.add(b.bitAnd(hash, b.constI64(15)), b.constI64(JoinTable::kTagShift));
  const ir::Value may_match = b.trunc(b.lshr(entry, tag_bit), ir::Type::I1);
  const ir::Value first = b.bitAnd(entry, b.constU64(JoinTable::kAddressMask));
  return b.select(may_match, first, b.constI64(0));
}

void JoinTranslator::checkCandidate(Pipeline& pipeline, ir::Value row, ir::Block mismatch) {
  if (join_.conditions.empty()) return;
  bindBuildUnits(pipeline, row);
  pipeline.expressions().requireAll(join_.conditions, mismatch);
}

void JoinTranslator::probe(Pipeline& pipeline, const Consumer& consumer) {
  pipeline.describe(std::string(isHash() ? "probe" : "nested loop") + (is_outer_ ? " (left join)" : ""));
  const Scope::Level level(pipeline.scope);
  isHash() ? emitHashLoop(pipeline, consumer) : emitNestedLoop(pipeline, consumer);
}

/// Keys that are char(n) of one n on both sides are compared as they lie.
SqlValue JoinTranslator::comparableKey(const SqlValue& key, size_t number) const {
  const bool same_width = join_.keys[number].left->type == join_.keys[number].right->type;
  return same_width ? comparableBytes(key) : key;
}

void JoinTranslator::bindProbeUnitsAbove(Pipeline& pipeline) {
  for (const auto& [below, above] : join_.null_extended)
    if (required_.contains(above)) pipeline.scope.bindAlias(above, below);
}

void JoinTranslator::addUnmatchedPipeline(const Consumer& consumer) {
  QueryProgram& program = translator_.program();
  const size_t source = program.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<RowListSource>(false);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  program.addStep<RuntimeStep>("list build rows", [source, slot = table_slot_](ExecutionState& state) {
    state.globalObject<RowListSource>(source).add(state.globalObject<JoinTable>(slot).listRows());
  });
  Pipeline pipeline(program, source, "scan rows without a match");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    const ir::Value unmatched = b.eq(b.load(ir::Type::I8, row, layout_.offset(matched_field_)), b.constI8(0));
    pipeline.emitIf(unmatched, [&] {
      bindBuildUnits(pipeline, row);
      for (const auto& [below, above] : join_.null_extended)
        if (required_.contains(above))
          pipeline.scope.bindLazy(above, [&pipeline, unit = above] {
            return constantValue(pipeline.context, sql::Value::null(unit->type));
          });
      consumer(pipeline);
    });
  });
  pipeline.finish();
}

void JoinTranslator::emitHashLoop(Pipeline& pipeline, const Consumer& consumer) {
  ir::Builder& b = pipeline.builder;
  std::vector<SqlValue> keys;
  ir::Value has_null;
  for (size_t i = 0; i < join_.keys.size(); ++i) {
    SqlValue key = pipeline.expressions().translate(probeKey(i));
    if (key.isNullable()) has_null = has_null.isValid() ? b.bitOr(has_null, key.is_null) : key.is_null;
    key.is_null = {};
    keys.push_back(key);
  }
  ir::Value hash;
  ir::Value first = firstOfChain(pipeline, keys, hash);
  if (has_null.isValid()) first = b.select(has_null, b.constI64(0), first);

  const ir::Block header = b.createBlock("chain");
  const ir::Block candidate = b.createBlock("candidate");
  const ir::Block advance = b.createBlock("advance");
  const ir::Block exhausted = b.createBlock("exhausted");
  const ir::Block before = b.currentBlock();
  b.br(header);
  b.setBlock(header);
  const ir::Value row_bits = b.phi(ir::Type::I64);
  b.addIncoming(row_bits, first, before);
  ir::Value matched;
  if (extendsProbeRows()) {
    matched = b.phi(ir::Type::I1);
    b.addIncoming(matched, b.constI1(false), before);
  }
  b.condBr(b.eq(row_bits, b.constI64(0)), exhausted, candidate);

  b.setBlock(candidate);
  const ir::Value row = b.bitcast(row_bits, ir::Type::Ptr);
  const ir::Block mismatch = b.createBlock("mismatch");
  {
    const Scope::Level level(pipeline.scope);
    const ir::Block same_hash = b.createBlock("");
    b.condBr(b.eq(b.load(ir::Type::I64, row, 8), hash), same_hash, mismatch);
    b.setBlock(same_hash);
    for (size_t i = 0; i < keys.size(); ++i) {
      const SqlValue stored = layout_.load(pipeline.context, key_fields_[i], row);
      const ir::Block equal = b.createBlock("");
      ir::Value same = equalValues(pipeline.context, comparableKey(keys[i], i), comparableKey(stored, i));
      if (stored.isNullable()) same = b.bitAnd(same, b.bitNot(stored.is_null));
      b.condBr(same, equal, mismatch);
      b.setBlock(equal);
    }
    checkCandidate(pipeline, row, mismatch);
    if (!extendsProbeRows()) {
      emitMatch(pipeline, row, {}, consumer);
      b.br(mismatch);
    }
  }
  if (!extendsProbeRows()) {
    b.setBlock(mismatch);
    pipeline.pollCancel();
    b.br(advance);
  } else {
    // A match and the row without one share the consumer's code: the latter reads a row of zeroes.
    const ir::Block found = b.currentBlock();
    const ir::Block match = b.createBlock("match");
    const ir::Block done = b.createBlock("done");
    const ir::Value zero_row = b.constPtr(pipeline.context.resources.keepZeroes(layout_.bytes()));
    b.br(match);
    b.setBlock(exhausted);
    b.condBr(matched, done, match);
    b.setBlock(match);
    const ir::Value shown = b.phi(ir::Type::Ptr, {{row, found}, {zero_row, exhausted}});
    const ir::Value is_extended = b.phi(ir::Type::I1, {{b.constI1(false), found}, {b.constI1(true), exhausted}});
    emitMatch(pipeline, shown, is_extended, consumer);
    const ir::Block emitted = b.currentBlock();
    b.condBr(is_extended, done, advance);
    b.setBlock(mismatch);
    pipeline.pollCancel();
    const ir::Block rejected = b.currentBlock();
    b.br(advance);
    b.setBlock(advance);
    const ir::Value matched_now = b.phi(ir::Type::I1, {{b.constI1(true), emitted}, {matched, rejected}});
    const ir::Value current = b.phi(ir::Type::I64, {{row_bits, emitted}, {row_bits, rejected}});
    const ir::Value next = b.load(ir::Type::I64, b.bitcast(current, ir::Type::Ptr), 0);
    b.addIncoming(row_bits, next, advance);
    b.addIncoming(matched, matched_now, advance);
    b.br(header);
    b.setBlock(done);
    return;
  }
  b.setBlock(advance);
  const ir::Value next = b.load(ir::Type::I64, row, 0);
  b.addIncoming(row_bits, next, advance);
  b.br(header);
  b.setBlock(exhausted);
}

/// First and end row of the list for this call: the pipeline's first nested loop goes over a window that the driver
/// sets, so that one call cannot make an unbounded result; a left join must see the whole list to know what matched,
/// and a LIMIT below must see each row once.
std::pair<ir::Value, ir::Value> JoinTranslator::windowOfList(Pipeline& pipeline, ir::Value table) {
  ir::Builder& b = pipeline.builder;
  if (is_outer_ || pipeline.description.has_window || !pipeline.description.limit_slots.empty())
    return {b.constI64(0),
            pipeline.hoist([&] { return b.load(ir::Type::I64, table, offsetof(JoinTable::Shared, row_count)); })};
  const size_t slot = translator_.program().addLocal([](ExecutionState&, unsigned) {
    auto made = std::make_unique<NestedWindow>();
    void* address = made->shared();
    return QueryProgram::Made{std::move(made), address};
  });
  pipeline.description.has_window = true;
  pipeline.description.window_slot = slot;
  pipeline.description.window_table_slot = table_slot_;
  const ir::Value window = pipeline.hoist([&] { return pipeline.context.localSlot(slot); });
  return {pipeline.hoist([&] { return b.load(ir::Type::I64, window, offsetof(NestedWindow::Shared, begin)); }),
          pipeline.hoist([&] { return b.load(ir::Type::I64, window, offsetof(NestedWindow::Shared, end)); })};
}

void JoinTranslator::emitNestedLoop(Pipeline& pipeline, const Consumer& consumer) {
  ir::Builder& b = pipeline.builder;
  const ir::Value table = pipeline.hoist([&] { return pipeline.context.globalSlot(table_slot_); });
  const ir::Value rows =
      pipeline.hoist([&] { return b.load(ir::Type::Ptr, table, offsetof(JoinTable::Shared, rows)); });
  const auto [from, count] = windowOfList(pipeline, table);
  const ir::Block before = b.currentBlock();
  const ir::Block header = b.createBlock("inner");
  const ir::Block candidate = b.createBlock("candidate");
  const ir::Block mismatch = b.createBlock("mismatch");
  const ir::Block exhausted = b.createBlock("exhausted");
  b.br(header);
  b.setBlock(header);
  const ir::Value number = b.phi(ir::Type::I64);
  b.addIncoming(number, from, before);
  ir::Value matched;
  if (extendsProbeRows()) {
    matched = b.phi(ir::Type::I1);
    b.addIncoming(matched, b.constI1(false), before);
  }
  b.condBr(b.slt(number, count), candidate, exhausted);
  b.setBlock(candidate);
  pipeline.pollCancel();
  const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(rows, number, 8));
  {
    const Scope::Level level(pipeline.scope);
    checkCandidate(pipeline, row, mismatch);
    if (!extendsProbeRows()) {
      emitMatch(pipeline, row, {}, consumer);
      b.br(mismatch);
      b.setBlock(mismatch);
      b.addIncoming(number, b.add(number, b.constI64(1)), mismatch);
      b.br(header);
      b.setBlock(exhausted);
      return;
    }
  }
  const ir::Block found = b.currentBlock();
  const ir::Block match = b.createBlock("match");
  const ir::Block done = b.createBlock("done");
  const ir::Value zero_row = b.constPtr(pipeline.context.resources.keepZeroes(layout_.bytes()));
  b.br(match);
  b.setBlock(exhausted);
  b.condBr(matched, done, match);
  b.setBlock(match);
  const ir::Value shown = b.phi(ir::Type::Ptr, {{row, found}, {zero_row, exhausted}});
  const ir::Value is_extended = b.phi(ir::Type::I1, {{b.constI1(false), found}, {b.constI1(true), exhausted}});
  emitMatch(pipeline, shown, is_extended, consumer);
  const ir::Block emitted = b.currentBlock();
  const ir::Block advance = b.createBlock("advance");
  b.condBr(is_extended, done, advance);
  b.setBlock(mismatch);
  b.br(advance);
  b.setBlock(advance);
  b.addIncoming(matched, b.phi(ir::Type::I1, {{b.constI1(true), emitted}, {matched, mismatch}}), advance);
  b.addIncoming(number, b.add(number, b.constI64(1)), advance);
  b.br(header);
  b.setBlock(done);
}

}  // namespace

void produceJoin(PlanTranslator& translator, const sql::Join& join, const UnitSet& required, const Consumer& consumer) {
  JoinTranslator(translator, join, required).produce(consumer);
}

}  // namespace gnomon::codegen
