#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/sql_error.h"
#include "sql/bind/binder.h"
#include "sql/bind/coercion.h"
#include "sql/plpgsql/frame_names.h"

namespace gnomon::sql::plpgsql {

/// What a value is computed for.
struct ValueTarget {
  Type type;  ///< Unknown: whatever type it has
  uint32_t domain = 0;
};

/// The value as one of the type, as assignments of PL/pgSQL make it: where there is no cast by way of its text. Null:
/// its text is not what a cast makes.
ExpressionPtr convertedTo(Coercion& coercion, ExpressionPtr value, const ValueTarget& target);

/// Binds those fragments that are expressions over variables alone, which code computes where they stand. Others are
/// statements, for whoever executes such.
///
/// Numerics have no bounds there: nothing of a routine is done twice. Threads: one.
class FragmentBinder {
 public:
  struct Bound {
    ExpressionPtr value;                                            ///< its parameters are slots
    std::vector<std::pair<DatumId, FrameLayout::ShapeId>> records;  ///< the shapes for which it is good
  };

  /// Both outlive it.
  FragmentBinder(const FrameLayout& layout, const BindContext& context) : layout_(layout), context_(context) {
    context_.unlimited_numerics = true;
  }

  /// None: it reads rows, or is not right; what is wrong with it is said when it is executed. `choices`: it is what
  /// CASE has behind WHEN, values that the variable is compared with; none: it is not. `failure`: gets what is wrong.
  std::optional<Bound> bind(const Fragment& fragment, const ValueTarget& target, const FrameNames::ShapeNow& shape_now,
                            DatumId compared = kNoDatum, std::optional<SqlError>* failure = nullptr);
  /// What a slot holds.
  std::optional<Bound> bindSlot(uint32_t slot, const ValueTarget& target);
  /// NULL, where a domain may have something against it.
  std::optional<Bound> bindNull(const ValueTarget& target);
  /// variable[subscript]... := value: the variable's new value.
  /// `rethrows`: what is wrong is thrown, with the place in the assignment's text.
  std::optional<Bound> bindElement(const Assignment& assignment, const FrameNames::ShapeNow& shape_now,
                                   bool rethrows = false);

  /// What the bound expressions use: they are good while these are the catalog's.
  [[nodiscard]] const std::vector<TablePtr>& used() const { return used_; }

 private:
  template <typename Bind>
  std::optional<Bound> attempt(ScopeId scope, const FrameNames::ShapeNow& shape_now, DatumId compared, Bind&& bind,
                               const std::function<void(SqlError&)>& failed = nullptr);

  [[nodiscard]] ExpressionPtr parameterOf(uint32_t slot) const;

  const FrameLayout& layout_;
  BindContext context_;
  std::vector<TablePtr> used_;
};

/// As SQL's grammar reads an expression's fragment: SELECT and the text. `compared` as above.
std::string selectText(const Routine& routine, const Fragment& fragment, DatumId compared = kNoDatum);

}  // namespace gnomon::sql::plpgsql
