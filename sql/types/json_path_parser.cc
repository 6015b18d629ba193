#include "sql/types/json_path_parser.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/sql_error.h"
#include "sql/regex/regex.h"
#include "sql/types/json_nesting.h"
#include "sql/types/jsonb_value.h"

namespace gnomon::sql {
namespace {

// A level of parentheses is ten calls deep. What follows one another is a list that is walked by recursion.
constexpr unsigned kLevelsMax = kJsonDepthMax / 4;
constexpr unsigned kTokensMax = 2 * kJsonDepthMax;

using Kind = JsonPathKind;
using Node = JsonPathNodePtr;
using Token = JsonPathToken::Kind;

Node make(Kind kind) {
  auto node = std::make_unique<JsonPathNode>();
  node->kind = kind;
  return node;
}

Node make(Kind kind, Node first) {
  Node node = make(kind);
  node->arguments.push_back(std::move(first));
  return node;
}

Node make(Kind kind, Node first, Node second) {
  Node node = make(kind, std::move(first));
  node->arguments.push_back(std::move(second));
  return node;
}

Node named(Kind kind, std::string text) {
  Node node = make(kind);
  node->text = std::move(text);
  return node;
}

std::optional<Kind> comparisonOf(const JsonPathToken& token) {
  static constexpr std::pair<std::string_view, Kind> kComparisons[] = {
      {"==", Kind::Equal},  {"!=", Kind::NotEqual},    {"<>", Kind::NotEqual},      {"<", Kind::Less},
      {">", Kind::Greater}, {"<=", Kind::LessOrEqual}, {">=", Kind::GreaterOrEqual}};
  for (const auto& [symbol, kind] : kComparisons)
    if (token.is(symbol)) return kind;
  return std::nullopt;
}

std::optional<Kind> methodOf(const JsonPathToken& token) {
  for (const Kind kind : {Kind::Type, Kind::Size, Kind::Absolute, Kind::Floor, Kind::Ceiling, Kind::Double,
                          Kind::Datetime, Kind::KeyValue})
    if (token.isWord(jsonPathMethod(kind))) return kind;
  return std::nullopt;
}

/// In PostgreSQL's order.
std::string checkedFlags(std::string_view flags) {
  for (const char c : flags) {
    if (!std::string_view("ismxq").contains(c))
      throw SqlError(sqlstate::kSyntaxError, "invalid input syntax for type jsonpath")
          .detail(fmt::format("Unrecognized flag character \"{}\" in LIKE_REGEX predicate.", c));
  }
  std::string ordered;
  for (const char c : std::string_view("ismxq"))
    if (flags.contains(c)) ordered += c;
  if (ordered.contains('x') && !ordered.contains('q'))
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "XQuery \"x\" flag (expanded regular expressions) is not implemented");
  return ordered;
}

}  // namespace

JsonPathParser::JsonPathParser(std::string_view text) : lexer_(text) {
  step();
  step();
}

JsonPath JsonPathParser::run() {
  JsonPath path;
  if (token_.kind == Token::End)
    throw SqlError(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type jsonpath: \"\"");
  const bool is_strict = token_.isWord("strict");
  if (is_strict || token_.isWord("lax")) step();
  path.is_lax_ = !is_strict;
  path.root_ = readOr();
  if (token_.kind != Token::End) fail();
  return path;
}

JsonPathNodePtr JsonPathParser::requirePredicate(Node node) const {
  if (!node->isPredicate()) fail();
  return node;
}

JsonPathNodePtr JsonPathParser::requireValue(Node node) const {
  if (node->isPredicate()) fail();
  return node;
}

void JsonPathParser::step() {
  if (++token_count_ > kTokensMax) throwJsonTooDeep();
  token_ = std::exchange(following_, lexer_.next());
}

void JsonPathParser::expect(std::string_view symbol) {
  if (!token_.is(symbol)) fail();
  step();
}

