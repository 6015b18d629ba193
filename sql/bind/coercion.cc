#include "sql/bind/coercion.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/collation.h"
#include "sql/bind/object_literal.h"
#include "sql/bind/stored_text.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/user_types.h"
#include "sql/functions/overload.h"
#include "sql/types/datetime_text.h"
#include "sql/types/decimal.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool isUnknownParameter(const Expression& expression) {
  return expression.kind == Kind::Parameter && expression.type.kind == TypeKind::Unknown;
}
bool isNullConstant(const Expression& expression) {
  return expression.kind == Kind::Constant && expression.value.is_null;
}

std::vector<ExpressionPtr> listOf(ExpressionPtr only) {
  std::vector<ExpressionPtr> list;
  list.push_back(std::move(only));
  return list;
}

ExpressionPtr replaceConstant(const Expression& old, Value value) {
  ExpressionPtr result = Expression::constant(std::move(value));
  result->position = old.position;
  return result;
}

/// What the input function of a literal is told: of the modifiers only interval's. The others are a cast afterwards.
Type inputType(Type target) {
  if (target.kind == TypeKind::Interval || target.typmod < 0 || target.isDefined()) return target;
  return target.kind == TypeKind::Numeric ? Type::bigNumeric() : Type::of(target.kind);
}

/// Whether literals of it, or of arrays of it, mean what the session's settings say; rows may have such fields.
bool isReadByStyle(Type type) {
  const TypeKind kind = type.isArray() ? type.element().kind : type.kind;
  return isDatetime(kind) || kind == TypeKind::Interval || kind == TypeKind::Record;
}

/// Whether rows of the relation are such of the table by themselves: it is a partition below it.
bool isPartOf(uint32_t relation, uint32_t table) {
  TablePtr entry = findTypeEntry(relation);
  while (entry && entry->partition && entry->partition->parent != table)
    entry = findTypeEntry(entry->partition->parent);
  return entry && entry->partition;
}

}  // namespace

int32_t leftmostPosition(const Expression& expression) {
  int32_t position = expression.position;
  for (const ExpressionPtr& child : expression.children) {
    const int32_t inner = leftmostPosition(*child);
    if (inner >= 0 && (position < 0 || inner < position)) position = inner;
  }
  return position;
}

bool Coercion::isPossible(const Expression& expression, WantedKind wanted, CastContext context) {
  const Type from = expression.type;
  if (from.kind == TypeKind::Unknown) return true;
  if (from.kind != wanted.kind) return castContext(from.kind, wanted.kind) >= context;
  if (!from.isDefined() || from.isSameAs(wanted.type())) return true;
  // A row of no relation in particular may be any, as far as its fields fit.
  if (!from.isRecord()) return false;
  return wanted.definition < 0 || from.definition() == 0 || isPartOf(from.definition(), wanted.type().definition());
}

void Coercion::refresh(Expression& expression) const {
  if (isUnknownParameter(expression)) expression.type = state_.parameters[expression.parameter];
}

void Coercion::decideParameter(Expression& parameter, WantedKind wanted) {
  Type& known = state_.parameters[parameter.parameter];
  if (known.kind == TypeKind::Unknown) known = wanted.type();
  if (!known.isSameAs(wanted.type()))
    throw SqlError(SqlState("42P08"),
                   fmt::format("inconsistent types deduced for parameter ${}", parameter.parameter + 1))
        .detail(known.baseName() + " versus " + wanted.type().baseName())
        .position(parameter.position);
  parameter.type = known;
}

