#include "sql/bind/key_text.h"

#include <map>
#include <set>

#include "sql/algebra/expression_text.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/collation.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/routine_entry.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"
#include "sql/types/collation.h"
#include "sql/types/text.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

bool isComparison(FunctionId function) {
  return function >= FunctionId::Equal && function <= FunctionId::GreaterEqual;
}

std::string constantText(const Value& value) {
  if (value.is_null) return "NULL::" + value.type.name();
  if (value.type.kind == TypeKind::Char) return asLiteral(trimBlanks(value.bytes)) + "::bpchar";
  if (value.type.kind == TypeKind::Boolean) return value.lo != 0 ? "true" : "false";
  std::string text = toText(value);
  const bool is_positive = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (value.type.kind == TypeKind::Integer && is_positive) return text;
  if (value.type.kind == TypeKind::Numeric && is_positive && text.find_first_of("eE.") != std::string::npos)
    return text;
  return asLiteral(text) + "::" + value.type.baseName();
}

/// Operators over integers of two sizes, floats, or dates and timestamps are there without a cast in PostgreSQL, and
/// the forms of numerics are Gnomon's own.
bool isHidden(const Expression& cast) {
  if (cast.kind == Kind::ArrayCall) return isComparableMoment(cast.function);
  if (cast.kind != Kind::Cast) return false;
  const Type from = cast.children[0]->type, to = cast.type;
  if (cast.is_explicit) return false;
  if (from.kind == to.kind) return from.kind == TypeKind::Numeric && to.typmod < 0;
  return (from.isInteger() && to.isInteger()) || (from.kind == TypeKind::Real && to.kind == TypeKind::Double) ||
         ((from.kind == TypeKind::Date || from.kind == TypeKind::Timestamp) &&
          (to.kind == TypeKind::Timestamp || to.kind == TypeKind::TimestampTz));
}

/// Whether PostgreSQL has a function for the cast, or for its modifier; other casts are by text, or of the same bytes.
bool isFunctionCast(const Expression& cast) {
  if (cast.kind != Kind::Cast) return false;
  const Type from = cast.children[0]->type, to = cast.type;
  if (from.kind == to.kind || (to.typmod >= 0 && !to.isDefined())) return true;
  const std::string_view rows = pg_catalog::findConstantRows("pg_cast")->rows;
  const size_t row = rows.find(" " + std::to_string(from.oid()) + " " + std::to_string(to.oid()) + " ");
  return row != std::string_view::npos && rows[rows.find(';', row) - 1] == 'f';
}

/// What parentheses depend on: PostgreSQL's isSimpleNode().
enum class Shape : uint8_t { Simple, Operator, Connective, Test, Cast, Function };

/// Writes one expression. What the binder does not keep, the names of functions, is in the tree as written.
class Writer {
 public:
  Writer(const ast::Expression& written, Parentheses parentheses, const std::vector<ColumnEntry>* columns,
         Iu domain_value = nullptr)
      : parentheses_(parentheses), columns_(columns), domain_value_(domain_value) {
    collect(written);
  }

  /// In parentheses where its shape asks for them by itself.
  [[nodiscard]] std::string write(const Expression& expression) const {
    std::string text = writeBare(expression);
    return isAlwaysEnclosed(expression) ? "(" + text + ")" : text;
  }

