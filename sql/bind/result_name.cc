#include "sql/bind/result_name.h"

#include "sql/parse/ast.h"

namespace gnomon::sql {
namespace {

using Kind = ast::Expression::Kind;

/// How good a name is: PostgreSQL's FigureColname.
enum class Strength : uint8_t { None, Weak, Strong };

Strength findName(const ast::Expression& expression, std::string& name) {
  switch (expression.kind) {
    case Kind::Column:
      if (expression.names.empty()) return Strength::None;
      name = expression.names.back();
      return Strength::Strong;
    case Kind::Function:
      name = expression.names.back();
      return Strength::Strong;
    case Kind::NullIf:
      name = "nullif";
      return Strength::Strong;
    case Kind::Coalesce:
      name = "coalesce";
      return Strength::Strong;
    case Kind::Greatest:
      name = "greatest";
      return Strength::Strong;
    case Kind::Least:
      name = "least";
      return Strength::Strong;
    case Kind::SessionValue:
      name = expression.text;
      return Strength::Strong;
    case Kind::Cast:
      if (findName(*expression.children[0], name) == Strength::Strong) return Strength::Strong;
      name = expression.type.name;
      return Strength::Weak;
    case Kind::Grouping:
      name = "grouping";
      return Strength::Strong;
    case Kind::Array:
    case Kind::ArrayQuery:
      name = "array";
      return Strength::Strong;
    case Kind::Row:
      name = "row";
      return Strength::Strong;
    case Kind::Field:
      if (expression.is_star) return findName(*expression.children[0], name);
      name = expression.names[0];
      return Strength::Strong;
    case Kind::Subscript:
    case Kind::Collate:
      return findName(*expression.children[0], name);
    case Kind::Exists:
      name = "exists";
      return Strength::Strong;
    case Kind::Subquery: {
      const ast::Query* query = expression.query.get();
      while (query->set_operation != ast::Query::SetOperation::None) query = query->left.get();
      if (!query->rows.empty()) {
        name = "column1";
        return Strength::Strong;
      }
      if (query->items.empty()) return Strength::None;
      const ast::SelectItem& item = query->items.front();
      name = item.alias.empty() ? resultName(*item.expression) : item.alias;
      return Strength::Strong;
    }
    case Kind::Case:
      if (expression.children.back() && findName(*expression.children.back(), name) == Strength::Strong)
        return Strength::Strong;
      name = "case";
      return Strength::Weak;
    default:
      return Strength::None;
  }
}

}  // namespace

std::string innerName(const ast::Expression& expression) {
  std::string name;
  return findName(expression, name) == Strength::None ? "" : name;
}

std::string resultName(const ast::Expression& expression) {
  std::string name = innerName(expression);
  return name.empty() ? "?column?" : name;
}

}  // namespace gnomon::sql