ExpressionPtr Coercion::convertConstant(ExpressionPtr constant, Type target, bool is_explicit) {
  if (target.isDefined()) state_.addType(target);
  if (constant->value.is_null) return replaceConstant(*constant, Value::null(target));
  // The text of a bytea depends on bytea_output when the statement is executed.
  if (constant->type.kind == TypeKind::Bytea && target.isString())
    return Expression::cast(std::move(constant), target, is_explicit);
  // What a name stands for is found out each time, or what stands for a number.
  if (constant->type.isRegistered() && (target.isString() || target.kind == TypeKind::Oid))
    return Expression::cast(std::move(constant), target, is_explicit);
  if (constant->type.isString() && target.isRegistered()) return convertObjectName(std::move(constant), target);
  const bool is_kept = constant->type.kind == TypeKind::Unknown && state_.read_literals != nullptr;
  if (constant->type.isString() && isDatetime(target.kind) && !is_kept && namesMoment(constant->value.bytes))
    return convertMoment(std::move(constant), target);
  if (constant->type.kind == TypeKind::Unknown) {
    try {
      constant = replaceConstant(*constant, castValue(constant->value, inputType(target), is_explicit));
    } catch (SqlError& error) {
      throw error.position(constant->position);
    }
    if (is_kept && isReadByStyle(target)) state_.read_literals->push_back({constant->position, constant->value});
    if (constant->type == target) return constant;
  }
  try {
    return replaceConstant(*constant, castValue(constant->value, target, is_explicit));
  } catch (const SqlError&) {
    // A typed constant's conversion fails when it is executed, which may be never.
    return Expression::cast(std::move(constant), target, is_explicit);
  }
}

/// now, today and the like: which time that is the transaction says that executes the statement.
ExpressionPtr Coercion::convertMoment(ExpressionPtr constant, Type target) {
  try {
    castValue(constant->value, target, true);
  } catch (SqlError& error) {
    if (constant->type.kind == TypeKind::Unknown) throw error.position(constant->position);
  }
  state_.is_immutable = false;
  Value text = Value::fromString(Type::of(TypeKind::Text), constant->value.bytes);
  return Expression::cast(replaceConstant(*constant, std::move(text)), target, true);
}

/// There is such an object now.
ExpressionPtr Coercion::convertObjectName(ExpressionPtr constant, Type target) {
  const std::string_view text = constant->value.bytes;
  const bool is_literal = constant->type.kind == TypeKind::Unknown;
  if (const auto oid = is_literal ? oidOfLiteral(text) : std::nullopt)
    return replaceConstant(*constant, Value::fromInt(target, *oid));
  const bool was_immutable = state_.is_immutable;
  const bool is_number =
      text == "-" || (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos);
  state_.is_immutable = state_.is_immutable && is_number;
  if (!is_number && catalogSession() == nullptr) {
    // Nobody can say what it is before it is executed.
    return Expression::cast(replaceConstant(*constant, Value::fromString(Type::of(TypeKind::Text), text)), target,
                            true);
  }
  try {
    Value value = castValue(constant->value, target, true);
    const bool is_kept =
        is_literal && noteObjectLiteral(state_, constant->position, target, static_cast<uint32_t>(value.lo));
    if (is_kept) state_.is_immutable = was_immutable;
    if (is_number || is_kept) return replaceConstant(*constant, std::move(value));
  } catch (SqlError& error) {
    if (is_literal) throw error.position(constant->position);
  }
  Value name = Value::fromString(Type::of(TypeKind::Text), text);
  return Expression::cast(replaceConstant(*constant, std::move(name)), target, true);
}

ExpressionPtr Coercion::toKind(ExpressionPtr expression, WantedKind wanted) {
  const TypeKind kind = wanted.kind;
  if (expression->type.kind == kind && (wanted.definition < 0 || expression->type.isSameAs(wanted.type())))
    return expression;
  if (isUnknownParameter(*expression)) {
    decideParameter(*expression, wanted);
    return expression;
  }
  if (wanted.definition >= 0) return toType(std::move(expression), wanted.type(), false);
  if (kind != TypeKind::Numeric) return toType(std::move(expression), Type::of(kind), false);
  if (expression->kind != Kind::Constant) {
    const Type target = NumericTyping::fromKind(expression->type);
    return toType(std::move(expression), target, false);
  }
  ExpressionPtr big = convertConstant(std::move(expression), Type::bigNumeric(), false);
  return big->isConstant() ? replaceConstant(*big, NumericTyping::constant(big->value)) : std::move(big);
}

