#include "sql/regex/regex_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sql/regex/regex_lexer.h"

namespace gnomon::sql {
namespace {

using Kind = RegexToken::Kind;
using Branches = RegexBranches;
using Piece = RegexPiece;

constexpr int kRepetitionsMax = 255;
constexpr uint32_t kDepthMax = 1000;

constexpr const char* kParentheses = "parentheses () not balanced";
constexpr const char* kReference = "invalid backreference number";
constexpr const char* kRange = "invalid character range";
constexpr const char* kClass = "invalid character class";
constexpr const char* kCollating = "invalid collating element";

class Parser {
 public:
  Parser(std::string_view pattern, RegexOptions options) : lexer_(pattern, options) {
    tree_.is_caseless = this->options().is_caseless;
  }

  RegexTree run() {
    tree_.root = readBranches(Kind::End, 0);
    return std::move(tree_);
  }

 private:
  [[nodiscard]] const RegexToken& token() const { return lexer_.token(); }
  [[nodiscard]] bool sees(Kind kind) const { return token().kind == kind; }
  bool take(Kind kind) {
    if (!sees(kind)) return false;
    lexer_.advance();
    return true;
  }
  [[nodiscard]] const RegexOptions& options() const { return lexer_.options(); }

  /// Up to `closing`, which stays.
  Branches readBranches(Kind closing, uint32_t depth) {
    if (depth > kDepthMax) throwRegexTooComplex();
    Branches result;
    do {
      std::vector<Piece>& branch = result.branches.emplace_back();
      while (!sees(Kind::Alternative) && !sees(closing) && !sees(Kind::End)) branch.push_back(readPiece(depth));
    } while (take(Kind::Alternative));
    if (!sees(closing)) throwInvalidRegex(kParentheses);
    return result;
  }

  Piece readPiece(uint32_t depth) {
    switch (token().kind) {
      case Kind::Assertion:
        return readAssertion();
      case Kind::LookAround:
        return readLookAround(depth);
      default:
        break;
    }
    Piece piece = readAtom(depth);
    readQuantifier(piece);
    return piece;
  }

  Piece readAssertion() {
    Piece piece{Piece::Kind::Assertion};
    piece.assertion = token().assertion;
    if (!options().anchors_at_lines && piece.assertion == RegexAssertion::LineBegin)
      piece.assertion = RegexAssertion::TextBegin;
    if (!options().anchors_at_lines && piece.assertion == RegexAssertion::LineEnd)
      piece.assertion = RegexAssertion::TextEnd;
    lexer_.advance();
    return piece;
  }

  Piece readLookAround(uint32_t depth) {
    Piece piece{Piece::Kind::LookAround};
    piece.is_behind = token().is_behind;
    piece.is_negated = !token().flag;
    lexer_.advance();
    ++look_around_depth_;
    piece.inner = std::make_unique<Branches>(readBranches(Kind::Close, depth + 1));
    --look_around_depth_;
    lexer_.advance();
    return piece;
  }

  Piece readAtom(uint32_t depth) {
    switch (token().kind) {
      case Kind::Star:
      case Kind::Plus:
      case Kind::Question:
      case Kind::Bounds:
        throwInvalidRegex(kInvalidOperand);
      case Kind::Open:
        return readGroup(depth);
      case Kind::BackReference:
        return readBackReference();
      case Kind::Close:
        if (options().syntax != RegexOptions::Syntax::Extended) throwInvalidRegex(kParentheses);
        break;
      default:
        break;
    }
    Piece piece{Piece::Kind::Characters};
    piece.set = readSet();
    return piece;
  }

  Piece readGroup(uint32_t depth) {
    Piece piece{Piece::Kind::Group};
    if (token().flag && look_around_depth_ == 0) {
      piece.number = ++tree_.group_count;
      lexer_.noteGroup();
    }
    lexer_.advance();
    piece.inner = std::make_unique<Branches>(readBranches(Kind::Close, depth + 1));
    lexer_.advance();
    if (piece.number != 0) finished_.resize(std::max<size_t>(finished_.size(), piece.number + 1));
    if (piece.number != 0) finished_[piece.number] = true;
    return piece;
  }

  /// A group may be referred to once it is closed, and not from a look around.
  Piece readBackReference() {
    const char32_t number = token().value;
    if (look_around_depth_ > 0 || number >= finished_.size() || !finished_[number]) throwInvalidRegex(kReference);
    Piece piece{Piece::Kind::BackReference};
    piece.number = number;
    tree_.has_back_references = true;
    lexer_.advance();
    return piece;
  }

  CodePointSet readSet() {
    const RegexToken first = token();
    switch (first.kind) {
      case Kind::Any: {
        lexer_.advance();
        CodePointSet set = CodePointSet::all();
        if (options().dot_spares_lines) set.remove('\n');
        return set;
      }
      case Kind::ClassEscape: {
        lexer_.advance();
        const CodePointSet& members = *codePointClass(first.name);
        return first.flag ? members : members.complement();
      }
      case Kind::Bracket:
        return readBracket(first.flag);
      default:
        lexer_.advance();
        return withCases(CodePointSet::of(first.value, first.value));
    }
  }

