#include "sql/plpgsql/frame_layout.h"

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/user_types.h"
#include "sql/types/record_value.h"

namespace gnomon::sql::plpgsql {

std::vector<RecordField> declaredFields(const VariableType& type) {
  return type.type.definition() == 0 ? std::vector<RecordField>{} : recordFields(type.type.definition());
}

FrameLayout::FrameLayout(const Routine& routine)
    : routine_(routine), slots_of_datums_(routine.datums.size(), 0), declared_(routine.datums.size(), kNoShape) {
  for (uint32_t i = 0; i < routine.datums.size(); ++i) {
    const Datum& datum = routine.datums[i];
    if (datum.kind == Datum::Kind::Variable) slots_of_datums_[i] = addSlot(heldInRecord(datum.type.type));
    if (datum.kind != Datum::Kind::Record) continue;
    slots_of_datums_[i] = addSlot(Type::of(TypeKind::Bigint));
    if (datum.type.type.definition() != 0) declared_[i] = shapeOf(DatumId{i}, declaredFields(datum.type));
  }
}

uint32_t FrameLayout::addSlot(Type type) {
  types_.push_back(type);
  return slotCount() - 1;
}

FrameLayout::ShapeId FrameLayout::shapeOf(DatumId record, const std::vector<RecordField>& fields) {
  static constexpr size_t kShapesMax = 10'000;
  const auto isSame = [](const RecordField& a, const RecordField& b) { return a.name == b.name && a.type == b.type; };
  for (ShapeId id = 1; id <= shapes_.size(); ++id)
    if (shape(id).record == record && std::ranges::equal(shape(id).fields, fields, isSame)) return id;
  if (shapes_.size() >= kShapesMax)
    throw SqlError(sqlstate::kStatementTooComplex, "too many kinds of rows in one record variable");
  Shape& made = shapes_.emplace_back(Shape{record, slotCount(), fields});
  for (RecordField& field : made.fields) addSlot(field.type = heldInRecord(field.type));
  return static_cast<ShapeId>(shapes_.size());
}

}  // namespace gnomon::sql::plpgsql