ExpressionPtr Coercion::toType(ExpressionPtr expression, Type target, bool is_explicit) {
  if (isUnknownParameter(*expression)) decideParameter(*expression, target);
  if (expression->type == target) return expression;
  if (expression->type.isRecord() && target.isRecord()) return toRecord(std::move(expression), target, is_explicit);
  if (expression->kind != Kind::Constant) return Expression::cast(std::move(expression), target, is_explicit);
  ExpressionPtr converted = convertConstant(std::move(expression), target, is_explicit);
  if (converted->kind == Kind::Constant && target.may_be_nan != 0) converted->type = converted->value.type = target;
  return converted;
}

/// As toType; but what cannot be NaN does not become what may be.
ExpressionPtr Coercion::toDeclared(ExpressionPtr expression, Type target, bool is_explicit) {
  const Type source = expression->type;
  if (source.isInteger() || (source.isFixedNumeric() && source.may_be_nan == 0)) target = target.withNan(false);
  ExpressionPtr result = toType(std::move(expression), target, is_explicit);
  if (result->kind == Kind::Constant && result->type.may_be_nan != 0 && !isNan(result->value))
    result->type = result->value.type = target.withNan(false);
  return result;
}

/// Each field of a row is converted by itself.
ExpressionPtr Coercion::toRecord(ExpressionPtr record, Type target, bool is_explicit) {
  if (target.definition() == 0)
    return Expression::arrayCall(FunctionId::RetypeRecord, target, listOf(std::move(record)));
  const auto refuse = [&](std::string detail) {
    throw SqlError(sqlstate::kCannotCoerce,
                   fmt::format("cannot cast type {} to {}", record->type.baseName(), target.baseName()))
        .detail(std::move(detail))
        .position(is_explicit ? -1 : leftmostPosition(*record));
  };
  if (record->kind == Kind::Constant) return replaceConstant(*record, Value::null(target));
  if (record->type.definition() != 0) {
    // A partition may have its columns in another order than its table.
    state_.addType(record->type);
    state_.addType(target);
    const int32_t position = record->position;
    ExpressionPtr row = Expression::arrayCall(FunctionId::RetypeRecord, target, listOf(std::move(record)));
    row->position = position;
    row->is_explicit = is_explicit;
    return row;
  }
  if (record->kind != Kind::ArrayCall || record->function != FunctionId::MakeRecord)
    throwNotSupported(fmt::format("a cast of any row to {}", target.baseName()), record->position);
  const std::vector<RecordField> fields = recordFields(target.definition());
  state_.addType(target);
  record->children[0] = Expression::constant(Value::null(Type::of(TypeKind::Text)));
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i + 1 >= record->children.size()) refuse("Input has too few columns.");
    ExpressionPtr& value = record->children[i + 1];
    const CastContext context = is_explicit ? CastContext::Explicit : CastContext::Assignment;
    if (!isPossible(*value, fields[i].type, context))
      refuse(fmt::format("Cannot cast type {} to {} in column {}.", value->type.baseName(), fields[i].type.baseName(),
                         i + 1));
    value = toDomain(toType(std::move(value), fields[i].type, is_explicit), fields[i].domain);
  }
  if (record->children.size() - 1 > fields.size()) refuse("Input has too many columns.");
  record->type = target;
  record->is_explicit = is_explicit;
  return record;
}

ExpressionPtr Coercion::toBig(ExpressionPtr expression) {
  if (expression->type.isBig()) return expression;
  return toType(std::move(expression), Type::bigNumeric(), false);
}

