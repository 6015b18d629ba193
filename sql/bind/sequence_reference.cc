#include "sql/bind/sequence_reference.h"

#include <algorithm>
#include <charconv>

#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"

namespace gnomon::sql {
namespace {

using Kind = ast::Expression::Kind;

constexpr std::string_view kSelect = "SELECT ";
bool mayName(const std::string& text) {
  return text.find("val") != std::string::npos;
}

}  // namespace

bool takesSequence(std::string_view function) {
  return function == "nextval" || function == "currval" || function == "setval";
}

bool isRegclassCast(const ast::Expression& node) {
  return node.kind == Kind::Cast && node.type.name == "regclass" && !node.type.is_array &&
         (node.type.schema.empty() || node.type.schema == "pg_catalog");
}

const ast::Expression* sequenceLiteral(const ast::Expression& call) {
  if (call.kind != Kind::Function || call.children.empty() || !takesSequence(call.names.back())) return nullptr;
  const ast::Expression* argument = call.children[0].get();
  if (isRegclassCast(*argument)) argument = argument->children[0].get();
  return argument->kind == Kind::String ? argument : nullptr;
}

std::string withSequences(const std::string& text, const std::function<std::string(const std::string&)>& nameOf) {
  if (!mayName(text)) return text;
  struct Literal {
    size_t begin, end;
    std::string name;
  };
  std::vector<Literal> literals;
  const StoredExpression stored(text);
  forEachNode(stored.tree(), [&](const ast::Expression& node) {
    const ast::Expression* const literal = sequenceLiteral(node);
    if (literal == nullptr) return;
    const auto begin = static_cast<size_t>(literal->position) - kSelect.size();
    literals.push_back({begin, literalEnd(text, begin), literal->text});
  });
  std::ranges::sort(literals, {}, &Literal::begin);
  std::string result;
  size_t copied = 0;
  for (const Literal& literal : literals) {
    result.append(text, copied, literal.begin - copied).append(asLiteral(nameOf(literal.name)));
    copied = literal.end;
  }
  return result.append(text, copied);
}

std::vector<uint32_t> namedSequences(const std::string& text) {
  std::vector<uint32_t> oids;
  if (!mayName(text)) return oids;
  const StoredExpression stored(text);
  forEachNode(stored.tree(), [&](const ast::Expression& node) {
    const ast::Expression* const literal = sequenceLiteral(node);
    if (literal == nullptr) return;
    uint32_t oid = 0;
    const char* const end = literal->text.data() + literal->text.size();
    const auto [stop, error] = std::from_chars(literal->text.data(), end, oid);
    if (error == std::errc() && stop == end) oids.push_back(oid);
  });
  return oids;
}

}  // namespace gnomon::sql
