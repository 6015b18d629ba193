#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/executor/index_source.h"
#include "codegen/translate/plan_translator.h"
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

/// Where a column's values lie in the leaf of this call.
struct ColumnAddress {
  ir::Value values;
  ir::Value nulls;      ///< invalid: never NULL
  ir::Value null_mask;  ///< for the bitmap's byte number: all ones, or zero when the leaf has no bitmap
  ir::Value base;       ///< what makes a stored text's offset an address
  ir::Value
      row_mask;  ///< for the row's number: all ones, or zero when the leaf does not hold the column; invalid: ones
  sql::Type type;
  uint32_t width;
};

ColumnAddress addressOf(Pipeline& pipeline, ir::Value page, uint32_t column, const sql::ColumnEntry& entry) {
  ir::Builder& b = pipeline.builder;
  const auto loadOffset = [&](int64_t array, ir::Value place) {
    const ir::Value offsets = b.load(ir::Type::Ptr, pipeline.data, array);
    return b.zext(b.load(ir::Type::I32, b.ptrAdd(offsets, place)), ir::Type::I64);
  };
  ColumnAddress address{};
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

SqlValue loadColumn(Pipeline& pipeline, const ColumnAddress& address, ir::Value row) {
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

void bindTupleId(Pipeline& pipeline, sql::Iu unit, ir::Value page, ir::Value row) {
  const ir::Value ids = tupleIds(pipeline, page);
  pipeline.scope.bindLazy(unit, [&pipeline, unit, ids, row] {
    ir::Builder& b = pipeline.builder;
    const ir::Value stored = b.load(ir::Type::I64, b.ptrIndex(ids, row, 8));
    const ir::Value id = b.bitAnd(stored, b.constI64(int64_t{storage::tuple_id_flags::kIdMask}));
    return SqlValue{.type = unit->type, .lo = id, .hi = {}, .is_null = {}};
  });
}

std::vector<uint32_t> columnsIn(const sql::TableScan& scan, const UnitSet& read) {
  std::vector<uint32_t> columns;
  for (const auto& column : scan.columns)
    if (read.contains(column.iu) && column.index != sql::TableScan::kTupleId) columns.push_back(column.index);
  return columns;
}

size_t addTableSource(QueryProgram& program, const sql::TableScan& scan, const UnitSet& read) {
  return program.addGlobal([table = scan.table, columns = columnsIn(scan, read)](ExecutionState& state) {
    auto made = std::make_unique<TableSource>(*table->storage, state.context.snapshot, columns);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
}

/// The source, and a step before it that computes the values which bound it.
size_t addIndexSource(QueryProgram& program, const sql::TableScan& scan, const UnitSet& read) {
  const sql::TableScan::IndexRange& range = *scan.range;
  const IndexRangeShape shape{.equal_count = range.equal.size(),
                              .has_low = range.low.value != nullptr,
                              .has_high = range.high.value != nullptr,
                              .is_low_inclusive = range.low.is_inclusive,
                              .is_high_inclusive = range.high.is_inclusive,
                              .excludes_nulls = range.excludes_nulls,
                              .is_ordered = range.is_ordered,
                              .is_backward = range.is_backward};
  const size_t slot = program.addGlobal([table = scan.table, index = range.index, shape, rows = scan.estimated_rows,
                                         columns = columnsIn(scan, read)](ExecutionState& state) {
    auto made =
        std::make_unique<IndexSource>(*table->storage, state.context.snapshot, index->storage, shape, rows, columns);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  std::vector<const sql::Expression*> values;
  for (const auto& value : range.equal) values.push_back(value.get());
  for (const auto* bound : {&range.low, &range.high})
    if (bound->value) values.push_back(bound->value.get());
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

}  // namespace

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
  const size_t source = given        ? *given
                        : scan.range ? addIndexSource(translator.program(), scan, read)
                                     : addTableSource(translator.program(), scan, read);
  std::string text = "scan " + table->name;
  if (scan.range) text += " by " + scan.range->index->name;
  if (given && scan.lookup) text += " by keys in " + scan.lookup->index->name;
  Pipeline pipeline(translator.program(), source, text);
  ir::Builder& b = pipeline.builder;
  const ir::Value page = b.load(ir::Type::Ptr, pipeline.data, offsetof(LeafAccess, page_base));
  std::vector<std::pair<sql::Iu, ColumnAddress>> addresses;
  for (const auto& column : scan.columns)
    if (read.contains(column.iu) && column.index != sql::TableScan::kTupleId)
      addresses.emplace_back(column.iu, addressOf(pipeline, page, column.index, table->columns[column.index]));

  const ir::Value gaps = b.load(ir::Type::Ptr, pipeline.data, offsetof(LeafAccess, gaps));
  pipeline.forEachRowBetween(gaps, [&](ir::Value row) {
    const ir::Block skip = b.createBlock("next");
    emitFlagCheck(pipeline, page, row, skip);
    for (const auto& [unit, address] : addresses)
      pipeline.scope.bindLazy(unit, [&pipeline, address, row] { return loadColumn(pipeline, address, row); });
    for (const auto& column : scan.columns)
      if (column.index == sql::TableScan::kTupleId && read.contains(column.iu))
        bindTupleId(pipeline, column.iu, page, row);
    {
      const Scope::Level level(pipeline.scope);
      pipeline.expressions().requireAll(scan.filters, skip);
      consumer(pipeline);
    }
    b.br(skip);
    b.setBlock(skip);
  });
  pipeline.finish();
}

}  // namespace gnomon::codegen
