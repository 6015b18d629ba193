#include "codegen/translate/routine_translator.h"

#include <memory>

#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/routine_emitter.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/record_value.h"

namespace gnomon::codegen {
namespace routine {

using namespace sql::plpgsql;

namespace {
constexpr int64_t kHigh = offsetof(ParameterSlot, hi);
constexpr int64_t kNull = offsetof(ParameterSlot, is_null);
}  // namespace

void RoutineEmitter::leave(int32_t outcome) {
  f_->outcomes.insert(outcome);
  code().ret(code().constI32(outcome));
}

void RoutineEmitter::follow(ir::Value outcome, const std::set<int32_t>& outcomes) {
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

void RoutineEmitter::place(const Statement& statement) {
  code().store(code().constPtr(&statement), f_->place, offsetof(RoutinePlace, statement));
}

/// `phase`: null: what is at hand is the statement itself again.
void RoutineEmitter::placeIn(const char* phase, uint32_t line) {
  code().store(code().constPtr(phase), f_->place, offsetof(RoutinePlace, phase));
  code().store(code().constI64(line), f_->place, offsetof(RoutinePlace, phase_line));
}

ir::Value RoutineEmitter::slotAddress(uint32_t slot) {
  const ir::Value slots =
      code().load(ir::Type::Ptr, f_->context.global, static_cast<int64_t>(offsetof(GlobalState, parameters)));
  return code().ptrAdd(slots, static_cast<int64_t>(sizeof(ParameterSlot) * slot));
}

void RoutineEmitter::storeWord(uint32_t slot, ir::Value word) {
  const ir::Value address = slotAddress(slot);
  code().store(word, address);
  code().store(code().constI64(0), address, kNull);
}

void RoutineEmitter::storeNull(uint32_t slot) {
  const ir::Value address = slotAddress(slot);
  code().store(code().constI64(0), address);
  code().store(code().constI64(0), address, kHigh);
  code().store(code().constI64(1), address, kNull);
}

void RoutineEmitter::store(uint32_t slot, const SqlValue& value) {
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

void RoutineEmitter::setFound(ir::Value is_found) {
  storeWord(layout_.slotOf(routine_.found), code().zext(is_found, ir::Type::I64));
}

void RoutineEmitter::setPlain(const Datum& datum, uint32_t slot, const SqlValue& value) {
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

void RoutineEmitter::set(DatumId variable, const SqlValue& value) {
  setPlain(routine_.datum(variable), layout_.slotOf(variable), value);
}

SqlValue RoutineEmitter::translated(const sql::Expression& expression) {
  Scope scope;
  return ExpressionTranslator(f_->context, scope).translate(expression);
}

void RoutineEmitter::requireShapes(const FragmentBinder::Bound& bound, ir::Block otherwise) {
  ir::Builder& b = code();
  for (const auto& [record, shape] : bound.records) {
    const ir::Block next = b.createBlock();
    const ir::Value now = b.load(ir::Type::I64, slotAddress(layout_.slotOf(record)));
    b.condBr(b.eq(now, b.constI64(shape)), next, otherwise);
    b.setBlock(next);
  }
}

void RoutineEmitter::emitLate(const Fragment& fragment, const ValueTarget& target, DatumId compared, ir::Value slot) {
  ir::Builder& b = code();
  b.call(RUNTIME_FUNCTION(rt::evaluateInRoutine),
         {f_->frame, b.constPtr(&fragment), typeConstant(f_->context, target.type),
          b.constI32(static_cast<int32_t>(target.domain)), b.constI32(static_cast<int32_t>(compared.value)), slot});
}

/// By code where the fragment is bound and the records are as it expects, elsewhere by the host.
SqlValue RoutineEmitter::emitBound(const Bound& bound, const Fragment& fragment, const ValueTarget& target,
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

SqlValue RoutineEmitter::emitValue(const Fragment& fragment, ValueTarget target, DatumId compared) {
  return emitBound(binder_.bind(fragment, target, shapeNow(), compared), fragment, target, compared);
}

ir::Value RoutineEmitter::emitTruth(const Fragment& fragment, DatumId compared) {
  const ValueTarget boolean{sql::Type::of(sql::TypeKind::Boolean)};
  const bool is_open = compared != kNoDatum && layout_.typeOf(layout_.slotOf(compared)).kind == sql::TypeKind::Unknown;
  const Bound bound = is_open ? std::nullopt : binder_.bind(fragment, boolean, shapeNow(), compared);
  if (bound && bound->records.empty()) {
    Scope scope;
    return ExpressionTranslator(f_->context, scope).translateTruth(*bound->value);
  }
  return isTrue(f_->context, emitBound(bound, fragment, boolean, compared));
}

void RoutineEmitter::predict(DatumId target, const Fragment* fragment) {
  if (target == kNoDatum || routine_.datum(target).kind != Datum::Kind::Record) return;
  if (layout_.declaredShape(target) != FrameLayout::kNoShape) return;
  const auto fields = fragment == nullptr ? std::nullopt : rows_of_(*fragment, shapeNow());
  shapes_[target.value] = fields ? layout_.shapeOf(target, *fields) : FrameLayout::kNoShape;
}

void RoutineEmitter::emitStatement(const Statement& statement) {
  std::visit(
      [&](const auto& body) {
        place(statement);
        emit(statement, body);
      },
      statement.body);
}

void RoutineEmitter::callHost(const Statement& statement) {
  leaveIfFailed(code().call(RUNTIME_FUNCTION(rt::executeInRoutine), {f_->frame, code().constPtr(&statement)}));
}

void RoutineEmitter::leaveIfFailed(ir::Value outcome) {
  ir::Builder& b = code();
  const ir::Block failed = b.createBlock("failed");
  const ir::Block next = b.createBlock();
  b.condBr(b.eq(outcome, b.constI32(codeOf(RoutineOutcome::Failed))), failed, next, ir::BranchWeight::Unlikely);
  b.setBlock(failed);
  leave(codeOf(RoutineOutcome::Failed));
  b.setBlock(next);
}

/// What the datum holds when its block begins.
void RoutineEmitter::emitDeclared(DatumId id) {
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
    if (datum.initial || datum.type.domain != 0)
      b.call(RUNTIME_FUNCTION(rt::initialiseInRoutine), {f_->frame, b.constI32(static_cast<int32_t>(id.value))});
    if (datum.initial) predict(id, &*datum.initial);
    return;
  }
  const ValueTarget target{layout_.typeOf(layout_.slotOf(id)), datum.type.domain};
  if (datum.initial) return set(id, emitValue(*datum.initial, target));
  if (datum.cursor) return set(id, constantValue(f_->context, sql::Value::fromString(target.type, datum.name)));
  if (target.domain != 0)
    if (const Bound bound = binder_.bindNull(target)) return set(id, translated(*bound->value));
  storeNull(layout_.slotOf(id));
}

void RoutineEmitter::emitBlockBody(const Block& block) {
  for (const DatumId id : block.declared) emitDeclared(id);
  if (!block.declared.empty()) placeIn(nullptr, 0);
  if (block.exceptions) return emitGuarded(block);
  emitStatements(block.body);
}

void RoutineEmitter::emit(const Statement& /*statement*/, const Block& block) {
  ir::Builder& b = code();
  const ir::Block exit = b.createBlock("exit");
  f_->labels.push_back({block.label, exit, std::nullopt});
  emitBlockBody(block);
  f_->labels.pop_back();
  if (!b.isTerminated()) b.br(exit);
  b.setBlock(exit);
}

void RoutineEmitter::emitGuarded(const Block& block) {
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
  outcomes.insert(codeOf(RoutineOutcome::Failed));
  ir::Builder& b = code();
  const ir::Value outcome =
      b.call(RUNTIME_FUNCTION(rt::guardBlock), {f_->frame, b.constPtr(resources_.keep(std::move(guarded)))});
  follow(outcome, outcomes);
}

namespace {

/// Whether the expression is the array of the slot with one element set.
bool isElementOf(const sql::Expression& expression, uint32_t slot) {
  return expression.kind == sql::Expression::Kind::ArrayCall && expression.function == sql::FunctionId::ArrayAssign &&
         expression.children.size() > 2 && expression.children[0]->kind == sql::Expression::Kind::Parameter &&
         expression.children[0]->parameter == slot;
}

}  // namespace

/// array[subscript]... := value: in the place of the element where there is one, elsewhere as a new array.
void RoutineEmitter::emitElement(const Datum& target, uint32_t slot, const sql::Expression& assigned) {
  ir::Builder& b = code();
  std::vector<SqlValue> arguments;
  for (size_t i = 1; i < assigned.children.size(); ++i) arguments.push_back(translated(*assigned.children[i]));
  const SqlValue& value = arguments.front();
  const ir::Block slow = b.createBlock("slow");
  const ir::Block done = b.createBlock("done");
  for (const SqlValue& argument : arguments) {
    if (!argument.isNullable()) continue;
    const ir::Block next = b.createBlock();
    b.condBr(argument.is_null, slow, next);
    b.setBlock(next);
  }
  const size_t dimensions = arguments.size() - 1;
  const ir::Value subscripts = b.allocaBytes(sizeof(int32_t) * dimensions);
  for (size_t i = 0; i < dimensions; ++i)
    b.store(arguments[i + 1].lo, subscripts, static_cast<int64_t>(sizeof(int32_t) * i));
  const DatumWords words = datumWords(f_->context, value);
  const ir::Value is_done =
      b.call(RUNTIME_FUNCTION(rt::overwriteRoutineElement),
             {f_->frame, b.constI32(static_cast<int32_t>(slot)), typeConstant(f_->context, value.type), subscripts,
              b.constI32(static_cast<int32_t>(dimensions)), words.lo, words.hi});
  b.condBr(is_done, done, slow);
  b.setBlock(slow);
  arguments.insert(arguments.begin(), loadVariable(slot));
  setPlain(target, slot, emitArrayCall(f_->context, sql::FunctionId::ArrayAssign, assigned.type, arguments));
  b.br(done);
  b.setBlock(done);
}

void RoutineEmitter::emit(const Statement& /*statement*/, const Assignment& assignment) {
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
    // The domain's rules are about the whole row.
    if (routine_.datum(target.record).type.domain != 0) return byHost();
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
  if (is_part && isElementOf(*bound->value, slot))
    emitElement(target, slot, *bound->value);
  else
    setPlain(target, slot, emitBound(bound, assignment.value, value, kNoDatum));
  if (record) b.store(b.constI64(0), slotAddress(layout_.slotOf(record->first)), kNull);
  b.br(done);
  b.setBlock(late);
  byHost();
  b.br(done);
  b.setBlock(done);
}

void RoutineEmitter::emitBranches(const std::vector<Branch>& branches, const Statements& otherwise, DatumId compared,
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

void RoutineEmitter::emit(const Statement& /*statement*/, const If& choice) {
  emitBranches(choice.branches, choice.otherwise, kNoDatum, nullptr);
}

void RoutineEmitter::emit(const Statement& statement, const Case& choice) {
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

/// The slot's value as the routine's result.
void RoutineEmitter::emitReturned(uint32_t slot) {
  placeIn("while casting return value to function's return type", 0);
  if (const Bound bound = binder_.bindSlot(slot, *result_.value)) store(result_.slot, translated(*bound->value));
  placeIn(nullptr, 0);
}

void RoutineEmitter::emit(const Statement& /*statement*/, const Return& value) {
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

void RoutineEmitter::emit(const Statement& /*statement*/, const ReturnNext& value) {
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

void RoutineEmitter::emit(const Statement& statement, const ExecuteSql& execute) {
  callHost(statement);
  predict(execute.into, &execute.statement);
}

void RoutineEmitter::emit(const Statement& statement, const ExecuteDynamic& execute) {
  callHost(statement);
  predict(execute.into, nullptr);
}

void RoutineEmitter::emit(const Statement& statement, const Fetch& fetch) {
  callHost(statement);
  predict(fetch.into, nullptr);
}

}  // namespace routine

ir::Module translateRoutine(sql::plpgsql::FrameLayout& layout, sql::plpgsql::FragmentBinder& binder,
                            const RoutineResult& result, const FragmentRows& rows_of, ProgramResources& resources) {
  return routine::RoutineEmitter(layout, binder, result, rows_of, resources).translate();
}

}  // namespace gnomon::codegen