  [[nodiscard]] std::string writeBare(const Expression& expression) const {
    if (const ast::Expression* const value = sessionValueAt(expression)) {
      const std::string text = writeSessionValue(*value);
      // A name that became a text is a constant as well.
      const bool is_text = expression.kind == Kind::Constant && expression.type.kind != TypeKind::Name;
      return is_text ? enclosedCast(text, expression.type.baseName()) : text;
    }
    switch (expression.kind) {
      case Kind::Constant:
        return writeConstant(expression);
      case Kind::Column:
        return expression.iu == domain_value_ ? "VALUE" : quotedIdentifier(expression.iu->name);
      case Kind::Parameter:
        return "$" + std::to_string(expression.parameter + 1);
      case Kind::Call:
        return writeCall(expression);
      case Kind::Cast:
        if (expression.is_collate)
          return "(" + operand(expression, *expression.children[0]) + " COLLATE " +
                 quotedIdentifier(knownCollation(expression.type.collation).name) + ")";
        if (isObjectLiteral(expression))
          return asLiteral(expression.children[0]->value.bytes) + "::" + expression.type.baseName();
        return isHidden(expression) ? write(*expression.children[0])
                                    : castOperand(expression) + "::" + expression.type.name();
      case Kind::And:
        return joined(expression, " AND ");
      case Kind::Or:
        return joined(expression, " OR ");
      case Kind::Not:
        return writeNot(expression);
      case Kind::IsDistinct:
        return joined(expression, " IS DISTINCT FROM ");
      case Kind::IsNotDistinct:
        return "NOT " + joined(expression, " IS DISTINCT FROM ");
      case Kind::Case:
        return writeCase(expression);
      case Kind::Coalesce:
        return "COALESCE(" + alternatives(expression) + ")";
      case Kind::Greatest:
        return "GREATEST(" + alternatives(expression) + ")";
      case Kind::Least:
        return "LEAST(" + alternatives(expression) + ")";
      case Kind::InList:
        return operand(expression, *expression.children[0]) + " = ANY (ARRAY[" + arguments(expression, 1) + "])";
      case Kind::ArrayCall:
        return isHidden(expression) ? write(*expression.children[0]) : writeArrayCall(expression);
      case Kind::Let: {
        // It is written in each of its places.
        ExpressionPtr body = expression.children[1]->clone();
        Substitution value;
        value.add(expression.iu, *expression.children[0]);
        value.apply(body);
        return writeBare(*body);
      }
      case Kind::AnyOf:
      case Kind::AllOf:
        return operand(expression, *expression.children[0])
            .append(" ")
            .append(functionText(expression.function))
            .append(expression.kind == Kind::AnyOf ? " ANY (" : " ALL (")
            .append(write(*expression.children[1]))
            .append(")");
      default:
        return operand(expression, *expression.children[0]).append(testText(expression.kind));
    }
  }
  /// A number stands as it was written, with the cast to what it became, if that is wanted.
  [[nodiscard]] std::string writeConstant(const Expression& constant, bool without_cast = false) const {
    const auto found = numbers_.find(constant.position);
    if (found == numbers_.end() || constant.value.is_null) return constantText(constant.value);
    const ast::Expression& number = *found->second;
    const bool is_integer = number.kind == ast::Expression::Kind::Integer;
    const TypeKind kind = constant.type.kind;
    const bool is_own = kind == TypeKind::Numeric ? !is_integer : constant.type.isInteger();
    if (!is_own && kind != TypeKind::Numeric && kind != TypeKind::Double) return constantText(constant.value);
    const bool is_quoted = number.text.starts_with('-');
    if (is_own && !is_integer) return constantText(constant.value);
    const std::string text = is_quoted ? "'" + number.text + "'::" + (is_integer ? "integer" : "numeric") : number.text;
    if (is_own || without_cast) return text;
    return (parentheses_ == Parentheses::Needed ? text : "(" + text + ")") + "::" + constant.type.baseName();
  }
  /// CURRENT_DATE and its kin, which are bound as constants, or casts of now().
  [[nodiscard]] const ast::Expression* sessionValueAt(const Expression& expression) const {
    const bool is_cast = expression.kind == Kind::Cast && expression.children[0]->kind == Kind::Call;
    const auto found = session_values_.find(is_cast ? expression.children[0]->position : expression.position);
    return (expression.position < 0 && !is_cast) || found == session_values_.end() ? nullptr : found->second;
  }
  [[nodiscard]] static std::string writeSessionValue(const ast::Expression& value) {
    std::string text;
    for (const char c : value.text) text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return value.type.modifiers.empty() ? text : text + "(" + value.type.modifiers[0] + ")";
  }
  [[nodiscard]] bool looksLikeFunction(const Expression& expression) const {
    return shapeOf(expression) == Shape::Function;
  }

