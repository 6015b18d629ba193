#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/key_text.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/stored_body.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/definitions.h"
#include "sql/pg_catalog/query_layout.h"
#include "sql/plpgsql/tokens.h"

/// Bodies of routines in the manner of the SQL standard, as PostgreSQL's pg_get_function_sqlbody shows them.
namespace gnomon::sql::pg_catalog {
namespace {

using plpgsql::TokenKind;

/// A text with other words in the places of some. Words of SQL are in capitals where the deparser writes them.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text), list_(plpgsql::scanTokens(text)) {}

  [[nodiscard]] size_t count() const { return list_.error ? 0 : list_.tokens.size() - 1; }
  [[nodiscard]] const plpgsql::Token& token(size_t i) const { return list_.tokens[i]; }
  [[nodiscard]] std::string_view at(size_t i) const {
    return i < count() ? text_.substr(token(i).begin, token(i).end - token(i).begin) : std::string_view();
  }
  [[nodiscard]] bool isAny(size_t i, std::initializer_list<std::string_view> words) const {
    return std::ranges::find(words, at(i)) != words.end();
  }
  [[nodiscard]] std::string name(size_t i) const { return plpgsql::nameOf(text_, token(i)); }
  /// Behind the parenthesis that closes the one before `i`, or the statement.
  [[nodiscard]] size_t endOfLevel(size_t i) const {
    for (size_t depth = 0; i < count(); ++i) {
      if (at(i) == "(") ++depth;
      if (at(i) == ")" && depth-- == 0) break;
      if (at(i) == ";" && depth == 0) break;
    }
    return i;
  }
  void replace(size_t i, std::string by) { others_[i] = std::move(by); }
  [[nodiscard]] std::string text() const {
    std::string result;
    size_t copied = 0;
    for (const auto& [i, by] : others_) {
      result.append(text_.substr(copied, token(i).begin - copied)).append(by);
      copied = token(i).end;
    }
    return result.append(text_.substr(copied));
  }

 private:
  const std::string_view text_;
  const plpgsql::TokenList list_;
  std::map<size_t, std::string> others_;
};

/// What statements change has no list of names for its columns: where these were renamed, the new names are written.
class Targets {
 public:
  Targets(const CatalogView& catalog, const StoredReferences& references)
      : catalog_(catalog), references_(references), words_(references.sql()) {
    for (size_t i = 0; i < words_.count(); ++i)
      if (const size_t name = nameOfTarget(i); name != 0) rename(i, name);
  }

  [[nodiscard]] std::string sql() const { return words_.text(); }
  /// The schemas that stand for them.
  /// What stands for the references, and whether another name needs AS.
  [[nodiscard]] const std::map<std::string, bool>& schemas() const { return schemas_; }

 private:
  using Names = std::map<std::string, std::string>;

  /// Behind INSERT INTO and the like the reference's number; 0: the word is none of them.
  [[nodiscard]] size_t nameOfTarget(size_t i) const {
    const bool has_two = words_.isAny(i, {"INSERT", "MERGE"}) ? words_.at(i + 1) == "INTO"
                                                              : words_.at(i) == "DELETE" && words_.at(i + 1) == "FROM";
    if (!has_two && words_.at(i) != "UPDATE") return 0;
    size_t name = i + (has_two ? 2 : 1);
    if (words_.at(name) == "ONLY") ++name;
    return words_.at(name).starts_with("\"@") && words_.at(name + 1) == "." ? name : 0;
  }

  [[nodiscard]] Names renamed(const StoredReference& reference) const {
    Names names;
    const TablePtr table = findTable(catalog_, reference.oid);
    for (const auto& [column, old] : reference.old_names)
      if (table && column < table->columns.size()) names[old] = table->columns[column].name;
    return names;
  }

