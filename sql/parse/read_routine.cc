#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/sql_error.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/tree_reader.h"

/// Statements that define functions and procedures.
namespace gnomon::sql {
namespace {

using Mode = RoutineEntry::Parameter::Mode;

Mode modeOf(PgQuery__FunctionParameterMode mode) {
  switch (mode) {
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT:
      return Mode::Out;
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT:
      return Mode::InOut;
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_VARIADIC:
      return Mode::Variadic;
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE:
      return Mode::Table;
    default:
      return Mode::In;
  }
}

double numberOf(const PgQuery__Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_INTEGER) return node.integer->ival;
  const std::string_view text = node.float_->fval;
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Volatility volatilityOf(std::string_view word) {
  return word == "immutable" ? Volatility::Immutable : word == "stable" ? Volatility::Stable : Volatility::Volatile;
}

RoutineEntry::Parallel parallelOf(std::string_view word) {
  using Parallel = RoutineEntry::Parallel;
  if (word == "safe") return Parallel::Safe;
  if (word == "restricted") return Parallel::Restricted;
  if (word == "unsafe") return Parallel::Unsafe;
  throw SqlError(sqlstate::kSyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE");
}

/// Something that may be said once. Failure: 42601.
template <typename T>
void setOnce(std::optional<T>& option, T value, const PgQuery__DefElem& node) {
  if (option) throw SqlError(sqlstate::kSyntaxError, "conflicting or redundant options").position(node.location);
  option = std::move(value);
}

/// What procedures do not have. Failure: 42P13.
void refuseOfFunction(const PgQuery__DefElem& option) {
  static constexpr std::string_view kNames[] = {"volatility", "strict",   "leakproof", "cost",
                                                "rows",       "parallel", "window"};
  if (std::ranges::find(kNames, std::string_view(option.defname)) != std::end(kNames))
    throw SqlError(SqlState("42P13"), "invalid attribute in procedure definition").position(option.location);
}

}  // namespace

ast::RoutineKind routineKindOf(PgQuery__ObjectType type) {
  return type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ? ast::RoutineKind::Procedure
         : type == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE ? ast::RoutineKind::Routine
                                                         : ast::RoutineKind::Function;
}

ast::RoutineType TreeReader::readRoutineType(PgQuery__TypeName& node) {
  ast::RoutineType type;
  type.is_set = node.setof != 0;
  type.is_column = node.pct_type != 0;
  node.setof = 0;
  node.pct_type = 0;
  type.name = readType(node);
  if (!type.is_column) return type;
  if (node.n_names < 2)
    throw SqlError(sqlstate::kSyntaxError, "improper %TYPE reference (too few dotted names): " + textOf(*node.names[0]))
        .position(node.location);
  if (node.n_names > 3) throwNotSupported("cross-database references", node.location);
  if (node.n_names == 3) type.schema = textOf(*node.names[0]);
  return type;
}

ast::Set TreeReader::readRoutineSetting(const PgQuery__VariableSetStmt& node) {
  ast::Statement set = readSet(node);
  if (!std::holds_alternative<ast::Set>(set.body))
    throwNotSupported("SET TRANSACTION of a function", statement_position_);
  return std::get<ast::Set>(std::move(set.body));
}

/// What options CREATE and ALTER have in common. False: another one.
bool TreeReader::readRoutineOption(const PgQuery__DefElem& node, ast::RoutineOptions& options) {
  const std::string_view name = node.defname;
  const auto flag = [&] { return node.arg->boolean->boolval != 0; };
  if (name == "volatility")
    setOnce(options.volatility, volatilityOf(textOf(*node.arg)), node);
  else if (name == "strict")
    setOnce(options.is_strict, flag(), node);
  else if (name == "security")
    setOnce(options.is_security_definer, flag(), node);
  else if (name == "leakproof")
    setOnce(options.is_leakproof, flag(), node);
  else if (name == "cost")
    setOnce(options.cost, numberOf(*node.arg), node);
  else if (name == "rows")
    setOnce(options.rows, numberOf(*node.arg), node);
  else if (name == "parallel")
    setOnce(options.parallel, parallelOf(textOf(*node.arg)), node);
  else if (name == "set")
    options.settings.push_back(readRoutineSetting(*node.arg->variable_set_stmt));
  else
    return false;
  return true;
}

ast::DoBlock TreeReader::readDoBlock(const PgQuery__DoStmt& node) {
  ast::DoBlock block;
  for (size_t i = 0; i < node.n_args; ++i) {
    const PgQuery__DefElem& option = *node.args[i]->def_elem;
    const bool is_body = std::string_view(option.defname) == "as";
    std::optional<std::string>& place = is_body ? block.body : block.language;
    if (place) throw SqlError(sqlstate::kSyntaxError, "conflicting or redundant options").position(option.location);
    place = option.arg->string->sval;
  }
  return block;
}

ast::CreateRoutine TreeReader::readCreateRoutine(const PgQuery__CreateFunctionStmt& node) {
  ast::CreateRoutine create;
  create.name = readTypeNameList(node.n_funcname, node.funcname);
  create.name.position = statement_position_;
  create.is_procedure = node.is_procedure != 0;
  create.is_replacing = node.replace != 0;
  for (size_t i = 0; i < node.n_parameters; ++i) {
    const PgQuery__FunctionParameter& given = *node.parameters[i]->function_parameter;
    ast::RoutineParameter parameter;
    parameter.name = given.name;
    parameter.mode = modeOf(given.mode);
    parameter.type = readRoutineType(*given.arg_type);
    if (given.defexpr != nullptr) {
      parameter.default_value = readExpression(given.defexpr);
      parameter.default_text = deparseExpression(*given.defexpr);
    }
    create.parameters.push_back(std::move(parameter));
  }
  if (node.return_type != nullptr) create.result = readRoutineType(*node.return_type);
  if (node.sql_body != nullptr) create.standard_body = readStandardBody(*node.sql_body);
  for (size_t i = 0; i < node.n_options; ++i) {
    const PgQuery__DefElem& option = *node.options[i]->def_elem;
    const std::string_view name = option.defname;
    if (create.is_procedure) refuseOfFunction(option);
    if (readRoutineOption(option, create.options)) continue;
    if (name == "language") {
      setOnce(create.language, textOf(*option.arg), option);
    } else if (name == "as") {
      if (option.arg->list->n_items > 1)
        throw SqlError(SqlState("42P13"), "only one AS item needed for language \"sql\"").position(option.location);
      setOnce(create.body, textOf(*option.arg->list->items[0]), option);
    } else {
      throwNotSupported("option " + std::string(name) + " of a function", option.location);
    }
  }
  return create;
}

ast::RoutineName TreeReader::readRoutineName(const PgQuery__ObjectWithArgs& node) {
  ast::RoutineName result;
  result.name = readTypeNameList(node.n_objname, node.objname);
  result.has_arguments = node.args_unspecified == 0;
  for (size_t i = 0; i < node.n_objargs; ++i) {
    if (node.objargs[i] == nullptr || node.objargs[i]->node_case != PG_QUERY__NODE__NODE_TYPE_NAME) continue;
    result.arguments.push_back(readType(*node.objargs[i]->type_name));
  }
  return result;
}

ast::ExplainRoutine TreeReader::readExplainRoutine(const PgQuery__DropStmt& node) {
  if (node.n_objects != 1 || node.missing_ok != 0 || node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE)
    throw SqlError(sqlstate::kSyntaxError, "EXPLAIN of a routine takes its name and types alone")
        .position(statement_position_);
  return {routineKindOf(node.remove_type), readRoutineName(*node.objects[0]->object_with_args)};
}

ast::DropRoutine TreeReader::readDropRoutine(const PgQuery__DropStmt& node) {
  ast::DropRoutine drop;
  drop.kind = routineKindOf(node.remove_type);
  for (size_t i = 0; i < node.n_objects; ++i) drop.names.push_back(readRoutineName(*node.objects[i]->object_with_args));
  drop.if_exists = node.missing_ok != 0;
  drop.is_cascade = node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  return drop;
}

ast::AlterRoutine TreeReader::readAlterRoutine(const PgQuery__AlterFunctionStmt& node) {
  ast::AlterRoutine alter;
  alter.kind = routineKindOf(node.objtype);
  alter.name = readRoutineName(*node.func);
  for (size_t i = 0; i < node.n_actions; ++i) {
    const PgQuery__DefElem& option = *node.actions[i]->def_elem;
    if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE) refuseOfFunction(option);
    if (!readRoutineOption(option, alter.options))
      throwNotSupported("option " + std::string(option.defname) + " of a function", option.location);
  }
  return alter;
}

ast::AlterRoutine TreeReader::readMovedRoutine(PgQuery__ObjectType type, const PgQuery__Node& routine,
                                               std::string new_name, std::string new_schema) {
  ast::AlterRoutine alter;
  alter.kind = routineKindOf(type);
  alter.name = readRoutineName(*routine.object_with_args);
  alter.new_name = std::move(new_name);
  alter.new_schema = std::move(new_schema);
  return alter;
}

}  // namespace gnomon::sql
