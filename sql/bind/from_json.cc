#include <algorithm>
#include <string_view>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/no_function.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/type_name.h"
#include "sql/functions/overload.h"
#include "sql/json/json_functions.h"

namespace gnomon::sql {
namespace {

/// Functions whose rows have the columns that the statement names.
constexpr std::string_view kRecords[] = {"json_to_record", "jsonb_to_record", "json_to_recordset",
                                         "jsonb_to_recordset"};
/// Functions whose rows are those of their first argument's type.
constexpr std::string_view kPopulated[] = {"json_populate_record", "jsonb_populate_record", "json_populate_recordset",
                                           "jsonb_populate_recordset"};

/// The columns of a NULL of a type of rows.
std::vector<RecordField> populatedFields(const Expression& base, bool has_list, int32_t position) {
  if (!base.type.isRecord() || base.type.definition() == 0) throwNotSupported("rows of no type", position);
  if (has_list)
    throw SqlError(sqlstate::kSyntaxError,
                   "a column definition list is redundant for a function returning a named composite type")
        .position(position);
  if (!base.isConstant() || !base.value.is_null) throwNotSupported("filling a row that is not NULL", position);
  std::vector<RecordField> fields = recordFields(base.type.definition());
  for (const RecordField& field : fields) {
    const bool has_rows = field.type.isRecord() || (field.type.isArray() && field.type.element().isRecord());
    if (has_rows || field.domain != 0) throwNotSupported("filling rows with columns of rows or domains", position);
  }
  return fields;
}

/// The columns that a statement names.
std::vector<RecordField> listedFields(BindState& state, const ast::FunctionItem& function) {
  if (function.columns.empty())
    throw SqlError(sqlstate::kSyntaxError, "a column definition list is required for functions returning \"record\"")
        .position(function.call->position);
  std::vector<RecordField> fields;
  for (const ast::FunctionColumn& column : function.columns) {
    const NamedType named = resolveTypeName(column.type);
    noteStoredType(state, column.type, named);
    if (named.domain != 0) throwNotSupported("a domain in a column definition list", column.type.position);
    fields.push_back({column.name, named.type});
  }
  return fields;
}

ExpressionPtr callJson(std::string_view name, Type result, ExpressionPtr first, ExpressionPtr second = nullptr) {
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(first));
  if (second) arguments.push_back(std::move(second));
  return Expression::arrayCall(jsonFunctionNamed(name), result, std::move(arguments));
}

/// The field of the object, as a value of the type.
ExpressionPtr fieldOf(Iu object, const std::string& name, Type type) {
  const ExpressionPtr key = Expression::constant(Value::fromString(Type::of(TypeKind::Text), name));
  const bool is_binary = object->type.kind == TypeKind::Jsonb;
  const bool is_json = type.kind == TypeKind::Json || type.kind == TypeKind::Jsonb;
  const auto taken = [&](std::string_view function, TypeKind kind) {
    return callJson(function, Type::of(kind), Expression::column(object), key->clone());
  };
  ExpressionPtr field = type.isArray() || is_json
                            ? taken(is_binary ? "$jsonb_record_field" : "$json_record_field", object->type.kind)
                            : taken(is_binary ? "jsonb_object_field_text" : "json_object_field_text", TypeKind::Text);
  if (type.isArray()) return callJson("$to_array", type, std::move(field), key->clone());
  return type == field->type ? std::move(field) : Expression::cast(std::move(field), type, false);
}

}  // namespace

bool FromBinder::isJsonRecord(const ast::Expression& call) {
  const std::vector<std::string>& names = call.names;
  if (names.empty()) return false;
  const bool in_catalog = names.size() == 1 || (names.size() == 2 && names[0] == "pg_catalog");
  return in_catalog && (std::ranges::find(kRecords, names.back()) != std::end(kRecords) ||
                        std::ranges::find(kPopulated, names.back()) != std::end(kPopulated));
}

/// Its argument, or the elements of that, become objects, and their fields columns.
FromBinder::Result FromBinder::bindJsonRecord(const ast::FromItem& item) {
  const ast::FunctionItem& function = item.functions.front();
  const ast::Expression& node = *function.call;
  const std::string& name = node.names.back();
  const bool is_populated = std::ranges::find(kPopulated, name) != std::end(kPopulated);
  std::vector<RecordField> fields;
  if (!is_populated) fields = listedFields(state_, function);
  requireNoTwin(function.columns);
  const Scope before = scopeBefore();
  ExpressionBinder binder(state_, before, {.name = kFunctionsInFrom});
  std::vector<ExpressionPtr> arguments = binder.bindArranged(node);
  const TypeKind kind = name.starts_with("jsonb") ? TypeKind::Jsonb : TypeKind::Json;
  // use_json_as_text, which has no meaning.
  const bool has_flag =
      is_populated && arguments.size() == 3 && coercesImplicitly(arguments.back()->type.kind, TypeKind::Boolean);
  if (has_flag) {
    binder.coercion().toKind(std::move(arguments.back()), TypeKind::Boolean);
    arguments.pop_back();
  }
  if (arguments.size() != (is_populated ? 2 : 1) || !coercesImplicitly(arguments.back()->type.kind, kind))
    throwNoNamedFunction(node, arguments, OverloadOutcome::None);
  if (is_populated) fields = populatedFields(*arguments[0], !function.columns.empty(), node.position);
  const bool is_set = name.ends_with("set");
  ExpressionPtr argument = binder.coercion().toKind(std::move(arguments.back()), kind);
  // The objects are checked while they are taken apart, and none are made of NULL.
  ExpressionPtr objects = callJson(kind == TypeKind::Jsonb ? is_set ? "$jsonb_record_set" : "$jsonb_record"
                                   : is_set                ? "$json_record_set"
                                                           : "$json_record",
                                   Type::of(arrayOf(kind)), std::move(argument));
  auto project = std::make_unique<ProjectSet>();
  std::vector<ExpressionPtr> array;
  array.push_back(std::move(objects));
  const Iu object = state_.plan->makeUnit("object", Type::of(kind), true);
  project->calls.push_back({"unnest", std::move(array), object});
  Iu ordinality = nullptr;
  if (item.has_ordinality) {
    ordinality = state_.plan->makeUnit("ordinality", Type::of(TypeKind::Bigint), false);
    project->ordinality = ordinality;
  }
  auto row = std::make_unique<Values>();
  row->rows.emplace_back();
  project->inputs.push_back(std::move(row));
  auto map = std::make_unique<Map>();
  std::vector<ScopeColumn> columns;
  for (const RecordField& field : fields) {
    const Iu unit = state_.plan->makeUnit(field.name, field.type, true);
    map->computed.push_back({unit, fieldOf(object, field.name, field.type)});
    columns.push_back({field.name, unit});
  }
  map->inputs.push_back(std::move(project));
  if (ordinality != nullptr) columns.push_back({"ordinality", ordinality});
  Result result{std::move(map), scopeOf(item.alias, name, std::move(columns))};
  nameUnits(result.scope);
  return result;
}

}  // namespace gnomon::sql
