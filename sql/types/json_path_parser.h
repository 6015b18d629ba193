#pragma once

#include <string_view>
#include <utility>

#include "sql/types/json_path.h"
#include "sql/types/json_path_lexer.h"

namespace gnomon::sql {

/// Reads a path by recursive descent. Expressions and predicates are told apart by what has been read.
class JsonPathParser {
 public:
  explicit JsonPathParser(std::string_view text);

  JsonPath run();

 private:
  using Node = JsonPathNodePtr;
  using Kind = JsonPathKind;

  Node readOr();
  Node readAnd();
  Node readPredicate();
  Node readComparison(Node left);
  Node readRegex(Node text);
  Node readSum();
  Node readProduct();
  Node readSign();
  Node readAccess();
  Node readPrimary();
  Node readEnclosed();
  /// The accessor or method that begins here; null: none does.
  Node readAccessor();
  Node readMember();
  Node readIndex();
  Node readAny();
  uint32_t readLevel();
  Node readFilter();
  Node requirePredicate(Node node) const;
  Node requireValue(Node node) const;
  void step();
  void expect(std::string_view symbol);
  [[noreturn]] void fail() const { JsonPathLexer::fail("syntax error", token_); }

  JsonPathLexer lexer_;
  JsonPathToken token_, following_;
  unsigned token_count_ = 0;
  unsigned depth_ = 0;
  unsigned filter_depth_ = 0, index_depth_ = 0;
};

}  // namespace gnomon::sql
