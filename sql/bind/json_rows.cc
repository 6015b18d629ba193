#include "sql/bind/json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/sql_error.h"
#include "sql/bind/coercion.h"
#include "sql/bind/no_function.h"
#include "sql/catalog/domain_fields.h"
#include "sql/functions/overload.h"
#include "sql/json/json_functions.h"
#include "sql/types/record_value.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kFunctions[] = {
    "json_to_record",       "jsonb_to_record",       "json_to_recordset",       "jsonb_to_recordset",
    "json_populate_record", "jsonb_populate_record", "json_populate_recordset", "jsonb_populate_recordset"};

bool isPopulated(std::string_view name) {
  return name.contains("populate");
}

/// Takes part in what the plan depends on.
void noteDomains(BindState& state, Type type) {
  if (type.isArray()) return noteDomains(state, type.element());
  if (!type.isRecord() || type.definition() == 0) return;
  state.addType(type);
  Coercion coercion(state);
  for (const RecordField& field : recordFields(type.definition())) {
    coercion.toDomain(Expression::constant(Value::null(field.type)), field.domain);
    noteDomains(state, field.type);
  }
}

/// The domain of which the row to begin with is, as far as that is known.
uint32_t domainOf(const BindState& state, const Expression& base) {
  if (base.kind == Expression::Kind::ArrayCall && base.function == FunctionId::CheckDomain)
    return static_cast<uint32_t>(base.children[1]->value.lo);
  if (base.kind != Expression::Kind::Column) return 0;
  const auto origin = state.origins.find(base.iu);
  if (origin == state.origins.end() || origin->second.attribute <= 0) return 0;
  const TablePtr entry = state.context.catalog.findEntry(origin->second.table_oid);
  const auto column = static_cast<size_t>(origin->second.attribute - 1);
  return entry && column < entry->columns.size() ? entry->columns[column].domain : 0;
}

/// Failure: 42804.
void requireRow(const Expression& base, std::string_view function) {
  if (base.type.kind == TypeKind::Unknown)
    throw SqlError(sqlstate::kDatatypeMismatch, "could not determine polymorphic type because input has type unknown");
  if (!base.type.isRecord())
    throw SqlError(sqlstate::kDatatypeMismatch, fmt::format("first argument of {} must be a row type", function));
}

}  // namespace

bool isJsonRows(const ast::Expression& call) {
  const std::vector<std::string>& names = call.names;
  if (call.kind != ast::Expression::Kind::Function || names.empty()) return false;
  const bool in_catalog = names.size() == 1 || (names.size() == 2 && names[0] == "pg_catalog");
  return in_catalog && std::ranges::find(kFunctions, names.back()) != std::end(kFunctions);
}

bool isJsonRowSet(const ast::Expression& call) {
  return isJsonRows(call) && call.names.back().ends_with("set");
}

ExpressionPtr checkFieldDomains(BindState& state, ExpressionPtr value) {
  const Type type = value->type;
  if (!hasDomainFields(type)) return value;
  noteDomains(state, type);
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(value));
  arguments.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Oid), 0)));
  ExpressionPtr checked = Expression::arrayCall(FunctionId::CheckDomain, type, std::move(arguments));
  checked->is_explicit = false;
  return checked;
}

ExpressionPtr bindJsonRows(BindState& state, const ast::Expression& node, std::vector<ExpressionPtr> arguments,
                           const std::vector<RecordField>& listed) {
  const std::string& name = node.names.back();
  const TypeKind kind = name.starts_with("jsonb") ? TypeKind::Jsonb : TypeKind::Json;
  Coercion coercion(state);
  // use_json_as_text, which has no meaning.
  const bool has_flag = isPopulated(name) && kind == TypeKind::Json && arguments.size() == 3 &&
                        coercesImplicitly(arguments.back()->type.kind, TypeKind::Boolean);
  if (has_flag) {
    coercion.toKind(std::move(arguments.back()), TypeKind::Boolean);
    arguments.pop_back();
  }
  if (arguments.size() != (isPopulated(name) ? 2 : 1) || !coercesImplicitly(arguments.back()->type.kind, kind))
    throwNoNamedFunction(node, arguments, OverloadOutcome::None);
  ExpressionPtr json = coercion.toKind(std::move(arguments.back()), kind);
  ExpressionPtr base =
      isPopulated(name) ? std::move(arguments[0]) : Expression::constant(Value::null(Type::recordOf(0)));
  requireRow(*base, name);
  const Type row = base->type;
  const bool is_set = isJsonRowSet(node);
  uint32_t domain = domainOf(state, *base);
  if (row.definition() != 0) state.addType(row);
  std::vector<ExpressionPtr> given;
  given.push_back(std::move(json));
  given.push_back(std::move(base));
  std::string names;
  for (const RecordField& field : listed) names.append(field.name).push_back('\0');
  if (!listed.empty()) given.push_back(Expression::constant(Value::fromString(Type::of(TypeKind::Text), names)));
  for (const RecordField& field : listed) given.push_back(Expression::constant(Value::null(heldInRecord(field.type))));
  state.is_immutable = false;
  ExpressionPtr rows =
      Expression::arrayCall(jsonFunctionNamed(fmt::format("${}", name)), is_set ? row.array() : row, std::move(given));
  rows->position = node.position;
  if (domain != 0 && is_set) domain |= kArrayTypeBit;
  return coercion.toDomain(checkFieldDomains(state, std::move(rows)), domain);
}

}  // namespace gnomon::sql
