#include "sql/bind/set_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/coercion.h"
#include "sql/bind/json_rows.h"
#include "sql/bind/no_function.h"
#include "sql/functions/overload.h"
#include "sql/functions/table_functions.h"
#include "sql/functions/value_function.h"
#include "sql/json/json_functions.h"
#include "sql/pg_catalog/functions.h"

namespace gnomon::sql {
namespace {

using Arguments = std::vector<ExpressionPtr>;

constexpr std::string_view kOverArrays[] = {
    "unnest",           "generate_subscripts",    "string_to_table",       "regexp_split_to_table",
    "regexp_matches",   "pg_partition_ancestors", "pg_partition_tree",     "pg_get_keywords",
    "jsonb_path_query", "jsonb_path_query_tz",    "pg_listening_channels", "pg_options_to_table",
    "aclexplode"};

/// Of information_schema.
constexpr std::string_view kExpandArray = "_pg_expandarray";
constexpr std::string_view kExplodedFields[] = {"grantor", "grantee", "privilege_type", "is_grantable"};

/// Functions of JSON that return sets: each column's name, and the function that makes an array of its values.
struct JsonSet {
  std::string_view name;
  TypeKind argument;
  std::string_view key_function;  ///< of a column key beside the values; empty: none
  std::string_view function;
  TypeKind value;
  bool has_names = true;  ///< the columns are key and value, whatever the alias
};
constexpr JsonSet kJsonSets[] = {
    {"json_array_elements", TypeKind::Json, "", "$json_array_elements", TypeKind::Json},
    {"json_array_elements_text", TypeKind::Json, "", "$json_array_elements_text", TypeKind::Text},
    {"jsonb_array_elements", TypeKind::Jsonb, "", "$jsonb_array_elements", TypeKind::Jsonb},
    {"jsonb_array_elements_text", TypeKind::Jsonb, "", "$jsonb_array_elements_text", TypeKind::Text},
    {"json_object_keys", TypeKind::Json, "", "$json_object_keys", TypeKind::Text, false},
    {"jsonb_object_keys", TypeKind::Jsonb, "", "$jsonb_object_keys", TypeKind::Text, false},
    {"json_each", TypeKind::Json, "$json_each_keys", "$json_each", TypeKind::Json},
    {"json_each_text", TypeKind::Json, "$json_each_text_keys", "$json_each_text", TypeKind::Text},
    {"jsonb_each", TypeKind::Jsonb, "$jsonb_each_keys", "$jsonb_each", TypeKind::Jsonb},
    {"jsonb_each_text", TypeKind::Jsonb, "$jsonb_each_text_keys", "$jsonb_each_text", TypeKind::Text},
};

const JsonSet* findJsonSet(std::string_view name) {
  const auto* const found = std::ranges::find(kJsonSets, name, &JsonSet::name);
  return found == std::end(kJsonSets) ? nullptr : found;
}

ExpressionPtr boundOf(FunctionId function, const Expression& array, const Expression& dimension) {
  Arguments arguments;
  arguments.push_back(array.clone());
  arguments.push_back(dimension.clone());
  return Expression::arrayCall(function, Type::of(TypeKind::Integer), std::move(arguments));
}

/// One call's arguments, bound, on their way to what it is made of.
class SetCallBinder {
 public:
  SetCallBinder(BindState& state, const ast::Expression& node, Arguments arguments, const std::string& column,
                bool is_in_from)
      : state_(state),
        coercion_(state),
        node_(node),
        arguments_(std::move(arguments)),
        column_(column),
        is_in_from_(is_in_from) {}

  std::vector<SetCall> unnest() {
    if (arguments_.empty() || (arguments_.size() > 1 && !is_in_from_)) fail();
    std::vector<SetCall> calls;
    for (ExpressionPtr& array : arguments_) {
      array = coercion_.vectorAsArray(std::move(array));
      if (array->type.kind == TypeKind::Unknown) fail(OverloadOutcome::Ambiguous);
      if (!array->type.isArray()) fail();
      const Type element = array->type.element();
      Arguments own;
      own.push_back(std::move(array));
      calls.push_back({"unnest", std::move(own), state_.plan->makeUnit(column_, element, true)});
    }
    return calls;
  }

