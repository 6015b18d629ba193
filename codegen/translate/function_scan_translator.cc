#include "codegen/executor/execution_state.h"
#include "codegen/runtime/series.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/plan_translator.h"
#include "sql/algebra/function_scan.h"

namespace gnomon::codegen {

namespace {

using sql::Type;
using sql::TypeKind;

/// Rows are made by number: nothing is kept in memory but where series begin and what their steps are.
class FunctionScanTranslator {
 public:
  FunctionScanTranslator(PlanTranslator& translator, const sql::FunctionScan& scan)
      : program_(translator.program()), scan_(scan) {}

  void produce(const UnitSet& required, const Consumer& consumer);

 private:
  void emitBounds();
  void emitBounds(Pipeline& pipeline, size_t index);
  SqlValue emitValue(Pipeline& pipeline, size_t index, ir::Value number);

  QueryProgram& program_;
  const sql::FunctionScan& scan_;
  size_t source_slot_ = 0;
};

/// Sets one series, unless an argument is NULL: it is empty then.
void FunctionScanTranslator::emitBounds(Pipeline& pipeline, size_t index) {
  ir::Builder& b = pipeline.builder;
  const sql::FunctionScan::Call& call = scan_.calls[index];
  std::vector<SqlValue> values;
  for (const sql::ExpressionPtr& argument : call.arguments)
    values.push_back(pipeline.expressions().translate(*argument));
  ir::Value is_present = b.constI1(true);
  for (const SqlValue& value : values)
    if (value.isNullable()) is_present = b.bitAnd(is_present, b.bitNot(value.is_null));
  pipeline.emitIf(is_present, [&] {
    const ir::Value source = pipeline.context.globalSlot(source_slot_);
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
        const StringValue one = program_.resources.internString(sql::BigNumeric(1).encoded());
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

void FunctionScanTranslator::emitBounds() {
  Pipeline pipeline(program_, "evaluate function arguments");
  pipeline.once([&] {
    for (size_t index = 0; index < scan_.calls.size(); ++index) {
      const Scope::Level level(pipeline.scope);
      emitBounds(pipeline, index);
    }
  });
  pipeline.finish();
}

SqlValue FunctionScanTranslator::emitValue(Pipeline& pipeline, size_t index, ir::Value number) {
  ir::Builder& b = pipeline.builder;
  const Type& type = scan_.calls[index].iu->type;
  const ir::Value series = b.constI64(static_cast<int64_t>(index));
  const ir::Value source = pipeline.hoist([&] { return pipeline.context.globalSlot(source_slot_); });
  SqlValue value{type, {}, {}, {}};
  if (type.isInteger()) {
    const ir::Value first = pipeline.hoist([&] { return b.call(RUNTIME_FUNCTION(rt::seriesFirst), {source, series}); });
    const ir::Value step = pipeline.hoist([&] { return b.call(RUNTIME_FUNCTION(rt::seriesStep), {source, series}); });
    const ir::Value point = b.add(first, b.mul(number, step));
    value.lo = type.kind == TypeKind::Integer ? b.trunc(point, ir::Type::I32) : point;
  } else if (type.kind == TypeKind::Numeric) {
    value = pairResult(
        pipeline.context, type,
        b.call(RUNTIME_FUNCTION(rt::seriesNumeric), {source, series, number, pipeline.context.scratchArena()}));
  } else {
    value.lo = b.call(RUNTIME_FUNCTION(rt::seriesPoint), {source, series, number});
  }
  if (scan_.calls.size() > 1) {
    const ir::Value count = pipeline.hoist([&] { return b.call(RUNTIME_FUNCTION(rt::seriesCount), {source, series}); });
    value.is_null = b.icmp(ir::IntPredicate::Uge, number, count);
    if (type.isInteger()) value.lo = b.select(value.is_null, b.zero(irTypeOf(type)), value.lo);
  }
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

}  // namespace

void produceFunctionScan(PlanTranslator& translator, const sql::FunctionScan& scan, const UnitSet& required,
                         const Consumer& consumer) {
  FunctionScanTranslator(translator, scan).produce(required, consumer);
}

}  // namespace gnomon::codegen
