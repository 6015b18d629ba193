#include "codegen/translate/plan_translator.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/translate/few_rows.h"
#include "codegen/translate/row_store_translator.h"
#include "sql/algebra/key_work.h"
#include "sql/algebra/trigger_work.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/triggers.h"
#include "sql/json/json_functions.h"

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

/// It is the last step of an aggregate, which goes through all its values.
bool endsAggregate(const sql::Expression& expression) {
  return expression.kind == sql::Expression::Kind::ArrayCall && sql::isJsonFunction(expression.function) &&
         sql::jsonFunction(expression.function).endsAggregate();
}

/// Computed columns are emitted where they are first read, so that an unused one costs nothing and raises nothing; but
/// for aggregates: those are of the group, and not of each row that a loop behind makes of it.
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
      if (endsAggregate(*expression)) {
        pipeline.scope.bind(computed.iu, pipeline.expressions().translate(*expression));
        continue;
      }
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
    auto made = std::make_unique<OperatorCounters>(state.program->counted.size());
    void* address = made->words.data();
    return QueryProgram::Made{std::move(made), address};
  });
}

namespace {

constexpr int64_t kWordBytes = sizeof(uint64_t);

void addToWord(ir::Builder& b, ir::Value words, size_t number, ir::Value amount) {
  const auto offset = static_cast<int64_t>(number) * kWordBytes;
  b.store(b.add(b.load(ir::Type::I64, words, offset), amount), words, offset);
}

}  // namespace

void PlanTranslator::chargeTicks(ir::Builder& b, ir::Value words, size_t number) {
  const ir::Value now = b.call(RUNTIME_FUNCTION(rt::readTicks), {});
  addToWord(b, words, OperatorCounters::ticksWord(number), b.sub(now, b.load(ir::Type::I64, words, 0)));
  b.store(now, words, 0);
}

ir::Value PlanTranslator::counters(Pipeline& pipeline) const {
  return pipeline.hoist([&] { return pipeline.context.localSlot(program_.counters_slot); });
}

/// A row leaves the operator.
void PlanTranslator::countRow(Pipeline& pipeline, size_t number) const {
  ir::Builder& b = pipeline.builder;
  const ir::Value words = counters(pipeline);
  addToWord(b, words, OperatorCounters::rowsWord(number), b.constI64(1));
  if (!format_.is_timed) return;
  if (!pipeline.has_clock) {
    pipeline.has_clock = true;
    pipeline.hoist([&] {
      b.store(b.call(RUNTIME_FUNCTION(rt::readTicks), {}), words, 0);
      return words;
    });
    pipeline.atEnd([&b, words, number] { chargeTicks(b, words, number); });
  }
  chargeTicks(b, words, number);
}

void PlanTranslator::produceBehind(size_t gate_slot, const sql::Operator& op, const UnitSet& required,
                                   const Consumer& consumer) {
  std::vector<size_t>& gates = program_.gates;
  const std::vector<size_t> around = gates;
  gates.push_back(gate_slot);
  produce(op, required, [&](Pipeline& pipeline) {
    std::vector<size_t> within = std::exchange(gates, around);
    consumer(pipeline);
    gates = std::move(within);
  });
  gates = around;
}

void PlanTranslator::produce(const sql::Operator& op, const UnitSet& required, const Consumer& consumer) {
  if (format_.framing != OutputFormat::Framing::Counted) return produceOperator(op, required, consumer);
  const size_t number = program_.counted.size();
  program_.counted.push_back(&op);
  const size_t above = std::exchange(program_.translated, number);
  produceOperator(op, required, [&](Pipeline& pipeline) {
    countRow(pipeline, number);
    const size_t below = std::exchange(program_.translated, above);
    consumer(pipeline);
    program_.translated = below;
    if (format_.is_timed) chargeTicks(pipeline.builder, counters(pipeline), above);
  });
  program_.translated = above;
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
    case sql::Operator::Kind::Join: {
      const auto& join = static_cast<const sql::Join&>(op);
      const bool is_gate = join.join_kind == sql::Join::JoinKind::Gate;
      if (join.is_dependent) return produceDependent(*this, join, required, consumer);
      return is_gate ? produceGate(*this, join, required, consumer) : produceJoin(*this, join, required, consumer);
    }
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
    case sql::Operator::Kind::Merge:
      return produceMerge(*this, static_cast<const sql::Merge&>(op), required, consumer);
    case sql::Operator::Kind::Output:
      break;
  }
  CHECK(false, "what puts out is a root");
}