 private:
  /// 'name'::regclass: the name is kept, for what it stands for may change.
  [[nodiscard]] static bool isObjectLiteral(const Expression& cast) {
    return cast.type.isRegistered() && cast.children[0]->kind == Kind::Constant;
  }
  [[nodiscard]] bool isAlwaysEnclosed(const Expression& expression) const {
    if (parentheses_ == Parentheses::Needed) return false;
    if (isHidden(expression)) return false;
    const Shape shape = shapeOf(expression);
    return shape == Shape::Operator || shape == Shape::Connective || shape == Shape::Test;
  }
  [[nodiscard]] std::string castOperand(const Expression& cast) const {
    const Expression& input = *cast.children[0];
    return parentheses_ == Parentheses::Needed ? operand(cast, input) : "(" + write(input) + ")";
  }
  /// What a subscript stands behind.
  [[nodiscard]] std::string subscripted(const Expression& container) const {
    const bool is_plain = container.kind == Kind::Column ||
                          (container.kind == Kind::ArrayCall && container.function == FunctionId::RecordField);
    return is_plain ? write(container) : "(" + write(container) + ")";
  }
  [[nodiscard]] std::string writeArrayCall(const Expression& call) const {
    const std::string_view name = functionText(call.function);
    if (isJsonFunction(call.function)) return writeJsonCall(call, name);
    switch (call.function) {
      case FunctionId::MakeArray:
      case FunctionId::MakeNestedArray:
        return "ARRAY[" + list(call, 0) + "]";
      case FunctionId::MakeRecord:
        return "ROW(" + list(call, 1) + ")" +
               (call.is_explicit && call.type.definition() != 0 ? "::" + userTypeName(call.type.definition()) : "");
      case FunctionId::RecordField:
        if (const uint32_t type = call.children[0]->type.definition(); type != 0)
          return "(" + write(*call.children[0]) + ")." +
                 quotedIdentifier(recordFields(type)[static_cast<size_t>(call.children[1]->value.lo)].name);
        break;
      case FunctionId::CheckDomain:
        return call.is_explicit ? castOperand(call) + "::" + userTypeName(oidOf(*call.children[1]))
                                : write(*call.children[0]);
      case kCallRoutine:
        return writeRoutineCall(call);
      case FunctionId::ArraySubscript: {
        std::string text = subscripted(*call.children[0]);
        for (size_t i = 1; i < call.children.size(); ++i) text += "[" + write(*call.children[i]) + "]";
        return text;
      }
      case FunctionId::ArraySlice: {
        std::string text = subscripted(*call.children[0]);
        const auto bound = [&](size_t number) {
          const Expression& value = *call.children[number];
          return value.type.kind == TypeKind::Void ? std::string() : write(value);
        };
        for (size_t i = 1; i + 1 < call.children.size(); i += 2) text += "[" + bound(i) + ":" + bound(i + 1) + "]";
        return text;
      }
      case FunctionId::ArrayContains:
      case FunctionId::ArrayContainedBy:
      case FunctionId::ArrayOverlaps:
        return joined(call, " " + std::string(name) + " ");
      case FunctionId::ArrayAppend:
      case FunctionId::ArrayPrepend:
      case FunctionId::ArrayConcatenate:
        if (functionAt(call) == nullptr) return joined(call, " || ");
        break;
      default:
        break;
    }
    return std::string(name) + "(" + list(call, 0) + ")";
  }
  static uint32_t oidOf(const Expression& constant) { return static_cast<uint32_t>(constant.value.lo); }
  /// Behind the name as it is stored. What is not written are defaults.
  [[nodiscard]] std::string writeRoutineCall(const Expression& call) const {
    const uint32_t oid = oidOf(*call.children[0]);
    const TablePtr entry = findTypeEntry(oid);
    std::string text = namedByOid(oid, entry && entry->routine ? entry->routine->name : "") + "(";
    const ast::Expression* const written = functionAt(call);
    std::vector<const RoutineEntry::Parameter*> inputs;
    if (entry && entry->routine) inputs = entry->routine->inputs();
    const auto add = [&](size_t input, const std::string& label) {
      const bool is_list = input < inputs.size() && inputs[input]->mode == RoutineEntry::Parameter::Mode::Variadic;
      text.append(text.ends_with('(') ? "" : ", ").append(label).append(is_list ? "VARIADIC " : "");
      text += write(*call.children[input + 1]);
    };
    const size_t values = call.children.size() - 1;
    const size_t given = written == nullptr ? values : written->children.size();
    for (size_t i = 0; i < std::min(given, values); ++i) {
      const bool has_names = written != nullptr && i < written->argument_names.size();
      const std::string name = has_names ? written->argument_names[i] : "";
      const auto input = std::ranges::find(inputs, name, [](const auto* each) { return each->name; });
      if (name.empty() || input == inputs.end())
        add(i, "");
      else
        add(static_cast<size_t>(input - inputs.begin()), quotedIdentifier(name) + " => ");
    }
    return text + ")";
  }
  [[nodiscard]] std::string writeJsonCall(const Expression& call, std::string_view name) const {
    if (isInfix(call.function)) return joined(call, " " + std::string(name) + " ");
    if (name != "$subscript") return std::string(name) + "(" + list(call, 0) + ")";
    std::string text = subscripted(*call.children[0]);
    for (size_t i = 1; i < call.children.size(); ++i) text += "[" + write(*call.children[i]) + "]";
    return text;
  }
  void collect(const ast::Expression& node) {
    if (node.kind == ast::Expression::Kind::SessionValue) session_values_[node.position] = &node;
    if (node.kind == ast::Expression::Kind::Function) functions_[node.position] = &node;
    if (node.kind == ast::Expression::Kind::NullIf) nullifs_.insert(node.position);
    if (node.kind == ast::Expression::Kind::Integer || node.kind == ast::Expression::Kind::Float)
      numbers_[node.position] = &node;
    for (const ast::ExpressionPtr& child : node.children)
      if (child != nullptr) collect(*child);
  }
  [[nodiscard]] std::string enclosedCast(std::string text, std::string_view type) const {
    if (parentheses_ == Parentheses::All) text = "(" + text + ")";
    return text.append("::").append(type);
  }
  /// The domain that the expression is of, as a column; 0: none, or an array of it.
  [[nodiscard]] uint32_t domainOf(const Expression& expression) const {
    if (isHidden(expression)) return domainOf(*expression.children[0]);
    if (expression.kind != Kind::Column || columns_ == nullptr || expression.iu->id >= columns_->size()) return 0;
    const uint32_t domain = (*columns_)[expression.iu->id].domain;
    return isDomainArray(domain) ? 0 : domain;
  }
  /// Where a type is asked for, which a domain's values become by an implicit cast.
  [[nodiscard]] std::string argument(const Expression& expression) const {
    if (domainOf(expression) == 0) return write(expression);
    const Expression* column = &expression;
    while (column->kind != Kind::Column) column = column->children[0].get();
    const bool is_padded = column->type.kind == TypeKind::Char;
    return enclosedCast(write(*column), is_padded ? "bpchar" : column->type.baseName());
  }
  [[nodiscard]] std::string arguments(const Expression& expression, size_t first) const {
    std::string text;
    for (size_t i = first; i < expression.children.size(); ++i)
      text.append(i > first ? ", " : "").append(argument(*expression.children[i]));
    return text;
  }
  /// Those of a single domain have no type in common but it.
  [[nodiscard]] std::string alternatives(const Expression& expression) const {
    const uint32_t domain = domainOf(*expression.children[0]);
    const bool is_same = std::ranges::all_of(expression.children,
                                             [&](const ExpressionPtr& child) { return domainOf(*child) == domain; });
    return is_same ? list(expression, 0) : arguments(expression, 0);
  }
  [[nodiscard]] const ast::Expression* functionAt(const Expression& call) const {
    const auto found = functions_.find(call.position);
    if (found == functions_.end()) return nullptr;
    // SIMILAR TO is an operator over what is made of the pattern, all at one place.
    const bool is_of_pattern =
        call.function == FunctionId::RegexMatch && found->second->names.back() == "similar_to_escape";
    return is_of_pattern ? nullptr : found->second;
  }
  [[nodiscard]] bool isOperator(const Expression& call) const {
    return functionAt(call) == nullptr && (isInfix(call.function) || call.function == FunctionId::Negate);
  }
  [[nodiscard]] Shape shapeOfArrayCall(const Expression& call) const {
    if (isInfix(call.function) && functionAt(call) == nullptr) return Shape::Operator;
    if (isJsonFunction(call.function))
      return functionText(call.function) == "$subscript" ? Shape::Simple : Shape::Function;
    switch (call.function) {
      case FunctionId::MakeArray:
      case FunctionId::MakeNestedArray:
      case FunctionId::MakeRecord:
      case FunctionId::RecordField:
      case FunctionId::ArraySubscript:
      case FunctionId::ArraySlice:
        return Shape::Simple;
      case FunctionId::CheckDomain:
        return call.is_explicit ? Shape::Cast : shapeOf(*call.children[0]);
      case FunctionId::ArrayContains:
      case FunctionId::ArrayContainedBy:
      case FunctionId::ArrayOverlaps:
        return Shape::Operator;
      case FunctionId::ArrayAppend:
      case FunctionId::ArrayPrepend:
      case FunctionId::ArrayConcatenate:
        return functionAt(call) == nullptr ? Shape::Operator : Shape::Function;
      default:
        return Shape::Function;
    }
  }
  [[nodiscard]] Shape shapeOf(const Expression& expression) const {
    if (sessionValueAt(expression) != nullptr) return Shape::Function;
    switch (expression.kind) {
      case Kind::Call:
        return isOperator(expression) ? Shape::Operator : Shape::Function;
      case Kind::Cast:
        if (expression.is_collate) return Shape::Simple;
        return isHidden(expression) ? shapeOf(*expression.children[0]) : Shape::Cast;
      case Kind::ArrayCall:
        return isHidden(expression) ? shapeOf(*expression.children[0]) : shapeOfArrayCall(expression);
      case Kind::And:
      case Kind::Or:
      case Kind::Not:
        return Shape::Connective;
      case Kind::Coalesce:
      case Kind::Greatest:
      case Kind::Least:
        return Shape::Function;
      case Kind::Let:
        return shapeOf(*expression.children[1]);
      case Kind::Case:
        return nullifs_.contains(expression.position) ? Shape::Function : Shape::Simple;
      case Kind::Constant:
      case Kind::Column:
      case Kind::Parameter:
        return Shape::Simple;
      default:
        return Shape::Test;
    }
  }
  /// The operator's one character; 0: it has more, or is none.
  [[nodiscard]] char simpleOperator(const Expression& expression) const {
    if (isHidden(expression)) return simpleOperator(*expression.children[0]);
    if (expression.kind != Kind::Call || !isOperator(expression) || expression.children.size() != 2) return 0;
    const std::string_view text = functionText(expression.function);
    return text.size() == 1 ? text[0] : '\0';
  }
  [[nodiscard]] bool isSimple(const Expression& expression, const Expression& parent) const {
    const Shape shape = shapeOf(expression);
    if (shape == Shape::Simple || shape == Shape::Function) return true;
    if (shape == Shape::Cast) return isFunctionCast(expression) || isSimple(*expression.children[0], expression);
    const Shape around = shapeOf(parent);
    if (shape == Shape::Connective)
      return around == Shape::Connective && parent.kind != Kind::Not &&
             (expression.kind != Kind::Or || parent.kind == Kind::Or);
    if (around == Shape::Connective) return true;
    if (shape != Shape::Operator || around != Shape::Operator) return false;
    const std::string_view low = "+-", high = "*/%";
    const char inner = simpleOperator(expression), outer = simpleOperator(parent);
    if (inner == 0 || outer == 0) return false;
    if (high.contains(inner) && low.contains(outer)) return true;
    const bool same = (low.contains(inner) && low.contains(outer)) || (high.contains(inner) && high.contains(outer));
    return same && parent.children[0].get() == &expression;
  }
  [[nodiscard]] std::string operand(const Expression& parent, const Expression& expression) const {
    const bool takes_type = parent.kind == Kind::Call || parent.kind == Kind::IsDistinct ||
                            parent.kind == Kind::IsNotDistinct || parent.kind == Kind::InList ||
                            parent.kind == Kind::AnyOf || parent.kind == Kind::AllOf ||
                            (parent.kind == Kind::ArrayCall && isJsonFunction(parent.function));
    const bool is_compared = (parent.kind == Kind::Call && isComparison(parent.function)) ||
                             parent.kind == Kind::IsDistinct || parent.kind == Kind::IsNotDistinct;
    // Names are compared with texts as they are.
    if (const ast::Expression* const value = is_compared ? sessionValueAt(expression) : nullptr)
      return writeSessionValue(*value);
    if (is_compared && expression.type.kind == TypeKind::Varchar)
      return expression.kind == Kind::Constant ? asLiteral(expression.value.bytes) + "::text"
                                               : enclosedCast(write(expression), "text");
    if (takes_type && domainOf(expression) != 0) return argument(expression);
    std::string text = write(expression);
    if (parentheses_ == Parentheses::All) return text;
    return isSimple(expression, parent) ? text : "(" + text + ")";
  }
  [[nodiscard]] std::string joined(const Expression& expression, std::string_view between) const {
    std::string text;
    for (const ExpressionPtr& child : expression.children)
      text.append(text.empty() ? "" : between).append(operand(expression, *child));
    return text;
  }
  [[nodiscard]] std::string list(const Expression& expression, size_t first) const {
    std::string text;
    for (size_t i = first; i < expression.children.size(); ++i)
      text.append(i > first ? ", " : "").append(write(*expression.children[i]));
    return text;
  }
  [[nodiscard]] std::string writeNot(const Expression& expression) const {
    const Expression& inner = *expression.children[0];
    const bool is_pattern =
        inner.kind == Kind::Call && functionAt(inner) == nullptr &&
        (inner.function == FunctionId::Like || inner.function == FunctionId::ILike ||
         inner.function == FunctionId::RegexMatch || inner.function == FunctionId::RegexMatchCaseless);
    if (!is_pattern) return "NOT " + operand(expression, inner);
    return operand(inner, *inner.children[0]).append(" !").append(functionText(inner.function)) + " " +
           operand(inner, *inner.children[1]);
  }
  [[nodiscard]] std::string writeCase(const Expression& expression) const {
    if (nullifs_.contains(expression.position)) return "NULLIF(" + list(*expression.children[0], 0) + ")";
    std::string text = "\nCASE";
    const size_t arms = expression.children.size() / 2;
    for (size_t i = 0; i < arms; ++i)
      text += "\n    WHEN " + write(*expression.children[2 * i]) + " THEN " + write(*expression.children[2 * i + 1]);
    return text + "\n    ELSE " + write(*expression.children.back()) + "\nEND";
  }
  [[nodiscard]] std::string writeCall(const Expression& call) const {
    if (isOperator(call)) {
      if (call.children.size() == 1)
        return std::string(functionText(call.function)) + " " + operand(call, *call.children[0]);
      return operand(call, *call.children[0]).append(" ").append(functionText(call.function)) + " " +
             operand(call, *call.children[1]);
    }
    const ast::Expression* written = functionAt(call);
    const std::string name = written == nullptr ? std::string(functionText(call.function)) : written->names.back();
    // The grammar's own forms of functions name pg_catalog.
    if (written != nullptr && written->names.size() > 1)
      if (std::string text = writeSyntax(name, call); !text.empty()) return text;
    return quotedIdentifier(name) + "(" + arguments(call, 0) + ")";
  }
  [[nodiscard]] std::string writeSyntax(const std::string& name, const Expression& call) const {
    const auto argument = [&](size_t i) { return write(*call.children[i]); };
    const size_t count = call.children.size();
    if (name == "extract") return "EXTRACT(" + call.children[0]->value.bytes + " FROM " + argument(1) + ")";
    if (name == "position") return "POSITION((" + argument(1) + ") IN (" + argument(0) + "))";
    if (name == "substring")
      return "SUBSTRING(" + argument(0) + " FROM " + argument(1) + (count > 2 ? " FOR " + argument(2) : "") + ")";
    if (name == "timezone" && count == 2)
      return "(" + operand(call, *call.children[1]) + " AT TIME ZONE " + operand(call, *call.children[0]) + ")";
    if (name == "overlay")
      return "OVERLAY(" + argument(0) + " PLACING " + argument(1) + " FROM " + argument(2) +
             (count > 3 ? " FOR " + argument(3) : "") + ")";
    const std::string side = name == "btrim" ? "BOTH" : name == "ltrim" ? "LEADING" : name == "rtrim" ? "TRAILING" : "";
    if (side.empty()) return {};
    return "TRIM(" + side + (count > 1 ? " " + argument(1) : "") + " FROM " + argument(0) + ")";
  }