  void rename(size_t begin, size_t name) {
    const std::string schema = words_.name(name);
    const StoredReference* const reference = references_.find(schema);
    if (reference == nullptr) return;
    schemas_.emplace(schema, words_.at(begin) == "INSERT");
    const Names names = renamed(*reference);
    if (names.empty()) return;
    size_t i = name + 3;
    std::string alias = words_.name(name + 2);
    const bool has_word = words_.at(i) == "AS";
    if (has_word) ++i;
    if (has_word || !words_.isAny(i, {"SET", "VALUES", "DEFAULT", "SELECT", "WITH", "USING", "WHERE", "RETURNING", "ON",
                                      "OVERRIDING", "(", ")", ";", ""}))
      alias = words_.name(i++);
    const size_t end = words_.endOfLevel(begin);
    renameColumns(i, end, alias, names);
    if (words_.at(i) == "(") renameList(i, names);
    renameTargets(i, end, names);
  }

  void renameAt(size_t i, const Names& names) {
    if (words_.token(i).kind != TokenKind::Word) return;
    if (const auto found = names.find(words_.name(i)); found != names.end())
      words_.replace(i, quotedIdentifier(found->second));
  }
  /// alias.column, wherever it stands.
  void renameColumns(size_t begin, size_t end, const std::string& alias, const Names& names) {
    for (size_t i = begin + 2; i < end; ++i)
      if (words_.at(i - 1) == "." && words_.token(i - 2).kind == TokenKind::Word && words_.name(i - 2) == alias &&
          words_.at(i - 3) != ".")
        renameAt(i, names);
  }
  void renameList(size_t open, const Names& names) {
    const size_t end = words_.endOfLevel(open + 1);
    for (size_t i = open + 1; i < end; ++i)
      if (words_.isAny(i - 1, {"(", ","})) renameAt(i, names);
  }
  /// What SET, ON CONFLICT and INSERT of MERGE name.
  void renameTargets(size_t begin, size_t end, const Names& names) {
    bool in_set = false;
    for (size_t i = begin; i < end; ++i) {
      if (words_.isAny(i, {"FROM", "WHERE", "RETURNING", "WHEN"})) in_set = false;
      if (words_.at(i) == "SET") in_set = true;
      const bool is_first = words_.at(i) == "SET" || (in_set && words_.at(i) == ",");
      const bool has_list = is_first || words_.isAny(i, {"CONFLICT", "INSERT"});
      if (is_first) renameAt(i + 1, names);
      if (has_list && words_.at(i + 1) == "(") renameList(i + 1, names);
      if (words_.at(i) == "(") i = words_.endOfLevel(i + 1);
    }
  }

  const CatalogView& catalog_;
  const StoredReferences& references_;
  Words words_;
  std::map<std::string, bool> schemas_;
};

/// The statements with the names of now.
std::string shownStatements(const CatalogView& catalog, const StoredReferences& references) {
  const Targets targets(catalog, references);
  const std::string stored = references.with(targets.sql());
  const StoredReferences now(stored);
  std::map<const StoredReference*, bool> changed;
  for (const auto& [schema, needs_as] : targets.schemas()) changed.emplace(now.find(schema), needs_as);
  return withShownReferences(catalog, now, changed);
}

/// Puts names in the places of parameters, with that of the routine where there are also columns.
class InputNames {
 public:
  InputNames(std::string_view text, const RoutineEntry& routine) : routine_(routine), words_(text) {
    visit(0, words_.count(), false);
  }
  [[nodiscard]] std::string text() const { return words_.text(); }

