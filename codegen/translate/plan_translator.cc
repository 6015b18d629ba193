#include "codegen/translate/plan_translator.h"

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/translate/row_store_translator.h"

namespace gnomon::codegen {

void addUnits(const sql::Expression& expression, UnitSet& units) {
  std::vector<sql::Iu> read;
  expression.collectUnits(read);
  units.insert(read.begin(), read.end());
}

namespace {

void produceSelection(PlanTranslator& translator, const sql::Selection& selection, const UnitSet& required,
                      const Consumer& consumer) {
  UnitSet below = required;
  for (const auto& condition : selection.conditions) addUnits(*condition, below);
  translator.produce(*selection.inputs[0], below, [&](Pipeline& pipeline) {
    pipeline.describe("select");
    const ir::Block skip = pipeline.builder.createBlock("");
    {
      const Scope::Level level(pipeline.scope);
      pipeline.expressions().requireAll(selection.conditions, skip);
      consumer(pipeline);
    }
    pipeline.builder.br(skip);
    pipeline.builder.setBlock(skip);
  });
}

/// Computed columns are emitted where they are first read, so that an unused one costs nothing and raises nothing.
void produceMap(PlanTranslator& translator, const sql::Map& map, const UnitSet& required, const Consumer& consumer) {
  UnitSet below = required;
  for (auto computed = map.computed.rbegin(); computed != map.computed.rend(); ++computed)
    if (below.contains(computed->iu) || computed->expression->isVolatile()) addUnits(*computed->expression, below);
  translator.produce(*map.inputs[0], below, [&](Pipeline& pipeline) {
    for (const auto& computed : map.computed) {
      const sql::Expression* expression = computed.expression.get();
      if (expression->isVolatile()) {
        // Once for each row, whoever reads it.
        pipeline.scope.bind(computed.iu, pipeline.expressions().translate(*expression));
        continue;
      }
      if (!below.contains(computed.iu)) continue;
      pipeline.scope.bindComputed(computed.iu,
                                  [&pipeline, expression] { return pipeline.expressions().translate(*expression); });
    }
    consumer(pipeline);
  });
}

}  // namespace

PlanTranslator::PlanTranslator(QueryProgram& program, const OutputFormat& format)
    : program_(program), format_(format) {}

PlanTranslator::~PlanTranslator() = default;

void PlanTranslator::addCounters() {
  program_.counters_slot = program_.addLocal([](ExecutionState& state, unsigned) {
    auto made = std::make_unique<RowCounters>(state.program->counted.size());
    void* address = made->rows.data();
    return QueryProgram::Made{std::move(made), address};
  });
}

void PlanTranslator::produce(const sql::Operator& op, const UnitSet& required, const Consumer& consumer) {
  if (format_.framing != OutputFormat::Framing::Counted) return produceOperator(op, required, consumer);
  const auto offset = static_cast<int64_t>(program_.counted.size() * sizeof(uint64_t));
  program_.counted.push_back(&op);
  produceOperator(op, required, [&](Pipeline& pipeline) {
    ir::Builder& b = pipeline.builder;
    const ir::Value counters = pipeline.hoist([&] { return pipeline.context.localSlot(program_.counters_slot); });
    b.store(b.add(b.load(ir::Type::I64, counters, offset), b.constI64(1)), counters, offset);
    consumer(pipeline);
  });
}

void PlanTranslator::produceOperator(const sql::Operator& op, const UnitSet& required, const Consumer& consumer) {
  switch (op.kind) {
    case sql::Operator::Kind::TableScan:
      return produceScan(*this, static_cast<const sql::TableScan&>(op), required, consumer);
    case sql::Operator::Kind::VirtualScan:
      return produceVirtualScan(*this, static_cast<const sql::VirtualScan&>(op), required, consumer);
    case sql::Operator::Kind::FunctionScan:
      return produceFunctionScan(*this, static_cast<const sql::FunctionScan&>(op), required, consumer);
    case sql::Operator::Kind::ProjectSet:
      return produceProjectSet(*this, static_cast<const sql::ProjectSet&>(op), required, consumer);
    case sql::Operator::Kind::Selection:
      return produceSelection(*this, static_cast<const sql::Selection&>(op), required, consumer);
    case sql::Operator::Kind::Map:
      return produceMap(*this, static_cast<const sql::Map&>(op), required, consumer);
    case sql::Operator::Kind::Join:
      return produceJoin(*this, static_cast<const sql::Join&>(op), required, consumer);
    case sql::Operator::Kind::Aggregation:
      return produceAggregation(*this, static_cast<const sql::Aggregation&>(op), required, consumer);
    case sql::Operator::Kind::Window:
      return produceWindow(*this, static_cast<const sql::Window&>(op), required, consumer);
    case sql::Operator::Kind::Sort:
      return produceSort(*this, static_cast<const sql::Sort&>(op), required, consumer);
    case sql::Operator::Kind::Limit:
      return produceLimit(*this, static_cast<const sql::Limit&>(op), required, consumer);
    case sql::Operator::Kind::Values:
      return produceValues(*this, static_cast<const sql::Values&>(op), required, consumer);
    case sql::Operator::Kind::Union:
      return produceUnion(*this, static_cast<const sql::Union&>(op), required, consumer);
    case sql::Operator::Kind::SharedScan:
      return produceShared(static_cast<const sql::SharedScan&>(op), required, consumer);
    case sql::Operator::Kind::Recursion:
      return produceRecursion(static_cast<const sql::Recursion&>(op), required, consumer);
    case sql::Operator::Kind::WorkingScan:
      return produceWorking(static_cast<const sql::WorkingScan&>(op), required, consumer);
    case sql::Operator::Kind::Insert:
      return produceInsert(*this, static_cast<const sql::Insert&>(op), required, consumer);
    case sql::Operator::Kind::Update:
      return produceUpdate(*this, static_cast<const sql::Update&>(op), required, consumer);
    case sql::Operator::Kind::Delete:
      return produceDelete(*this, static_cast<const sql::Delete&>(op), required, consumer);
    case sql::Operator::Kind::Output:
      break;
  }
  CHECK(false, "what puts out is a root");
}

void PlanTranslator::translate(const sql::Plan& plan) {
  if (format_.framing == OutputFormat::Framing::Counted) addCounters();
  for (const sql::SharedPlan& shared : plan.shared)
    if (shared.root) storeShared(shared);
  const sql::Operator& root = *plan.root;
  if (root.kind == sql::Operator::Kind::Output) return translateOutput(*this, static_cast<const sql::Output&>(root));
  produceOperator(root, {}, [](Pipeline&) {});
}

std::shared_ptr<Program> compileProgram(std::shared_ptr<const sql::Plan> plan, const OutputFormat& format,
                                        ExecutionPolicy policy) {
  auto program = std::make_shared<QueryProgram>();
  program->resources.bytea_output = format.bytea_output;
  program->plan = std::move(plan);
  program->policy = policy;
  PlanTranslator(*program, format).translate(*program->plan);
  return program;
}

}  // namespace gnomon::codegen