  [[nodiscard]] CodePointSet withCases(CodePointSet set) const {
    return options().is_caseless ? set.withBothCases() : set;
  }

  CodePointSet readBracket(bool is_positive) {
    CodePointSet set;
    lexer_.advance();
    while (!sees(Kind::EndBracket)) readElement(set);
    lexer_.advance();
    if (is_positive) return set;
    if (options().dot_spares_lines) set.add('\n', '\n');
    return set.complement();
  }

  void readElement(CodePointSet& set) {
    const RegexToken first = token();
    switch (first.kind) {
      case Kind::Range:
        throwInvalidRegex(kRange);
      case Kind::EquivalenceClass: {
        const char32_t c = readCollatingElement();
        return set.add(withCases(CodePointSet::of(c, c)));
      }
      case Kind::CharacterClass:
        return set.add(readNamedClass());
      case Kind::ClassEscape: {
        lexer_.advance();
        const CodePointSet& members = *codePointClass(first.name);
        return set.add(first.flag ? members : members.complement());
      }
      default:
        return readRange(set);
    }
  }

  void readRange(CodePointSet& set) {
    const char32_t low = readEnd();
    char32_t high = low;
    if (take(Kind::Range)) {
      const bool is_end = sees(Kind::Character) || sees(Kind::Range) || sees(Kind::CollatingElement);
      if (!is_end) throwInvalidRegex(kRange);
      high = readEnd();
    }
    if (low > high) throwInvalidRegex(kRange);
    set.add(withCases(CodePointSet::of(low, high)));
  }

  /// Of a range: a character, a collating element, or a hyphen.
  char32_t readEnd() {
    if (sees(Kind::CollatingElement)) return readCollatingElement();
    const char32_t c = token().value;
    lexer_.advance();
    return c;
  }

  /// What stands between [. and .] and its kin.
  std::u32string readName() {
    std::u32string name;
    for (lexer_.advance(); sees(Kind::Character); lexer_.advance()) name += token().value;
    lexer_.advance();
    return name;
  }

  static std::string asciiOf(const std::u32string& name) {
    std::string result;
    for (const char32_t c : name) result += c < 128 ? static_cast<char>(c) : '?';
    return result;
  }

  char32_t readCollatingElement() {
    const std::u32string name = readName();
    if (name.size() == 1) return name[0];
    const auto found = collatingElement(asciiOf(name));
    if (!found) throwInvalidRegex(kCollating);
    return *found;
  }

  CodePointSet readNamedClass() {
    std::string name = asciiOf(readName());
    if (options().is_caseless && (name == "lower" || name == "upper")) name = "alpha";
    const CodePointSet* const members = codePointClass(name);
    if (members == nullptr) throwInvalidRegex(kClass);
    return *members;
  }

  void readQuantifier(Piece& piece) {
    switch (token().kind) {
      case Kind::Star:
        return quantify(piece, 0, Piece::kUnlimited);
      case Kind::Plus:
        return quantify(piece, 1, Piece::kUnlimited);
      case Kind::Question:
        return quantify(piece, 0, 1);
      case Kind::Bounds:
        return readBounds(piece);
      default:
        return;
    }
  }

  void quantify(Piece& piece, int low, int high) {
    piece.low = low;
    piece.high = high;
    piece.preference = token().flag ? RegexPreference::Longer : RegexPreference::Shorter;
    lexer_.advance();
  }

  void readBounds(Piece& piece) {
    lexer_.advance();
    const int low = readNumber();
    const bool is_range = take(Kind::Comma);
    const int high = !is_range ? low : sees(Kind::Digit) ? readNumber() : Piece::kUnlimited;
    if ((high != Piece::kUnlimited && low > high) || !sees(Kind::EndBounds)) throwInvalidRegex(kInvalidRepetition);
    quantify(piece, low, high);
    if (!is_range) piece.preference = RegexPreference::None;
  }

  int readNumber() {
    int number = 0;
    for (; sees(Kind::Digit) && number < kRepetitionsMax; lexer_.advance())
      number = number * 10 + static_cast<int>(token().value);
    if (sees(Kind::Digit) || number > kRepetitionsMax) throwInvalidRegex(kInvalidRepetition);
    return number;
  }

  RegexLexer lexer_;
  RegexTree tree_;
  uint32_t look_around_depth_ = 0;
  std::vector<bool> finished_;  ///< by number: the group is closed
};

}  // namespace

RegexTree parseRegex(std::string_view pattern, RegexOptions options) {
  return Parser(pattern, options).run();
}

}  // namespace gnomon::sql
