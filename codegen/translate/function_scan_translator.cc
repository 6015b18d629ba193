#include <utility>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/series.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/plan_translator.h"
#include "sql/algebra/function_scan.h"

namespace gnomon::codegen {

namespace {

using sql::Type;
using sql::TypeKind;

/// Sets one series, unless an argument is NULL: it is empty then.
void emitSeriesBounds(Pipeline& pipeline, ir::Value source, size_t index, const sql::SetCall& call) {
  ir::Builder& b = pipeline.builder;
  std::vector<SqlValue> values;
  for (const sql::ExpressionPtr& argument : call.arguments)
    values.push_back(pipeline.expressions().translate(*argument));
  ir::Value is_present = b.constI1(true);
  for (const SqlValue& value : values)
    if (value.isNullable()) is_present = b.bitAnd(is_present, b.bitNot(value.is_null));
  pipeline.emitIf(is_present, [&] {
    const ir::Value number = b.constI64(static_cast<int64_t>(index));
    switch (call.iu->type.kind) {
      case TypeKind::Integer:
      case TypeKind::Bigint: {
        std::vector<ir::Value> bounds;
        for (const SqlValue& value : values)
          bounds.push_back(value.type.kind == TypeKind::Integer ? b.sext(value.lo, ir::Type::I64) : value.lo);
        if (bounds.size() == 2) bounds.push_back(b.constI64(1));
        b.call(RUNTIME_FUNCTION(rt::seriesSetIntegers), {source, number, bounds[0], bounds[1], bounds[2]});
        return;
      }
      case TypeKind::Numeric: {
        const StringValue one = pipeline.program.resources.internString(sql::BigNumeric(1).encoded());
        const bool has_step = values.size() == 3;
        const ir::Value step_lo = has_step ? values[2].lo : b.constU64(one.lo());
        const ir::Value step_hi = has_step ? values[2].hi : b.constU64(one.hi());
        b.call(RUNTIME_FUNCTION(rt::seriesSetNumerics),
               {source, number, values[0].lo, values[0].hi, values[1].lo, values[1].hi, step_lo, step_hi});
        return;
      }
      default:
        b.call(RUNTIME_FUNCTION(rt::seriesSetPoints),
               {source, number, values[0].lo, values[1].lo, values[2].lo, values[2].hi,
                b.constI1(call.iu->type.kind == TypeKind::TimestampTz)});
    }
  });
}

/// How many values a series has, and those that are computed from two numbers.
struct SeriesRange {
  ir::Value count, first, step;
};

SeriesRange seriesRange(Pipeline& pipeline, ir::Value source, ir::Value series, const Type& type) {
  ir::Builder& b = pipeline.builder;
  SeriesRange range{b.call(RUNTIME_FUNCTION(rt::seriesCount), {source, series}), {}, {}};
  if (!type.isInteger()) return range;
  range.first = b.call(RUNTIME_FUNCTION(rt::seriesFirst), {source, series});
  range.step = b.call(RUNTIME_FUNCTION(rt::seriesStep), {source, series});
  return range;
}

SqlValue seriesValue(Pipeline& pipeline, ir::Value source, ir::Value series, const SeriesRange& range, const Type& type,
                     ir::Value number) {
  ir::Builder& b = pipeline.builder;
  if (type.isInteger()) {
    const ir::Value point = b.add(range.first, b.mul(number, range.step));
    return {type, type.kind == TypeKind::Integer ? b.trunc(point, ir::Type::I32) : point, {}, {}};
  }
  if (type.kind == TypeKind::Numeric)
    return pairResult(
        pipeline.context, type,
        b.call(RUNTIME_FUNCTION(rt::seriesNumeric), {source, series, number, pipeline.context.scratchArena()}));
  return {type, b.call(RUNTIME_FUNCTION(rt::seriesPoint), {source, series, number}), {}, {}};
}

/// The value of a call that has `count`, beside others that have more.
void endWithNulls(Pipeline& pipeline, SqlValue& value, ir::Value number, ir::Value count) {
  ir::Builder& b = pipeline.builder;
  const ir::Value is_behind = b.icmp(ir::IntPredicate::Uge, number, count);
  value.is_null = anyNull(pipeline.context, {value.is_null, is_behind});
  if (!value.isPair() && value.type.isInteger()) value.lo = b.select(is_behind, b.zero(irTypeOf(value.type)), value.lo);
}

/// Rows are made by number: nothing is kept in memory but where series begin and what their steps are.
class FunctionScanTranslator {
 public:
  FunctionScanTranslator(PlanTranslator& translator, const sql::FunctionScan& scan)
      : program_(translator.program()), scan_(scan) {}

