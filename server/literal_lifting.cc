#include "server/literal_lifting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <ranges>

#include "server/planner.h"
#include "server/portal.h"
#include "sql/algebra/rewrite.h"
#include "sql/types/cast.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

bool isLetter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '_' ||
         static_cast<unsigned char>(character) >= 0x80;
}
bool isDigit(char character) {
  return character >= '0' && character <= '9';
}
bool isSpace(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r' || character == '\f';
}

/// Reads a statement's text token by token and writes it again with parameters. Whatever it does not know for certain
/// ends it.
class Lifter {
 public:
  explicit Lifter(std::string_view text) : text_(text) {}

  std::optional<LiftedText> lift() {
    result_.text.reserve(text_.size());
    while (at_ < text_.size())
      if (!takeToken()) return std::nullopt;
    if (result_.literals.empty() || depth_ != 0) return std::nullopt;
    return std::move(result_);
  }

 private:
  /// What came before a literal.
  enum class Before : uint8_t { Other, Comparison, Sign, Comma, Open };

  bool takeToken() {
    const char first = text_[at_];
    if (isSpace(first)) return copy(1), true;
    if (isLetter(first)) return takeWord();
    if (isDigit(first)) return takeNumber();
    switch (first) {
      case '\'':
        return takeString();
      case '"':
        return takeQuotedName();
      case '(':
        return open();
      case ')':
        return close();
      case ',':
        before_ = Before::Comma;
        return copy(1), true;
      case ';':
        return std::ranges::all_of(text_.substr(at_ + 1), isSpace) && (at_ = text_.size(), true);
      case '.':
      case '*':
        before_ = Before::Other;
        return copy(1), true;
      default:
        return takeOperator();
    }
  }

  void copy(size_t count) {
    result_.text += text_.substr(at_, count);
    at_ += count;
  }

