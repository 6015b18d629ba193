#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sql/catalog/user_types.h"
#include "sql/plpgsql/routine.h"

namespace gnomon::sql::plpgsql {

/// Where a routine that is executed has its values: numbered slots.
///
/// A scalar variable has one slot. A record has a slot for each of its fields, and one that says which fields these
/// are: a record without a declared row type takes those of whatever row it is given, so it has a *shape* for each
/// kind of row that it was ever given, with slots of their own. Shapes are numbered from 1 over the whole routine; 0:
/// the record has not been given a row.
///
/// Invariants:  L1  a record whose row type is declared has one shape
///              L2  what was handed out stays as it is: slots and shapes are only added
/// Threads: one at a time.
class FrameLayout {
 public:
  using ShapeId = uint32_t;
  static constexpr ShapeId kNoShape = 0;

  struct Shape {
    DatumId record;
    uint32_t first_slot = 0;  ///< of its fields, which follow each other
    std::vector<RecordField> fields;
  };

  explicit FrameLayout(std::shared_ptr<const Routine> routine);

  [[nodiscard]] const Routine& routine() const { return *routine_; }
  /// Of a scalar variable: its value. Of a record: the shape that it has, NULL while the whole row is NULL.
  [[nodiscard]] uint32_t slotOf(DatumId datum) const { return slots_of_datums_[datum.value]; }
  [[nodiscard]] const Shape& shape(ShapeId id) const { return shapes_[id - 1]; }
  /// The shape of a declared row type; kNoShape: any row's.
  [[nodiscard]] ShapeId declaredShape(DatumId record) const { return declared_[record.value]; }
  /// That of rows with these fields, found or made.
  ShapeId shapeOf(DatumId record, const std::vector<RecordField>& fields);
  /// A slot of nobody's.
  uint32_t addSlot(Type type);
  /// What a variable turns out to hold.
  void setType(DatumId variable, Type type) { types_[slotOf(variable)] = type; }
  [[nodiscard]] Type typeOf(uint32_t slot) const { return types_[slot]; }
  [[nodiscard]] uint32_t slotCount() const { return static_cast<uint32_t>(types_.size()); }

 private:
  const std::shared_ptr<const Routine> routine_;
  std::vector<Type> types_;
  std::vector<uint32_t> slots_of_datums_;
  std::vector<ShapeId> declared_;
  std::deque<Shape> shapes_;
};

/// The fields of a declared row type; none of type record.
std::vector<RecordField> declaredFields(const VariableType& type);

}  // namespace gnomon::sql::plpgsql