  /// generate_subscripts(array, dimension [, reverse]): a series between the bounds.
  SetCall subscripts() {
    if (!arguments_.empty()) arguments_[0] = coercion_.vectorAsArray(std::move(arguments_[0]));
    if (!arguments_.empty() && arguments_[0]->type.kind == TypeKind::Unknown)
      throw SqlError(sqlstate::kDatatypeMismatch,
                     "could not determine polymorphic type because input has type unknown");
    const bool fits = (arguments_.size() == 2 || arguments_.size() == 3) && arguments_[0]->type.isArray() &&
                      coercesImplicitly(arguments_[1]->type.kind, TypeKind::Integer) &&
                      (arguments_.size() == 2 || coercesImplicitly(arguments_[2]->type.kind, TypeKind::Boolean));
    if (!fits) fail();
    arguments_[1] = coercion_.toKind(std::move(arguments_[1]), TypeKind::Integer);
    bool is_reverse = false;
    if (arguments_.size() == 3) {
      arguments_[2] = coercion_.toKind(std::move(arguments_[2]), TypeKind::Boolean);
      if (!arguments_[2]->isConstant() || arguments_[2]->value.is_null)
        throwNotSupported("generate_subscripts in a direction that is no constant", node_.position);
      is_reverse = arguments_[2]->value.lo != 0;
    }
    ExpressionPtr lower = boundOf(FunctionId::ArrayLower, *arguments_[0], *arguments_[1]);
    ExpressionPtr upper = boundOf(FunctionId::ArrayUpper, *arguments_[0], *arguments_[1]);
    if (is_reverse) std::swap(lower, upper);
    Arguments bounds;
    bounds.push_back(std::move(lower));
    bounds.push_back(std::move(upper));
    bounds.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), is_reverse ? -1 : 1)));
    return {"generate_series", std::move(bounds),
            state_.plan->makeUnit(column_, Type::of(TypeKind::Integer), !is_in_from_)};
  }

  /// _pg_expandarray(array): the elements of an array of one dimension, and their numbers from 1 on.
  std::vector<SetCall> expanded() {
    if (arguments_.size() != 1) fail();
    ExpressionPtr array = coercion_.vectorAsArray(std::move(arguments_[0]));
    if (!array->type.isArray()) fail();
    const Type integer = Type::of(TypeKind::Integer);
    const auto number = [&](int64_t value) { return Expression::constant(Value::fromInt(integer, value)); };
    Arguments bounds;
    bounds.push_back(number(1));
    bounds.push_back(boundOf(FunctionId::ArrayLength, *array, *number(1)));
    bounds.push_back(number(1));
    const Type element = array->type.element();
    Arguments own;
    own.push_back(std::move(array));
    std::vector<SetCall> calls;
    calls.push_back({"unnest", std::move(own), state_.plan->makeUnit("x", element, true)});
    calls.push_back({"generate_series", std::move(bounds), state_.plan->makeUnit("n", integer, true)});
    return calls;
  }

  /// string_to_table(text, delimiter [, null]): the elements of string_to_array.
  SetCall texts() {
    const bool fits = (arguments_.size() == 2 || arguments_.size() == 3) &&
                      std::ranges::all_of(arguments_, [](const ExpressionPtr& argument) {
                        return coercesImplicitly(argument->type.kind, TypeKind::Text);
                      });
    if (!fits) fail();
    for (ExpressionPtr& argument : arguments_) argument = coercion_.toKind(std::move(argument), TypeKind::Text);
    const Type text = Type::of(TypeKind::Text);
    Arguments array;
    array.push_back(Expression::arrayCall(FunctionId::TextToArray, text.array(), std::move(arguments_)));
    return {"unnest", std::move(array), state_.plan->makeUnit(column_, text, true)};
  }

  /// Those of JSON: the elements of arrays of keys and values.
  std::vector<SetCall> json(const JsonSet& set) {
    if (arguments_.size() != 1 || !coercesImplicitly(arguments_[0]->type.kind, set.argument)) fail();
    arguments_[0] = coercion_.toKind(std::move(arguments_[0]), set.argument);
    const bool is_pair = !set.key_function.empty();
    std::vector<SetCall> calls;
    const auto add = [&](std::string_view function, TypeKind kind, const std::string& column, ExpressionPtr argument) {
      Arguments own;
      own.push_back(std::move(argument));
      Arguments array;
      array.push_back(Expression::arrayCall(jsonFunctionNamed(function), Type::of(arrayOf(kind)), std::move(own)));
      calls.push_back({"unnest", std::move(array), state_.plan->makeUnit(column, Type::of(kind), true)});
    };
    if (is_pair) add(set.key_function, TypeKind::Text, "key", arguments_[0]->clone());
    add(set.function, set.value, is_pair || (is_in_from_ && set.has_names) ? "value" : column_,
        std::move(arguments_[0]));
    return calls;
  }

  /// jsonb_path_query(value, path [, variables [, silent]]), and with the session's time zone.
  SetCall paths() {
    const std::string name = "$" + node_.names.back();
    std::vector<std::span<const TypeKind>> lists;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < jsonFunctions().size(); ++i) {
      if (jsonFunctions()[i].name != name) continue;
      lists.emplace_back(jsonFunctions()[i].arguments);
      numbers.push_back(i);
    }
    std::vector<TypeKind> kinds;
    for (const ExpressionPtr& argument : arguments_) kinds.push_back(argument->type.kind);
    size_t chosen = 0;
    const OverloadOutcome outcome = chooseOverload(lists, kinds, chosen);
    if (outcome != OverloadOutcome::Found) fail(outcome);
    const JsonFunction& function = jsonFunctions()[numbers[chosen]];
    if (function.is_stable) state_.is_immutable = false;
    for (size_t i = 0; i < arguments_.size(); ++i)
      arguments_[i] = coercion_.toKind(std::move(arguments_[i]), function.arguments[i]);
    const Type value = Type::of(TypeKind::Jsonb);
    Arguments array;
    array.push_back(Expression::arrayCall(jsonFunctionId(numbers[chosen]), value.array(), std::move(arguments_)));
    return {"unnest", std::move(array), state_.plan->makeUnit(column_, value, true)};
  }

  /// regexp_split_to_table(text, pattern [, flags]) and regexp_matches: the elements of an array that an internal
  /// function makes.
  SetCall ofRegex(Type element) {
    const bool fits = (arguments_.size() == 2 || arguments_.size() == 3) &&
                      std::ranges::all_of(arguments_, [](const ExpressionPtr& argument) {
                        return coercesImplicitly(argument->type.kind, TypeKind::Text);
                      });
    if (!fits) fail();
    for (ExpressionPtr& argument : arguments_) argument = coercion_.toKind(std::move(argument), TypeKind::Text);
    const FunctionId function = internalFunction("$" + node_.names.back(), arguments_.size());
    Arguments array;
    array.push_back(Expression::arrayCall(function, Type::of(TypeKind::Text).array(), std::move(arguments_)));
    return {"unnest", std::move(array), state_.plan->makeUnit(column_, element, true)};
  }

  /// pg_listening_channels(): of an array that a catalog function of the name makes.
  SetCall channels() {
    if (!arguments_.empty()) fail();
    const FunctionId id = pg_catalog::catalogFunctionNamed("pg_listening_channels");
    Arguments own;
    own.push_back(Expression::arrayCall(id, Type::of(arrayOf(TypeKind::Text)), {}));
    return {"unnest", std::move(own), state_.plan->makeUnit(column_, Type::of(TypeKind::Text), true)};
  }

  /// pg_partition_ancestors(relation): of an array that a catalog function of the name makes.
  SetCall ancestors() {
    requireRelation();
    return ofArgument("pg_partition_ancestors", TypeKind::Regclass, is_in_from_ ? "relid" : column_);
  }

  /// pg_partition_tree(relation): columns, each of an array that a catalog function makes.
  std::vector<SetCall> tree() {
    requireRelation();
    std::vector<SetCall> calls;
    calls.push_back(ofArgument("$pg_partition_tree.relid", TypeKind::Regclass, "relid"));
    calls.push_back(ofArgument("$pg_partition_tree.parentrelid", TypeKind::Regclass, "parentrelid"));
    calls.push_back(ofArgument("$pg_partition_tree.isleaf", TypeKind::Boolean, "isleaf"));
    calls.push_back(ofArgument("$pg_partition_tree.level", TypeKind::Integer, "level"));
    return calls;
  }

  /// aclexplode(aclitem[]): columns, each of an array that a catalog function makes.
  std::vector<SetCall> explode() {
    std::vector<SetCall> calls;
    for (const std::string_view field : kExplodedFields) calls.push_back(exploded(field));
    return calls;
  }
  /// One of them.
  SetCall exploded(std::string_view field) {
    constexpr TypeKind kAcl = arrayOf(TypeKind::AclItem);
    if (arguments_.size() != 1 || !coercesImplicitly(arguments_[0]->type.kind, kAcl)) fail();
    arguments_[0] = coercion_.toKind(std::move(arguments_[0]), kAcl);
    const TypeKind kind = field.starts_with("grant")  ? TypeKind::Oid
                          : field == "privilege_type" ? TypeKind::Text
                                                      : TypeKind::Boolean;
    return ofArgument("$aclexplode." + std::string(field), kind, std::string(field));
  }

  /// pg_get_keywords(): columns, each of an array that an internal function makes.
  std::vector<SetCall> keywords() {
    if (!arguments_.empty()) fail();
    std::vector<SetCall> calls;
    const auto add = [&](const std::string& column, TypeKind kind) {
      const FunctionId function = internalFunction("$pg_get_keywords." + column, 0);
      Arguments array;
      array.push_back(Expression::arrayCall(function, Type::of(arrayOf(kind)), {}));
      calls.push_back({"unnest", std::move(array), state_.plan->makeUnit(column, Type::of(kind), true)});
    };
    add("word", TypeKind::Text);
    add("catcode", TypeKind::InternalChar);
    add("barelabel", TypeKind::Boolean);
    add("catdesc", TypeKind::Text);
    add("baredesc", TypeKind::Text);
    return calls;
  }

  /// pg_options_to_table(options): names and values, each of an array that an internal function makes.
  std::vector<SetCall> options() {
    constexpr TypeKind kTexts = arrayOf(TypeKind::Text);
    if (arguments_.size() != 1 || !coercesImplicitly(arguments_[0]->type.kind, kTexts)) fail();
    const ExpressionPtr texts = coercion_.toKind(std::move(arguments_[0]), kTexts);
    std::vector<SetCall> calls;
    for (const char* const column : {"option_name", "option_value"}) {
      const FunctionId function = internalFunction(std::string("$pg_options_to_table.") + column, 1);
      Arguments own, array;
      own.push_back(texts->clone());
      array.push_back(Expression::arrayCall(function, Type::of(kTexts), std::move(own)));
      calls.push_back({"unnest", std::move(array), state_.plan->makeUnit(column, Type::of(TypeKind::Text), true)});
    }
    return calls;
  }

  /// json_populate_recordset and its kin: the elements of an array of rows.
  SetCall rows() {
    ExpressionPtr array = bindJsonRows(state_, node_, std::move(arguments_));
    const Iu unit = state_.plan->makeUnit(column_, array->type.element(), true);
    Arguments own;
    own.push_back(std::move(array));
    return {"unnest", std::move(own), unit};
  }

  SetCall series() {
    std::vector<TypeKind> kinds;
    for (const ExpressionPtr& argument : arguments_) kinds.push_back(argument->type.kind);
    const std::string& name = node_.names.back();
    const Signature* chosen = nullptr;
    const OverloadOutcome outcome = chooseFunction(tableFunctionSignatures(name), kinds, chosen);
    if (outcome != OverloadOutcome::Found) fail(outcome);
    if (chosen->volatility != Volatility::Immutable) state_.is_immutable = false;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      arguments_[i] = coercion_.toKind(std::move(arguments_[i]), chosen->arguments[i]);
      if (chosen->arguments[i] == TypeKind::Numeric) arguments_[i] = coercion_.toBig(std::move(arguments_[i]));
    }
    return {name, std::move(arguments_), state_.plan->makeUnit(column_, Type::of(chosen->result), !is_in_from_)};
  }

 private:
  void requireRelation() {
    const bool fits = arguments_.size() == 1 && coercesImplicitly(arguments_[0]->type.kind, TypeKind::Regclass);
    if (!fits) fail();
    arguments_[0] = coercion_.toKind(std::move(arguments_[0]), TypeKind::Regclass);
  }
  /// The elements of the array that a catalog function makes of the argument.
  SetCall ofArgument(std::string_view function, TypeKind element, const std::string& column) {
    const FunctionId id = pg_catalog::catalogFunctionNamed(function);
    Arguments given, own;
    given.push_back(arguments_[0]->clone());
    own.push_back(Expression::arrayCall(id, Type::of(element).array(), std::move(given)));
    return {"unnest", std::move(own), state_.plan->makeUnit(column, Type::of(element), true)};
  }
  [[noreturn]] void fail(OverloadOutcome outcome = OverloadOutcome::None) {
    throwNoNamedFunction(node_, arguments_, outcome);
  }

  BindState& state_;
  Coercion coercion_;
  const ast::Expression& node_;
  Arguments arguments_;
  const std::string& column_;
  const bool is_in_from_;  ///< elsewhere what ends before another one gives NULLs
};

