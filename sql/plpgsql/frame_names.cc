#include "sql/plpgsql/frame_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"

namespace gnomon::sql::plpgsql {
namespace {

size_t indexOf(const std::vector<RecordField>& fields, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(fields, name, &RecordField::name) - fields.begin());
}

}  // namespace

VariableNames::Conflict FrameNames::conflict() const {
  switch (layout_.routine().conflict) {
    case VariableConflict::Error:
      return Conflict::Error;
    case VariableConflict::UseVariable:
      return Conflict::UseVariable;
    case VariableConflict::UseColumn:
      return Conflict::UseColumn;
  }
  return Conflict::Error;
}

std::optional<Scopes::Found> FrameNames::lookUp(std::span<const std::string> names) const {
  const auto name = [&](size_t i) { return i < names.size() ? std::string_view(names[i]) : std::string_view(); };
  return layout_.routine().scopes.find(scope_, name(0), name(1), name(2));
}

/// Null: it has none yet.
const FrameLayout::Shape* FrameNames::shapeOf(DatumId record) const {
  const FrameLayout::ShapeId declared = layout_.declaredShape(record);
  FrameLayout::ShapeId id = declared;
  if (declared == FrameLayout::kNoShape && shape_now_) id = shape_now_(record);
  if (!shape_now_)
    for (const auto& [known, shape] : records_)
      if (known == record) id = shape;
  if (declared == FrameLayout::kNoShape && std::ranges::find(records_, std::pair(record, id)) == records_.end())
    records_.emplace_back(record, id);
  return id == FrameLayout::kNoShape ? nullptr : &layout_.shape(id);
}

const FrameLayout::Shape& FrameNames::requireShape(DatumId record) const {
  if (const FrameLayout::Shape* const shape = shapeOf(record)) return *shape;
  throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                 fmt::format("record \"{}\" is not assigned yet", layout_.routine().datum(record).name))
      .detail("The tuple structure of a not-yet-assigned record is indeterminate.");
}

bool FrameNames::knows(std::span<const std::string> names) const {
  const auto found = lookUp(names);
  if (!found || found->names_used == names.size()) return found.has_value();
  const FrameLayout::Shape* const shape = found->is_record ? shapeOf(found->datum) : nullptr;
  // A field that the body names is looked up, also where a column has the name.
  if (found->is_record && conflict() == Conflict::Error)
    static_cast<void>(fieldSlot(found->datum, names[found->names_used]));
  return shape != nullptr && indexOf(shape->fields, names[found->names_used]) < shape->fields.size();
}

ExpressionPtr FrameNames::parameter(uint32_t slot, std::vector<Type>& parameters) const {
  uint32_t number = slot;
  if (numbering_ == Numbering::Dense) {
    number = static_cast<uint32_t>(std::ranges::find(slots_, slot) - slots_.begin());
    if (number == slots_.size()) slots_.push_back(slot);
  }
  if (parameters.size() <= number) parameters.resize(number + 1);
  auto result = std::make_unique<Expression>();
  result->kind = Expression::Kind::Parameter;
  result->parameter = number;
  result->type = parameters[number] = layout_.typeOf(slot);
  return result;
}

ExpressionPtr FrameNames::valueOf(DatumId datum, std::vector<Type>& parameters) const {
  const Datum& variable = layout_.routine().datum(datum);
  if (variable.kind == Datum::Kind::Variable) return parameter(layout_.slotOf(datum), parameters);
  const Type type = variable.type.type;
  const FrameLayout::Shape* const found = shapeOf(datum);
  if (found == nullptr) return Expression::constant(Value::null(type));
  const FrameLayout::Shape& shape = *found;
  std::string names;
  for (const RecordField& field : shape.fields) names.append(field.name).push_back('\0');
  const Type text = Type::of(TypeKind::Text);
  std::vector<ExpressionPtr> fields;
  fields.push_back(Expression::constant(type.definition() != 0 ? Value::null(text) : Value::fromString(text, names)));
  for (uint32_t i = 0; i < shape.fields.size(); ++i) fields.push_back(parameter(shape.first_slot + i, parameters));
  ExpressionPtr row = Expression::arrayCall(FunctionId::MakeRecord, type, std::move(fields));
  if (type.definition() == 0) return row;
  // A variable of a row type may be NULL as a whole.
  auto result = std::make_unique<Expression>();
  result->kind = Expression::Kind::Case;
  result->type = type;
  std::vector<ExpressionPtr> state;
  state.push_back(parameter(layout_.slotOf(datum), parameters));
  result->children.push_back(Expression::logic(Expression::Kind::IsNotNull, std::move(state)));
  result->children.push_back(std::move(row));
  result->children.push_back(Expression::constant(Value::null(type)));
  return result;
}

uint32_t FrameNames::fieldSlot(DatumId record, const std::string& field) const {
  const FrameLayout::Shape& shape = requireShape(record);
  const size_t index = indexOf(shape.fields, field);
  if (index == shape.fields.size())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("record \"{}\" has no field \"{}\"", layout_.routine().datum(record).name, field));
  return shape.first_slot + static_cast<uint32_t>(index);
}

uint32_t FrameNames::fieldDomain(DatumId record, const std::string& field) const {
  const FrameLayout::Shape& shape = requireShape(record);
  return shape.fields[fieldSlot(record, field) - shape.first_slot].domain;
}

ExpressionPtr FrameNames::find(std::span<const std::string> names, std::vector<Type>& parameters) const {
  const auto found = lookUp(names);
  if (!found) return nullptr;
  std::span<const std::string> rest = names.subspan(found->names_used);
  if (rest.empty()) return valueOf(found->datum, parameters);
  if (!found->is_record) return nullptr;
  ExpressionPtr value = parameter(fieldSlot(found->datum, rest.front()), parameters);
  for (rest = rest.subspan(1); !rest.empty(); rest = rest.subspan(1)) {
    if (!value->type.isRecord() || value->type.definition() == 0) return nullptr;
    const std::vector<RecordField> fields = recordFields(value->type.definition());
    const size_t index = indexOf(fields, rest.front());
    if (index == fields.size()) return nullptr;
    value = fieldAt(std::move(value), index, fields[index].type);
  }
  return value;
}

uint32_t FrameNames::cursorNumber(const std::string& name) const {
  const auto found = lookUp({&name, 1});
  if (!found || found->is_record || !layout_.routine().datum(found->datum).type.is_cursor) return 0;
  return found->datum.value + 1;
}

std::vector<std::string> FrameNames::fieldsOf(std::span<const std::string> names) const {
  const auto found = lookUp(names);
  std::vector<std::string> fields;
  if (!found || !found->is_record || found->names_used != names.size()) return fields;
  for (const RecordField& field : requireShape(found->datum).fields) fields.push_back(field.name);
  return fields;
}

ExpressionPtr FrameNames::find(uint32_t number, std::vector<Type>& parameters) const {
  if (number == kExtraParameter && extra_ != kNoDatum) return valueOf(extra_, parameters);
  const std::vector<DatumId>& inputs = layout_.routine().inputs;
  return number == 0 || number > inputs.size() ? nullptr : valueOf(inputs[number - 1], parameters);
}

}  // namespace gnomon::sql::plpgsql