ExpressionPtr Coercion::castExplicitly(ExpressionPtr expression, Type target, int32_t position) {
  if (!isPossible(*expression, target, CastContext::Explicit))
    throw SqlError(sqlstate::kCannotCoerce,
                   fmt::format("cannot cast type {} to {}", expression->type.baseName(), target.baseName()))
        .position(position);
  if (target.kind == TypeKind::Numeric && target.typmod < 0) {
    if (expression->type.kind != TypeKind::Numeric) return toKind(std::move(expression), TypeKind::Numeric);
    target = NumericTyping::fromKind(expression->type);
  }
  if (!target.isRecord()) return toDeclared(std::move(expression), target, true);
  try {
    return toType(std::move(expression), target, true);
  } catch (SqlError& error) {
    throw error.position(position);
  }
}

ExpressionPtr Coercion::toDomain(ExpressionPtr value, uint32_t domain) {
  if (domain == 0) return value;
  for (uint32_t oid = domain; oid != 0;) {
    const TablePtr entry = findTypeEntry(oid);
    if (!entry) break;
    state_.addTable(entry);
    addRoutinesOfChecks(state_, *entry);
    oid = entry->type->base_domain;
  }
  const Type type = value->type;
  std::vector<ExpressionPtr> arguments = listOf(std::move(value));
  arguments.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Oid), domain)));
  ExpressionPtr checked = Expression::arrayCall(FunctionId::CheckDomain, type, std::move(arguments));
  checked->is_explicit = false;  // it is not written
  return checked;
}

