#include <algorithm>

#include "base/assert.h"
#include "codegen/executor/cursor_row_source.h"
#include "codegen/executor/execution_state.h"
#include "codegen/executor/index_source.h"
#include "codegen/executor/inverted_source.h"
#include "codegen/executor/partitioned_source.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/scan_filter.h"
#include "codegen/translate/value_operations.h"
#include "storage/relation/leaf_view.h"

namespace gnomon::codegen {

namespace {

using storage::LeafAccess;

/// The NULL bitmaps of a column that has none in a leaf, and of one that the leaf does not hold: every row reads the
/// first byte.
alignas(64) const std::byte kNoNulls[64] = {};
alignas(64) const std::byte kOnlyNulls[64] = {std::byte{0xFF}};
/// A value for null.
alignas(64) const std::byte kZero[16] = {};

LeafColumn addressOf(Pipeline& pipeline, ir::Value page, const sql::TableScan::Column& read,
                     const sql::ColumnEntry& entry) {
  ir::Builder& b = pipeline.builder;
  const auto loadOffset = [&](int64_t array, ir::Value place) {
    const ir::Value offsets = b.load(ir::Type::Ptr, pipeline.data, array);
    return b.zext(b.load(ir::Type::I32, b.ptrAdd(offsets, place)), ir::Type::I64);
  };
  const uint32_t column = read.index;
  LeafColumn address{};
  address.unit = read.iu;
  address.number = column;
  address.type = entry.type;
  address.width = materialisedBytes(entry.type);
  ir::Value place = b.constI64(4 * int64_t{column});
  ir::Value is_held;
  if (entry.stored.since > 1) {
    const ir::Value count = b.load(ir::Type::I32, pipeline.data, offsetof(LeafAccess, column_count));
    is_held = b.icmp(ir::IntPredicate::Ugt, count, b.constI32(static_cast<int32_t>(column)));
    place = b.select(is_held, place, b.constI64(0));
    address.row_mask = b.select(is_held, b.constI64(-1), b.constI64(0));
  }
  const storage::OwnedValue* missing = entry.stored.missing.get();
  address.values = b.ptrAdd(page, loadOffset(offsetof(LeafAccess, column_offsets), place));
  address.base = b.bitcast(page, ir::Type::I64);
  if (is_held.isValid()) {
    address.values =
        b.select(is_held, address.values, b.constPtr(missing ? static_cast<const void*>(&missing->stored()) : kZero));
    address.base = b.select(is_held, address.base, b.constI64(0));
  }
  if (entry.not_null) return address;
  const ir::Value null_offset = loadOffset(offsetof(LeafAccess, null_offsets), place);
  const ir::Value has_none = b.eq(null_offset, b.constI64(0));
  address.nulls = b.select(has_none, b.constPtr(kNoNulls), b.ptrAdd(page, null_offset));
  address.null_mask = b.select(has_none, b.constI64(0), b.constI64(-1));
  if (is_held.isValid()) {
    address.nulls = b.select(is_held, address.nulls, b.constPtr(missing ? kNoNulls : kOnlyNulls));
    address.null_mask = b.bitAnd(address.null_mask, address.row_mask);
  }
  return address;
}

/// Says that a column is read, for who looks ahead to the next row.
void noteRead(Pipeline& pipeline, uint32_t column) {
  constexpr int64_t kOffset = offsetof(LeafAccess, columns_read);
  ir::Builder& b = pipeline.builder;
  const ir::Value bit = b.constI32(static_cast<int32_t>(uint32_t{1} << column % 32));
  b.store(b.bitOr(b.load(ir::Type::I32, pipeline.data, kOffset), bit), pipeline.data, kOffset);
}

SqlValue loadColumn(Pipeline& pipeline, const LeafColumn& address, ir::Value row) {
  ir::Builder& b = pipeline.builder;
  const ir::Value slot = address.row_mask.isValid() ? b.bitAnd(row, address.row_mask) : row;
  SqlValue value = loadValue(pipeline.context, address.type, b.ptrIndex(address.values, slot, address.width), 0);
  if (address.type.physical() == sql::Physical::String && !fitsInline(address.type)) {
    // Stored texts over 12 bytes hold an offset from the page's start, class transient already set.
    const ir::Value length = b.trunc(value.lo, ir::Type::I32);
    const ir::Value is_long =
        b.icmp(ir::IntPredicate::Ugt, length, b.constI32(static_cast<int32_t>(StringValue::kInlineBytesMax)));
    value.hi = b.add(value.hi, b.select(is_long, address.base, b.constI64(0)));
  }
  if (address.nulls.isValid()) {
    const ir::Value byte =
        b.load(ir::Type::I8, b.ptrAdd(address.nulls, b.bitAnd(b.lshr(row, b.constI64(3)), address.null_mask)));
    const ir::Value bit = b.trunc(b.bitAnd(row, b.constI64(7)), ir::Type::I8);
    value.is_null = b.trunc(b.lshr(byte, bit), ir::Type::I1);
  }
  return value;
}

/// The address of the stored tuple ids, before the loop.
ir::Value tupleIds(Pipeline& pipeline, ir::Value page) {
  ir::Builder& b = pipeline.builder;
  return pipeline.hoist([&] {
    return b.ptrAdd(
        page, b.zext(b.load(ir::Type::I32, pipeline.data, offsetof(LeafAccess, tuple_ids_offset)), ir::Type::I64));
  });
}

/// Skips rows with a deleted flag; leaves without any take one well-predicted branch.
void emitFlagCheck(Pipeline& pipeline, ir::Value page, ir::Value row, ir::Block skip) {
  ir::Builder& b = pipeline.builder;
  const ir::Value has_flags = pipeline.hoist(
      [&] { return b.ne(b.load(ir::Type::I32, pipeline.data, offsetof(LeafAccess, flagged_count)), b.constI32(0)); });
  const ir::Value ids = tupleIds(pipeline, page);
  const ir::Block check = b.createBlock("");
  const ir::Block live = b.createBlock("");
  b.condBr(has_flags, check, live, ir::BranchWeight::Unlikely);
  b.setBlock(check);
  const ir::Value id = b.load(ir::Type::I64, b.ptrIndex(ids, row, 8));
  b.condBr(b.slt(id, b.constI64(0)), skip, live);
  b.setBlock(live);
}

/// `place`: of a partitioned table; invalid: it is none.
void bindTupleId(Pipeline& pipeline, sql::Iu unit, ir::Value page, ir::Value row, ir::Value place) {
  const ir::Value ids = tupleIds(pipeline, page);
  pipeline.scope.bindLazy(unit, [&pipeline, unit, ids, row, place] {
    ir::Builder& b = pipeline.builder;
    const ir::Value stored = b.load(ir::Type::I64, b.ptrIndex(ids, row, 8));
    ir::Value id = b.bitAnd(stored, b.constI64(int64_t{storage::tuple_id_flags::kIdMask}));
    if (place.isValid()) id = b.add(id, b.load(ir::Type::I64, place, offsetof(PartitionPlace::Shared, id_base)));
    return SqlValue{.type = unit->type, .lo = id, .hi = {}, .is_null = {}};
  });
}

void bindTableOid(Pipeline& pipeline, sql::Iu unit, ir::Value place) {
  pipeline.scope.bindLazy(unit, [&pipeline, unit, place] {
    ir::Builder& b = pipeline.builder;
    const ir::Value oid = b.load(ir::Type::I64, place, offsetof(PartitionPlace::Shared, table_oid));
    return SqlValue{.type = unit->type, .lo = oid, .hi = {}, .is_null = {}};
  });
}

bool isStored(const sql::TableScan::Column& column) {
  return column.index != sql::TableScan::kTupleId && column.index != sql::TableScan::kTableOid;
}

std::vector<uint32_t> columnsIn(const sql::TableScan& scan, const UnitSet& read) {
  std::vector<uint32_t> columns;
  for (const auto& column : scan.columns)
    if (read.contains(column.iu) && isStored(column)) columns.push_back(column.index);
  return columns;
}

size_t addTableSource(QueryProgram& program, const sql::TableScan& scan, const UnitSet& read) {
  return program.addGlobal([table = scan.table, columns = columnsIn(scan, read)](ExecutionState& state) {
    auto made = std::make_unique<TableSource>(*table->storage, state.context.snapshot, columns);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
}

IndexRangeShape shapeOf(const sql::TableScan::IndexRange& range) {
  return IndexRangeShape{.equal_count = range.equal.size(),
                         .has_low = range.low.value != nullptr,
                         .has_high = range.high.value != nullptr,
                         .is_low_inclusive = range.low.is_inclusive,
                         .is_high_inclusive = range.high.is_inclusive,
                         .excludes_nulls = range.excludes_nulls,
                         .is_ordered = range.is_ordered,
                         .is_backward = range.is_backward,
                         .searches = range.searches};
}

std::vector<const sql::Expression*> valuesOf(const sql::TableScan::IndexRange& range) {
  std::vector<const sql::Expression*> values;
  for (const auto& value : range.equal) values.push_back(value.get());
  for (const auto* bound : {&range.low, &range.high})
    if (bound->value) values.push_back(bound->value.get());
  return values;
}

/// A parameter, or an element of an array that is one. No string: its copy may find no memory.
bool isSimpleKey(const sql::Expression& value) {
  using Kind = sql::Expression::Kind;
  if (value.type.physical() == sql::Physical::String) return false;
  if (value.kind == Kind::Parameter || value.kind == Kind::Constant) return true;
  return value.kind == Kind::ArrayCall && value.function == sql::FunctionId::ArraySubscript &&
         value.children.size() == 2 &&
         std::ranges::all_of(value.children, [](const auto& child) { return child->kind == Kind::Parameter; });
}

/// The source, and a step before it that computes the values which bound it.
size_t addIndexSource(PlanTranslator& translator, const sql::TableScan& scan, const UnitSet& read) {
  QueryProgram& program = translator.program();
  const sql::TableScan::IndexRange& range = *scan.range;
  IndexRangeShape shape = shapeOf(range);
  if (scan.estimated_rows > IndexRangeShape::kFirstTuples)
    shape.first_claim = std::min(translator.goalOf(scan), IndexRangeShape::kFirstTuples);
  const size_t slot = program.addGlobal([table = scan.table, index = range.index, shape, rows = scan.estimated_rows,
                                         columns = columnsIn(scan, read)](ExecutionState& state) {
    auto made = makeBoundedSource(*table->storage, index->storage, shape, rows, columns, state);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  const std::vector<const sql::Expression*> values = valuesOf(range);
  program.has_simple_key =
      std::ranges::all_of(values, [](const sql::Expression* value) { return isSimpleKey(*value); });
  Pipeline pipeline(program, "evaluate bounds of " + range.index->name);
  pipeline.once([&] {
    const Scope::Level level(pipeline.scope);
    ir::Builder& b = pipeline.builder;
    const ir::Value stored = b.call(RUNTIME_FUNCTION(rt::indexBoundValues), {pipeline.context.globalSlot(slot)});
    for (size_t i = 0; i < values.size(); ++i) {
      const SqlValue value = pipeline.expressions().translate(*values[i]);
      storeBoundValue(pipeline.context, copyValue(pipeline.context, value, pipeline.context.executionArena()), stored,
                      i);
    }
  });
  pipeline.finish();
  return slot;
}

/// Which partition a worker's piece is of.
size_t addPartitionPlace(QueryProgram& program) {
  return program.addLocal([](ExecutionState&, unsigned) {
    auto made = std::make_unique<PartitionPlace>();
    void* address = made->shared();
    return QueryProgram::Made{std::move(made), address};
  });
}

/// The source, and a step before it that names the cursor.
size_t addCursorRowSource(QueryProgram& program, const sql::TableScan& scan, const UnitSet& read) {
  auto shape = std::make_shared<CursorRowSource::Shape>();
  shape->table = scan.table;
  shape->columns = columnsIn(scan, read);
  if (scan.table->partitioning) shape->place_slot = addPartitionPlace(program);
  const size_t slot = program.addGlobal([shape](ExecutionState& state) {
    auto made = std::make_unique<CursorRowSource>(*shape, state);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  if (shape->place_slot) program.place_slots[slot] = *shape->place_slot;
  Pipeline pipeline(program, "look for the cursor " + scan.cursor_row->cursor);
  pipeline.once([&] {
    const Scope::Level level(pipeline.scope);
    ir::Builder& b = pipeline.builder;
    const ir::Value session = b.load(ir::Type::Ptr, pipeline.context.global, offsetof(GlobalState, session));
    const SqlValue name = pipeline.expressions().translate(*scan.cursor_row->name);
    b.call(RUNTIME_FUNCTION(rt::openCursorRow), {pipeline.context.globalSlot(slot), session, name.lo, name.hi,
                                                 name.isNullable() ? name.is_null : b.constI1(false),
                                                 b.constI32(static_cast<int32_t>(scan.cursor_row->parameter))});
  });
  pipeline.finish();
  return slot;
}

/// Pieces of leaves that an index finds are too short for tests of columns.
bool readsSingleRows(const sql::TableScan& scan, const std::optional<size_t>& given) {
  return scan.range != nullptr || scan.cursor_row || (given && scan.lookup != nullptr);
}

/// A whole key of a unique index is looked for.
bool readsOneRow(const sql::TableScan& scan) {
  if (!scan.range) return false;
  const txn::IndexDefinition& definition = scan.range->index->storage->definition();
  return definition.is_unique && scan.range->equal.size() == definition.parts.size();
}

/// Of the table's rows those that pass the scan's conditions, about.
double shareOf(const sql::TableScan& scan) {
  double rows = 0;
  if (scan.table->partitioning)
    for (const sql::TablePtr& leaf : scan.table->partitioning->leaves())
      rows += static_cast<double>(leaf->storage->tupleCountEstimate());
  else
    rows = static_cast<double>(scan.table->storage->tupleCountEstimate());
  return std::min(1.0, scan.estimated_rows / std::max(1.0, rows));
}

/// Going from one row that is left to the next costs more than a test in passing, unless many rows are left out. Builds
/// with assertions test all that they can.
bool keepsMost(const sql::TableScan& scan) {
#ifdef GNOMON_DEBUG
  constexpr double kMost = 1;
#else
  constexpr double kMost = 0.75;
#endif
  return shareOf(scan) > kMost;
}

/// A step that computes the values that bound a partitioned source.
void addPartitionBounds(QueryProgram& program, const sql::TableScan& scan,
                        const std::vector<const sql::Expression*>& values, size_t slot) {
  if (values.empty()) return;
  Pipeline pipeline(program, "evaluate bounds of partitions of " + scan.table->name);
  pipeline.once([&] {
    const Scope::Level level(pipeline.scope);
    ir::Builder& b = pipeline.builder;
    const ir::Value stored = b.call(RUNTIME_FUNCTION(rt::partitionedValues), {pipeline.context.globalSlot(slot)});
    for (size_t i = 0; i < values.size(); ++i) {
      const SqlValue value = pipeline.expressions().translate(*values[i]);
      storeBoundValue(pipeline.context, copyValue(pipeline.context, value, pipeline.context.executionArena()), stored,
                      i);
    }
  });
  pipeline.finish();
}

}  // namespace

size_t addPartitionedSource(QueryProgram& program, const sql::TableScan& scan, std::vector<uint32_t> columns) {
  auto shape = std::make_shared<PartitionedSource::Shape>();
  shape->table = scan.table;
  shape->columns = std::move(columns);
  shape->estimated_rows = scan.estimated_rows;
  std::vector<const sql::Expression*> values;
  for (const sql::TableScan::Pruning& each : scan.pruning) {
    shape->keys.push_back({.table = each.table->oid,
                           .equal_count = each.equal.size(),
                           .has_low = each.low.value != nullptr,
                           .has_high = each.high.value != nullptr,
                           .any_count = each.any_of.size(),
                           .first_value = values.size()});
    for (const auto& value : each.equal) values.push_back(value.get());
    for (const auto* bound : {&each.low, &each.high})
      if (bound->value) values.push_back(bound->value.get());
    for (const auto& value : each.any_of) values.push_back(value.get());
  }
  shape->key_value_count = values.size();
  if (scan.range) {
    shape->index = scan.range->index;
    shape->range = shapeOf(*scan.range);
    const std::vector<const sql::Expression*> of_range = valuesOf(*scan.range);
    values.insert(values.end(), of_range.begin(), of_range.end());
  } else if (scan.lookup) {
    shape->index = scan.lookup->index;
  }
  shape->place_slot = addPartitionPlace(program);
  const size_t slot = program.addGlobal([shape](ExecutionState& state) {
    auto made = std::make_unique<PartitionedSource>(*shape, state);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  program.place_slots[slot] = shape->place_slot;
  addPartitionBounds(program, scan, values, slot);
  if (!scan.lookup)
    program.addStep<RuntimeStep>("choose partitions of " + scan.table->name,
                                 [slot](ExecutionState& state) { state.globalObject<PartitionedSource>(slot).open(); });
  return slot;
}

void storeBoundValue(CodeContext& context, const SqlValue& value, ir::Value array, size_t index) {
  ir::Builder& b = context.builder;
  const auto offset = static_cast<int64_t>(index * sizeof(IndexBoundValue));
  storeDatum(context, value, array, offset);
  const ir::Value is_null = value.isNullable() ? b.zext(value.is_null, ir::Type::I64) : b.constI64(0);
  b.store(is_null, array, offset + static_cast<int64_t>(offsetof(IndexBoundValue, is_null)));
}

void produceScan(PlanTranslator& translator, const sql::TableScan& scan, const UnitSet& required,
                 const Consumer& consumer) {
  UnitSet read = required;
  for (const auto& filter : scan.filters) addUnits(*filter, read);
  const sql::TablePtr table = scan.table;
  const std::optional<size_t> given = translator.sourceOf(scan);
  const bool is_partitioned = table->partitioning != nullptr;
  const size_t source = given             ? *given
                        : scan.cursor_row ? addCursorRowSource(translator.program(), scan, read)
                        : is_partitioned  ? addPartitionedSource(translator.program(), scan, columnsIn(scan, read))
                        : scan.range      ? addIndexSource(translator, scan, read)
                                          : addTableSource(translator.program(), scan, read);
  std::string text = "scan " + table->name;
  if (scan.cursor_row) text += " where a cursor stands";
  if (scan.range) text += " by " + scan.range->index->name;
  if (given && scan.lookup) text += " by keys in " + scan.lookup->index->name;
  Pipeline pipeline(translator.program(), source, text);
  ir::Builder& b = pipeline.builder;
  const ir::Value page = b.load(ir::Type::Ptr, pipeline.data, offsetof(LeafAccess, page_base));
  std::vector<LeafColumn> columns;
  for (const auto& column : scan.columns)
    if (read.contains(column.iu) && isStored(column))
      columns.push_back(addressOf(pipeline, page, column, table->columns[column.index]));

  ScanFilter filter(pipeline, columns);
  std::vector<const sql::Expression*> conjuncts;
  const std::vector<PlanTranslator::JoinFilter> joins = translator.filtersOf(scan);
  const bool tests_columns = !readsSingleRows(scan, given) && (!joins.empty() || !keepsMost(scan));
  for (const auto& conjunct : scan.filters)
    if (!tests_columns || !filter.take(*conjunct)) conjuncts.push_back(conjunct.get());
  if (tests_columns)
    for (const PlanTranslator::JoinFilter& join : joins) filter.addJoin(join.unit, join.table_slot);
  const ir::Value selected = filter.count() == 0 ? ir::Value{} : filter.emit();
  if (filter.count() > 0) {
    pipeline.test_count = filter.count();
    pipeline.passing_share = shareOf(scan);
    for (const PlanTranslator::JoinFilter& join : joins) pipeline.passing_share *= join.share;
  }

  ir::Value place;
  if (is_partitioned) place = pipeline.context.localSlot(translator.program().place_slots.at(source));
  const bool notes_reads = readsOneRow(scan);
  const ir::Value gaps = b.load(ir::Type::Ptr, pipeline.data, offsetof(LeafAccess, gaps));
  pipeline.forEachRowBetween(gaps, selected, [&](ir::Value row) {
    const ir::Block skip = b.createBlock("next");
    emitFlagCheck(pipeline, page, row, skip);
    for (const LeafColumn& column : columns)
      pipeline.scope.bindLazy(column.unit, [&pipeline, column, row, notes_reads] {
        if (notes_reads) noteRead(pipeline, column.number);
        return loadColumn(pipeline, column, row);
      });
    for (const auto& column : scan.columns)
      if (column.index == sql::TableScan::kTupleId && read.contains(column.iu))
        bindTupleId(pipeline, column.iu, page, row, place);
      else if (column.index == sql::TableScan::kTableOid && read.contains(column.iu))
        bindTableOid(pipeline, column.iu, place);
    {
      const Scope::Level level(pipeline.scope);
      pipeline.expressions().requireAll(conjuncts, skip);
      consumer(pipeline);
    }
    b.br(skip);
    b.setBlock(skip);
  });
  pipeline.finish();
}

}  // namespace gnomon::codegen
