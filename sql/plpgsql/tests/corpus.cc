#include "sql/plpgsql/tests/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "sql/plpgsql/tokens.h"

namespace gnomon::sql::plpgsql {
namespace {

std::filesystem::path testsFolder() {
  return std::filesystem::path(GNOMON_SOURCE_FOLDER) / "sql/plpgsql/tests";
}

/// Reads one statement: tokens [at, end).
class StatementReader {
 public:
  StatementReader(std::string_view text, const std::vector<Token>& tokens, size_t begin, size_t end,
                  TestCatalog& catalog)
      : text_(text), tokens_(tokens), at_(begin), end_(end), catalog_(catalog) {}

  CorpusRoutine read() {
    CorpusRoutine routine;
    routine.begin = tokens_[at_].begin;
    routine.end = tokens_[end_].begin;
    Signature& signature = routine.signature;
    if (word(at_) == "do") {
      signature.kind = Signature::Kind::InlineBlock;
      signature.name = "inline_code_block";
    } else {
      readHeader(signature);
    }
    // The body is the last string, as nothing stands behind it.
    for (; at_ < end_; ++at_)
      if (tokens_[at_].kind == TokenKind::String) routine.body = bodyOf(tokens_[at_]);
    return routine;
  }

 private:
  std::string word(size_t number) const {
    const Token& token = tokens_[number];
    return number < end_ && token.kind == TokenKind::Word ? nameOf(text_, token) : "";
  }
  std::string_view between(size_t first, size_t last) const {
    return first == last ? std::string_view()
                         : text_.substr(tokens_[first].begin, tokens_[last - 1].end - tokens_[first].begin);
  }

  void readHeader(Signature& signature) {
    while (word(at_) != "function" && word(at_) != "procedure") step();
    const bool is_procedure = word(at_) == "procedure";
    signature.kind = is_procedure ? Signature::Kind::Procedure : Signature::Kind::Function;
    signature.returns_void = is_procedure;
    step();
    signature.name = word(at_);
    step();
    readParameters(signature, false);
    if (word(at_) == "returns") {
      step();
      readResult(signature);
    }
  }

  void readResult(Signature& signature) {
    if (word(at_) == "setof") {
      signature.returns_set = true;
      step();
    }
    const std::string name = word(at_);
    if (name == "trigger") signature.kind = Signature::Kind::Trigger;
    if (name == "event_trigger") signature.kind = Signature::Kind::EventTrigger;
    if (name == "void") signature.returns_void = true;
    if (name == "anyelement") signature.polymorphic_result = catalog_.typeOfText("integer");
    if (name == "table") {
      signature.returns_set = true;
      step();
      return readParameters(signature, true);
    }
    size_t last = at_ + 1;
    while (last < end_ && tokens_[last].kind != TokenKind::Word) ++last;
    const bool is_type = name != "void" && name != "trigger" && name != "event_trigger" && name != "anyelement";
    if (is_type) signature.result = catalog_.typeOfText(between(at_, last));
  }

  void readParameters(Signature& signature, bool are_columns) {
    if (tokens_[at_].kind != TokenKind::ParenthesisOpen) throw std::runtime_error("no parameters");
    int depth = 1;
    size_t first = at_ + 1;
    while (depth > 0) {
      step();
      const TokenKind kind = tokens_[at_].kind;
      if (kind == TokenKind::ParenthesisOpen) ++depth;
      if (kind == TokenKind::ParenthesisClose) --depth;
      if (depth > 1 || (depth == 1 && kind != TokenKind::Comma)) continue;
      if (first < at_) signature.parameters.push_back(readParameter(first, at_, are_columns));
      first = at_ + 1;
    }
    step();
  }

  Parameter readParameter(size_t first, size_t last, bool is_column) const {
    using Mode = Parameter::Mode;
    Parameter parameter;
    const std::string mode = word(first);
    if (mode == "out") parameter.mode = Mode::Out;
    if (mode == "inout") parameter.mode = Mode::InOut;
    if (mode == "variadic") parameter.mode = Mode::Variadic;
    if (mode == "out" || mode == "inout" || mode == "variadic" || mode == "in") ++first;
    if (is_column) parameter.mode = Mode::Table;
    if (first + 1 < last && tokens_[first + 1].kind == TokenKind::Word) {
      parameter.name = nameOf(text_, tokens_[first]);
      ++first;
    }
    for (size_t i = first; i < last; ++i)
      if (tokens_[i].kind == TokenKind::Equals || word(i) == "default") last = i;
    std::string type(between(first, last));
    // PostgreSQL checks bodies as if these were integers.
    if (type == "anyelement") type = "integer";
    if (type == "anyarray") type = "integer[]";
    parameter.type = catalog_.typeOfText(type);
    return parameter;
  }

  std::string bodyOf(const Token& token) const {
    if (text_[token.begin] != '$') return stringOf(text_, token);
    const size_t quote = text_.find('$', token.begin + 1) + 1 - token.begin;
    return std::string(text_.substr(token.begin + quote, token.end - token.begin - 2 * quote));
  }

  void step() {
    if (++at_ >= end_) throw std::runtime_error("the routine has no end");
  }

  const std::string_view text_;
  const std::vector<Token>& tokens_;
  size_t at_;
  const size_t end_;
  TestCatalog& catalog_;
};

}  // namespace

std::vector<CorpusRoutine> readCorpus(std::string_view text, TestCatalog& catalog) {
  const TokenList list = scanTokens(text);
  if (list.error) throw SqlError(*list.error);
  std::vector<CorpusRoutine> routines;
  size_t first = 0;
  uint32_t before = 0;
  for (size_t i = 0; i < list.tokens.size(); ++i) {
    if (list.tokens[i].kind != TokenKind::Semicolon) continue;
    routines.push_back(StatementReader(text, list.tokens, first, i, catalog).read());
    const std::string_view comments = text.substr(before, routines.back().begin - before);
    routines.back().must_fail = comments.contains("-- fails");
    first = i + 1;
    before = list.tokens[i].end;
  }
  return routines;
}

std::vector<std::string> corpusFiles() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(testsFolder() / "corpus"))
    if (entry.path().extension() == ".sql") names.push_back("corpus/" + entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string fileText(const std::string& name) {
  std::ifstream file(testsFolder() / name);
  if (!file) throw std::runtime_error("there is no file " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gnomon::sql::plpgsql