ExpressionPtr Coercion::assign(ExpressionPtr expression, Type target, std::string_view column, bool is_default) {
  if (!isPossible(*expression, target, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("column \"{}\" is of type {} but {} is of type {}", column, target.baseName(),
                               is_default ? "default expression" : "expression", expression->type.baseName()))
        .hint("You will need to rewrite or cast the expression.")
        .position(is_default ? -1 : leftmostPosition(*expression));
  if (isUnknownParameter(*expression)) decideParameter(*expression, target);
  if (!target.isRecord()) return toDeclared(std::move(expression), target, false);
  const int32_t position = expression->position;
  try {
    return toType(std::move(expression), target, false);
  } catch (SqlError& error) {
    throw error.position(position);
  }
}

ExpressionPtr Coercion::require(ExpressionPtr expression, TypeKind kind, std::string_view clause) {
  if (!isPossible(*expression, kind, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch, fmt::format("argument of {} must be type {}, not type {}", clause,
                                                            Type::of(kind).baseName(), expression->type.baseName()))
        .position(leftmostPosition(*expression));
  return toKind(std::move(expression), kind);
}

ExpressionPtr Coercion::vectorAsArray(ExpressionPtr expression) {
  if (!expression->type.isVector()) return expression;
  const Type array = expression->type.vectorArray();
  return toType(std::move(expression), array, false);
}

ExpressionPtr Coercion::settle(ExpressionPtr expression) {
  return expression->type.kind == TypeKind::Unknown ? toKind(std::move(expression), TypeKind::Text)
                                                    : std::move(expression);
}

ExpressionPtr Coercion::settleAny(ExpressionPtr expression) {
  if (!isUnknownParameter(*expression)) return settle(std::move(expression));
  state_.untyped_uses.emplace_back(expression->parameter, expression->position);
  return expression;
}

TypeKind Coercion::commonKind(std::span<const Expression* const> expressions, std::string_view context) {
  TypeKind chosen = TypeKind::Unknown;
  WantedKind shown = chosen;
  // Rows of a relation are in another category than those of none.
  const auto isAlike = [&](const Type& type) {
    return categoryOf(type.kind) == categoryOf(chosen) &&
           (!type.isRecord() || (type.definition() == 0) == (shown.type().definition() == 0));
  };
  for (const Expression* expression : expressions) {
    const TypeKind kind = expression->type.kind;
    if (kind == TypeKind::Unknown || (kind == chosen && kind != TypeKind::Record)) continue;
    if (chosen == TypeKind::Unknown) {
      chosen = kind;
      shown = expression->type;
    } else if (!isAlike(expression->type)) {
      if (context.empty()) return TypeKind::Unknown;
      throw SqlError(sqlstate::kDatatypeMismatch,
                     fmt::format("{} types {} and {} cannot be matched", context, shown.type().baseName(),
                                 WantedKind(expression->type).type().baseName()))
          .position(leftmostPosition(*expression));
    } else if (!isPreferred(chosen) && coercesImplicitly(chosen, kind) && !coercesImplicitly(kind, chosen)) {
      chosen = kind;
      shown = expression->type;
    }
  }
  return chosen == TypeKind::Unknown ? TypeKind::Text : chosen;
}

WantedKind Coercion::commonType(std::span<const Expression* const> expressions, std::string_view context) {
  const TypeKind kind = commonKind(expressions, context);
  const Expression* chosen = nullptr;
  for (const Expression* expression : expressions) {
    if (expression->type.kind != kind) continue;
    const bool is_above = chosen != nullptr && kind == TypeKind::Record && expression->type.definition() != 0 &&
                          isPartOf(chosen->type.definition(), expression->type.definition());
    if (chosen == nullptr || is_above) chosen = expression;
  }
  return chosen == nullptr ? WantedKind(kind) : WantedKind(chosen->type);
}

Type Coercion::unify(std::span<ExpressionPtr* const> expressions, std::string_view context) {
  std::vector<const Expression*> views;
  for (ExpressionPtr* expression : expressions) {
    views.push_back(expression->get());
  }
  const WantedKind wanted = commonType(views, context);
  const TypeKind kind = wanted.kind;
  int32_t typmod = views.empty() ? -1 : views[0]->type.typmod;
  for (const Expression* view : views)
    if (view->type.kind != kind || view->type.typmod != typmod) typmod = -1;
  for (ExpressionPtr* expression : expressions) {
    if (!isPossible(**expression, wanted, CastContext::Implicit))
      throw SqlError(sqlstate::kCannotCoerce, fmt::format("{} could not convert type {} to {}", context,
                                                          (*expression)->type.baseName(), wanted.type().baseName()))
          .position(leftmostPosition(**expression));
    *expression = toKind(std::move(*expression), wanted);
  }
  if (wanted.type().isDefined()) return wanted.type();
  if (kind == TypeKind::Numeric) return unifyNumerics(expressions, typmod);
  Type type = Type::of(kind, typmod);
  if (state_.has_collations && isCollatable(type)) {
    DerivedCollation derived;
    for (ExpressionPtr* expression : expressions) mergeCollation(derived, derivedCollation(**expression));
    type.collation = derived.collation;
  }
  for (ExpressionPtr* expression : expressions) {
    // Values of a longer or shorter varchar are relabelled, not cut.
    if ((*expression)->type.typmod != typmod) *expression = toType(std::move(*expression), type, false);
    (*expression)->type.collation = type.collation;
  }
  return type;
}

Type Coercion::unifyNumerics(std::span<ExpressionPtr* const> expressions, int32_t typmod) {
  Type type;
  bool is_set = false;
  for (ExpressionPtr* expression : expressions) {
    if (isNullConstant(**expression)) continue;
    type = is_set ? typing_.common(type, (*expression)->type) : (*expression)->type;
    is_set = true;
  }
  if (!is_set) type = Type::decimal(1, 0);
  type.typmod = typmod;
  for (ExpressionPtr* expression : expressions) *expression = toType(std::move(*expression), type, false);
  return type;
}

void Coercion::alignBig(std::span<ExpressionPtr> expressions) {
  const auto isBig = [](const ExpressionPtr& expression) { return expression->type.isBig(); };
  if (!std::ranges::any_of(expressions, isBig)) return;
  for (ExpressionPtr& expression : expressions)
    if (expression->type.kind == TypeKind::Numeric) expression = toBig(std::move(expression));
}

}  // namespace gnomon::sql
