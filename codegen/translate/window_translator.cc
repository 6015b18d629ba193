#include <algorithm>
#include <memory>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/window_rows.h"
#include "codegen/translate/aggregate_state.h"
#include "codegen/translate/sorted_rows.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

using sql::Window;
using sql::WindowFunctionId;

/// What a function keeps about its frame while its worker goes through a partition, before the aggregate's state.
/// Positions count from the partition's first row.
struct FrameState {
  int64_t added;   ///< rows before it are in the aggregate's state, or in the list
  int64_t listed;  ///< those before it are in the list
  char* list;      ///< a state for each of them: of the row and those behind it
  int64_t list_begin;
  int64_t start, start_group;  ///< where the bound was for the last row, and the number of its peers
  int64_t end, end_group;
};
static_assert(sizeof(FrameState) == 64);

/// One window's translation: the rows are sorted by partition and order; a pipeline over them, in which each worker
/// goes through whole partitions, adds the functions' values to the rows; a last one reads them.
///
/// Aggregates over frames that only grow keep one state. Where the frame's begin moves, its older rows have a state
/// each, of the row and all older ones behind it, so that a row costs two merges on average whatever the frame's
/// length; without the rows that EXCLUDE takes out every frame is gone through. Source: Tangwongsan, Hirzel, Schneider,
/// "Low-latency sliding-window aggregation in worst-case constant time", for the two stacks.
class WindowTranslator {
 public:
  WindowTranslator(PlanTranslator& translator, const Window& window, const UnitSet& required);
  void produce(const Consumer& consumer);

 private:
  /// A function's value per row: of the expression, or of a constant.
  struct Argument {
    const sql::Expression* expression;
    size_t field;  ///< kNone: computed where it is needed
  };
  struct Function {
    const Window::Function* source;
    size_t result;  ///< field
    std::vector<Argument> arguments;
    Argument range_key, start_limit, end_limit;
    Argument start_offset, end_offset;    ///< Rows, Groups
    Argument start_invalid, end_invalid;  ///< Range
    uint64_t frame_state = 0;             ///< from the cursor
    size_t list = 0;
    std::unique_ptr<AggregateState> aggregate;
    TupleLayout state{0};
  };
  struct Range {
    ir::Value begin, end;
  };
  using Segments = std::vector<Range>;
  static constexpr size_t kNone = SIZE_MAX;

  Argument argument(const sql::ExpressionPtr& expression);
  void addFunction(const Window::Function& source);
  void addRuntimeSlots();
  void addOpenStep();
  void emitRows();