  void produce(const UnitSet& required, const Consumer& consumer);

 private:
  void emitBounds();
  SqlValue emitValue(Pipeline& pipeline, size_t index, ir::Value number);

  QueryProgram& program_;
  const sql::FunctionScan& scan_;
  size_t source_slot_ = 0;
};

void FunctionScanTranslator::emitBounds() {
  Pipeline pipeline(program_, "evaluate function arguments");
  pipeline.once([&] {
    const ir::Value source = pipeline.context.globalSlot(source_slot_);
    for (size_t index = 0; index < scan_.calls.size(); ++index) {
      const Scope::Level level(pipeline.scope);
      emitSeriesBounds(pipeline, source, index, scan_.calls[index]);
    }
  });
  pipeline.finish();
}

SqlValue FunctionScanTranslator::emitValue(Pipeline& pipeline, size_t index, ir::Value number) {
  ir::Builder& b = pipeline.builder;
  const Type& type = scan_.calls[index].iu->type;
  const ir::Value number_of_series = b.constI64(static_cast<int64_t>(index));
  const ir::Value source = pipeline.hoist([&] { return pipeline.context.globalSlot(source_slot_); });
  const SeriesRange range = pipeline.hoist([&] { return seriesRange(pipeline, source, number_of_series, type); });
  SqlValue value = seriesValue(pipeline, source, number_of_series, range, type, number);
  if (scan_.calls.size() > 1) endWithNulls(pipeline, value, number, range.count);
  return value;
}

void FunctionScanTranslator::produce(const UnitSet& required, const Consumer& consumer) {
  source_slot_ = program_.addGlobal([series_count = scan_.calls.size()](ExecutionState&) {
    auto made = std::make_unique<SeriesSource>(series_count);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  emitBounds();
  Pipeline pipeline(program_, source_slot_, "make rows of " + scan_.calls.front().name);
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    for (size_t index = 0; index < scan_.calls.size(); ++index)
      if (required.contains(scan_.calls[index].iu))
        pipeline.scope.bindComputed(scan_.calls[index].iu,
                                    [this, &pipeline, index, number] { return emitValue(pipeline, index, number); });
    if (scan_.ordinality && required.contains(scan_.ordinality))
      pipeline.scope.bindComputed(scan_.ordinality, [this, &pipeline, number] {
        return SqlValue{scan_.ordinality->type, pipeline.builder.add(number, pipeline.builder.constI64(1)), {}, {}};
      });
    consumer(pipeline);
  });
  pipeline.finish();
}

/// The calls' rows for each row of the input, in a loop inside its pipeline.
class ProjectSetTranslator {
 public:
  ProjectSetTranslator(PlanTranslator& translator, const sql::ProjectSet& project)
      : translator_(translator), project_(project) {}

  void produce(const UnitSet& required, const Consumer& consumer);

 private:
  /// One call over the row at hand.
  struct Rows {
    ir::Value count;
    SqlValue array;     ///< unnest
    SeriesRange range;  ///< generate_series
  };
  Rows startCall(Pipeline& pipeline, size_t index);
  SqlValue emitValue(Pipeline& pipeline, size_t index, const Rows& rows, ir::Value number);
  void emitRows(Pipeline& pipeline, const UnitSet& required, const Consumer& consumer);
  ir::Value source(Pipeline& pipeline) {
    return pipeline.hoist([&] { return pipeline.context.localSlot(series_slot_); });
  }