JsonPathNodePtr JsonPathParser::readOr() {
  const JsonNesting nesting(depth_, kLevelsMax);
  Node left = readAnd();
  while (token_.is("||")) {
    left = requirePredicate(std::move(left));
    step();
    left = make(Kind::Or, std::move(left), requirePredicate(readAnd()));
  }
  return left;
}

JsonPathNodePtr JsonPathParser::readAnd() {
  Node left = readPredicate();
  while (token_.is("&&")) {
    left = requirePredicate(std::move(left));
    step();
    left = make(Kind::And, std::move(left), requirePredicate(readPredicate()));
  }
  return left;
}

JsonPathNodePtr JsonPathParser::readPredicate() {
  if (token_.is("!")) {
    step();
    if (token_.isWord("exists")) return make(Kind::Not, readPredicate());
    expect("(");
    Node inner = requirePredicate(readOr());
    expect(")");
    return make(Kind::Not, std::move(inner));
  }
  if (token_.isWord("exists")) {
    step();
    expect("(");
    Node inner = requireValue(readSum());
    expect(")");
    return make(Kind::Exists, std::move(inner));
  }
  Node left = readSum();
  return left->isPredicate() ? std::move(left) : readComparison(std::move(left));
}

JsonPathNodePtr JsonPathParser::readComparison(Node left) {
  if (const auto comparison = comparisonOf(token_)) {
    step();
    return make(*comparison, std::move(left), requireValue(readSum()));
  }
  if (token_.isWord("starts")) {
    step();
    if (!token_.isWord("with")) fail();
    step();
    if (token_.kind != Token::String && token_.kind != Token::Variable) fail();
    Node start = named(token_.kind == Token::String ? Kind::String : Kind::Variable, token_.text);
    step();
    return make(Kind::StartsWith, std::move(left), std::move(start));
  }
  return token_.isWord("like_regex") ? readRegex(std::move(left)) : std::move(left);
}

JsonPathNodePtr JsonPathParser::readRegex(Node text) {
  step();
  if (token_.kind != Token::String) fail();
  Node regex = make(Kind::LikeRegex, std::move(text));
  regex->text = token_.text;
  step();
  if (token_.isWord("flag")) {
    step();
    if (token_.kind != Token::String) fail();
    regex->flags = checkedFlags(token_.text);
    step();
  }
  Regex(regex->text, jsonPathRegexOptions(regex->flags));
  return regex;
}

JsonPathNodePtr JsonPathParser::readSum() {
  Node left = readProduct();
  while (token_.is("+") || token_.is("-")) {
    const Kind kind = token_.is("+") ? Kind::Add : Kind::Subtract;
    left = requireValue(std::move(left));
    step();
    left = make(kind, std::move(left), requireValue(readProduct()));
  }
  return left;
}

JsonPathNodePtr JsonPathParser::readProduct() {
  Node left = readSign();
  while (token_.is("*") || token_.is("/") || token_.is("%")) {
    const Kind kind = token_.is("*") ? Kind::Multiply : token_.is("/") ? Kind::Divide : Kind::Modulo;
    left = requireValue(std::move(left));
    step();
    left = make(kind, std::move(left), requireValue(readSign()));
  }
  return left;
}

JsonPathNodePtr JsonPathParser::readSign() {
  if (!token_.is("+") && !token_.is("-")) return readAccess();
  const JsonNesting nesting(depth_, kLevelsMax);
  const bool is_minus = token_.is("-");
  step();
  Node operand = requireValue(readSign());
  if (operand->kind == Kind::Number && !operand->next) {
    if (is_minus) operand->number = -operand->number;
    return operand;
  }
  return make(is_minus ? Kind::Minus : Kind::Plus, std::move(operand));
}

JsonPathNodePtr JsonPathParser::readAccess() {
  Node node = token_.is("(") ? readEnclosed() : readPrimary();
  JsonPathNode* last = node.get();
  while (last->next) last = last->next.get();
  while (Node accessor = readAccessor()) {
    last->next = std::move(accessor);
    last = last->next.get();
  }
  return node;
}