  bool takeWord() {
    size_t end = at_ + 1;
    while (end < text_.size() && (isLetter(text_[end]) || isDigit(text_[end]))) ++end;
    // A prefix of a string, or something like $1 in a name.
    if (end < text_.size() && (text_[end] == '\'' || text_[end] == '$')) return false;
    std::string word(text_.substr(at_, end - at_));
    std::ranges::transform(word, word.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    });
    // Constants mean other things behind these, or the statement is not of the simple kind.
    static constexpr std::array kNotSimple = {"group",     "over",   "interval", "cast",   "extract", "union",
                                              "intersect", "except", "with",     "within", "filter",  "conflict"};
    if (std::ranges::find(kNotSimple, word) != kNotSimple.end()) return false;
    if (is_first_) {
      if (word != "select" && word != "insert" && word != "update" && word != "delete") return false;
      is_first_ = false;
    }
    if (word == "values") is_behind_values_ = true;
    before_ = word == "between" || (word == "and" && was_between_) ? Before::Comparison : Before::Other;
    if (word == "between")
      was_between_ = true;
    else if (word == "and")
      was_between_ = false;
    opens_list_ = word == "in";
    return copy(end - at_), true;
  }

  bool takeNumber() {
    size_t end = at_;
    while (end < text_.size() && isDigit(text_[end])) ++end;
    if (end < text_.size() && (isLetter(text_[end]) || text_[end] == '.')) return takeOtherNumber(end);
    const std::string_view digits = text_.substr(at_, end - at_);
    int64_t value = 0;
    const auto [stopped, error] = std::from_chars(digits.begin(), digits.end(), value);
    // The smallest numbers have no positive counterpart.
    constexpr size_t kPlainDigitsMax = 9;
    const bool is_plain = error == std::errc{} && (before_ != Before::Sign || digits.size() <= kPlainDigitsMax);
    if (!is_plain || !mayLift()) {
      before_ = Before::Other;
      return copy(digits.size()), true;
    }
    const bool is_small = value <= INT32_MAX;
    return lifted(sql::Type::of(is_small ? sql::TypeKind::Integer : sql::TypeKind::Bigint), std::string(digits),
                  digits.size());
  }

  /// 1.5 and 1e5 stay; 1abc is left to the parser.
  bool takeOtherNumber(size_t end) {
    if (text_[end] != '.') return false;
    ++end;
    while (end < text_.size() && isDigit(text_[end])) ++end;
    if (end < text_.size() && (isLetter(text_[end]) || text_[end] == '.')) return false;
    before_ = Before::Other;
    return copy(end - at_), true;
  }

  bool takeString() {
    std::string value;
    size_t end = at_ + 1;
    for (;; ++end) {
      if (end >= text_.size() || text_[end] == '\\') return false;
      if (text_[end] == '\'') {
        if (end + 1 >= text_.size() || text_[end + 1] != '\'') break;
        ++end;
      }
      value += text_[end];
    }
    ++end;
    // Strings with only white space and a line between them are one.
    const size_t next = std::min(text_.find_first_not_of(" \t\n\r\f", end), text_.size());
    if (next < text_.size() && text_[next] == '\'') return false;
    if (!mayLift() || before_ == Before::Sign) {
      before_ = Before::Other;
      return copy(end - at_), true;
    }
    return lifted(sql::Type::of(sql::TypeKind::Unknown), std::move(value), end - at_);
  }

  bool takeQuotedName() {
    const size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) return false;
    before_ = Before::Other;
    return copy(end + 1 - at_), true;
  }

  bool takeOperator() {
    static constexpr std::string_view kCharacters = "+-/<>=~!@#%^&|`?";
    size_t end = at_;
    while (end < text_.size() && (kCharacters.contains(text_[end]) || text_[end] == '*')) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    static constexpr std::array<std::string_view, 7> kComparisons = {"=", "<", ">", "<=", ">=", "<>", "!="};
    // Comments begin like operators; what is none ends it: colons, brackets, dollars, backslashes.
    if (name.empty() || name.contains("--") || name.contains("/*")) return false;
    if (std::ranges::find(kComparisons, name) != kComparisons.end())
      before_ = Before::Comparison;
    else if (name == "+" || name == "-")
      before_ = Before::Sign;
    else
      before_ = Before::Other;
    return copy(name.size()), true;
  }

  bool open() {
    if (++depth_ > kDepthMax) return false;
    const bool is_row = is_behind_values_ && depth_ == 1;
    is_list_[depth_ - 1] = opens_list_ || is_row;
    opens_list_ = false;
    before_ = Before::Open;
    return copy(1), true;
  }

  bool close() {
    if (depth_ == 0) return false;
    --depth_;
    before_ = Before::Other;
    return copy(1), true;
  }

  [[nodiscard]] bool mayLift() const {
    switch (before_) {
      case Before::Comparison:
      case Before::Sign:
        return true;
      case Before::Comma:
      case Before::Open:
        return depth_ > 0 && is_list_[depth_ - 1];
      case Before::Other:
        break;
    }
    return false;
  }

  bool lifted(sql::Type type, std::string value, size_t bytes) {
    at_ += bytes;
    result_.literals.push_back({type, std::move(value)});
    result_.text += '$';
    result_.text += std::to_string(result_.literals.size());
    before_ = Before::Other;
    return true;
  }

  static constexpr size_t kDepthMax = 32;
  const std::string_view text_;
  size_t at_ = 0;
  LiftedText result_;
  Before before_ = Before::Other;
  bool is_first_ = true;
  bool was_between_ = false;
  bool opens_list_ = false;  ///< the next parenthesis is IN's
  bool is_behind_values_ = false;
  size_t depth_ = 0;
  std::array<bool, kDepthMax> is_list_{};
};

/// Whether the plan is as good for any values as for those it was made for: it touches few rows.
bool touchesFewRows(const sql::Operator& op) {
  constexpr double kRowsMax = 1000;
  return op.estimated_rows <= kRowsMax &&
         std::ranges::all_of(op.inputs, [](const auto& input) { return touchesFewRows(*input); });
}

}  // namespace

std::optional<LiftedText> liftLiterals(std::string_view text) {
  return Lifter(text).lift();
}

/// Failure: what is wrong with a literal; the statement as it stands says so better.
std::vector<sql::Value> LiteralLifting::readLiterals(const LiftedText& lifted, const sql::BoundStatement& bound,
                                                     const Form& form) {
  std::vector<sql::Value> values;
  for (size_t i = 0; i < lifted.literals.size(); ++i)
    values.push_back(sql::parseText(bound.parameters[i], lifted.literals[i].text));
  for (const Cast& cast : form.casts) sql::castValue(values[cast.parameter], cast.type, cast.is_explicit);
  return values;
}