  PlanTranslator& translator_;
  const sql::ProjectSet& project_;
  size_t series_slot_ = 0;
};

ProjectSetTranslator::Rows ProjectSetTranslator::startCall(Pipeline& pipeline, size_t index) {
  ir::Builder& b = pipeline.builder;
  const sql::SetCall& call = project_.calls[index];
  Rows rows;
  if (!call.isUnnest()) {
    const ir::Value series = b.constI64(static_cast<int64_t>(index));
    b.call(RUNTIME_FUNCTION(rt::seriesClear), {source(pipeline), series});
    emitSeriesBounds(pipeline, source(pipeline), index, call);
    rows.range = seriesRange(pipeline, source(pipeline), series, call.iu->type);
    rows.count = rows.range.count;
    return rows;
  }
  rows.array = pipeline.expressions().translate(*call.arguments[0]);
  const ir::Value null = std::exchange(rows.array.is_null, {});
  const Type bigint = Type::of(TypeKind::Bigint);
  const SqlValue size = emitUnlessNull(pipeline.context, null, bigint, [&] {
    return SqlValue{bigint, emitArraySize(pipeline.context, rows.array), {}, {}};
  });
  rows.count = size.isNullable() ? b.select(size.is_null, b.constI64(0), size.lo) : size.lo;
  return rows;
}

SqlValue ProjectSetTranslator::emitValue(Pipeline& pipeline, size_t index, const Rows& rows, ir::Value number) {
  ir::Builder& b = pipeline.builder;
  const sql::SetCall& call = project_.calls[index];
  SqlValue value;
  if (!call.isUnnest()) {
    value = seriesValue(pipeline, source(pipeline), b.constI64(static_cast<int64_t>(index)), rows.range, call.iu->type,
                        number);
    if (project_.calls.size() > 1) endWithNulls(pipeline, value, number, rows.count);
    return value;
  }
  if (project_.calls.size() == 1) return retyped(emitElement(pipeline.context, rows.array, number), call.iu->type);
  const ir::Value is_behind = b.icmp(ir::IntPredicate::Uge, number, rows.count);
  return emitUnlessNull(pipeline.context, is_behind, call.iu->type,
                        [&] { return retyped(emitElement(pipeline.context, rows.array, number), call.iu->type); });
}

void ProjectSetTranslator::emitRows(Pipeline& pipeline, const UnitSet& required, const Consumer& consumer) {
  ir::Builder& b = pipeline.builder;
  pipeline.describe("make rows of " + project_.calls.front().name);
  std::vector<Rows> rows;
  ir::Value total;
  for (size_t index = 0; index < project_.calls.size(); ++index) {
    rows.push_back(startCall(pipeline, index));
    const ir::Value count = rows.back().count;
    total = total.isValid() ? b.select(b.icmp(ir::IntPredicate::Ult, total, count), count, total) : count;
  }
  const ir::Block before = b.currentBlock();
  const ir::Block header = b.createBlock("rows of set");
  const ir::Block body = b.createBlock("row of set");
  const ir::Block exit = b.createBlock("behind set");
  b.br(header);
  b.setBlock(header);
  const ir::Value number = b.phi(ir::Type::I64);
  b.addIncoming(number, b.constI64(0), before);
  b.condBr(b.icmp(ir::IntPredicate::Ult, number, total), body, exit);
  b.setBlock(body);
  {
    const Scope::Level level(pipeline.scope);
    pipeline.pollCancel();
    for (size_t index = 0; index < project_.calls.size(); ++index)
      if (required.contains(project_.calls[index].iu))
        pipeline.scope.bindComputed(project_.calls[index].iu, [this, &pipeline, index, number, row = rows[index]] {
          return emitValue(pipeline, index, row, number);
        });
    if (project_.ordinality && required.contains(project_.ordinality))
      pipeline.scope.bindComputed(project_.ordinality, [this, &pipeline, number] {
        return SqlValue{project_.ordinality->type, pipeline.builder.add(number, pipeline.builder.constI64(1)), {}, {}};
      });
    consumer(pipeline);
  }
  b.addIncoming(number, b.add(number, b.constI64(1)), b.currentBlock());
  b.br(header);
  b.setBlock(exit);
}

void ProjectSetTranslator::produce(const UnitSet& required, const Consumer& consumer) {
  UnitSet below = required;
  for (const sql::SetCall& call : project_.calls) {
    below.erase(call.iu);
    for (const sql::ExpressionPtr& argument : call.arguments) addUnits(*argument, below);
  }
  if (project_.ordinality) below.erase(project_.ordinality);
  series_slot_ = translator_.program().addLocal([count = project_.calls.size()](ExecutionState&, unsigned) {
    auto made = std::make_unique<SeriesSource>(count);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  translator_.produce(*project_.inputs[0], below, [&](Pipeline& pipeline) { emitRows(pipeline, required, consumer); });
}

}  // namespace

void produceProjectSet(PlanTranslator& translator, const sql::ProjectSet& project, const UnitSet& required,
                       const Consumer& consumer) {
  ProjectSetTranslator(translator, project).produce(required, consumer);
}

void produceFunctionScan(PlanTranslator& translator, const sql::FunctionScan& scan, const UnitSet& required,
                         const Consumer& consumer) {
  FunctionScanTranslator(translator, scan).produce(required, consumer);
}

}  // namespace gnomon::codegen