JsonPathNodePtr JsonPathParser::readEnclosed() {
  step();
  Node inner = readOr();
  expect(")");
  if (!inner->isPredicate() || !token_.isWord("is")) return inner;
  step();
  if (!token_.isWord("unknown")) fail();
  step();
  return make(Kind::IsUnknown, std::move(inner));
}

JsonPathNodePtr JsonPathParser::readPrimary() {
  Node node;
  if (token_.kind == Token::String) {
    node = named(Kind::String, token_.text);
  } else if (token_.kind == Token::Variable) {
    node = named(Kind::Variable, token_.text);
  } else if (token_.kind == Token::Integer || token_.kind == Token::Number) {
    node = make(Kind::Number);
    node->number = BigNumeric::parse(token_.text);
  } else if (token_.isWord("null")) {
    node = make(Kind::Null);
  } else if (token_.isWord("true") || token_.isWord("false")) {
    node = make(Kind::Boolean);
    node->boolean = token_.text == "true";
  } else if (token_.is("$")) {
    node = make(Kind::Root);
  } else if (token_.is("@")) {
    if (filter_depth_ == 0) throw SqlError(sqlstate::kSyntaxError, "@ is not allowed in root expressions");
    node = make(Kind::Current);
  } else if (token_.isWord("last")) {
    if (index_depth_ == 0) throw SqlError(sqlstate::kSyntaxError, "LAST is allowed only in array subscripts");
    node = make(Kind::Last);
  } else {
    fail();
  }
  step();
  return node;
}

JsonPathNodePtr JsonPathParser::readAccessor() {
  if (token_.is(".")) return readMember();
  if (token_.is("[")) return readIndex();
  return token_.is("?") ? readFilter() : nullptr;
}

JsonPathNodePtr JsonPathParser::readMember() {
  step();
  if (token_.is("**")) return readAny();
  if (token_.is("*")) {
    step();
    return make(Kind::AnyKey);
  }
  const auto method = methodOf(token_);
  if (method && following_.is("(")) {
    step();
    step();
    Node node = make(*method);
    if (*method == Kind::Datetime && token_.kind == Token::String) {
      node->arguments.push_back(named(Kind::String, token_.text));
      step();
    }
    expect(")");
    return node;
  }
  if (token_.kind != Token::Word && token_.kind != Token::String) fail();
  Node key = named(Kind::Key, token_.text);
  step();
  return key;
}

JsonPathNodePtr JsonPathParser::readIndex() {
  const JsonNesting nesting(depth_, kLevelsMax);
  step();
  if (token_.is("*")) {
    step();
    expect("]");
    return make(Kind::AnyElement);
  }
  Node index = make(Kind::Index);
  ++index_depth_;
  for (;;) {
    index->arguments.push_back(requireValue(readSum()));
    Node to;
    if (token_.isWord("to")) {
      step();
      to = requireValue(readSum());
    }
    index->arguments.push_back(std::move(to));
    if (!token_.is(",")) break;
    step();
  }
  --index_depth_;
  expect("]");
  return index;
}

uint32_t JsonPathParser::readLevel() {
  uint32_t level = JsonPathNode::kLastLevel;
  if (token_.kind == Token::Integer) {
    const auto [end, error] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), level);
    if (error != std::errc()) fail();
  } else if (!token_.isWord("last")) {
    fail();
  }
  step();
  return level;
}

JsonPathNodePtr JsonPathParser::readAny() {
  step();
  Node any = make(Kind::Any);
  any->last = JsonPathNode::kLastLevel;
  if (!token_.is("{")) return any;
  step();
  any->first = any->last = readLevel();
  if (token_.isWord("to")) {
    step();
    any->last = readLevel();
  }
  expect("}");
  return any;
}

JsonPathNodePtr JsonPathParser::readFilter() {
  step();
  expect("(");
  ++filter_depth_;
  Node condition = requirePredicate(readOr());
  --filter_depth_;
  expect(")");
  return make(Kind::Filter, std::move(condition));
}

}  // namespace gnomon::sql