std::vector<SetCall> makeCalls(SetCallBinder& binder, const std::string& name) {
  if (name == "unnest") return binder.unnest();
  if (name == "pg_partition_tree") return binder.tree();
  if (name == "pg_get_keywords") return binder.keywords();
  if (name == "pg_options_to_table") return binder.options();
  if (name == "aclexplode") return binder.explode();
  if (name == kExpandArray) return binder.expanded();
  if (const JsonSet* const set = findJsonSet(name)) return binder.json(*set);
  std::vector<SetCall> calls;
  calls.push_back(name == "generate_subscripts"      ? binder.subscripts()
                  : name == "string_to_table"        ? binder.texts()
                  : name == "regexp_split_to_table"  ? binder.ofRegex(Type::of(TypeKind::Text))
                  : name == "regexp_matches"         ? binder.ofRegex(Type::of(TypeKind::Text).array())
                  : name.starts_with("jsonb_path")   ? binder.paths()
                  : name == "pg_partition_ancestors" ? binder.ancestors()
                  : name == "pg_listening_channels"  ? binder.channels()
                  : name.ends_with("_recordset")     ? binder.rows()
                                                     : binder.series());
  return calls;
}

}  // namespace

bool isSetFunction(const ast::Expression& node) {
  if (node.kind != ast::Expression::Kind::Function) return false;
  if (node.names.size() == 2 && node.names[0] == "information_schema") return node.names[1] == kExpandArray;
  if (isJsonRowSet(node)) return true;
  const bool in_catalog = node.names.size() == 1 || (node.names.size() == 2 && node.names[0] == "pg_catalog");
  if (!in_catalog) return false;
  return !tableFunctionSignatures(node.names.back()).empty() || findJsonSet(node.names.back()) != nullptr ||
         std::ranges::find(kOverArrays, node.names.back()) != std::end(kOverArrays);
}

