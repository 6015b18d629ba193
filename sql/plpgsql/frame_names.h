#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sql/bind/variable_names.h"
#include "sql/plpgsql/frame_layout.h"

namespace gnomon::sql::plpgsql {

/// The variables that a fragment may name, as parameters. What they are depends on the shapes that records have when
/// the fragment is bound.
///
/// Threads: one at a time. Lifetime: the layout's at most, unless fix() was called.
class FrameNames final : public VariableNames {
 public:
  enum class Numbering : uint8_t {
    Slots,  ///< a parameter's number is its slot
    Dense,  ///< they are numbered as they are met: slots()
  };
  using ShapeNow = std::function<FrameLayout::ShapeId(DatumId record)>;
  /// What $n, with a number that no routine has an input of, stands for.
  static constexpr uint32_t kExtraParameter = 65'535;

  FrameNames(const FrameLayout& layout, ScopeId scope, Numbering numbering, ShapeNow shape_now)
      : layout_(layout), scope_(scope), numbering_(numbering), shape_now_(std::move(shape_now)) {}
  /// From now on records have the shapes with which they were met, also when it is bound again. `layout` is the one of
  /// the constructor.
  void fix(std::shared_ptr<const FrameLayout> layout) {
    kept_layout_ = std::move(layout);
    shape_now_ = nullptr;
  }
  /// The variable that kExtraParameter stands for.
  void setExtra(DatumId variable) { extra_ = variable; }

  [[nodiscard]] Conflict conflict() const override;
  [[nodiscard]] bool knows(std::span<const std::string> names) const override;
  ExpressionPtr find(std::span<const std::string> names, std::vector<Type>& parameters) const override;
  ExpressionPtr find(uint32_t number, std::vector<Type>& parameters) const override;
  [[nodiscard]] uint32_t cursorNumber(const std::string& name) const override;
  /// The names of a record's fields, as it is now; empty: the names are no record's.
  [[nodiscard]] std::vector<std::string> fieldsOf(std::span<const std::string> names) const;
  /// A variable, or a record as a row.
  ExpressionPtr valueOf(DatumId datum, std::vector<Type>& parameters) const;
  /// A field of a record as it is now. Failure: 42703, 55000.
  [[nodiscard]] uint32_t fieldSlot(DatumId record, const std::string& field) const;
  /// Likewise what the field has to do with a domain (domainOid()).
  [[nodiscard]] uint32_t fieldDomain(DatumId record, const std::string& field) const;

  /// Of each parameter, with Numbering::Dense.
  [[nodiscard]] const std::vector<uint32_t>& slots() const { return slots_; }
  /// The records that were read, and the shapes for which what was made of them is good.
  [[nodiscard]] const std::vector<std::pair<DatumId, FrameLayout::ShapeId>>& records() const { return records_; }

 private:
  [[nodiscard]] std::optional<Scopes::Found> lookUp(std::span<const std::string> names) const;
  [[nodiscard]] const FrameLayout::Shape* shapeOf(DatumId record) const;
  [[nodiscard]] const FrameLayout::Shape& requireShape(DatumId record) const;
  ExpressionPtr parameter(uint32_t slot, std::vector<Type>& parameters) const;

  const FrameLayout& layout_;
  const ScopeId scope_;
  const Numbering numbering_;
  ShapeNow shape_now_;
  std::shared_ptr<const FrameLayout> kept_layout_;
  DatumId extra_ = kNoDatum;
  mutable std::vector<uint32_t> slots_;
  mutable std::vector<std::pair<DatumId, FrameLayout::ShapeId>> records_;
};

}  // namespace gnomon::sql::plpgsql
