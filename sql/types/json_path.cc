#include "sql/types/json_path.h"

#include "sql/regex/regex.h"
#include "sql/types/json_path_parser.h"
#include "sql/types/json_text.h"

namespace gnomon::sql {
namespace {

using Kind = JsonPathKind;

int priorityOf(Kind kind) {
  switch (kind) {
    case Kind::Or:
      return 0;
    case Kind::And:
      return 1;
    case Kind::Equal:
    case Kind::NotEqual:
    case Kind::Less:
    case Kind::Greater:
    case Kind::LessOrEqual:
    case Kind::GreaterOrEqual:
    case Kind::StartsWith:
      return 2;
    case Kind::Add:
    case Kind::Subtract:
      return 3;
    case Kind::Multiply:
    case Kind::Divide:
    case Kind::Modulo:
      return 4;
    case Kind::Plus:
    case Kind::Minus:
      return 5;
    default:
      return 6;
  }
}

class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}

  void print(const JsonPathNode& node, bool is_key, bool has_brackets) {
    printOne(node, is_key, has_brackets);
    if (node.next) print(*node.next, true, true);
  }

 private:
  void printOne(const JsonPathNode& node, bool is_key, bool has_brackets) {
    switch (node.kind) {
      case Kind::Not:
        return enclosed("!(", node, ")");
      case Kind::IsUnknown:
        return enclosed("(", node, ") is unknown");
      case Kind::Exists:
        return enclosed("exists (", node, ")");
      case Kind::Filter:
        return enclosed("?(", node, ")");
      case Kind::LikeRegex:
        return printRegex(node, has_brackets);
      case Kind::Plus:
      case Kind::Minus:
        if (has_brackets) out_ += '(';
        out_ += jsonPathOperator(node.kind);
        printOperand(node, 0);
        if (has_brackets) out_ += ')';
        return;
      case Kind::Number:
        if (node.next) out_ += '(';
        node.number.appendText(out_);
        if (node.next) out_ += ')';
        return;
      case Kind::String:
        return appendJsonString(node.text, out_);
      case Kind::Variable:
        out_ += '$';
        return appendJsonString(node.text, out_);
      case Kind::Key:
        if (is_key) out_ += '.';
        return appendJsonString(node.text, out_);
      case Kind::AnyKey:
        out_ += is_key ? ".*" : "*";
        return;
      case Kind::Index:
        return printIndex(node);
      case Kind::Any:
        if (is_key) out_ += '.';
        return printAny(node);
      default:
        return node.arguments.size() == 2 ? printBinary(node, has_brackets) : printWord(node);
    }
  }
  void enclosed(std::string_view begin, const JsonPathNode& node, std::string_view end) {
    out_ += begin;
    print(*node.arguments[0], false, false);
    out_ += end;
  }
  void printOperand(const JsonPathNode& node, size_t index) {
    const JsonPathNode& operand = *node.arguments[index];
    print(operand, false, priorityOf(operand.kind) <= priorityOf(node.kind));
  }
  void printBinary(const JsonPathNode& node, bool has_brackets) {
    if (has_brackets) out_ += '(';
    printOperand(node, 0);
    out_.append(" ").append(jsonPathOperator(node.kind)).append(" ");
    printOperand(node, 1);
    if (has_brackets) out_ += ')';
  }
  void printRegex(const JsonPathNode& node, bool has_brackets) {
    if (has_brackets) out_ += '(';
    printOperand(node, 0);
    out_ += " like_regex ";
    appendJsonString(node.text, out_);
    if (!node.flags.empty()) out_ += " flag \"" + node.flags + "\"";
    if (has_brackets) out_ += ')';
  }
  void printIndex(const JsonPathNode& node) {
    out_ += '[';
    for (size_t i = 0; i < node.arguments.size(); i += 2) {
      if (i > 0) out_ += ',';
      print(*node.arguments[i], false, false);
      if (!node.arguments[i + 1]) continue;
      out_ += " to ";
      print(*node.arguments[i + 1], false, false);
    }
    out_ += ']';
  }
  void printAny(const JsonPathNode& node) {
    const auto level = [](uint32_t number) {
      return number == JsonPathNode::kLastLevel ? std::string("last") : std::to_string(number);
    };
    out_ += "**";
    if (node.first == 0 && node.last == JsonPathNode::kLastLevel) return;
    out_ += '{' + level(node.first);
    if (node.first != node.last) out_ += " to " + level(node.last);
    out_ += '}';
  }
  void printWord(const JsonPathNode& node) {
    switch (node.kind) {
      case Kind::Null:
        out_ += "null";
        return;
      case Kind::Boolean:
        out_ += node.boolean ? "true" : "false";
        return;
      case Kind::Root:
        out_ += '$';
        return;
      case Kind::Current:
        out_ += '@';
        return;
      case Kind::Last:
        out_ += "last";
        return;
      case Kind::AnyElement:
        out_ += "[*]";
        return;
      default:
        out_.append(".").append(jsonPathMethod(node.kind)).append("(");
        if (!node.arguments.empty()) print(*node.arguments[0], false, false);
        out_ += ')';
        return;
    }
  }

  std::string& out_;
};

}  // namespace

std::string_view jsonPathOperator(JsonPathKind kind) {
  switch (kind) {
    case Kind::Or:
      return "||";
    case Kind::And:
      return "&&";
    case Kind::Equal:
      return "==";
    case Kind::NotEqual:
      return "!=";
    case Kind::Less:
      return "<";
    case Kind::Greater:
      return ">";
    case Kind::LessOrEqual:
      return "<=";
    case Kind::GreaterOrEqual:
      return ">=";
    case Kind::StartsWith:
      return "starts with";
    case Kind::Add:
    case Kind::Plus:
      return "+";
    case Kind::Subtract:
    case Kind::Minus:
      return "-";
    case Kind::Multiply:
      return "*";
    case Kind::Divide:
      return "/";
    case Kind::Modulo:
      return "%";
    default:
      return "";
  }
}

std::string_view jsonPathMethod(JsonPathKind kind) {
  switch (kind) {
    case Kind::Type:
      return "type";
    case Kind::Size:
      return "size";
    case Kind::Absolute:
      return "abs";
    case Kind::Floor:
      return "floor";
    case Kind::Ceiling:
      return "ceiling";
    case Kind::Double:
      return "double";
    case Kind::Datetime:
      return "datetime";
    case Kind::KeyValue:
      return "keyvalue";
    default:
      return "";
  }
}

RegexOptions jsonPathRegexOptions(std::string_view flags) {
  RegexOptions options;
  options.is_caseless = flags.contains('i');
  const bool is_literal = flags.contains('q');
  if (is_literal) options.syntax = RegexOptions::Syntax::Literal;
  options.setLines(!is_literal && !flags.contains('s'), !is_literal && flags.contains('m'));
  return options;
}

JsonPath JsonPath::parse(std::string_view text) {
  return JsonPathParser(text).run();
}

std::string JsonPath::text() const {
  std::string text = is_lax_ ? "" : "strict ";
  Printer(text).print(*root_, false, true);
  return text;
}

}  // namespace gnomon::sql
