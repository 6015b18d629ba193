#include "codegen/translate/routine_translator.h"

#include <bit>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "codegen/ir/builder.h"
#include "codegen/runtime/routine_frame.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/record_value.h"

namespace gnomon::codegen {
namespace {

using namespace sql::plpgsql;
using ShapeId = FrameLayout::ShapeId;
using Bound = std::optional<FragmentBinder::Bound>;

constexpr int64_t kHigh = offsetof(ParameterSlot, hi);
constexpr int64_t kNull = offsetof(ParameterSlot, is_null);

int32_t codeOf(RoutineOutcome outcome) {
  return static_cast<int32_t>(outcome);
}

/// What EXIT and CONTINUE of a block or loop lead to in the function at hand.
struct Label {
  ScopeId scope;
  ir::Block exit;
  std::optional<ir::Block> next_round;  ///< of loops
};

/// A function that is being made.
struct Function {
  Function(ir::Module& module, ir::FunctionId function, ProgramResources& resources)
      : id(function),
        builder(module, function),
        context{builder, builder.parameter(0), builder.parameter(1), resources} {
    frame = context.globalSlot(0);
    place = context.localSlot(0);
  }
  const ir::FunctionId id;
  ir::Builder builder;
  CodeContext context;
  ir::Value frame;  ///< RoutineFrame*
  ir::Value place;  ///< RoutinePlace*
  std::vector<Label> labels;
  std::set<int32_t> outcomes;  ///< that it may return beside Done
};

struct Made {
  uint32_t function;
  std::set<int32_t> outcomes;
};

class Translator {
 public:
  Translator(FrameLayout& layout, FragmentBinder& binder, const RoutineResult& result, const FragmentRows& rows_of,
             ProgramResources& resources)
      : layout_(layout),
        routine_(layout.routine()),
        binder_(binder),
        result_(result),
        rows_of_(rows_of),
        resources_(resources),
        shapes_(routine_.datums.size(), FrameLayout::kNoShape),
        module_("routine") {}

  ir::Module translate() {
    makeFunction("main", [&] { emitStatement(routine_.main); });
    return std::move(module_);
  }

 private:
  /// The body of a block or loop as a function.
  template <typename Emit>
  Made makeFunction(const char* name, Emit&& emit);
  ir::Builder& code() { return f_->builder; }
  /// Goes on behind a call of a function that may return these: its code decides where.
  void follow(ir::Value outcome, const std::set<int32_t>& outcomes);
  void leave(int32_t outcome);

  void emitStatements(const Statements& statements) {
    for (const Statement& statement : statements) {
      if (code().isTerminated()) return;
      emitStatement(statement);
    }
  }
  void emitStatement(const Statement& statement);
  void emit(const Statement& statement, const Block& block);
  void emit(const Statement& statement, const Assignment& assignment);
  void emit(const Statement& statement, const If& choice);
  void emit(const Statement& statement, const Case& choice);
  void emit(const Statement& statement, const Loop& loop);
  void emit(const Statement& statement, const While& loop);
  void emit(const Statement& statement, const ForRange& loop);
  void emit(const Statement& statement, const ForQuery& loop);
  void emit(const Statement& statement, const ForCursor& loop);
  void emit(const Statement& statement, const ForEach& loop);
  void emit(const Statement& statement, const Leave& leave);
  void emit(const Statement& statement, const Return& value);
  void emit(const Statement& statement, const ReturnNext& value);
  void emit(const Statement& statement, const ExecuteSql& execute);
  void emit(const Statement& statement, const ExecuteDynamic& execute);
  void emit(const Statement& statement, const Fetch& fetch);
  /// What the host does alone.
  template <typename Other>
  void emit(const Statement& statement, const Other& /*other*/) {
    callHost(statement);
  }

  void emitBlockBody(const Block& block);
  void emitDeclared(DatumId id);
  void emitGuarded(const Block& block);
  void emitBranches(const std::vector<Branch>& branches, const Statements& otherwise, DatumId compared,
                    const std::function<void()>& emit_otherwise);
  template <typename Emit>
  void emitRowLoop(const Statement& statement, ScopeId label, Emit&& emit_body);
  template <typename Emit>
  Made makeLoop(ScopeId label, Emit&& emit_round);
  ir::Value callLoop(const Made& loop);
  template <typename Emit>
  void emitLoop(ScopeId label, Emit&& emit_round);