size_t presentColumn(const ast::Expression& node) {
  return node.names.back() == kExpandArray ? 1 : 0;
}

bool isValueSet(const ast::Expression& node) {
  const JsonSet* const set = findJsonSet(node.names.back());
  return set != nullptr && set->has_names && set->key_function.empty();
}

std::vector<SetCall> bindSetCalls(BindState& state, const ast::Expression& node, Arguments arguments,
                                  const std::string& column, bool is_in_from) {
  SetCallBinder binder(state, node, std::move(arguments), column, is_in_from);
  std::vector<SetCall> calls = makeCalls(binder, node.names.back());
  refuseAggregateWords(node);
  return calls;
}

Iu SetCalls::add(SetCall call) {
  calls_.push_back(std::move(call));
  return calls_.back().iu;
}

UnitSet SetCalls::units() const {
  UnitSet units;
  for (const SetCall& call : calls_) units.insert(call.iu);
  return units;
}

void SetCalls::forEachExpression(const std::function<void(ExpressionPtr&)>& visit) {
  for (SetCall& call : calls_)
    for (ExpressionPtr& argument : call.arguments) visit(argument);
}

/// A call that reads another one's values is made over the rows that the other one makes.
OperatorPtr SetCalls::attach(OperatorPtr input, const std::function<bool(Iu)>& is_wanted) {
  // Calls stand behind those that they read.
  const auto reads = [&](size_t reader, size_t read) {
    return std::ranges::any_of(calls_[reader].arguments, [&](const ExpressionPtr& argument) {
      std::vector<Iu> units;
      argument->collectUnits(units);
      return std::ranges::find(units, calls_[read].iu) != units.end();
    });
  };
  std::vector<size_t> levels(calls_.size(), 0);
  for (size_t i = calls_.size(); i-- > 0;) {
    if (is_wanted(calls_[i].iu)) levels[i] = 1;
    for (size_t reader = i + 1; reader < calls_.size() && levels[i] == 0; ++reader)
      if (levels[reader] != 0 && reads(reader, i)) levels[i] = 1;
  }
  size_t highest = 0;
  for (size_t i = 0; i < calls_.size(); ++i) {
    for (size_t read = 0; read < i && levels[i] != 0; ++read)
      if (levels[read] != 0 && reads(i, read)) levels[i] = std::max(levels[i], levels[read] + 1);
    highest = std::max(highest, levels[i]);
  }
  for (size_t level = 1; level <= highest; ++level) {
    auto project = std::make_unique<ProjectSet>();
    for (size_t i = 0; i < calls_.size(); ++i)
      if (levels[i] == level) project->calls.push_back(std::move(calls_[i]));
    project->inputs.push_back(std::move(input));
    input = std::move(project);
  }
  std::vector<SetCall> kept;
  for (size_t i = 0; i < calls_.size(); ++i)
    if (levels[i] == 0) kept.push_back(std::move(calls_[i]));
  calls_ = std::move(kept);
  return input;
}

}  // namespace gnomon::sql
