#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/no_function.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/variable_names.h"
#include "sql/types/record_value.h"

/// Rows and enums as values.
namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;
using NodeKind = ast::Expression::Kind;

constexpr std::pair<std::string_view, FunctionId> kComparisons[] = {
    {"=", FunctionId::Equal},      {"<>", FunctionId::NotEqual}, {"<", FunctionId::Less},
    {"<=", FunctionId::LessEqual}, {">", FunctionId::Greater},   {">=", FunctionId::GreaterEqual},
};

bool isMadeHere(const Expression& record) {
  return record.kind == Kind::ArrayCall && record.function == FunctionId::MakeRecord;
}

/// A value as records hold it.
ExpressionPtr held(Coercion& coercion, ExpressionPtr value) {
  return value->type.kind == TypeKind::Numeric ? coercion.toBig(std::move(value)) : std::move(value);
}

ExpressionPtr numberConstant(int64_t number) {
  return Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), number));
}

/// The unit above the join for one below it.
Iu extended(Plan& plan, const RowMarker::Extension& extension, Iu below) {
  Join& join = *extension.join;
  auto& pairs = extension.is_left ? join.left_extended : join.null_extended;
  for (const auto& [known, above] : pairs)
    if (known == below) return above;
  pairs.emplace_back(below, plan.makeUnit(below->name, below->type, true));
  return pairs.back().second;
}

/// The input of the join in which the item is: the right one of an outer join, whichever that was as written.
OperatorPtr& inputOf(const RowMarker::Extension& extension) {
  return extension.join->inputs[extension.is_left ? 0 : 1];
}

/// TRUE where the item has a row, NULL where outer joins have none; null: there is always one.
Iu rowMark(Plan& plan, const Range& range) {
  if (range.extensions == 0) return nullptr;
  OperatorPtr& input = inputOf(range.marker->joins.front());
  const Iu mark = plan.makeUnit("row", Type::of(TypeKind::Boolean), false);
  auto map = std::make_unique<Map>();
  map->computed.push_back({mark, Expression::constant(Value::fromInt(mark->type, 1))});
  map->inputs.push_back(std::move(input));
  input = std::move(map);
  Iu above = mark;
  for (size_t i = 0; i < range.extensions; ++i) above = extended(plan, range.marker->joins[i], above);
  return above;
}

/// The row, or NULL where the unit is.
ExpressionPtr whereThere(ExpressionPtr row, Iu mark) {
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Case;
  result->type = row->type;
  result->position = row->position;
  std::vector<ExpressionPtr> test;
  test.push_back(Expression::column(mark));
  result->children.push_back(Expression::logic(Kind::IsNotNull, std::move(test)));
  result->children.push_back(std::move(row));
  result->children.push_back(Expression::constant(Value::null(result->type)));
  return result;
}

}  // namespace

ExpressionPtr fieldAt(ExpressionPtr record, size_t index, Type type) {
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(record));
  arguments.push_back(numberConstant(static_cast<int64_t>(index)));
  return Expression::arrayCall(FunctionId::RecordField, type, std::move(arguments));
}

ExpressionBinder::Arguments ExpressionBinder::bindRowItems(const std::vector<ast::ExpressionPtr>& nodes) {
  Arguments items;
  for (const ast::ExpressionPtr& node : nodes) {
    if (node->kind == NodeKind::Field && node->is_star) {
      for (auto& [name, value] : bindAllFields(*node)) items.push_back(std::move(value));
      continue;
    }
    if (node->kind != NodeKind::Column || !node->is_star) {
      items.push_back(bind(*node));
      continue;
    }
    if (auto fields = bindVariableFields(*node); !fields.empty()) {
      for (auto& [name, value] : fields) items.push_back(std::move(value));
      continue;
    }
    const Scope* scope = &scope_;
    if (!node->names.empty()) scope = scopeThat([&](const Scope& each) { return each.findRange(node->names); });
    if (node->names.empty() && scope->ranges.empty())
      throw SqlError(sqlstate::kSyntaxError, "ROW() * with no tables specified is not valid").position(node->position);
    if (scope == nullptr) scope = &scope_;
    const auto& columns =
        node->names.empty() ? scope->columns : scope->range(node->names, state_.from_levels, node->position).columns;
    for (const ScopeColumn& column : columns) {
      items.push_back(Expression::column(column.iu));
      items.back()->position = node->position;
    }
  }
  return items;
}