 private:
  /// Whether a query or a change begins that has an item of FROM, or a target.
  [[nodiscard]] bool hasRange(size_t begin, size_t end) const {
    if (!words_.isAny(begin, {"SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE", "MERGE", "("})) return false;
    size_t rows = 0;
    for (size_t i = begin; i < end; ++i) {
      if (words_.isAny(i, {"INSERT", "UPDATE", "DELETE", "MERGE", "UNION", "INTERSECT", "EXCEPT"})) return true;
      if (words_.at(i) == "FROM" && words_.at(i - 1) != "DISTINCT") return true;
      if (words_.at(i) == "VALUES") rows = 1;
      if (rows > 0 && words_.at(i) == ",") ++rows;
      if (words_.at(i) == "(") i = words_.endOfLevel(i + 1);
    }
    return rows > 1;
  }
  void visit(size_t begin, size_t end, bool has_range) {
    has_range = has_range || hasRange(begin, end);
    const std::vector<const RoutineEntry::Parameter*> inputs = routine_.inputs();
    for (size_t i = begin; i < end; ++i) {
      if (words_.at(i) == "(") {
        const size_t close = words_.endOfLevel(i + 1);
        visit(i + 1, close, has_range);
        i = close;
        continue;
      }
      if (words_.token(i).kind != TokenKind::Parameter) continue;
      const auto number = static_cast<size_t>(std::stoul(std::string(words_.at(i).substr(1))));
      if (number < 1 || number > inputs.size() || inputs[number - 1]->name.empty()) continue;
      words_.replace(
          i, (has_range ? quotedIdentifier(routine_.name) + "." : "") + quotedIdentifier(inputs[number - 1]->name));
    }
  }

  const RoutineEntry& routine_;
  Words words_;
};

/// The value of RETURN with PostgreSQL's parentheses and types; none: it is shown as it is kept.
std::optional<std::string> valueText(const CatalogView& catalog, const RoutineEntry& routine,
                                     const ParsedStatement& statement) {
  const auto* const query = std::get_if<ast::QueryPtr>(&statement.tree->body);
  const ast::Expression* const value = query == nullptr ? nullptr : onlyExpression(**query);
  if (value == nullptr || hasSubquery(*value)) return std::nullopt;
  try {
    BindContext context{
        .catalog = catalog, .parameter_types = {}, .user = {}, .database = {}, .version = {}, .text = {}};
    context.called = calledRoutines(*value);
    BindState state(context);
    const std::vector<ExpressionPtr> inputs = inputsOf(routine);
    const RoutineFrame frame{&routine, &inputs};
    state.routine = &frame;
    const Scope none;
    const ExpressionPtr bound = Coercion(state).settle(ExpressionBinder(state, none, {"RETURN"}).bind(*value));
    return withShownObjects(catalog, expressionText(*bound, *value, Parentheses::All, nullptr));
  } catch (const SqlError&) {
  } catch (const CalledRoutine&) {
  }
  return std::nullopt;
}

/// Each statement of the text, without the semicolon.
std::vector<std::string> statementsOf(const std::string& text) {
  const Words words(text);
  std::vector<std::string> statements;
  size_t begin = 0;
  for (size_t i = 0; i <= words.count(); ++i) {
    const bool is_end = i == words.count();
    if (!is_end && words.token(i).kind != TokenKind::Semicolon) continue;
    const size_t end = is_end ? text.size() : words.token(i).begin;
    while (begin < end && text[begin] == '\n') ++begin;
    if (begin < end) statements.push_back(text.substr(begin, end - begin));
    if (!is_end) begin = words.token(i).end;
  }
  return statements;
}

}  // namespace

std::string bodyText(const CatalogView& catalog, const TableEntry& entry) {
  constexpr std::string_view kSelect = "SELECT ";
  const RoutineEntry& routine = *entry.routine;
  const StoredBody body = StoredBody::of(routine);
  const StoredReferences references(body.statements);
  const std::vector<ParsedStatement> parsed = parse(references.sql());
  const std::vector<std::string> shown = statementsOf(shownStatements(catalog, references));
  std::string text = body.is_atomic ? "BEGIN ATOMIC\n" : "";
  for (uint32_t i = 0; i < shown.size(); ++i) {
    const bool is_return = std::ranges::find(body.returns, i) != body.returns.end();
    std::optional<std::string> value;
    if (is_return && i < parsed.size() && parsed[i].tree) value = valueText(catalog, routine, parsed[i]);
    std::string statement = value ? std::string(kSelect) + *value : shown[i];
    statement = InputNames(statement, routine).text();
    if (is_return) statement = "RETURN " + statement.substr(kSelect.size());
    if (!body.is_atomic) return statement;
    text.append(is_return ? " " + statement : laidOut(statement, 1)).append(";\n");
  }
  return text + "END";
}

}  // namespace gnomon::sql::pg_catalog
