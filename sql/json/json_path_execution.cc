#include "sql/json/json_path_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/types/json_nesting.h"
#include "sql/types/jsonb_builder.h"

namespace gnomon::sql {
namespace {

using Kind = JsonPathKind;

std::string jsonNull() {
  JsonbBuilder builder;
  builder.null();
  return builder.finish();
}

std::string jsonBoolean(bool value) {
  JsonbBuilder builder;
  builder.boolean(value);
  return builder.finish();
}

}  // namespace

JsonPathExecution::JsonPathExecution(const JsonPath& path, JsonbView root, Options options)
    : path_(path),
      root_(root),
      options_(options),
      throws_(!options.is_silent),
      ignores_structure_(path.isLax()),
      current_(root),
      base_{root},
      made_objects_(options.variables ? 2 : 1) {
  if (options_.variables && !options_.variables->isObject())
    throw SqlError(sqlstate::kInvalidParameterValue, "\"vars\" argument is not an object")
        .detail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.");
}

std::vector<JsonbView> JsonPathExecution::query() {
  Items items;
  run(path_.root(), root_, &items);
  return items;
}

std::optional<bool> JsonPathExecution::exists() {
  // In strict mode all values are computed, for there may be an error behind the first.
  Items items;
  const Outcome outcome = run(path_.root(), root_, isStrict() ? &items : nullptr);
  if (outcome == Outcome::Error) return std::nullopt;
  return isStrict() ? !items.empty() : outcome == Outcome::Ok;
}

JsonPathExecution::Outcome JsonPathExecution::failed(const char (&state)[6], std::string message) const {
  if (throws_) throw SqlError(SqlState(state), std::move(message));
  return Outcome::Error;
}

JsonPathExecution::Outcome JsonPathExecution::run(const Node& node, JsonbView value, Items* found) {
  return runUnwrapping(node, value, found, path_.isLax());
}

JsonPathExecution::Outcome JsonPathExecution::runNext(const Node& node, JsonbView value, Items* found) {
  if (node.next) return run(*node.next, value, found);
  if (found != nullptr) found->push_back(value);
  return Outcome::Ok;
}

JsonPathExecution::Outcome JsonPathExecution::runUnwrapping(const Node& node, JsonbView value, Items* found,
                                                            bool unwraps) {
  const JsonNesting nesting(depth_, kJsonDepthMax);
  if (node.kind <= Kind::Exists) {
    const Truth truth = test(node, value);
    if (!node.next && found == nullptr) return Outcome::Ok;
    return runNext(node, keep(truth == Truth::Unknown ? jsonNull() : jsonBoolean(truth == Truth::True)), found);
  }
  switch (node.kind) {
    case Kind::Root: {
      const Base before = std::exchange(base_, Base{root_, 0});
      const Outcome outcome = runNext(node, root_, found);
      base_ = before;
      return outcome;
    }
    case Kind::Current:
      return runNext(node, current_, found);
    case Kind::Null:
    case Kind::Boolean:
    case Kind::Number:
    case Kind::String:
    case Kind::Last:
    case Kind::Variable:
      return runLiteral(node, found);
    case Kind::Key:
      return runKey(node, value, found, unwraps);
    case Kind::AnyKey:
      return runAnyKey(node, value, found, unwraps);
    case Kind::AnyElement:
      return runAnyElement(node, value, found);
    case Kind::Index:
      return runIndex(node, value, found);
    case Kind::Any:
      return runAny(node, value, found);
    case Kind::Filter:
      return runFilter(node, value, found, unwraps);
    case Kind::Plus:
    case Kind::Minus:
      return runSign(node, value, found);
    case Kind::Add:
    case Kind::Subtract:
    case Kind::Multiply:
    case Kind::Divide:
    case Kind::Modulo:
      return runArithmetic(node, value, found);
    default:
      return runMethod(node, value, found, unwraps);
  }
}

JsonPathExecution::Outcome JsonPathExecution::runLiteral(const Node& node, Items* found) {
  // A variable that is not there is an error even where nothing asks for its value.
  if (!node.next && found == nullptr && node.kind != Kind::Variable) return Outcome::Ok;
  switch (node.kind) {
    case Kind::Null:
      return runNext(node, keep(jsonNull()), found);
    case Kind::Boolean:
      return runNext(node, keep(jsonBoolean(node.boolean)), found);
    case Kind::Number:
      return runNext(node, keep(jsonbNumber(node.number)), found);
    case Kind::String:
      return runNext(node, keep(jsonbString(node.text)), found);
    case Kind::Last: {
      const auto last = static_cast<int64_t>(array_size_.value_or(0)) - 1;
      return runNext(node, keep(jsonbNumber(BigNumeric(last))), found);
    }
    default: {
      if (!options_.variables) return runNext(node, keep(jsonNull()), found);
      const JsonbView named = variable(node.text);
      const Base before = std::exchange(base_, Base{*options_.variables, 1});
      const Outcome outcome = runNext(node, named, found);
      base_ = before;
      return outcome;
    }
  }
}

JsonbView JsonPathExecution::variable(std::string_view name) {
  const auto found = options_.variables->find(name);
  if (!found) throw SqlError(sqlstate::kUndefinedObject, fmt::format("could not find jsonpath variable \"{}\"", name));
  return *found;
}

JsonPathExecution::Outcome JsonPathExecution::runOnElements(const Node& node, JsonbView array, Items* found) {
  return runOnParts(&node, array, found, 1, 1, 1, false, false);
}

JsonPathExecution::Outcome JsonPathExecution::runOnParts(const Node* node, JsonbView container, Items* found,
                                                         uint32_t level, uint32_t first, uint32_t last,
                                                         bool ignores_structure, bool unwraps) {
  Outcome outcome = Outcome::NotFound;
  if (level > last) return outcome;
  for (size_t i = 0; i < container.size(); ++i) {
    const JsonbView part = container.isArray() ? container.at(i) : container.value(i);
    const bool wants_leaves = first == Node::kLastLevel && last == Node::kLastLevel;
    if (level >= first || (wants_leaves && part.isScalar())) {
      if (node != nullptr) {
        const bool before = ignores_structure_;
        ignores_structure_ = before || ignores_structure;
        outcome = runUnwrapping(*node, part, found, unwraps);
        ignores_structure_ = before;
        if (outcome == Outcome::Error || (outcome == Outcome::Ok && found == nullptr)) return outcome;
      } else if (found != nullptr) {
        found->push_back(part);
      } else {
        return Outcome::Ok;
      }
    }
    if (level >= last || part.isScalar()) continue;
    outcome = runOnParts(node, part, found, level + 1, first, last, ignores_structure, unwraps);
    if (outcome == Outcome::Error || (outcome == Outcome::Ok && found == nullptr)) return outcome;
  }
  return outcome;
}

JsonPathExecution::Outcome JsonPathExecution::runOperand(const Node& node, JsonbView value, bool unwraps,
                                                         Items* found) {
  if (!unwraps || isStrict()) return run(node, value, found);
  Items items;
  if (run(node, value, &items) == Outcome::Error) return Outcome::Error;
  for (const JsonbView item : items) {
    if (!item.isArray())
      found->push_back(item);
    else
      runOnParts(nullptr, item, found, 1, 1, 1, false, false);
  }
  return Outcome::Ok;
}

JsonPathExecution::Outcome JsonPathExecution::runSilently(const Node& node, JsonbView value, bool unwraps,
                                                          Items* found) {
  const bool before = std::exchange(throws_, false);
  const Outcome outcome = runOperand(node, value, unwraps, found);
  throws_ = before;
  return outcome;
}

JsonPathExecution::Outcome JsonPathExecution::runKey(const Node& node, JsonbView value, Items* found, bool unwraps) {
  if (value.isObject()) {
    if (const auto field = value.find(node.text)) return runNext(node, *field, found);
    if (ignores_structure_) return Outcome::NotFound;
    return failed("2203A", fmt::format("JSON object does not contain key \"{}\"", node.text));
  }
  if (unwraps && value.isArray()) return runOnElements(node, value, found);
  if (ignores_structure_) return Outcome::NotFound;
  return failed("2203A", "jsonpath member accessor can only be applied to an object");
}

JsonPathExecution::Outcome JsonPathExecution::runAnyKey(const Node& node, JsonbView value, Items* found, bool unwraps) {
  if (value.isObject()) return runOnParts(node.next.get(), value, found, 1, 1, 1, false, path_.isLax());
  if (unwraps && value.isArray()) return runOnElements(node, value, found);
  if (ignores_structure_) return Outcome::NotFound;
  return failed("2203C", "jsonpath wildcard member accessor can only be applied to an object");
}

JsonPathExecution::Outcome JsonPathExecution::runAnyElement(const Node& node, JsonbView value, Items* found) {
  if (value.isArray()) return runOnParts(node.next.get(), value, found, 1, 1, 1, false, path_.isLax());
  if (path_.isLax()) return runNext(node, value, found);
  if (ignores_structure_) return Outcome::NotFound;
  return failed("22039", "jsonpath wildcard array accessor can only be applied to an array");
}

std::optional<int32_t> JsonPathExecution::elementIndex(const Node& node, JsonbView value) {
  Items items;
  if (run(node, value, &items) == Outcome::Error) return std::nullopt;
  if (items.size() != 1 || items[0].kind() != JsonKind::Number) {
    failed("22033", "jsonpath array subscript is not a single numeric value");
    return std::nullopt;
  }
  int64_t index = 0;
  const BigNumeric number = BigNumeric::decode(items[0].payload()).truncated(0);
  if (!number.toInt64(index) || index != static_cast<int32_t>(index)) {
    failed("22033", "jsonpath array subscript is out of integer range");
    return std::nullopt;
  }
  return static_cast<int32_t>(index);
}

JsonPathExecution::Outcome JsonPathExecution::runIndex(const Node& node, JsonbView value, Items* found) {
  if (!value.isArray() && isStrict()) {
    if (ignores_structure_) return Outcome::NotFound;
    return failed("22039", "jsonpath array accessor can only be applied to an array");
  }
  // Anything else is the only element of an array.
  const size_t count = value.isArray() ? value.size() : 1;
  const auto before = std::exchange(array_size_, count);
  Outcome outcome = Outcome::NotFound;
  for (size_t i = 0; i < node.arguments.size(); i += 2) {
    const auto from = elementIndex(*node.arguments[i], value);
    const auto to = from && node.arguments[i + 1] ? elementIndex(*node.arguments[i + 1], value) : from;
    if (!from || !to) {
      outcome = Outcome::Error;
      break;
    }
    const bool is_outside = *from < 0 || *from > *to || int64_t{*to} >= static_cast<int64_t>(count);
    if (is_outside && !ignores_structure_) {
      outcome = failed("22033", "jsonpath array subscript is out of bounds");
      break;
    }
    const int64_t end = std::min<int64_t>(*to, static_cast<int64_t>(count) - 1);
    outcome = Outcome::NotFound;
    for (int64_t index = std::max(*from, 0); index <= end; ++index) {
      if (!node.next && found == nullptr) {
        array_size_ = before;
        return Outcome::Ok;
      }
      const JsonbView element = value.isArray() ? value.at(static_cast<size_t>(index)) : value;
      outcome = runNext(node, element, found);
      if (outcome == Outcome::Error || (outcome == Outcome::Ok && found == nullptr)) break;
    }
    if (outcome == Outcome::Error || (outcome == Outcome::Ok && found == nullptr)) break;
  }
  array_size_ = before;
  return outcome;
}

JsonPathExecution::Outcome JsonPathExecution::runAny(const Node& node, JsonbView value, Items* found) {
  Outcome outcome = Outcome::NotFound;
  if (node.first == 0) {
    const bool before = std::exchange(ignores_structure_, true);
    outcome = runNext(node, value, found);
    ignores_structure_ = before;
    if (outcome == Outcome::Ok && found == nullptr) return outcome;
  }
  if (value.isScalar()) return outcome;
  return runOnParts(node.next.get(), value, found, 1, node.first, node.last, true, path_.isLax());
}

JsonPathExecution::Outcome JsonPathExecution::runFilter(const Node& node, JsonbView value, Items* found, bool unwraps) {
  if (unwraps && value.isArray()) return runOnElements(node, value, found);
  if (testNested(*node.arguments[0], value) != Truth::True) return Outcome::NotFound;
  return runNext(node, value, found);
}

JsonPathExecution::Outcome JsonPathExecution::runArithmetic(const Node& node, JsonbView value, Items* found) {
  Items sides[2];
  for (size_t i = 0; i < 2; ++i)
    if (runOperand(*node.arguments[i], value, true, &sides[i]) == Outcome::Error) return Outcome::Error;
  for (size_t i = 0; i < 2; ++i)
    if (sides[i].size() != 1 || sides[i][0].kind() != JsonKind::Number)
      return failed("22038", fmt::format("{} operand of jsonpath operator {} is not a single numeric value",
                                         i == 0 ? "left" : "right", jsonPathOperator(node.kind)));
  const BigNumeric left = BigNumeric::decode(sides[0][0].payload());
  const BigNumeric right = BigNumeric::decode(sides[1][0].payload());
  BigNumeric result;
  try {
    result = node.kind == Kind::Add        ? left + right
             : node.kind == Kind::Subtract ? left - right
             : node.kind == Kind::Multiply ? left * right
             : node.kind == Kind::Divide   ? left / right
                                           : left % right;
  } catch (const SqlError&) {
    if (throws_) throw;
    return Outcome::Error;
  }
  if (!node.next && found == nullptr) return Outcome::Ok;
  return runNext(node, keep(jsonbNumber(result)), found);
}

JsonPathExecution::Outcome JsonPathExecution::runSign(const Node& node, JsonbView value, Items* found) {
  Items items;
  if (runOperand(*node.arguments[0], value, true, &items) == Outcome::Error) return Outcome::Error;
  Outcome outcome = Outcome::NotFound;
  const bool is_unasked = found == nullptr && !node.next;
  for (const JsonbView item : items) {
    if (item.kind() != JsonKind::Number) {
      if (is_unasked) continue;
      return failed("2203B", fmt::format("operand of unary jsonpath operator {} is not a numeric value",
                                         jsonPathOperator(node.kind)));
    }
    if (is_unasked) return Outcome::Ok;
    const BigNumeric number = BigNumeric::decode(item.payload());
    const Outcome next = runNext(node, node.kind == Kind::Minus ? keep(jsonbNumber(-number)) : item, found);
    if (next == Outcome::Error) return next;
    if (next == Outcome::Ok) {
      if (found == nullptr) return next;
      outcome = next;
    }
  }
  return outcome;
}

JsonPathExecution::Truth JsonPathExecution::testNested(const Node& node, JsonbView value) {
  const JsonbView before = std::exchange(current_, value);
  const Truth truth = test(node, value);
  current_ = before;
  return truth;
}

JsonPathExecution::Truth JsonPathExecution::test(const Node& node, JsonbView value) {
  switch (node.kind) {
    case Kind::And: {
      const Truth left = test(*node.arguments[0], value);
      if (left == Truth::False) return left;
      const Truth right = test(*node.arguments[1], value);
      return right == Truth::True ? left : right;
    }
    case Kind::Or: {
      const Truth left = test(*node.arguments[0], value);
      if (left == Truth::True) return left;
      const Truth right = test(*node.arguments[1], value);
      return right == Truth::False ? left : right;
    }
    case Kind::Not: {
      const Truth inner = test(*node.arguments[0], value);
      return inner == Truth::Unknown ? inner : inner == Truth::True ? Truth::False : Truth::True;
    }
    case Kind::IsUnknown:
      return test(*node.arguments[0], value) == Truth::Unknown ? Truth::True : Truth::False;
    case Kind::Exists:
      return testExists(node, value);
    default:
      return testPair(node, value);
  }
}

JsonPathExecution::Truth JsonPathExecution::testExists(const Node& node, JsonbView value) {
  Items items;
  const Outcome outcome = runSilently(*node.arguments[0], value, false, isStrict() ? &items : nullptr);
  if (outcome == Outcome::Error) return Truth::Unknown;
  return (isStrict() ? !items.empty() : outcome == Outcome::Ok) ? Truth::True : Truth::False;
}

/// Whether it holds for some pair of values.
JsonPathExecution::Truth JsonPathExecution::testPair(const Node& node, JsonbView value) {
  Items left, right;
  if (runSilently(*node.arguments[0], value, true, &left) == Outcome::Error) return Truth::Unknown;
  const bool is_pair = node.kind != Kind::LikeRegex;
  const bool unwraps_right = node.kind != Kind::StartsWith;
  if (is_pair && runSilently(*node.arguments[1], value, unwraps_right, &right) == Outcome::Error) return Truth::Unknown;
  bool is_found = false, is_unknown = false;
  for (const JsonbView one : left)
    for (size_t i = 0; i < (is_pair ? right.size() : 1); ++i) {
      const Truth truth = holds(node, one, is_pair ? std::optional(right[i]) : std::nullopt);
      if (truth == Truth::Unknown) {
        if (isStrict()) return truth;
        is_unknown = true;
      } else if (truth == Truth::True) {
        if (!isStrict()) return truth;
        is_found = true;
      }
    }
  return is_found ? Truth::True : is_unknown ? Truth::Unknown : Truth::False;
}

JsonPathExecution::Truth JsonPathExecution::holds(const Node& node, JsonbView left, std::optional<JsonbView> right) {
  if (node.kind == Kind::LikeRegex) return matches(node, left);
  if (node.kind != Kind::StartsWith) return compare(node.kind, left, *right);
  if (!isText(left) || !isText(*right)) return Truth::Unknown;
  return left.payload().starts_with(right->payload()) ? Truth::True : Truth::False;
}

/// Nothing: they cannot be compared.
std::optional<int> JsonPathExecution::orderOf(JsonbView left, JsonbView right) const {
  const JsonPathDatetime* const one = datetimeOf(left);
  const JsonPathDatetime* const other = datetimeOf(right);
  if (one == nullptr && other == nullptr) return compareJsonb(left, right);
  if (one == nullptr || other == nullptr) return {};
  return compareJsonPathDatetimes(*one, *other, options_.has_zone);
}

JsonPathExecution::Truth JsonPathExecution::compare(JsonPathKind kind, JsonbView left, JsonbView right) const {
  if (left.kind() != right.kind()) {
    const bool is_null = left.isNull() || right.isNull();
    if (!is_null) return Truth::Unknown;
    return kind == Kind::NotEqual ? Truth::True : Truth::False;
  }
  if (!left.isScalar()) return Truth::Unknown;
  const std::optional<int> known = orderOf(left, right);
  if (!known) return Truth::Unknown;
  const int order = *known;
  const auto truth = [](bool holds) { return holds ? Truth::True : Truth::False; };
  switch (kind) {
    case Kind::Equal:
      return truth(order == 0);
    case Kind::NotEqual:
      return truth(order != 0);
    case Kind::Less:
      return truth(order < 0);
    case Kind::Greater:
      return truth(order > 0);
    case Kind::LessOrEqual:
      return truth(order <= 0);
    default:
      return truth(order >= 0);
  }
}

}  // namespace gnomon::sql