  // Each emits code for the row that the pipeline is at.
  void emitFunction(const Function& function);
  void store(const Function& function, SqlValue value);
  void storeNull(const Function& function);
  void storeIf(ir::Value condition, const Function& function, const std::function<SqlValue()>& value);
  void emitNeighbour(const Function& function);
  void emitFrameValue(const Function& function);
  void emitAggregate(const Function& function);
  void emitTile(const Function& function);
  SqlValue growingAggregate(const Function& function, const Range& frame);
  SqlValue slidingAggregate(const Function& function, const Range& frame);
  SqlValue scannedAggregate(const Function& function, const Segments& segments);
  void update(const Function& function, ir::Value state, ir::Value number);
  [[nodiscard]] ir::Value scratchState(const Function& function);
  [[nodiscard]] Range frameOf(const Function& function);
  [[nodiscard]] ir::Value boundOf(const Function& function, bool is_start);
  [[nodiscard]] ir::Value offsetOf(const Function& function, bool is_start);
  [[nodiscard]] ir::Value groupBound(const Function& function, bool is_start);
  [[nodiscard]] ir::Value rangeBound(const Function& function, bool is_start);
  [[nodiscard]] ir::Value isBefore(const Function& function, ir::Value number, const SqlValue& limit, bool is_start);
  [[nodiscard]] Segments segmentsOf(const Function& function, const Range& frame);
  [[nodiscard]] ir::Value rowAt(ir::Value number) {
    return b().load(ir::Type::Ptr, b().ptrIndex(pipeline_->data, number, sizeof(char*)));
  }
  [[nodiscard]] SqlValue valueAt(const Argument& argument, ir::Value row) {
    if (argument.field == kNone) return pipeline_->expressions().translate(*argument.expression);
    return rows_.layout().load(pipeline_->context, argument.field, row);
  }
  [[nodiscard]] ir::Value cursorField(size_t offset) {
    return b().load(ir::Type::I64, cursor_, static_cast<int64_t>(offset));
  }
  /// A position of the function's FrameState, as a row's number.
  [[nodiscard]] ir::Value position(const Function& function, size_t offset) {
    return b().add(partition_begin_, b().load(ir::Type::I64, stateOf(function), static_cast<int64_t>(offset)));
  }
  void setPosition(const Function& function, size_t offset, ir::Value number) {
    b().store(b().sub(number, partition_begin_), stateOf(function), static_cast<int64_t>(offset));
  }
  [[nodiscard]] ir::Value stateOf(const Function& function) {
    return b().ptrAdd(cursor_, static_cast<int64_t>(function.frame_state));
  }
  [[nodiscard]] ir::Value aggregateStateOf(const Function& function) {
    return b().ptrAdd(cursor_, static_cast<int64_t>(function.frame_state + sizeof(FrameState)));
  }
  [[nodiscard]] ir::Value least(ir::Value one, ir::Value other) { return b().select(b().slt(one, other), one, other); }
  [[nodiscard]] ir::Value greatest(ir::Value one, ir::Value other) {
    return b().select(b().slt(one, other), other, one);
  }
  void forEach(const Range& range, const std::function<void(ir::Value number)>& body);
  [[nodiscard]] ir::Builder& b() { return pipeline_->builder; }

  QueryProgram& program_;
  const Window& window_;
  SortedRows rows_;
  std::vector<Function> functions_;
  uint64_t state_bytes_ = 0;
  size_t list_count_ = 0;
  size_t source_slot_ = 0, cursor_slot_ = 0;

  // While the pipeline over the rows is emitted.
  Pipeline* pipeline_ = nullptr;
  ir::Value number_, row_, cursor_;
  ir::Value partition_begin_, partition_end_, peers_begin_, peers_end_;
};

WindowTranslator::WindowTranslator(PlanTranslator& translator, const Window& window, const UnitSet& required)
    : program_(translator.program()), window_(window), rows_(translator) {
  for (const sql::ExpressionPtr& key : window.partition) rows_.addKey(*key, false, false);
  for (const sql::SortKey& key : window.order) rows_.addKey(*key.expression, key.descending, key.nulls_first);
  for (const sql::Iu unit : window.inputs[0]->units())
    if (required.contains(unit)) rows_.addUnit(unit);
  for (const Window::Function& function : window.functions)
    if (required.contains(function.iu)) addFunction(function);
}

WindowTranslator::Argument WindowTranslator::argument(const sql::ExpressionPtr& expression) {
  if (!expression) return {nullptr, kNone};
  const bool is_fixed =
      expression->kind == sql::Expression::Kind::Constant || expression->kind == sql::Expression::Kind::Parameter;
  return {expression.get(), is_fixed ? kNone : rows_.addValue(*expression)};
}

void WindowTranslator::addFunction(const Window::Function& source) {
  Function& function = functions_.emplace_back();
  function.source = &source;
  function.result = rows_.addRoom(source.iu->type, source.iu->nullable);
  for (const sql::ExpressionPtr& each : source.arguments) function.arguments.push_back(argument(each));
  function.range_key = argument(source.frame.range_key);
  function.start_limit = argument(source.frame.start.limit);
  function.end_limit = argument(source.frame.end.limit);
  function.start_offset = argument(source.frame.start.offset);
  function.end_offset = argument(source.frame.end.offset);
  function.start_invalid = argument(source.frame.start.is_invalid);
  function.end_invalid = argument(source.frame.end.is_invalid);
  if (!sql::hasFrame(source.function)) return;
  function.frame_state = sizeof(WindowCursor) + state_bytes_;
  state_bytes_ += sizeof(FrameState);
  if (source.function != WindowFunctionId::Aggregate) return;
  function.arguments.push_back(argument(source.aggregate.argument));
  function.arguments.push_back(argument(source.aggregate.second));
  function.aggregate = std::make_unique<AggregateState>(source.aggregate, true, function.state);
  function.state.finish();
  function.list = list_count_++;
  state_bytes_ += function.state.bytes();
}