ExpressionPtr ExpressionBinder::bindRow(const ast::Expression& node) {
  Arguments fields;
  fields.push_back(Expression::constant(Value::null(Type::of(TypeKind::Text))));
  for (ExpressionPtr& item : bindRowItems(node.children)) fields.push_back(held(coercion_, std::move(item)));
  if (fields.size() > kRecordFieldsMax + 1)
    throw SqlError(sqlstate::kTooManyColumns,
                   fmt::format("ROW expressions can have at most {} entries", kRecordFieldsMax))
        .position(node.position);
  ExpressionPtr row = Expression::arrayCall(FunctionId::MakeRecord, Type::recordOf(0), std::move(fields));
  row->position = node.position;
  return row;
}

ExpressionPtr ExpressionBinder::bindWholeRow(const ast::Expression& node) {
  // With its schema it must be written as t.*.
  if (node.names.size() > 1 && !node.is_star) return nullptr;
  const Scope* const scope = scopeThat([&](const Scope& each) { return each.findRange(node.names) != nullptr; });
  if (scope == nullptr) return nullptr;
  if (clause_.name == "check constraints" || clause_.name == "index expressions" || clause_.name == "index predicates")
    throwNotSupported(fmt::format("a whole row in {}", clause_.name), node.position);
  const Range& range = *scope->findRange(node.names);
  std::string names;
  Arguments fields;
  fields.push_back(nullptr);
  for (const ScopeColumn& column : range.columns) {
    names.append(column.name).push_back('\0');
    state_.noteRead(column.iu);
    fields.push_back(held(coercion_, Expression::column(column.iu)));
  }
  const Type text = Type::of(TypeKind::Text);
  fields[0] = Expression::constant(range.relation != 0 ? Value::null(text) : Value::fromString(text, names));
  const Type type = Type::recordOf(range.relation);
  ExpressionPtr row = Expression::arrayCall(FunctionId::MakeRecord, type, std::move(fields));
  row->position = node.position;
  const Iu mark = rowMark(*state_.plan, range);
  return mark == nullptr ? std::move(row) : whereThere(std::move(row), mark);
}

ExpressionPtr ExpressionBinder::bindPresentRow(const std::vector<Iu>& columns, const std::string& names, Iu present,
                                               int32_t position) {
  Arguments fields;
  fields.push_back(Expression::constant(Value::fromString(Type::of(TypeKind::Text), names)));
  for (const Iu column : columns) fields.push_back(held(coercion_, Expression::column(column)));
  ExpressionPtr row = Expression::arrayCall(FunctionId::MakeRecord, Type::recordOf(0), std::move(fields));
  row->position = position;
  return whereThere(std::move(row), present);
}