  void emitReturned(uint32_t slot);
  void callHost(const Statement& statement);
  void place(const Statement& statement);
  void placeIn(const char* phase, uint32_t line);
  ir::Value slotAddress(uint32_t slot);
  SqlValue loadVariable(uint32_t slot) { return loadSlot(f_->context, layout_.typeOf(slot), slotAddress(slot)); }
  void store(uint32_t slot, const SqlValue& value);
  void storeNull(uint32_t slot);
  void storeWord(uint32_t slot, ir::Value word);
  void setFound(ir::Value is_found);
  void set(DatumId variable, const SqlValue& value);
  void setPlain(const Datum& datum, uint32_t slot, const SqlValue& value);

  SqlValue translated(const sql::Expression& expression);
  /// Branches to `otherwise` unless the records have these shapes.
  void requireShapes(const FragmentBinder::Bound& bound, ir::Block otherwise);
  SqlValue emitValue(const Fragment& fragment, ValueTarget target, DatumId compared = kNoDatum);
  SqlValue emitBound(const Bound& bound, const Fragment& fragment, const ValueTarget& target, DatumId compared);
  void emitLate(const Fragment& fragment, const ValueTarget& target, DatumId compared, ir::Value slot);
  ir::Value emitTruth(const Fragment& fragment, DatumId compared = kNoDatum);
  ir::Value emitBoundOf(const Fragment& fragment, const char* which);

  [[nodiscard]] FrameNames::ShapeNow shapeNow() const {
    return [this](DatumId record) { return shapes_[record.value]; };
  }
  /// The statement gives rows of this kind to a record, as far as it is known.
  void predict(DatumId target, const Fragment* fragment);