void WindowTranslator::produce(const Consumer& consumer) {
  rows_.produce(*window_.inputs[0]);
  addRuntimeSlots();
  addOpenStep();
  emitRows();
  std::vector<std::pair<sql::Iu, size_t>> results;
  for (const Function& function : functions_) results.emplace_back(function.source->iu, function.result);
  rows_.read(results, false, consumer);
}

void WindowTranslator::addRuntimeSlots() {
  source_slot_ = program_.addGlobal([slot = rows_.sorterSlot()](ExecutionState& state) {
    auto made = std::make_unique<WindowRows>(state.globalObject<Sorter>(slot));
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  cursor_slot_ = program_.addLocal([bytes = state_bytes_, lists = list_count_](ExecutionState& state, unsigned) {
    auto made = std::make_unique<WindowStates>(state.context.memory, bytes, lists);
    void* address = made->cursor();
    return QueryProgram::Made{std::move(made), address};
  });
}

void WindowTranslator::addOpenStep() {
  CodeUnit* const all = rows_.comparator();
  CodeUnit* const partitions = window_.partition.empty() ? nullptr
                               : window_.order.empty()   ? all
                                                         : rows_.emitComparator(window_.partition.size());
  CodeUnit* const peers = window_.order.empty() ? nullptr : all;
  program_.addStep<RuntimeStep>("open window", [partitions, peers, source_slot = source_slot_](ExecutionState& state) {
    auto& rows = state.globalObject<WindowRows>(source_slot);
    const auto set = [&](RowComparator& comparator, CodeUnit* unit) {
      if (unit == nullptr) return;
      unit->prepare(static_cast<double>(rows.rowCount()), state.workerCount());
      comparator.native = reinterpret_cast<RowComparator::Native>(const_cast<void*>(unit->function().native()));
      comparator.fallback = [function = &unit->function()](const char* left, const char* right) {
        return function->call<bool>(left, right);
      };
    };
    set(rows.partitions, partitions);
    set(rows.peers, peers);
  });
}

void WindowTranslator::emitRows() {
  Pipeline pipeline(program_, source_slot_, "compute window functions");
  pipeline_ = &pipeline;
  const ir::Value rows = pipeline.hoist([&] { return pipeline.context.globalSlot(source_slot_); });
  cursor_ = pipeline.hoist([&] { return pipeline.context.localSlot(cursor_slot_); });
  pipeline.forEachRow([&](ir::Value number) {
    number_ = number;
    pipeline.emitIf(b().sge(number, cursorField(offsetof(WindowCursor, peers_end))),
                    [&] { b().call(RUNTIME_FUNCTION(rt::windowAdvance), {rows, cursor_, number}); });
    row_ = rowAt(number);
    partition_begin_ = cursorField(offsetof(WindowCursor, partition_begin));
    partition_end_ = cursorField(offsetof(WindowCursor, partition_end));
    peers_begin_ = cursorField(offsetof(WindowCursor, peers_begin));
    peers_end_ = cursorField(offsetof(WindowCursor, peers_end));
    for (const Function& function : functions_) emitFunction(function);
  });
  pipeline.finish();
  pipeline_ = nullptr;
}

void WindowTranslator::forEach(const Range& range, const std::function<void(ir::Value number)>& body) {
  const ir::Block before = b().currentBlock();
  const ir::Block header = b().createBlock("");
  const ir::Block inside = b().createBlock("");
  const ir::Block exit = b().createBlock("");
  b().br(header);
  b().setBlock(header);
  const ir::Value number = b().phi(ir::Type::I64);
  b().addIncoming(number, range.begin, before);
  b().condBr(b().slt(number, range.end), inside, exit);
  b().setBlock(inside);
  {
    const Scope::Level level(pipeline_->scope);
    body(number);
  }
  b().addIncoming(number, b().add(number, b().constI64(1)), b().currentBlock());
  b().br(header);
  b().setBlock(exit);
}

void WindowTranslator::store(const Function& function, SqlValue value) {
  value.type = function.source->iu->type;
  const ir::Value arena = pipeline_->hoist([&] { return pipeline_->context.executionArena(); });
  rows_.layout().store(pipeline_->context, function.result, copyValue(pipeline_->context, value, arena), row_);
}

void WindowTranslator::storeNull(const Function& function) {
  store(function, constantValue(pipeline_->context, sql::Value::null(function.source->iu->type)));
}

/// The value, or NULL where the condition does not hold.
void WindowTranslator::storeIf(ir::Value condition, const Function& function, const std::function<SqlValue()>& value) {
  const ir::Block present = b().createBlock("");
  const ir::Block absent = b().createBlock("");
  const ir::Block done = b().createBlock("");
  b().condBr(condition, present, absent);
  b().setBlock(present);
  {
    const Scope::Level level(pipeline_->scope);
    store(function, value());
  }
  b().br(done);
  b().setBlock(absent);
  storeNull(function);
  b().br(done);
  b().setBlock(done);
}

void WindowTranslator::emitFunction(const Function& function) {
  const sql::Type type = function.source->iu->type;
  const auto integer = [&](ir::Value value) { store(function, {type, value, {}, {}}); };
  const auto distance = [&](ir::Value from, ir::Value to) { return b().sub(to, from); };
  const ir::Value one = b().constI64(1);
  switch (function.source->function) {
    case WindowFunctionId::RowNumber:
      return integer(b().add(distance(partition_begin_, number_), one));
    case WindowFunctionId::Rank:
      return integer(b().add(distance(partition_begin_, peers_begin_), one));
    case WindowFunctionId::DenseRank:
      return integer(b().add(cursorField(offsetof(WindowCursor, peer_group)), one));
    case WindowFunctionId::PercentRank: {
      // The first row's rank is 0, also where there is no other one.
      const ir::Value others = greatest(b().sub(distance(partition_begin_, partition_end_), one), one);
      return integer(b().fdiv(b().sitofp(distance(partition_begin_, peers_begin_)), b().sitofp(others)));
    }
    case WindowFunctionId::CumeDist:
      return integer(b().fdiv(b().sitofp(distance(partition_begin_, peers_end_)),
                              b().sitofp(distance(partition_begin_, partition_end_))));
    case WindowFunctionId::Ntile:
      return emitTile(function);
    case WindowFunctionId::Lag:
    case WindowFunctionId::Lead:
      return emitNeighbour(function);
    case WindowFunctionId::FirstValue:
    case WindowFunctionId::LastValue:
    case WindowFunctionId::NthValue:
      return emitFrameValue(function);
    case WindowFunctionId::Aggregate:
      return emitAggregate(function);
  }
}

/// The number of buckets is that of the partition's first row.
void WindowTranslator::emitTile(const Function& function) {
  const SqlValue buckets = valueAt(function.arguments[0], rowAt(partition_begin_));
  const auto tile = [&] {
    const ir::Value number = b().call(RUNTIME_FUNCTION(rt::windowTile), {buckets.lo, b().sub(number_, partition_begin_),
                                                                         b().sub(partition_end_, partition_begin_)});
    return SqlValue{function.source->iu->type, number, {}, {}};
  };
  if (!buckets.isNullable()) return store(function, tile());
  storeIf(b().bitNot(buckets.is_null), function, tile);
}

/// lag and lead: the value so many rows away in the partition, or the row's own default.
void WindowTranslator::emitNeighbour(const Function& function) {
  const std::vector<Argument>& arguments = function.arguments;
  ir::Value offset = b().constI64(1);
  ir::Value is_known = b().constI1(true);
  if (arguments.size() > 1) {
    const SqlValue given = valueAt(arguments[1], row_);
    offset = b().sext(given.lo, ir::Type::I64);
    if (given.isNullable()) is_known = b().bitNot(given.is_null);
  }
  const ir::Value target =
      function.source->function == WindowFunctionId::Lag ? b().sub(number_, offset) : b().add(number_, offset);
  const ir::Value is_inside = b().bitAnd(b().sge(target, partition_begin_), b().slt(target, partition_end_));
  const ir::Block outside = b().createBlock("");
  const ir::Block inside = b().createBlock("");
  const ir::Block done = b().createBlock("");
  b().condBr(b().bitAnd(is_known, is_inside), inside, outside);
  b().setBlock(inside);
  {
    const Scope::Level level(pipeline_->scope);
    store(function, valueAt(arguments[0], rowAt(target)));
  }
  b().br(done);
  b().setBlock(outside);
  if (arguments.size() > 2)
    storeIf(is_known, function, [&] { return valueAt(arguments[2], row_); });
  else
    storeNull(function);
  b().br(done);
  b().setBlock(done);
}

WindowTranslator::Range WindowTranslator::frameOf(const Function& function) {
  const ir::Value begin = boundOf(function, true);
  return {begin, greatest(begin, boundOf(function, false))};
}

/// The first row of the frame, or the first one behind it.
ir::Value WindowTranslator::boundOf(const Function& function, bool is_start) {
  using Kind = Window::Bound::Kind;
  const Window::Frame& frame = function.source->frame;
  const Window::Bound& bound = is_start ? frame.start : frame.end;
  const bool counts_rows = frame.mode == Window::Frame::Mode::Rows;
  switch (bound.kind) {
    case Kind::UnboundedPreceding:
      return partition_begin_;
    case Kind::UnboundedFollowing:
      return partition_end_;
    case Kind::CurrentRow:
      if (counts_rows) return is_start ? number_ : b().add(number_, b().constI64(1));
      return is_start ? peers_begin_ : peers_end_;
    default:
      break;
  }
  if (frame.mode == Window::Frame::Mode::Range) return rangeBound(function, is_start);
  if (!counts_rows) return groupBound(function, is_start);
  const ir::Value base = is_start ? number_ : b().add(number_, b().constI64(1));
  const ir::Value offset = offsetOf(function, is_start);
  if (bound.kind == Kind::Preceding) return greatest(partition_begin_, b().sub(base, offset));
  return least(partition_end_, b().add(base, offset));
}

/// ROWS and GROUPS: how many, at most as many as there are rows in the partition.
ir::Value WindowTranslator::offsetOf(const Function& function, bool is_start) {
  const Argument& argument = is_start ? function.start_offset : function.end_offset;
  const sql::Expression& offset = *argument.expression;
  const SqlValue given = valueAt(argument, row_);
  ir::Value value = given.lo;
  const bool is_good = offset.isConstant() && !offset.value.is_null && offset.value.asInt() >= 0;
  if (!is_good)
    value = b().call(RUNTIME_FUNCTION(rt::checkedFrameOffset),
                     {given.lo, given.isNullable() ? given.is_null : b().constI1(false), b().constI1(is_start)});
  return least(value, b().sub(partition_end_, partition_begin_));
}

/// The bound goes on from where it was for the row before, group by group.
ir::Value WindowTranslator::groupBound(const Function& function, bool is_start) {
  const Window::Bound& bound = is_start ? function.source->frame.start : function.source->frame.end;
  const auto where = is_start ? offsetof(FrameState, start) : offsetof(FrameState, end);
  const auto group_at =
      static_cast<int64_t>(is_start ? offsetof(FrameState, start_group) : offsetof(FrameState, end_group));
  const ir::Value offset = offsetOf(function, is_start);
  const ir::Value own = cursorField(offsetof(WindowCursor, peer_group));
  const ir::Value base = is_start ? own : b().add(own, b().constI64(1));
  const ir::Value wanted = bound.kind == Window::Bound::Kind::Preceding ? b().sub(base, offset) : b().add(base, offset);
  const ir::Value rows = pipeline_->hoist([&] { return pipeline_->context.globalSlot(source_slot_); });
  const ir::Value first = position(function, where);
  const ir::Value first_group = b().load(ir::Type::I64, stateOf(function), group_at);
  const ir::Block before = b().currentBlock();
  const ir::Block header = b().createBlock("");
  const ir::Block next = b().createBlock("");
  const ir::Block exit = b().createBlock("");
  b().br(header);
  b().setBlock(header);
  const ir::Value number = b().phi(ir::Type::I64);
  const ir::Value group = b().phi(ir::Type::I64);
  b().addIncoming(number, first, before);
  b().addIncoming(group, first_group, before);
  b().condBr(b().bitAnd(b().slt(group, wanted), b().slt(number, partition_end_)), next, exit);
  b().setBlock(next);
  const ir::Value after = b().call(RUNTIME_FUNCTION(rt::windowPeersEnd), {rows, number, partition_end_});
  b().addIncoming(number, after, next);
  b().addIncoming(group, b().add(group, b().constI64(1)), next);
  b().br(header);
  b().setBlock(exit);
  setPosition(function, where, number);
  b().store(group, stateOf(function), group_at);
  return number;
}

/// Whether the row lies before the bound: rows whose key is NULL lie where NULLs are sorted to.
ir::Value WindowTranslator::isBefore(const Function& function, ir::Value number, const SqlValue& limit, bool is_start) {
  const sql::SortKey& order = window_.order[0];
  const SqlValue key = valueAt(function.range_key, rowAt(number));
  SqlValue bare_key = key, bare_limit = limit;
  bare_key.is_null = {};
  bare_limit.is_null = {};
  const ir::Value comparison = compareValues(pipeline_->context, bare_key, bare_limit);
  const ir::Value zero = b().constI32(0);
  const ir::Value is_before = order.descending ? (is_start ? b().sgt(comparison, zero) : b().sge(comparison, zero))
                                               : (is_start ? b().slt(comparison, zero) : b().sle(comparison, zero));
  return key.isNullable() ? b().select(key.is_null, b().constI1(order.nulls_first), is_before) : is_before;
}

/// The bound goes on from where it was for the row before. Rows whose key is NULL have their peers for bounds.
ir::Value WindowTranslator::rangeBound(const Function& function, bool is_start) {
  const auto where = is_start ? offsetof(FrameState, start) : offsetof(FrameState, end);
  const Argument& is_invalid = is_start ? function.start_invalid : function.end_invalid;
  const sql::Expression& tested = *is_invalid.expression;
  const bool is_good = tested.isConstant() && !tested.value.is_null && tested.value.asInt() == 0;
  if (!is_good) {
    const SqlValue invalid = valueAt(is_invalid, row_);
    b().call(RUNTIME_FUNCTION(rt::checkRangeOffset),
             {invalid.lo, invalid.isNullable() ? invalid.is_null : b().constI1(false), b().constI1(is_start)});
  }
  const SqlValue limit = valueAt(is_start ? function.start_limit : function.end_limit, row_);
  const ir::Value first = position(function, where);
  const ir::Block before = b().currentBlock();
  const ir::Block search = b().createBlock("");
  const ir::Block header = b().createBlock("");
  const ir::Block test = b().createBlock("");
  const ir::Block next = b().createBlock("");
  const ir::Block found = b().createBlock("");
  const ir::Block done = b().createBlock("");
  if (limit.isNullable())
    b().condBr(limit.is_null, done, search);
  else
    b().br(search);
  b().setBlock(search);
  b().br(header);
  b().setBlock(header);
  const ir::Value number = b().phi(ir::Type::I64);
  b().addIncoming(number, first, search);
  b().condBr(b().slt(number, partition_end_), test, found);
  b().setBlock(test);
  b().condBr(isBefore(function, number, limit, is_start), next, found);
  b().setBlock(next);
  b().addIncoming(number, b().add(number, b().constI64(1)), next);
  b().br(header);
  b().setBlock(found);
  setPosition(function, where, number);
  b().br(done);
  b().setBlock(done);
  if (!limit.isNullable()) return number;
  return b().phi(ir::Type::I64, {{number, found}, {is_start ? peers_begin_ : peers_end_, before}});
}

/// The frame without the rows that are excluded, in order; parts may be empty.
WindowTranslator::Segments WindowTranslator::segmentsOf(const Function& function, const Range& frame) {
  using Exclusion = Window::Frame::Exclusion;
  const auto part = [&](ir::Value begin, ir::Value end) {
    const ir::Value first = greatest(frame.begin, begin);
    return Range{first, greatest(first, least(frame.end, end))};
  };
  const ir::Value behind = b().add(number_, b().constI64(1));
  switch (function.source->frame.exclusion) {
    case Exclusion::None:
      return {frame};
    case Exclusion::CurrentRow:
      return {part(frame.begin, number_), part(behind, frame.end)};
    case Exclusion::Group:
      return {part(frame.begin, peers_begin_), part(peers_end_, frame.end)};
    case Exclusion::Ties:
      return {part(frame.begin, peers_begin_), part(number_, behind), part(peers_end_, frame.end)};
  }
  return {};
}

void WindowTranslator::emitFrameValue(const Function& function) {
  Segments segments = segmentsOf(function, frameOf(function));
  const ir::Value zero = b().constI64(0);
  const ir::Value nothing = b().constI64(-1);
  ir::Value target = nothing;
  if (function.source->function == WindowFunctionId::LastValue) {
    for (const Range& segment : segments)
      target = b().select(b().slt(segment.begin, segment.end), b().sub(segment.end, b().constI64(1)), target);
  } else {
    ir::Value left = zero;  // rows to pass over; below 0: the row has been found, or there is none
    if (function.source->function == WindowFunctionId::NthValue) {
      const SqlValue given = valueAt(function.arguments[1], row_);
      const auto check = [&] { b().call(RUNTIME_FUNCTION(rt::checkNthValue), {given.lo}); };
      if (given.isNullable())
        pipeline_->emitIf(b().bitNot(given.is_null), check);
      else
        check();
      left = b().sub(b().sext(given.lo, ir::Type::I64), b().constI64(1));
      if (given.isNullable()) left = b().select(given.is_null, nothing, left);
    }
    for (const Range& segment : segments) {
      const ir::Value rows = b().sub(segment.end, segment.begin);
      const ir::Value is_here = b().bitAnd(b().sge(left, zero), b().slt(left, rows));
      target = b().select(is_here, b().add(segment.begin, left), target);
      left = b().select(b().bitOr(is_here, b().slt(left, zero)), nothing, b().sub(left, rows));
    }
  }
  storeIf(b().sge(target, zero), function, [&] { return valueAt(function.arguments[0], rowAt(target)); });
}

void WindowTranslator::update(const Function& function, ir::Value state, ir::Value number) {
  const ir::Value row = rowAt(number);
  SqlValue argument, second;
  if (function.arguments[0].expression) argument = valueAt(function.arguments[0], row);
  if (function.arguments[1].expression) second = valueAt(function.arguments[1], row);
  function.aggregate->update(*pipeline_, function.state, state, argument, second);
}

/// A state before any row.
ir::Value WindowTranslator::scratchState(const Function& function) {
  const ir::Value state = pipeline_->hoist([&] { return b().allocaBytes(function.state.bytes()); });
  b().call(RUNTIME_FUNCTION(rt::zeroBytes), {state, b().constI64(function.state.bytes())});
  return state;
}

void WindowTranslator::emitAggregate(const Function& function) {
  const Window::Frame& frame = function.source->frame;
  const Range rows = frameOf(function);
  if (frame.exclusion != Window::Frame::Exclusion::None)
    return store(function, scannedAggregate(function, segmentsOf(function, rows)));
  store(function, frame.start.kind == Window::Bound::Kind::UnboundedPreceding ? growingAggregate(function, rows)
                                                                              : slidingAggregate(function, rows));
}

SqlValue WindowTranslator::growingAggregate(const Function& function, const Range& frame) {
  const ir::Value state = aggregateStateOf(function);
  forEach({position(function, offsetof(FrameState, added)), frame.end},
          [&](ir::Value number) { update(function, state, number); });
  setPosition(function, offsetof(FrameState, added),
              greatest(frame.end, position(function, offsetof(FrameState, added))));
  return function.aggregate->result(pipeline_->context, function.state, state);
}

SqlValue WindowTranslator::slidingAggregate(const Function& function, const Range& frame) {
  const auto list_at = static_cast<int64_t>(offsetof(FrameState, list));
  const ir::Value bytes = b().constI64(function.state.bytes());
  const ir::Value running = aggregateStateOf(function);
  const auto listed = [&](ir::Value list, ir::Value begin, ir::Value number) {
    return b().ptrAdd(list, b().mul(b().sub(number, begin), bytes));
  };
  const ir::Block list_again = b().createBlock("");
  const ir::Block go_on = b().createBlock("");
  const ir::Block done = b().createBlock("");
  b().condBr(b().sge(frame.begin, position(function, offsetof(FrameState, listed))), list_again, go_on);

  b().setBlock(list_again);
  {
    const ir::Value list =
        b().call(RUNTIME_FUNCTION(rt::windowList),
                 {cursor_, b().constU64(function.list), b().mul(b().sub(frame.end, frame.begin), bytes)});
    forEach({frame.begin, frame.end}, [&](ir::Value counted) {
      // From the last row to the first.
      const ir::Value number = b().sub(b().sub(b().add(frame.begin, frame.end), b().constI64(1)), counted);
      const ir::Value behind = b().add(number, b().constI64(1));
      const ir::Value state = listed(list, frame.begin, number);
      update(function, state, number);
      pipeline_->emitIf(b().slt(behind, frame.end), [&] {
        function.aggregate->merge(pipeline_->context, function.state, state, listed(list, frame.begin, behind));
      });
    });
    b().call(RUNTIME_FUNCTION(rt::zeroBytes), {running, bytes});
    b().store(list, stateOf(function), list_at);
    setPosition(function, offsetof(FrameState, list_begin), frame.begin);
    setPosition(function, offsetof(FrameState, listed), frame.end);
    setPosition(function, offsetof(FrameState, added), frame.end);
    b().br(done);
  }

  b().setBlock(go_on);
  forEach({position(function, offsetof(FrameState, added)), frame.end},
          [&](ir::Value number) { update(function, running, number); });
  setPosition(function, offsetof(FrameState, added),
              greatest(frame.end, position(function, offsetof(FrameState, added))));
  b().br(done);

  b().setBlock(done);
  const ir::Value state = scratchState(function);
  pipeline_->emitIf(b().slt(frame.begin, position(function, offsetof(FrameState, listed))), [&] {
    const ir::Value list = b().load(ir::Type::Ptr, stateOf(function), list_at);
    function.aggregate->merge(pipeline_->context, function.state, state,
                              listed(list, position(function, offsetof(FrameState, list_begin)), frame.begin));
  });
  function.aggregate->merge(pipeline_->context, function.state, state, running);
  return function.aggregate->result(pipeline_->context, function.state, state);
}

SqlValue WindowTranslator::scannedAggregate(const Function& function, const Segments& segments) {
  const ir::Value state = scratchState(function);
  for (const Range& segment : segments) forEach(segment, [&](ir::Value number) { update(function, state, number); });
  return function.aggregate->result(pipeline_->context, function.state, state);
}

}  // namespace

void produceWindow(PlanTranslator& translator, const sql::Window& window, const UnitSet& required,
                   const Consumer& consumer) {
  WindowTranslator(translator, window, required).produce(consumer);
}

}  // namespace gnomon::codegen
