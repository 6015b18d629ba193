#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/bind/bind_state.h"
#include "sql/functions/numeric_typing.h"
#include "sql/types/cast.h"

namespace gnomon::sql {

/// Where PostgreSQL says an expression begins: the leftmost position in it.
int32_t leftmostPosition(const Expression& expression);

/// A kind to be had, and of kinds that stand for many types which one.
struct WantedKind {
  TypeKind kind;
  int32_t definition = -1;  ///< Type::typmod

  WantedKind(TypeKind wanted) : kind(wanted) {}  // NOLINT: as good as
  WantedKind(const Type& type) : kind(type.kind), definition(type.isDefined() ? type.typmod : -1) {}  // NOLINT
  [[nodiscard]] Type type() const { return Type::of(kind, definition); }
};

/// Makes expressions have types: literals and parameters without a type get one, others a cast.
class Coercion {
 public:
  explicit Coercion(BindState& state) : state_(state), typing_(state.context.unlimited_numerics) {}

  /// Whether the expression becomes a `kind` in this context.
  [[nodiscard]] static bool isPossible(const Expression& expression, WantedKind wanted, CastContext context);
  /// The expression as a value of the kind, without modifier. The cast must be possible.
  ExpressionPtr toKind(ExpressionPtr expression, WantedKind wanted);
  /// The expression as a value of exactly the type. The cast must be possible.
  ExpressionPtr toType(ExpressionPtr expression, Type target, bool is_explicit);
  /// The numeric expression in Big form.
  ExpressionPtr toBig(ExpressionPtr expression);
  /// CAST(expression AS target). Failure: 42846.
  ExpressionPtr castExplicitly(ExpressionPtr expression, Type target, int32_t position);
  /// The value, of the type below the domain, as one of it; 0: as it is.
  ExpressionPtr toDomain(ExpressionPtr value, uint32_t domain);
  /// For INSERT and DEFAULT. Failure: 42804 `column "a" is of type x but expression is of type y`; a default expression
  /// is called that and has no position.
  ExpressionPtr assign(ExpressionPtr expression, Type target, std::string_view column, bool is_default = false);
  /// A condition or a limit. Failure: 42804 `argument of WHERE must be type boolean, not type integer`.
  ExpressionPtr require(ExpressionPtr expression, TypeKind kind, std::string_view clause);
  /// An int2vector or oidvector as the array that it is held as; anything else as it is.
  ExpressionPtr vectorAsArray(ExpressionPtr expression);
  /// What remains unknown becomes text.
  ExpressionPtr settle(ExpressionPtr expression);
  /// Where any type is taken: literals become text, but a parameter remains unknown, which is an error in the end.
  ExpressionPtr settleAny(ExpressionPtr expression);

  /// The type PostgreSQL finds for values that meet in one place; Unknown when they do not match and `context` is
  /// empty. Failure: 42804 `CASE types integer and text cannot be matched`.
  static TypeKind commonKind(std::span<const Expression* const> expressions, std::string_view context);
  /// The same with the type's definition.
  static WantedKind commonType(std::span<const Expression* const> expressions, std::string_view context);
  /// Gives all expressions one type and returns it. Failure: 42804, 42846.
  Type unify(std::span<ExpressionPtr* const> expressions, std::string_view context);
  /// Numeric expressions with a Big one among them: all become Big.
  void alignBig(std::span<ExpressionPtr> expressions);

  /// Takes over what has been found out about a parameter's type since the expression was made.
  void refresh(Expression& expression) const;
  [[nodiscard]] const NumericTyping& typing() const { return typing_; }

 private:
  void decideParameter(Expression& parameter, WantedKind wanted);
  ExpressionPtr toDeclared(ExpressionPtr expression, Type target, bool is_explicit);
  ExpressionPtr toRecord(ExpressionPtr record, Type target, bool is_explicit);
  ExpressionPtr convertConstant(ExpressionPtr constant, Type target, bool is_explicit);
  ExpressionPtr convertMoment(ExpressionPtr constant, Type target);
  ExpressionPtr convertObjectName(ExpressionPtr constant, Type target);
  Type unifyNumerics(std::span<ExpressionPtr* const> expressions, int32_t typmod);

  BindState& state_;
  const NumericTyping typing_;
};

}  // namespace gnomon::sql