  FrameLayout& layout_;
  const Routine& routine_;
  FragmentBinder& binder_;
  const RoutineResult& result_;
  const FragmentRows& rows_of_;
  ProgramResources& resources_;
  std::vector<ShapeId> shapes_;  ///< of records, where code is being made
  ir::Module module_;
  Function* f_ = nullptr;
};

template <typename Emit>
Made Translator::makeFunction(const char* name, Emit&& emit) {
  const ir::FunctionId id = module_.addFunction(std::string(name) + std::to_string(module_.functionCount()),
                                                ir::Type::I32, {ir::Type::Ptr, ir::Type::Ptr});
  Function function(module_, id, resources_);
  Function* const outer = std::exchange(f_, &function);
  emit();
  if (!code().isTerminated()) code().ret(code().constI32(codeOf(RoutineOutcome::Done)));
  f_ = outer;
  return {id.index, std::move(function.outcomes)};
}

void Translator::leave(int32_t outcome) {
  f_->outcomes.insert(outcome);
  code().ret(code().constI32(outcome));
}

void Translator::follow(ir::Value outcome, const std::set<int32_t>& outcomes) {
  ir::Builder& b = code();
  const ir::Block next = b.createBlock();
  if (outcomes.empty()) {
    b.br(next);
    b.setBlock(next);
    return;
  }
  const ir::Block further = b.createBlock();
  std::vector<std::pair<int64_t, ir::Block>> cases = {{codeOf(RoutineOutcome::Done), next}};
  for (const int32_t each : outcomes) {
    bool is_here = false;
    for (const Label& label : f_->labels) {
      const bool is_exit = each == leaveCode(label.scope, false);
      if (is_exit || (label.next_round && each == leaveCode(label.scope, true))) {
        cases.emplace_back(each, is_exit ? label.exit : *label.next_round);
        is_here = true;
      }
    }
    if (!is_here) f_->outcomes.insert(each);
  }
  b.switchTo(outcome, further, cases);
  b.setBlock(further);
  b.ret(outcome);
  b.setBlock(next);
}

void Translator::place(const Statement& statement) {
  code().store(code().constPtr(&statement), f_->place, offsetof(RoutinePlace, statement));
}

/// `phase`: null: what is at hand is the statement itself again.
void Translator::placeIn(const char* phase, uint32_t line) {
  code().store(code().constPtr(phase), f_->place, offsetof(RoutinePlace, phase));
  code().store(code().constI64(line), f_->place, offsetof(RoutinePlace, phase_line));
}

ir::Value Translator::slotAddress(uint32_t slot) {
  const ir::Value slots =
      code().load(ir::Type::Ptr, f_->context.global, static_cast<int64_t>(offsetof(GlobalState, parameters)));
  return code().ptrAdd(slots, static_cast<int64_t>(sizeof(ParameterSlot) * slot));
}

void Translator::storeWord(uint32_t slot, ir::Value word) {
  const ir::Value address = slotAddress(slot);
  code().store(word, address);
  code().store(code().constI64(0), address, kNull);
}

void Translator::storeNull(uint32_t slot) {
  const ir::Value address = slotAddress(slot);
  code().store(code().constI64(0), address);
  code().store(code().constI64(0), address, kHigh);
  code().store(code().constI64(1), address, kNull);
}

void Translator::store(uint32_t slot, const SqlValue& value) {
  ir::Builder& b = code();
  if (layout_.typeOf(slot).physical() != sql::Physical::String)
    return storeSlot(f_->context, value, slotAddress(slot), 0);
  const ir::Block done = b.createBlock();
  const ir::Block copy = b.createBlock();
  const ir::Block null = b.createBlock();
  b.condBr(isNull(f_->context, value), null, copy);
  b.setBlock(null);
  storeNull(slot);
  b.br(done);
  b.setBlock(copy);
  b.call(RUNTIME_FUNCTION(rt::setRoutineString),
         {f_->frame, b.constI32(static_cast<int32_t>(slot)), value.lo, value.hi});
  b.br(done);
  b.setBlock(done);
}

void Translator::setFound(ir::Value is_found) {
  storeWord(layout_.slotOf(routine_.found), code().zext(is_found, ir::Type::I64));
}

void Translator::setPlain(const Datum& datum, uint32_t slot, const SqlValue& value) {
  ir::Builder& b = code();
  if (datum.is_not_null && value.isNullable()) {
    const ir::Block refuse = b.createBlock();
    const ir::Block accept = b.createBlock();
    b.condBr(value.is_null, refuse, accept);
    b.setBlock(refuse);
    b.call(RUNTIME_FUNCTION(rt::refuseNullOf), {b.constPtr(&datum.name)});
    b.unreachable();
    b.setBlock(accept);
  }
  store(slot, value);
}

void Translator::set(DatumId variable, const SqlValue& value) {
  setPlain(routine_.datum(variable), layout_.slotOf(variable), value);
}

SqlValue Translator::translated(const sql::Expression& expression) {
  Scope scope;
  return ExpressionTranslator(f_->context, scope).translate(expression);
}

void Translator::requireShapes(const FragmentBinder::Bound& bound, ir::Block otherwise) {
  ir::Builder& b = code();
  for (const auto& [record, shape] : bound.records) {
    const ir::Block next = b.createBlock();
    const ir::Value now = b.load(ir::Type::I64, slotAddress(layout_.slotOf(record)));
    b.condBr(b.eq(now, b.constI64(shape)), next, otherwise);
    b.setBlock(next);
  }
}

void Translator::emitLate(const Fragment& fragment, const ValueTarget& target, DatumId compared, ir::Value slot) {
  ir::Builder& b = code();
  b.call(RUNTIME_FUNCTION(rt::evaluateInRoutine),
         {f_->frame, b.constPtr(&fragment), typeConstant(f_->context, target.type),
          b.constI32(static_cast<int32_t>(target.domain)), b.constI32(static_cast<int32_t>(compared.value)), slot});
}

/// By code where the fragment is bound and the records are as it expects, elsewhere by the host.
SqlValue Translator::emitBound(const Bound& bound, const Fragment& fragment, const ValueTarget& target,
                               DatumId compared) {
  if (bound && bound->records.empty()) return translated(*bound->value);
  ir::Builder& b = code();
  const ir::Value slot = b.allocaBytes(sizeof(ParameterSlot));
  const ir::Block late = b.createBlock();
  const ir::Block done = b.createBlock();
  if (bound) {
    requireShapes(*bound, late);
    storeSlot(f_->context, translated(*bound->value), slot, 0);
    b.br(done);
  } else {
    b.br(late);
  }
  b.setBlock(late);
  emitLate(fragment, target, compared, slot);
  b.br(done);
  b.setBlock(done);
  return loadSlot(f_->context, target.type, slot);
}

SqlValue Translator::emitValue(const Fragment& fragment, ValueTarget target, DatumId compared) {
  return emitBound(binder_.bind(fragment, target, shapeNow(), compared), fragment, target, compared);
}

ir::Value Translator::emitTruth(const Fragment& fragment, DatumId compared) {
  const ValueTarget boolean{sql::Type::of(sql::TypeKind::Boolean)};
  const bool is_open = compared != kNoDatum && layout_.typeOf(layout_.slotOf(compared)).kind == sql::TypeKind::Unknown;
  const Bound bound = is_open ? std::nullopt : binder_.bind(fragment, boolean, shapeNow(), compared);
  if (bound && bound->records.empty()) {
    Scope scope;
    return ExpressionTranslator(f_->context, scope).translateTruth(*bound->value);
  }
  return isTrue(f_->context, emitBound(bound, fragment, boolean, compared));
}

void Translator::predict(DatumId target, const Fragment* fragment) {
  if (target == kNoDatum || routine_.datum(target).kind != Datum::Kind::Record) return;
  if (layout_.declaredShape(target) != FrameLayout::kNoShape) return;
  const auto fields = fragment == nullptr ? std::nullopt : rows_of_(*fragment, shapeNow());
  shapes_[target.value] = fields ? layout_.shapeOf(target, *fields) : FrameLayout::kNoShape;
}

void Translator::emitStatement(const Statement& statement) {
  std::visit(
      [&](const auto& body) {
        place(statement);
        emit(statement, body);
      },
      statement.body);
}

void Translator::callHost(const Statement& statement) {
  code().call(RUNTIME_FUNCTION(rt::executeInRoutine), {f_->frame, code().constPtr(&statement)});
}

/// What the datum holds when its block begins.
void Translator::emitDeclared(DatumId id) {
  const Datum& datum = routine_.datum(id);
  ir::Builder& b = code();
  placeIn("during statement block local variable initialization", datum.line);
  if (datum.kind == Datum::Kind::Record) {
    const ShapeId declared = layout_.declaredShape(id);
    if (declared != FrameLayout::kNoShape)
      for (uint32_t i = 0; i < layout_.shape(declared).fields.size(); ++i)
        storeNull(layout_.shape(declared).first_slot + i);
    storeNull(layout_.slotOf(id));
    b.store(b.constI64(declared), slotAddress(layout_.slotOf(id)));
    shapes_[id.value] = FrameLayout::kNoShape;
    if (datum.initial) {
      b.call(RUNTIME_FUNCTION(rt::initialiseInRoutine), {f_->frame, b.constI32(static_cast<int32_t>(id.value))});
      predict(id, &*datum.initial);
    }
    return;
  }
  const ValueTarget target{layout_.typeOf(layout_.slotOf(id)), datum.type.domain};
  if (datum.initial) return set(id, emitValue(*datum.initial, target));
  if (datum.cursor) return set(id, constantValue(f_->context, sql::Value::fromString(target.type, datum.name)));
  if (target.domain != 0)
    if (const Bound bound = binder_.bindNull(target)) return set(id, translated(*bound->value));
  storeNull(layout_.slotOf(id));
}

void Translator::emitBlockBody(const Block& block) {
  for (const DatumId id : block.declared) emitDeclared(id);
  if (!block.declared.empty()) placeIn(nullptr, 0);
  if (block.exceptions) return emitGuarded(block);
  emitStatements(block.body);
}

void Translator::emit(const Statement& /*statement*/, const Block& block) {
  ir::Builder& b = code();
  const ir::Block exit = b.createBlock("exit");
  f_->labels.push_back({block.label, exit, std::nullopt});
  emitBlockBody(block);
  f_->labels.pop_back();
  if (!b.isTerminated()) b.br(exit);
  b.setBlock(exit);
}

void Translator::emitGuarded(const Block& block) {
  auto guarded = std::make_unique<GuardedBlock>();
  guarded->block = &block;
  const std::vector<ShapeId> before = shapes_;
  const Made body = makeFunction("guarded", [&] { emitStatements(block.body); });
  guarded->body = body.function;
  std::set<int32_t> outcomes = body.outcomes;
  for (const Handler& handler : block.exceptions->handlers) {
    shapes_ = before;
    const Made made = makeFunction("handler", [&] { emitStatements(handler.body); });
    guarded->handlers.push_back(made.function);
    outcomes.insert(made.outcomes.begin(), made.outcomes.end());
  }
  ir::Builder& b = code();
  const ir::Value outcome =
      b.call(RUNTIME_FUNCTION(rt::guardBlock), {f_->frame, b.constPtr(resources_.keep(std::move(guarded)))});
  follow(outcome, outcomes);
}

void Translator::emit(const Statement& /*statement*/, const Assignment& assignment) {
  ir::Builder& b = code();
  const Datum& target = routine_.datum(assignment.target);
  const auto byHost = [&] { b.call(RUNTIME_FUNCTION(rt::assignInRoutine), {f_->frame, b.constPtr(&assignment)}); };
  if (target.kind == Datum::Kind::Record || target.kind == Datum::Kind::List) {
    byHost();
    return predict(assignment.target, nullptr);
  }
  uint32_t slot = 0;
  ValueTarget value{};
  std::optional<std::pair<DatumId, ShapeId>> record;
  if (target.kind == Datum::Kind::Field) {
    const ShapeId declared = layout_.declaredShape(target.record);
    const ShapeId shape = declared != FrameLayout::kNoShape ? declared : shapes_[target.record.value];
    if (shape == FrameLayout::kNoShape) return byHost();
    const FrameLayout::Shape& fields = layout_.shape(shape);
    uint32_t index = 0;
    while (index < fields.fields.size() && fields.fields[index].name != target.name) ++index;
    if (index == fields.fields.size()) return byHost();
    slot = fields.first_slot + index;
    value = {layout_.typeOf(slot), fields.fields[index].domain};
    record = {target.record, shape};
  } else {
    slot = layout_.slotOf(assignment.target);
    value = {layout_.typeOf(slot), target.type.domain};
  }
  const bool is_part = assignment.indirection.length != 0;
  Bound bound =
      is_part ? binder_.bindElement(assignment, shapeNow()) : binder_.bind(assignment.value, value, shapeNow());
  if (is_part && !bound) return byHost();
  const ir::Block late = b.createBlock();
  const ir::Block done = b.createBlock();
  if (record) requireShapes({nullptr, {*record}}, late);
  if (is_part) {
    requireShapes(*bound, late);
    bound->records.clear();
  }
  setPlain(target, slot, emitBound(bound, assignment.value, value, kNoDatum));
  if (record) b.store(b.constI64(0), slotAddress(layout_.slotOf(record->first)), kNull);
  b.br(done);
  b.setBlock(late);
  byHost();
  b.br(done);
  b.setBlock(done);
}

void Translator::emitBranches(const std::vector<Branch>& branches, const Statements& otherwise, DatumId compared,
                              const std::function<void()>& emit_otherwise) {
  ir::Builder& b = code();
  const ir::Block done = b.createBlock("done");
  const std::vector<ShapeId> before = shapes_;
  for (const Branch& branch : branches) {
    const ir::Block yes = b.createBlock("then");
    const ir::Block no = b.createBlock("else");
    b.condBr(emitTruth(branch.condition, compared), yes, no);
    b.setBlock(yes);
    emitStatements(branch.body);
    if (!b.isTerminated()) b.br(done);
    b.setBlock(no);
    shapes_ = before;
  }
  if (emit_otherwise)
    emit_otherwise();
  else
    emitStatements(otherwise);
  if (!b.isTerminated()) b.br(done);
  b.setBlock(done);
}

void Translator::emit(const Statement& /*statement*/, const If& choice) {
  emitBranches(choice.branches, choice.otherwise, kNoDatum, nullptr);
}

void Translator::emit(const Statement& statement, const Case& choice) {
  if (choice.test) {
    ValueTarget target{sql::Type::of(sql::TypeKind::Unknown)};
    const Bound bound = binder_.bind(*choice.test, target, shapeNow());
    const auto fields = bound ? std::nullopt : rows_of_(*choice.test, shapeNow());
    if (bound)
      target.type = bound->value->type;
    else if (fields && fields->size() == 1)
      target.type = sql::heldInRecord(fields->front().type);
    layout_.setType(choice.test_value, target.type);
    if (target.type.kind != sql::TypeKind::Unknown) {
      set(choice.test_value, emitBound(bound, *choice.test, target, kNoDatum));
    } else {
      // Its type turns out when it is evaluated, by the host, which then says what it is compared with.
      ir::Builder& b = code();
      const ir::Value unused = b.allocaBytes(sizeof(ParameterSlot));
      emitLate(*choice.test, target, choice.test_value, unused);
    }
  }
  std::function<void()> refuse;
  if (!choice.has_else)
    refuse = [&] {
      place(statement);
      code().call(RUNTIME_FUNCTION(rt::refuseCase), {});
      code().unreachable();
    };
  emitBranches(choice.branches, choice.otherwise, choice.test ? choice.test_value : kNoDatum, refuse);
}

/// The function of a loop. `emit_round(exit)` emits a round, which may go to `exit`, and returns what emits the step to
/// the next one, for behind CONTINUE; null: there is none.
template <typename Emit>
Made Translator::makeLoop(ScopeId label, Emit&& emit_round) {
  return makeFunction("loop", [&] {
    ir::Builder& b = code();
    const ir::Block head = b.createBlock("head");
    const ir::Block next = b.createBlock("next");
    const ir::Block exit = b.createBlock("exit");
    const ir::Value rounds = b.allocaBytes(8);
    b.store(b.constI64(0), rounds);
    b.br(head);
    b.setBlock(head);
    b.call(RUNTIME_FUNCTION(rt::emptyRoutineScratch), {f_->frame});
    f_->labels.push_back({label, exit, next});
    const std::function<void()> step = emit_round(exit);
    f_->labels.pop_back();
    if (!b.isTerminated()) b.br(next);
    b.setBlock(next);
    if (step) step();
    const ir::Value count = b.add(b.load(ir::Type::I64, rounds), b.constI64(1));
    b.store(count, rounds);
    const ir::Block again = b.createBlock("again");
    b.condBr(b.slt(count, b.constI64(kLoopRounds)), head, again);
    b.setBlock(again);
    b.ret(b.constI32(codeOf(RoutineOutcome::Again)));
    b.setBlock(exit);
  });
}

ir::Value Translator::callLoop(const Made& loop) {
  return code().call(RUNTIME_FUNCTION(rt::runRoutineLoop),
                     {f_->frame, code().constI32(static_cast<int32_t>(loop.function))});
}

template <typename Emit>
void Translator::emitLoop(ScopeId label, Emit&& emit_round) {
  const Made made = makeLoop(label, emit_round);
  follow(callLoop(made), made.outcomes);
}

void Translator::emit(const Statement& /*statement*/, const Loop& loop) {
  emitLoop(loop.label, [&](ir::Block /*exit*/) -> std::function<void()> {
    emitStatements(loop.body);
    return nullptr;
  });
}

void Translator::emit(const Statement& statement, const While& loop) {
  emitLoop(loop.label, [&](ir::Block exit) -> std::function<void()> {
    place(statement);
    const ir::Block round = code().createBlock("round");
    code().condBr(emitTruth(loop.condition), round, exit);
    code().setBlock(round);
    emitStatements(loop.body);
    return nullptr;
  });
}

/// I64, of an integer that is not NULL.
ir::Value Translator::emitBoundOf(const Fragment& fragment, const char* which) {
  ir::Builder& b = code();
  const SqlValue value = emitValue(fragment, {sql::Type::of(sql::TypeKind::Integer)});
  if (value.isNullable()) {
    const ir::Block refuse = b.createBlock();
    const ir::Block accept = b.createBlock();
    b.condBr(value.is_null, refuse, accept);
    b.setBlock(refuse);
    b.call(RUNTIME_FUNCTION(rt::refuseNullBound), {b.constPtr(which)});
    b.unreachable();
    b.setBlock(accept);
  }
  return b.sext(value.lo, ir::Type::I64);
}

void Translator::emit(const Statement& /*statement*/, const ForRange& loop) {
  ir::Builder& outer = code();
  const sql::Type bigint = sql::Type::of(sql::TypeKind::Bigint);
  const uint32_t at = layout_.addSlot(bigint), end = layout_.addSlot(bigint), step = layout_.addSlot(bigint);
  const uint32_t found = layout_.addSlot(bigint);
  const uint32_t variable = layout_.slotOf(loop.variable);
  storeWord(at, emitBoundOf(loop.first, "lower bound"));
  storeWord(end, emitBoundOf(loop.last, "upper bound"));
  if (loop.step) {
    const ir::Value by = emitBoundOf(*loop.step, "BY value");
    const ir::Block refuse = outer.createBlock();
    const ir::Block accept = outer.createBlock();
    outer.condBr(outer.slt(by, outer.constI64(1)), refuse, accept);
    outer.setBlock(refuse);
    outer.call(RUNTIME_FUNCTION(rt::refuseStep), {});
    outer.unreachable();
    outer.setBlock(accept);
    storeWord(step, by);
  } else {
    storeWord(step, outer.constI64(1));
  }
  storeWord(found, outer.constI64(0));
  const auto word = [&](uint32_t slot) { return code().load(ir::Type::I64, slotAddress(slot)); };
  const Made made = makeLoop(loop.label, [&](ir::Block exit) -> std::function<void()> {
    ir::Builder& b = code();
    const ir::Block round = b.createBlock("round");
    const ir::Value now = word(at);
    b.condBr(loop.is_reverse ? b.slt(now, word(end)) : b.sgt(now, word(end)), exit, round);
    b.setBlock(round);
    storeWord(variable, now);
    storeWord(found, b.constI64(1));
    emitStatements(loop.body);
    return [this, &loop, at, step, exit, word] {
      ir::Builder& b = code();
      // The end of what an integer can hold ends the loop.
      const ir::Value next = loop.is_reverse ? b.sub(word(at), word(step)) : b.add(word(at), word(step));
      storeWord(at, next);
      const ir::Block inside = b.createBlock();
      const ir::Value is_outside =
          loop.is_reverse ? b.slt(next, b.constI64(INT32_MIN)) : b.sgt(next, b.constI64(INT32_MAX));
      b.condBr(is_outside, exit, inside);
      b.setBlock(inside);
    };
  });
  // FOUND is set behind the loop, however it ends.
  const ir::Value outcome = callLoop(made);
  setFound(outer.ne(outer.load(ir::Type::I64, slotAddress(found)), outer.constI64(0)));
  follow(outcome, made.outcomes);
}

/// The host goes over the rows, and calls a function for each.
template <typename Emit>
void Translator::emitRowLoop(const Statement& statement, ScopeId label, Emit&& emit_body) {
  Made made = makeFunction("rows", [&] {
    ir::Builder& b = code();
    const ir::Block exit = b.createBlock("exit");
    const ir::Block next = b.createBlock("next");
    b.call(RUNTIME_FUNCTION(rt::emptyRoutineScratch), {f_->frame});
    f_->labels.push_back({label, exit, next});
    emit_body();
    f_->labels.pop_back();
    if (!b.isTerminated()) b.br(next);
    b.setBlock(exit);
    b.ret(b.constI32(codeOf(RoutineOutcome::LeftLoop)));
    b.setBlock(next);
  });
  ir::Builder& b = code();
  const ir::Value outcome =
      b.call(RUNTIME_FUNCTION(rt::loopOverRows),
             {f_->frame, b.constPtr(&statement), b.constI32(static_cast<int32_t>(made.function))});
  follow(outcome, made.outcomes);
}

void Translator::emit(const Statement& statement, const ForQuery& loop) {
  predict(loop.target, std::get_if<Fragment>(&loop.query));
  emitRowLoop(statement, loop.label, [&] { emitStatements(loop.body); });
}

void Translator::emit(const Statement& statement, const ForCursor& loop) {
  const auto& cursor = routine_.datum(loop.cursor).cursor;
  predict(loop.record, cursor ? &cursor->query : nullptr);
  emitRowLoop(statement, loop.label, [&] { emitStatements(loop.body); });
}

void Translator::emit(const Statement& statement, const ForEach& loop) {
  predict(loop.target, nullptr);
  emitRowLoop(statement, loop.label, [&] { emitStatements(loop.body); });
}

void Translator::emit(const Statement& /*statement*/, const Leave& leave_of) {
  ir::Builder& b = code();
  const ir::Block next = b.createBlock();
  if (leave_of.condition) {
    const ir::Block go = b.createBlock();
    b.condBr(emitTruth(*leave_of.condition), go, next);
    b.setBlock(go);
  }
  bool is_here = false;
  for (const Label& label : f_->labels) {
    if (label.scope != leave_of.target) continue;
    b.br(leave_of.is_continue ? *label.next_round : label.exit);
    is_here = true;
    break;
  }
  if (!is_here) leave(leaveCode(leave_of.target, leave_of.is_continue));
  if (leave_of.condition) b.setBlock(next);
}

/// The slot's value as the routine's result.
void Translator::emitReturned(uint32_t slot) {
  placeIn("while casting return value to function's return type", 0);
  if (const Bound bound = binder_.bindSlot(slot, *result_.value)) store(result_.slot, translated(*bound->value));
  placeIn(nullptr, 0);
}

void Translator::emit(const Statement& /*statement*/, const Return& value) {
  ir::Builder& b = code();
  // Of OUT parameters the values are those of their variables.
  const bool has_value = routine_.output == kNoDatum && (value.variable != kNoDatum || value.value);
  if (has_value && result_.value) {
    const bool is_plain = value.variable != kNoDatum && routine_.datum(value.variable).kind == Datum::Kind::Variable;
    const Bound raw =
        value.value ? binder_.bind(*value.value, {sql::Type::of(sql::TypeKind::Unknown)}, shapeNow()) : std::nullopt;
    if (is_plain) {
      emitReturned(layout_.slotOf(value.variable));
    } else if (raw && raw->records.empty() &&
               (result_.value->domain != 0 || !(raw->value->type == result_.value->type))) {
      const uint32_t slot = layout_.addSlot(raw->value->type);
      store(slot, translated(*raw->value));
      emitReturned(slot);
    } else if (value.value) {
      store(result_.slot, emitValue(*value.value, *result_.value));
    } else {
      b.call(RUNTIME_FUNCTION(rt::setRoutineResult), {f_->frame, b.constPtr(&value)});
    }
  } else if (has_value) {
    b.call(RUNTIME_FUNCTION(rt::setRoutineResult), {f_->frame, b.constPtr(&value)});
  }
  leave(codeOf(RoutineOutcome::Returned));
}

void Translator::emit(const Statement& /*statement*/, const ReturnNext& value) {
  ir::Builder& b = code();
  ir::Value computed = b.constNull();
  if (result_.value) {
    const bool is_plain = value.variable != kNoDatum && routine_.datum(value.variable).kind == Datum::Kind::Variable;
    std::optional<SqlValue> made;
    if (is_plain) {
      if (const Bound bound = binder_.bindSlot(layout_.slotOf(value.variable), *result_.value))
        made = translated(*bound->value);
    } else if (value.value) {
      made = emitValue(*value.value, *result_.value);
    }
    if (made) {
      computed = b.allocaBytes(sizeof(ParameterSlot));
      storeSlot(f_->context, *made, computed, 0);
    }
  }
  b.call(RUNTIME_FUNCTION(rt::addRoutineResult), {f_->frame, b.constPtr(&value), computed});
}

void Translator::emit(const Statement& statement, const ExecuteSql& execute) {
  callHost(statement);
  predict(execute.into, &execute.statement);
}

void Translator::emit(const Statement& statement, const ExecuteDynamic& execute) {
  callHost(statement);
  predict(execute.into, nullptr);
}

void Translator::emit(const Statement& statement, const Fetch& fetch) {
  callHost(statement);
  predict(fetch.into, nullptr);
}

}  // namespace

ir::Module translateRoutine(FrameLayout& layout, FragmentBinder& binder, const RoutineResult& result,
                            const FragmentRows& rows_of, ProgramResources& resources) {
  return Translator(layout, binder, result, rows_of, resources).translate();
}

}  // namespace gnomon::codegen
