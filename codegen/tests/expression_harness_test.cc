#include <gtest/gtest.h>

#include "base/sql_error.h"
#include "codegen/tests/expression_harness.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen::test {
namespace {

struct Slot {
  uint64_t lo, hi, is_null, spare;
};
static_assert(sizeof(Slot) == sizeof(ParameterSlot));

void storeSlot(CodeContext& context, const SqlValue& value, ir::Value out) {
  ir::Builder& builder = context.builder;
  builder.store(builder.zext(isNull(context, value), ir::Type::I64), out, offsetof(Slot, is_null));
  const ir::Type type = builder.typeOf(value.lo);
  if (type == ir::Type::I1)
    builder.store(builder.zext(value.lo, ir::Type::I64), out);
  else if (isInteger(type) && bitsOf(type) < 64)
    builder.store(builder.sext(value.lo, ir::Type::I64), out);
  else
    builder.store(value.lo, out);
  if (value.isPair()) builder.store(value.hi, out, 8);
}

Slot slotOf(const Value& value) {
  if (value.is_null) return {0, 0, 1, 0};
  if (value.type.physical() != sql::Physical::String) return {value.lo, value.hi, 0, 0};
  const StringValue string = StringValue::refer(value.bytes, StringValue::Storage::Transient);
  return {string.lo(), string.hi(), 0, 0};
}

Value valueOf(Type type, const Slot& slot) {
  if (slot.is_null != 0) return Value::null(type);
  switch (type.physical()) {
    case sql::Physical::String:
      return Value::fromString(type, StringValue(slot.lo, slot.hi).view());
    case sql::Physical::Int128:
    case sql::Physical::Interval:
      return {type, false, slot.lo, slot.hi, {}};
    case sql::Physical::Float32:
    case sql::Physical::Float64:
      return {type, false, slot.lo, 0, {}};
    default:
      return Value::fromInt(type, static_cast<int64_t>(slot.lo));
  }
}

SqlValue loadColumn(CodeContext& context, const Type& type, ir::Value row, size_t number) {
  const auto base = static_cast<int64_t>(number * sizeof(Slot));
  SqlValue value{type, context.builder.load(irTypeOf(type), row, base), {}, {}};
  if (isPairType(type)) value.hi = context.builder.load(ir::Type::I64, row, base + 8);
  value.is_null = context.builder.ne(context.builder.load(ir::Type::I64, row, base + 16), context.builder.constI64(0));
  return value;
}

SqlValue translateIn(ExpressionTranslator& translator, CodeContext& context, const Expression& expression, Form form) {
  ir::Builder& builder = context.builder;
  if (form == Form::Value) return translator.translate(expression);
  if (form == Form::Truth) return {kBoolean, translator.translateTruth(expression), {}, {}};
  const ir::Block otherwise = builder.createBlock();
  const ir::Block done = builder.createBlock();
  const ExpressionPtr condition = expression.clone();
  translator.requireAll({&condition, 1}, otherwise);
  ValueMerge merge(context, kBoolean, done);
  merge.branchWith({kBoolean, builder.constI1(true), {}, {}});
  builder.setBlock(otherwise);
  merge.branchWith({kBoolean, builder.constI1(false), {}, {}});
  return merge.finish();
}

}  // namespace

Value parsed(Type type, std::string_view input) {
  return sql::parseText(type, input);
}

ExpressionPtr node(Kind kind, Type type, std::vector<ExpressionPtr> children) {
  auto result = std::make_unique<Expression>();
  result->kind = kind;
  result->type = type;
  result->children = std::move(children);
  return result;
}

size_t Row::add(Type type, bool nullable) {
  auto unit = std::make_unique<sql::InformationUnit>();
  unit->id = static_cast<uint32_t>(units_.size());
  unit->name = "c" + std::to_string(unit->id);
  unit->type = type;
  unit->nullable = nullable;
  units_.push_back(std::move(unit));
  return units_.size() - 1;
}

ExpressionPtr Row::column(size_t number) const {
  return Expression::column(units_[number].get());
}

ExpressionPtr Row::parameter(size_t number) const {
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Parameter;
  result->type = units_[number]->type;
  result->parameter = static_cast<uint32_t>(number);
  return result;
}