void PlanTranslator::translate(const sql::Plan& plan) {
  const sql::Operator& root = *plan.root;
  const bool is_counted = format_.framing == OutputFormat::Framing::Counted;
  if (is_counted) addCounters();
  const auto store = [&](const sql::SharedPlan& shared) {
    if (is_counted) startRoot(*shared.root);
    storeShared(shared);
  };
  // Rows are held back from the first one on.
  program_.is_write = std::ranges::any_of(plan.shared, &sql::SharedPlan::is_change);
  for (const sql::SharedPlan& shared : plan.shared)
    if (shared.root && !shared.is_last) store(shared);
  if (is_counted) startRoot(root);
  is_root_ = true;
  if (root.kind == sql::Operator::Kind::Output)
    translateOutput(*this, static_cast<const sql::Output&>(root));
  else
    produceOperator(root, {}, [](Pipeline&) {});
  applyRoot();
  is_root_ = false;
  for (const sql::SharedPlan& shared : plan.shared)
    if (shared.root && shared.is_last) store(shared);
}

namespace {

const sql::TableEntry& changedTable(const sql::Operator& op) {
  switch (op.kind) {
    case sql::Operator::Kind::Insert:
      return *static_cast<const sql::Insert&>(op).table;
    case sql::Operator::Kind::Update:
      return *static_cast<const sql::Update&>(op).table;
    case sql::Operator::Kind::Delete:
      return *static_cast<const sql::Delete&>(op).table;
    default:
      return *static_cast<const sql::Merge&>(op).table;
  }
}

/// Whether rows that are routed to partitions are tested by routines there.
bool callsRoutinesInLeaves(const sql::TableEntry& table) {
  return table.partitioning && std::ranges::any_of(table.partitioning->leaves(), [](const sql::TablePtr& leaf) {
           return sql::checksCallRoutines(*leaf);
         });
}

}  // namespace

void PlanTranslator::addChange(size_t target_slot, const sql::Operator& op) {
  program_.is_write = true;
  if (callsRoutinesInLeaves(changedTable(op))) program_.resources.asks_session = true;
  program_.changes.push_back({target_slot, &op, is_root_});
  if (!program_.triggers_slot) return;
  program_.addStep<RuntimeStep>(
      "begin changes", [target_slot](ExecutionState& state) { state.globalObject<WriteTarget>(target_slot).begin(); });
}

bool firesTriggers(const sql::TriggerWork* work, const sql::KeyWork* keys) {
  if (work != nullptr) return true;
  return keys != nullptr && std::ranges::any_of(keys->tables, [](const sql::KeyWork::Table& table) {
           return table.may_change && (sql::hasRowWork(*table.table, sql::TriggerEvent::Delete) ||
                                       sql::hasRowWork(*table.table, sql::TriggerEvent::Update));
         });
}

namespace {

std::shared_ptr<QueryProgram> compile(std::shared_ptr<const sql::Plan> plan, const OutputFormat& format,
                                      ExecutionPolicy policy, std::set<const sql::Join*> spilled_joins) {
  auto program = std::make_shared<QueryProgram>();
  program->resources.bytea_output = format.bytea_output;
  program->plan = std::move(plan);
  program->policy = policy;
  program->format = format;
  program->spilled_joins = std::move(spilled_joins);
  program->is_serial = hasFewRows(*program->plan);
  PlanTranslator(*program, program->format).translate(*program->plan);
  program->is_plain = program->is_serial && !program->resources.asks_session && !program->triggers_slot &&
                      !program->has_row_locks && program->counted.empty() && program->spill_points.empty();
  return program;
}

}  // namespace

std::shared_ptr<Program> compileProgram(std::shared_ptr<const sql::Plan> plan, const OutputFormat& format,
                                        ExecutionPolicy policy) {
  return compile(std::move(plan), format, policy, {});
}

std::shared_ptr<QueryProgram> QueryProgram::spilled(const sql::Join* join) {
  const std::scoped_lock guard(mutex_);
  std::shared_ptr<QueryProgram>& variant = variants_[join];
  if (variant == nullptr) {
    std::set<const sql::Join*> joins = spilled_joins;
    joins.insert(join);
    variant = compile(plan, format, policy, std::move(joins));
  }
  return variant;
}

}  // namespace gnomon::codegen