  const Parentheses parentheses_;
  const std::vector<ColumnEntry>* const columns_;        ///< by the numbers of units; null: there are none
  const Iu domain_value_;                                ///< null: none
  std::map<int32_t, const ast::Expression*> functions_;  ///< by position
  std::map<int32_t, const ast::Expression*> numbers_, session_values_;
  std::set<int32_t> nullifs_;
};

}  // namespace

std::string keyText(const Expression& bound, const ast::Expression& written, const std::vector<ColumnEntry>& columns,
                    Parentheses parentheses) {
  const ExpressionPtr shown = withoutKeys(bound);
  const Expression& part = *shown;
  const Writer writer(written, parentheses, &columns);
  const std::string text = writer.write(part);
  return writer.looksLikeFunction(part) ? text : "(" + text + ")";
}

std::string expressionText(const Expression& bound, const ast::Expression& written, Parentheses parentheses,
                           const std::vector<ColumnEntry>* columns, Iu domain_value) {
  const ExpressionPtr shown = withoutKeys(bound);
  const Expression& expression = *shown;
  // What the whole becomes at last is not shown.
  const bool is_converted = expression.kind == Kind::Cast && !expression.is_explicit;
  const Writer writer(written, parentheses, columns, domain_value);
  if (written.kind == ast::Expression::Kind::SessionValue) return Writer::writeSessionValue(written);
  if (expression.kind == Kind::Constant && writer.sessionValueAt(expression) == nullptr)
    return writer.writeConstant(expression, true);
  return writer.write(is_converted ? *expression.children[0] : expression);
}

}  // namespace gnomon::sql
