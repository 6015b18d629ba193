#include "sql/plpgsql/fragment_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/stored_expression.h"
#include "sql/optimise/simplify.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/parser.h"
#include "sql/plpgsql/tokens.h"

namespace gnomon::sql::plpgsql {

std::string selectText(const Routine& routine, const Fragment& fragment, DatumId compared) {
  const std::string text = routine.textOf(fragment);
  if (fragment.kind != Fragment::Kind::Expression) return text;
  return compared == kNoDatum ? "SELECT " + text : fmt::format("SELECT ${} IN ({})", FrameNames::kExtraParameter, text);
}

ExpressionPtr convertedTo(Coercion& coercion, ExpressionPtr value, const ValueTarget& target) {
  const auto held = [&](ExpressionPtr made) {
    return made->type.kind == TypeKind::Numeric ? coercion.toBig(std::move(made)) : std::move(made);
  };
  if (target.type.kind == TypeKind::Unknown) return held(coercion.settle(std::move(value)));
  const Type type = target.type;
  if (value->type.kind == TypeKind::Boolean && !Coercion::isPossible(*value, type, CastContext::Assignment))
    return nullptr;
  if (Coercion::isPossible(*value, type, CastContext::Assignment)) {
    value = coercion.toType(std::move(value), type, false);
  } else {
    value = coercion.castExplicitly(std::move(value), Type::of(TypeKind::Text), -1);
    value = coercion.castExplicitly(std::move(value), type, -1);
  }
  return coercion.toDomain(held(std::move(value)), target.domain);
}

ExpressionPtr FragmentBinder::parameterOf(uint32_t slot) const {
  auto parameter = std::make_unique<Expression>();
  parameter->kind = Expression::Kind::Parameter;
  parameter->parameter = slot;
  parameter->type = layout_.typeOf(slot);
  return parameter;
}

template <typename Bind>
std::optional<FragmentBinder::Bound> FragmentBinder::attempt(ScopeId scope, const FrameNames::ShapeNow& shape_now,
                                                             DatumId compared, Bind&& bind,
                                                             const std::function<void(SqlError&)>& failed) {
  FrameNames names(layout_, scope, FrameNames::Numbering::Slots, shape_now);
  names.setExtra(compared);
  context_.variables = &names;
  BindState state(context_);
  try {
    const Scope none;
    ExpressionBinder binder(state, none, {"PL/pgSQL expressions"});
    ExpressionPtr value = bind(binder, state, names);
    if (!value) return std::nullopt;
    for (const TablePtr& table : state.tables)
      if (std::ranges::find(used_, table) == used_.end()) used_.push_back(table);
    return Bound{simplifyExpression(std::move(value)), names.records()};
  } catch (SqlError& error) {
    if (failed) failed(error);
    return std::nullopt;
  }
}

namespace {

/// Whether it says who acts, which may be another one at each time.
bool asksForUser(const ast::Expression& expression) {
  bool asks = false;
  forEachNode(expression, [&](const ast::Expression& node) {
    asks = asks || (node.kind == ast::Expression::Kind::SessionValue && node.text.ends_with("user")) ||
           (node.kind == ast::Expression::Kind::SessionValue && node.text == "current_role");
  });
  return asks;
}

}  // namespace

std::optional<FragmentBinder::Bound> FragmentBinder::bind(const Fragment& fragment, const ValueTarget& target,
                                                          const FrameNames::ShapeNow& shape_now, DatumId compared,
                                                          std::optional<SqlError>* failure) {
  return attempt(
      fragment.scope, shape_now, compared,
      [&](ExpressionBinder& binder, BindState&, const FrameNames&) -> ExpressionPtr {
        const auto parsed = parse(selectText(layout_.routine(), fragment, compared));
        if (parsed.size() != 1 || parsed[0].rejection) return nullptr;
        const auto* const query = std::get_if<ast::QueryPtr>(&parsed[0].tree->body);
        const ast::Expression* const only = query == nullptr ? nullptr : onlyExpression(**query);
        if (only == nullptr || hasSubquery(*only) || asksForUser(*only)) return nullptr;
        return convertedTo(binder.coercion(), binder.bind(*only), target);
      },
      [&](const SqlError& error) {
        if (failure != nullptr) failure->emplace(error);
      });
}

namespace {
/// Of variables without fields.
FrameLayout::ShapeId noShape(DatumId) {
  return FrameLayout::kNoShape;
}
}  // namespace

std::optional<FragmentBinder::Bound> FragmentBinder::bindSlot(uint32_t slot, const ValueTarget& target) {
  return attempt(kNoScope, noShape, kNoDatum, [&](ExpressionBinder& binder, BindState&, const FrameNames&) {
    return convertedTo(binder.coercion(), parameterOf(slot), target);
  });
}

std::optional<FragmentBinder::Bound> FragmentBinder::bindNull(const ValueTarget& target) {
  return attempt(kNoScope, noShape, kNoDatum, [&](ExpressionBinder& binder, BindState&, const FrameNames&) {
    return convertedTo(binder.coercion(), Expression::constant(Value::null(target.type)), target);
  });
}

namespace {

/// The record with another value of the field; null: a value that is converted by way of texts.
ExpressionPtr withField(ExpressionBinder& binder, const std::string& field, ExpressionPtr record, ExpressionPtr value,
                        std::string_view name) {
  const Type type = binder.assignedField(field, *record, name, -1).second.type;
  value = convertedTo(binder.coercion(), std::move(value), {type});
  return value ? binder.bindFieldAssignment(field, std::move(record), std::move(value), name, -1) : nullptr;
}

/// Puts a value in the place of a part of a variable, however deep that is: of what contains the part, and so on up to
/// the variable. `own_names`: how many names the variable itself has where it is named. `before`: its value.
ExpressionPtr bindPart(ExpressionBinder& binder, const ast::Expression& place, size_t own_names,
                       const Expression& before, ExpressionPtr value, std::string_view name) {
  using NodeKind = ast::Expression::Kind;
  const auto isWhole = [&](const ast::Expression& node) {
    return node.kind == NodeKind::Column && node.names.size() == own_names;
  };
  if (isWhole(place)) return value;
  ast::Expression shorter;
  const ast::Expression* container = &shorter;
  if (place.kind == NodeKind::Column) {
    shorter.kind = NodeKind::Column;
    shorter.names = place.names;
    shorter.names.pop_back();
    shorter.position = place.position;
  } else {
    container = place.children[0].get();
  }
  ExpressionPtr held = isWhole(*container) ? before.clone() : binder.bind(*container);
  if (place.kind == NodeKind::Subscript) {
    const Type type = held->type;
    const Type element = type.isArray() && !place.text.contains('s') ? type.element() : type;
    value = convertedTo(binder.coercion(), std::move(value), {element});
    if (!value) return nullptr;
    value = binder.bindElementAssignment(place, std::move(held), std::move(value), name);
  } else {
    value = withField(binder, place.names.back(), std::move(held), std::move(value), name);
    if (!value) return nullptr;
  }
  return bindPart(binder, *container, own_names, before, std::move(value), name);
}

/// Whether it is a variable, with subscripts and fields behind it.
bool isPlace(const ast::Expression& node) {
  using NodeKind = ast::Expression::Kind;
  if (node.is_star) return false;
  if (node.kind == NodeKind::Column) return true;
  return (node.kind == NodeKind::Subscript || node.kind == NodeKind::Field) && isPlace(*node.children[0]);
}

}  // namespace

std::optional<FragmentBinder::Bound> FragmentBinder::bindElement(const Assignment& assignment,
                                                                 const FrameNames::ShapeNow& shape_now, bool rethrows) {
  static constexpr std::string_view kBeforeValue = "SELECT ", kBeforePlace = "SELECT v";
  uint32_t text_begin = assignment.value.offset;  // of what is being bound
  size_t bytes_before = kBeforeValue.size();
  bool is_value_bound = false;
  const auto failed = [&](SqlError& error) {
    if (!rethrows) return;
    const uint32_t end = assignment.value.offset + assignment.value.length;
    std::string text = layout_.routine().body.substr(assignment.offset, end - assignment.offset);
    const bool is_of_place =
        error.state() == sqlstate::kDatatypeMismatch || error.state() == sqlstate::kUndefinedColumn;
    if (error.position() < 0 && is_value_bound && is_of_place) error.position(0).internalQuery(std::move(text));
    if (error.position() < 0) throw error;
    const auto shift = static_cast<int32_t>(text_begin - assignment.offset) - static_cast<int32_t>(bytes_before);
    int32_t position = std::max(error.position() + shift, 0);
    // In the name of the variable: where that begins.
    if (text_begin == assignment.indirection.offset && position < static_cast<int32_t>(text_begin - assignment.offset))
      position = 0;
    throw error.dropPosition().position(position).internalQuery(std::move(text));
  };
  return attempt(
      assignment.value.scope, shape_now, kNoDatum,
      [&](ExpressionBinder& binder, BindState& state, const FrameNames& names) -> ExpressionPtr {
        const Routine& routine = layout_.routine();
        const auto parsed = parse(selectText(routine, assignment.value));
        const auto part = parse("SELECT v" + routine.textOf(assignment.indirection));
        if (parsed.size() != 1 || part.size() != 1 || parsed[0].rejection || part[0].rejection) return nullptr;
        const auto onlyOf = [](const ParsedStatement& statement) {
          const auto* const query = std::get_if<ast::QueryPtr>(&statement.tree->body);
          return query == nullptr ? nullptr : onlyExpression(**query);
        };
        const ast::Expression* const value = onlyOf(parsed[0]);
        const ast::Expression* const place = onlyOf(part[0]);
        using NodeKind = ast::Expression::Kind;
        const bool is_part = place != nullptr &&
                             (place->kind == NodeKind::Subscript || place->kind == NodeKind::Field) &&
                             place->children[0]->kind == NodeKind::Column && place->children[0]->names.size() == 1;
        const bool is_column = place != nullptr && place->kind == NodeKind::Column && place->names.size() == 2;
        if (value == nullptr || place == nullptr || hasSubquery(*value) || hasSubquery(*place)) return nullptr;
        const bool is_deep = !is_part && !is_column;
        const Datum& target = routine.datum(assignment.target);
        // As the target of a statement has it.
        const std::string named =
            routine.body.substr(assignment.offset, assignment.indirection.offset - assignment.offset);
        const std::string column = nameOf(named, scanTokens(named).tokens[0]);
        const auto boundValue = [&] {
          ExpressionPtr bound = binder.bind(*value);
          is_value_bound = true;
          return bound;
        };
        ExpressionPtr before;
        uint32_t domain = target.type.domain;
        if (target.kind == Datum::Kind::Field) {
          const uint32_t slot = names.fieldSlot(target.record, target.name);
          domain = names.fieldDomain(target.record, target.name);
          before = parameterOf(slot);
        } else {
          before = names.valueOf(assignment.target, state.parameters);
        }
        const Type type = before->type;
        if (is_deep) {
          // With the names that the variable has, so that what contains the part can be read.
          const auto whole = parse("SELECT " + named);
          const auto deep = parse("SELECT " + named + routine.textOf(assignment.indirection));
          if (whole.size() != 1 || deep.size() != 1 || whole[0].rejection || deep[0].rejection) return nullptr;
          const ast::Expression* const variable = onlyOf(whole[0]);
          const ast::Expression* const part_of_it = onlyOf(deep[0]);
          if (variable == nullptr || part_of_it == nullptr || variable->kind != NodeKind::Column ||
              !isPlace(*part_of_it))
            return nullptr;
          ExpressionPtr made = bindPart(binder, *part_of_it, variable->names.size(), *before, boundValue(), column);
          return made ? binder.coercion().toDomain(std::move(made), domain) : nullptr;
        }
        if (place->kind != NodeKind::Subscript) {
          ExpressionPtr made = withField(binder, place->names.back(), std::move(before), boundValue(), column);
          return made ? binder.coercion().toDomain(std::move(made), domain) : nullptr;
        }
        const Type element = type.isArray() && !place->text.contains('s') ? type.element() : type;
        ExpressionPtr given = convertedTo(binder.coercion(), binder.bind(*value), {element});
        text_begin = assignment.indirection.offset;
        bytes_before = kBeforePlace.size();
        return binder.coercion().toDomain(
            binder.bindElementAssignment(*place, std::move(before), std::move(given), target.name), domain);
      },
      failed);
}

}  // namespace gnomon::sql::plpgsql