/// False: there is something beside casts that is computed from parameters alone, and may fail where no row needs it.
bool LiteralLifting::findCasts(sql::BoundStatement& bound, std::vector<Cast>& casts) {
  using Kind = sql::Expression::Kind;
  bool is_fit = true;
  /// Whether the expression is made of parameters and constants alone, with at least one parameter.
  const std::function<bool(const sql::Expression&)> look = [&](const sql::Expression& expression) {
    if (expression.kind == Kind::Parameter) return true;
    size_t parameters = 0, constants = 0;
    for (const sql::ExpressionPtr& child : expression.children) {
      if (look(*child))
        ++parameters;
      else if (child->isConstant())
        ++constants;
    }
    if (parameters == 0 || parameters + constants != expression.children.size()) return false;
    if (expression.kind == Kind::Cast && expression.children[0]->kind == Kind::Parameter)
      casts.push_back({expression.children[0]->parameter, expression.type, expression.is_explicit});
    else if (expression.kind == Kind::Cast ||
             (expression.kind == Kind::Call && expression.function != sql::FunctionId::Negate &&
              !sql::isComparison(expression)))
      is_fit = false;
    return true;
  };
  const std::shared_ptr<sql::Plan> plan = Planner::planOf(bound);
  sql::forEachOperator(*plan, [&](sql::OperatorPtr& op) {
    sql::forEachExpression(*op, [&](sql::ExpressionPtr& expression) { look(*expression); });
  });
  return is_fit;
}

/// The form's plan; null: it is not fit, or does not mean the same.
std::shared_ptr<const CompiledQuery> LiteralLifting::compile(const StatementSource& source, const LiftedText& lifted,
                                                             const std::shared_ptr<const std::string>& text,
                                                             Form& form) {
  Planner planner(session_);
  std::shared_ptr<sql::BoundStatement> fresh = planner.bind(source);
  const auto asked = planner.bind({.text = text, .parsed = {}, .parameter_types = {}, .is_whole_text = true});
  form.casts.clear();
  const bool is_fit = std::holds_alternative<sql::QueryStatement>(fresh->body) &&
                      fresh->parameters.size() == lifted.literals.size() &&
                      std::ranges::equal(resultColumns(*fresh), resultColumns(*asked), &ResultColumn::looksLike) &&
                      findCasts(*fresh, form.casts);
  if (!is_fit) return nullptr;
  auto compiled = planner.compile(source, {}, {}, std::move(fresh));
  return touchesFewRows(*Planner::planOf(*compiled->bound)->root) ? compiled : nullptr;
}

bool LiteralLifting::run(const std::shared_ptr<const std::string>& text) {
  if (text->size() > kTextBytesMax || session_.transaction.state() == SessionTransaction::State::Failed) return false;
  // What a transaction has defined is in no plan that is kept.
  if (!session_.transaction.catalog().isEmpty()) return false;
  std::optional<LiftedText> lifted = liftLiterals(*text);
  if (!lifted) return false;
  StatementSource source{.text = std::make_shared<const std::string>(std::move(lifted->text)),
                         .parsed = {},
                         .parameter_types = {},
                         .is_whole_text = true};
  std::string key = *source.text;
  for (const LiftedText::Literal& literal : lifted->literals) {
    source.parameter_types.push_back(literal.type);
    key += static_cast<char>(literal.type.kind);
  }
  if (forms_.size() >= kTextsMax && !forms_.contains(key)) forms_.clear();
  const auto [found, is_new] = forms_.try_emplace(std::move(key));
  Form& form = found->second;
  if (is_new || form.state == State::NotFit) return false;
  session_.transaction.beginStatement();
  session_.transaction.setPlace(true, false);
  std::shared_ptr<const CompiledQuery> compiled;
  std::vector<sql::Value> parameters;
  try {
    // What another session compiled for its client's parameters says nothing of this form yet.
    if (form.state == State::Compiled) compiled = Planner(session_).findCompiled(source, {}, {});
    if (!compiled) {
      compiled = compile(source, *lifted, text, form);
      form.state = compiled ? State::Compiled : State::NotFit;
      if (!compiled) return false;
    }
    parameters = readLiterals(*lifted, *compiled->bound, form);
  } catch (const SqlError&) {
    // The statement as it stands says what is wrong, and where.
    if (form.state == State::Seen) form.state = State::NotFit;
    return false;
  }
  try {
    const PortalSource portal{
        std::make_shared<DescribedStatement>(std::move(source), compiled->bound), std::move(parameters), {}};
    Portal(session_, portal, nullptr).execute(0, true);
  } catch (SqlError& error) {
    // It would count in a text that the client does not know.
    error.dropPosition();
    throw;
  }
  return true;
}

}  // namespace gnomon::server