std::vector<RecordField> ExpressionBinder::fieldsOf(const Expression& record, std::string_view wanted) {
  if (!record.type.isRecord())
    throw SqlError(sqlstate::kWrongObjectType,
                   wanted.empty() ? fmt::format("type {} is not composite", record.type.baseName())
                                  : fmt::format("column notation .{} applied to type {}, which is not a composite type",
                                                wanted, record.type.baseName()))
        .position(leftmostPosition(record));
  if (record.type.definition() != 0) {
    state_.addType(record.type);
    return recordFields(record.type.definition());
  }
  if (record.kind == Kind::Column)
    if (const auto shape = state_.record_shapes.find(record.iu); shape != state_.record_shapes.end())
      return shape->second;
  if (record.kind == Kind::Let) return fieldsOf(*record.children[1], wanted);
  // A row that outer joins make NULL, or the end of its set.
  const Expression& made = record.kind == Kind::Case ? *record.children[1] : record;
  std::vector<RecordField> fields;
  if (!isMadeHere(made)) return fields;
  std::string_view names = made.children[0]->value.bytes;
  for (size_t i = 1; i < made.children.size(); ++i) {
    RecordField field{fmt::format("f{}", i), made.children[i]->type};
    if (!names.empty()) {
      field.name = names.substr(0, names.find('\0'));
      names.remove_prefix(field.name.size() + 1);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

ExpressionPtr ExpressionBinder::fieldOf(ExpressionPtr record, const std::vector<RecordField>& fields, size_t index) {
  const int32_t position = record->position;
  if (isMadeHere(*record)) {
    ExpressionPtr field = std::move(record->children[index + 1]);
    return field;
  }
  ExpressionPtr field = fieldAt(std::move(record), index, fields[index].type);
  field->position = position;
  return field;
}

ExpressionPtr ExpressionBinder::bindField(const ast::Expression& node) {
  if (node.is_star) throwNotSupported("all fields of a row outside of a list of columns", node.position);
  const std::string& name = node.names[0];
  const ast::Expression& inner = *node.children[0];
  ExpressionPtr record = bind(inner);
  if (ExpressionPtr field = tryField(record, name)) return field;
  if (ExpressionPtr call = bindCallOfValue(name, *record, &inner, leftmostPosition(*record))) return call;
  fieldsOf(*record, name);
  const bool is_item = inner.kind == NodeKind::Column && (record->kind == Kind::Case || isMadeHere(*record));
  throw SqlError(sqlstate::kUndefinedColumn,
                 is_item ? fmt::format("column {}.{} does not exist", inner.names.back(), name)
                 : record->type.definition() == 0
                     ? fmt::format("could not identify column \"{}\" in record data type", name)
                     : fmt::format("column \"{}\" not found in data type {}", name, record->type.baseName()))
      .position(leftmostPosition(*record));
}

std::vector<std::pair<std::string, ExpressionPtr>> ExpressionBinder::bindAllFields(const ast::Expression& node) {
  return fieldsOfRecord(bind(*node.children[0]));
}

std::vector<std::pair<std::string, ExpressionPtr>> ExpressionBinder::bindVariableFields(const ast::Expression& star) {
  const VariableNames* const variables = variablesHere();
  const auto isRange = [&](const Scope& scope) { return scope.findRange(star.names) != nullptr; };
  if (variables == nullptr || star.names.empty() || scopeThat(isRange) != nullptr) return {};
  ExpressionPtr record = bindVariable(*variables, star);
  if (!record) return {};
  return fieldsOfRecord(std::move(record));
}

/// Each field of the value.
std::vector<std::pair<std::string, ExpressionPtr>> ExpressionBinder::fieldsOfRecord(ExpressionPtr record) {
  std::vector<std::pair<std::string, ExpressionPtr>> result;
  const std::vector<RecordField> fields = fieldsOf(*record, "");
  if (fields.empty() && record->type.definition() == 0)
    throw SqlError(sqlstate::kWrongObjectType, "record type has not been registered");
  if (isMadeHere(*record)) {
    for (size_t i = 0; i < fields.size(); ++i) result.emplace_back(fields[i].name, std::move(record->children[i + 1]));
    return result;
  }
  for (size_t i = 0; i < fields.size(); ++i) result.emplace_back(fields[i].name, fieldOf(copy(*record), fields, i));
  return result;
}

std::pair<size_t, RecordField> ExpressionBinder::assignedField(const std::string& field, const Expression& record,
                                                               std::string_view name, int32_t position) {
  const Type type = record.type;
  if (!type.isRecord())
    throw SqlError(
        sqlstate::kDatatypeMismatch,
        fmt::format("cannot assign to field \"{}\" of column \"{}\" because its type {} is not a composite type", field,
                    name, type.baseName()))
        .position(position);
  const std::vector<RecordField> fields = fieldsOf(record, field);
  const auto found = std::ranges::find(fields, field, &RecordField::name);
  if (found == fields.end())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("cannot assign to field \"{}\" of column \"{}\" because there is no such column in data "
                               "type {}",
                               field, name, type.baseName()))
        .position(position);
  return {static_cast<size_t>(found - fields.begin()), *found};
}

ExpressionPtr ExpressionBinder::bindFieldAssignment(const std::string& field, ExpressionPtr column, ExpressionPtr value,
                                                    std::string_view name, int32_t position) {
  const Type type = column->type;
  const auto [index, found] = assignedField(field, *column, name, position);
  if (!Coercion::isPossible(*value, found.type, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("subfield \"{}\" is of type {} but expression is of type {}", field,
                               found.type.baseName(), value->type.baseName()))
        .hint("You will need to rewrite or cast the expression.")
        .position(position >= 0 ? position : leftmostPosition(*value));
  Arguments arguments;
  arguments.push_back(std::move(column));
  arguments.push_back(numberConstant(static_cast<int64_t>(index)));
  arguments.push_back(coercion_.toDomain(coercion_.toType(std::move(value), found.type, false), found.domain));
  return Expression::arrayCall(FunctionId::RecordAssign, type, std::move(arguments));
}

/// Both sides are of one enum, or both are rows; a literal takes the type of the other side.
ExpressionPtr ExpressionBinder::bindDefinedComparison(std::string_view name, Arguments& arguments, int32_t position) {
  const auto isDefined = [](const ExpressionPtr& argument) {
    return argument->type.isEnum() || argument->type.isRecord();
  };
  const auto comparison = std::ranges::find(kComparisons, name, &std::pair<std::string_view, FunctionId>::first);
  if (comparison == std::end(kComparisons) || arguments.size() != 2 || std::ranges::none_of(arguments, isDefined))
    return nullptr;
  const Type type = (isDefined(arguments[0]) ? arguments[0] : arguments[1])->type;
  for (ExpressionPtr& argument : arguments) {
    const bool fits = argument->type.kind == TypeKind::Unknown ||
                      (argument->type.kind == type.kind && (type.isRecord() || argument->type.isSameAs(type)));
    if (!fits) return nullptr;
  }
  Arguments sides;
  for (ExpressionPtr& argument : arguments)
    sides.push_back(argument->type.kind == TypeKind::Unknown ? coercion_.toKind(std::move(argument), type)
                                                             : std::move(argument));
  ExpressionPtr call = Expression::call(comparison->second, Type::of(TypeKind::Boolean), std::move(sides));
  call->position = position;
  return call;
}

ExpressionPtr ExpressionBinder::bindEnumFunction(std::string_view name, Arguments& arguments, int32_t position) {
  const bool is_range = name == "enum_range";
  if (name != "enum_first" && name != "enum_last" && !is_range) return nullptr;
  if (arguments.empty() || arguments.size() > (is_range ? 2U : 1U)) return nullptr;
  const auto found = std::ranges::find_if(arguments, [](const ExpressionPtr& each) { return each->type.isEnum(); });
  const auto fail = [&] { throwNoFunction({std::string(name)}, arguments, OverloadOutcome::None, position); };
  if (found == arguments.end()) fail();
  const Type type = (*found)->type;
  for (ExpressionPtr& argument : arguments) {
    if (!Coercion::isPossible(*argument, type, CastContext::Implicit)) fail();
    argument = coercion_.toKind(std::move(argument), type);
  }
  state_.is_immutable = false;
  state_.addType(type);
  const FunctionId function = is_range               ? FunctionId::EnumRange
                              : name == "enum_first" ? FunctionId::EnumFirst
                                                     : FunctionId::EnumLast;
  ExpressionPtr call = Expression::arrayCall(function, is_range ? type.array() : type, std::move(arguments));
  call->position = position;
  return call;
}

}  // namespace gnomon::sql