bool Outcome::operator==(const Outcome& other) const {
  if (error != other.error || !error.empty()) return error == other.error;
  if (value.is_null != other.value.is_null) return false;
  if (value.is_null) return true;
  return value.bytes == other.value.bytes && value.lo == other.value.lo &&
         (value.type.physical() != sql::Physical::Int128 && value.type.physical() != sql::Physical::Interval
              ? true
              : value.hi == other.value.hi);
}

std::string describe(const Outcome& outcome) {
  if (!outcome.error.empty()) return "error " + outcome.error;
  return outcome.value.is_null ? "NULL" : sql::toText(outcome.value);
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << describe(outcome);
}

struct Compiled::Parts {
  Type type;
  ProgramResources resources;
  std::unique_ptr<CompiledModule> module;
  ir::FunctionId function;
};

Compiled::Compiled(const Row& row, const Expression& expression, ExecutionPolicy policy, Form form)
    : parts_(std::make_unique<Parts>()) {
  parts_->type = form == Form::Value ? expression.type : kBoolean;
  ir::Module module("test");
  parts_->function =
      module.addFunction("evaluate", ir::Type::Void, {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr});
  ir::Builder builder(module, parts_->function);
  CodeContext context{builder, builder.parameter(0), builder.parameter(1), parts_->resources};
  Scope scope;
  for (size_t i = 0; i < row.units().size(); ++i) {
    const sql::InformationUnit* unit = row.units()[i].get();
    scope.bindLazy(unit, [&context, &builder, unit, i] {
      SqlValue value = loadColumn(context, unit->type, builder.parameter(2), i);
      if (!unit->nullable) value.is_null = {};
      return value;
    });
  }
  ExpressionTranslator translator(context, scope);
  storeSlot(context, translateIn(translator, context, expression, form), builder.parameter(3));
  builder.retVoid();
  parts_->module = std::make_unique<CompiledModule>(std::move(module), BackendOptions{.policy = policy});
}

Compiled::~Compiled() = default;

bool Compiled::isNative() const {
  return parts_->module->isNative();
}

std::string Compiled::irText() const {
  return parts_->module->irText();
}

/// Calls the function with slots for the row; scratch memory lives until `use` has seen the result.
template <typename Use>
static auto callWith(const CompiledFunction& function, const std::vector<Value>& values, Use&& use) {
  std::vector<Slot> slots;
  for (const Value& value : values) slots.push_back(slotOf(value));
  Arena scratch;
  Arena arena;
  GlobalState global{reinterpret_cast<const ParameterSlot*>(slots.data()), nullptr, nullptr, {nullptr}};
  LocalState local{&scratch, &arena, {nullptr}};
  Slot result{};
  function.call<void>(&global, &local, slots.data(), &result);
  return use(result);
}

Outcome Compiled::run(const std::vector<Value>& values) const {
  try {
    return callWith(parts_->module->function(parts_->function), values,
                    [&](const Slot& result) { return gives(valueOf(parts_->type, result)); });
  } catch (const SqlError& error) {
    return fails(std::string(error.state().text()) + " " + error.message());
  } catch (const DecimalOverflow& error) {
    return fails(error.what());
  }
}

StringValue::Storage Compiled::storageOf(const std::vector<Value>& values) const {
  return callWith(parts_->module->function(parts_->function), values,
                  [](const Slot& result) { return StringValue(result.lo, result.hi).storage(); });
}

std::vector<Outcome> evaluate(const Row& row, const Expression& expression, const std::vector<std::vector<Value>>& rows,
                              Form form) {
  const Compiled interpreted(row, expression, {.mode = ExecutionMode::Vm}, form);
  const Compiled quick(row, expression, {ExecutionMode::Llvm, Optimisation::Quick}, form);
  const Compiled full(row, expression, {ExecutionMode::Llvm, Optimisation::Full}, form);
  EXPECT_TRUE(quick.isNative() && full.isNative());
  std::vector<Outcome> outcomes;
  for (const auto& values : rows) {
    outcomes.push_back(interpreted.run(values));
    EXPECT_EQ(outcomes.back(), quick.run(values)) << "VM and quick code differ for " << expression.toString();
    EXPECT_EQ(outcomes.back(), full.run(values)) << "VM and full code differ for " << expression.toString();
  }
  return outcomes;
}

Outcome evaluate(const ExpressionPtr& expression) {
  return evaluate(Row(), *expression, {{}}).front();
}

}  // namespace gnomon::codegen::test
