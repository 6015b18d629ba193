#include "sql/plpgsql/tree_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gnomon::sql::plpgsql {
namespace {

constexpr std::string_view kLevels[] = {"DEBUG", "LOG", "INFO", "NOTICE", "WARNING", "EXCEPTION"};
constexpr std::string_view kOptions[] = {"ERRCODE",    "MESSAGE",  "DETAIL", "HINT",  "COLUMN",
                                         "CONSTRAINT", "DATATYPE", "TABLE",  "SCHEMA"};
constexpr std::string_view kDiagnostics[] = {"ROW_COUNT",           "PG_CONTEXT",        "PG_EXCEPTION_CONTEXT",
                                             "PG_EXCEPTION_DETAIL", "PG_EXCEPTION_HINT", "RETURNED_SQLSTATE",
                                             "COLUMN_NAME",         "CONSTRAINT_NAME",   "PG_DATATYPE_NAME",
                                             "MESSAGE_TEXT",        "TABLE_NAME",        "SCHEMA_NAME"};
constexpr std::string_view kDirections[] = {"forward", "backward", "absolute", "relative"};
constexpr std::string_view kScrolling[] = {"", " scroll", " no scroll"};

class Writer {
 public:
  explicit Writer(const Routine& routine) : routine_(routine) {}

  std::string write() {
    for (size_t i = 0; i < routine_.datums.size(); ++i) writeDatum(DatumId(static_cast<uint32_t>(i)));
    writeStatement(routine_.main);
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::string name(DatumId id) const {
    const Datum& datum = routine_.datum(id);
    switch (datum.kind) {
      case Datum::Kind::Field:
        return name(datum.record) + "." + datum.name;
      case Datum::Kind::List: {
        std::string list;
        for (const DatumId member : datum.members) list += (list.empty() ? "" : ", ") + name(member);
        return "(" + list + ")";
      }
      default:
        return fmt::format("{}#{}", datum.name, id.value);
    }
  }
  [[nodiscard]] std::string sql(const Fragment& fragment) const {
    std::string text = routine_.textOf(fragment);
    std::ranges::replace(text, '\n', ' ');
    return "`" + text + "`";
  }
  [[nodiscard]] std::string list(const std::vector<Fragment>& fragments) const {
    std::string text;
    for (const Fragment& fragment : fragments) text += (text.empty() ? "" : ", ") + sql(fragment);
    return text;
  }
  [[nodiscard]] std::string query(const std::variant<Fragment, DynamicQuery>& query) const {
    const auto* dynamic = std::get_if<DynamicQuery>(&query);
    return dynamic != nullptr ? dynamicQuery(*dynamic) : sql(std::get<Fragment>(query));
  }
  [[nodiscard]] std::string dynamicQuery(const DynamicQuery& query) const {
    return "execute " + sql(query.text) + (query.arguments.empty() ? "" : " using " + list(query.arguments));
  }
  [[nodiscard]] std::string label(ScopeId id) const {
    const std::string& label = routine_.scopes.entry(id).name;
    return label.empty() ? "" : " <<" + label + ">>";
  }
  [[nodiscard]] std::string result(DatumId variable, const std::optional<Fragment>& value) const {
    return variable != kNoDatum ? " " + name(variable) : value ? " " + sql(*value) : "";
  }
  [[nodiscard]] std::string into(DatumId target, bool is_strict) const {
    return target == kNoDatum ? "" : (is_strict ? " into strict " : " into ") + name(target);
  }

  template <typename... Arguments>
  void line(uint32_t number, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), "{:3} {:{}}", number == 0 ? "" : std::to_string(number), "", 2 * depth_);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  void writeDatum(DatumId id) {
    const Datum& datum = routine_.datum(id);
    if (datum.kind == Datum::Kind::Field || datum.kind == Datum::Kind::List || datum.name.empty()) return;
    std::string about;
    if (datum.is_constant) about += " constant";
    if (datum.is_not_null) about += " not null";
    if (datum.initial) about += " := " + sql(*datum.initial);
    if (datum.cursor != nullptr) {
      std::string arguments;
      for (const DatumId argument : datum.cursor->arguments)
        arguments += (arguments.empty() ? "" : ", ") + name(argument);
      about += fmt::format("{} ({}) for {}", kScrolling[static_cast<size_t>(datum.cursor->scrolling)], arguments,
                           sql(datum.cursor->query));
    }
    line(datum.line, "{} {}{}", name(id), datum.type.name, about);
  }

  void writeStatements(const Statements& statements) {
    ++depth_;
    for (const Statement& statement : statements) writeStatement(statement);
    --depth_;
  }
  void writeBranches(const std::vector<Branch>& branches, std::string_view word) {
    for (const Branch& branch : branches) {
      line(branch.line, "{} {}", word, sql(branch.condition));
      writeStatements(branch.body);
    }
  }
  void writeElse(const Statements& statements, bool is_there) {
    if (!is_there) return;
    line(0, "else");
    writeStatements(statements);
  }

  void writeStatement(const Statement& statement) {
    line_ = statement.line;
    std::visit([this](const auto& body) { write(body); }, statement.body);
  }

  void write(const Block& block) {
    std::string declared;
    for (const DatumId id : block.declared) declared += " " + name(id);
    line(line_, "block{}{}", label(block.label), declared.empty() ? "" : " declares" + declared);
    writeStatements(block.body);
    if (!block.exceptions) return;
    for (const Handler& handler : block.exceptions->handlers) {
      std::string conditions;
      for (const SqlState& state : handler.states) conditions += std::string(" ") + state.text();
      if (handler.catches_others) conditions += " others";
      line(handler.line, "when{}", conditions);
      writeStatements(handler.body);
    }
  }
  void write(const Assignment& assignment) {
    const std::string part = assignment.indirection.length == 0 ? "" : " " + sql(assignment.indirection);
    line(line_, "{}{} := {}", name(assignment.target), part, sql(assignment.value));
  }
  void write(const If& statement) {
    writeBranches(statement.branches, "if");
    writeElse(statement.otherwise, !statement.otherwise.empty());
  }
  void write(const Case& statement) {
    line(line_, "case{}", statement.test ? " " + sql(*statement.test) : "");
    writeBranches(statement.branches, "when");
    writeElse(statement.otherwise, statement.has_else);
  }
  void write(const Loop& loop) {
    line(line_, "loop{}", label(loop.label));
    writeStatements(loop.body);
  }
  void write(const While& loop) {
    line(line_, "while{} {}", label(loop.label), sql(loop.condition));
    writeStatements(loop.body);
  }
  void write(const ForRange& loop) {
    line(line_, "for{} {} in {}{} .. {}{}", label(loop.label), name(loop.variable), loop.is_reverse ? "reverse " : "",
         sql(loop.first), sql(loop.last), loop.step ? " by " + sql(*loop.step) : "");
    writeStatements(loop.body);
  }
  void write(const ForQuery& loop) {
    line(line_, "for{} {} in {}", label(loop.label), name(loop.target), query(loop.query));
    writeStatements(loop.body);
  }
  void write(const ForCursor& loop) {
    line(line_, "for{} {} in cursor {}({})", label(loop.label), name(loop.record), name(loop.cursor),
         list(loop.arguments));
    writeStatements(loop.body);
  }
  void write(const ForEach& loop) {
    line(line_, "foreach{} {} slice {} in {}", label(loop.label), name(loop.target), loop.slice, sql(loop.array));
    writeStatements(loop.body);
  }
  void write(const Leave& leave) {
    const Scopes::Entry& target = routine_.scopes.entry(leave.target);
    line(line_, "{} {}@{}{}", leave.is_continue ? "continue" : "exit", target.name, leave.target.value,
         leave.condition ? " when " + sql(*leave.condition) : "");
  }
  void write(const Return& statement) { line(line_, "return{}", result(statement.variable, statement.value)); }
  void write(const ReturnNext& statement) { line(line_, "return next{}", result(statement.variable, statement.value)); }
  void write(const ReturnQuery& statement) { line(line_, "return query {}", query(statement.query)); }
  void write(const Raise& raise) {
    std::string text;
    if (raise.state) text += fmt::format(" {} {}", raise.condition, raise.state->text());
    if (raise.format) text += " '" + *raise.format + "'";
    if (!raise.arguments.empty()) text += ", " + list(raise.arguments);
    for (const RaiseOption& option : raise.options)
      text += fmt::format(" {} = {}", kOptions[static_cast<size_t>(option.kind)], sql(option.value));
    line(line_, "raise {}{}", raise.isRethrow() ? "again" : kLevels[static_cast<size_t>(raise.level)], text);
  }
  void write(const Assert& statement) {
    line(line_, "assert {}{}", sql(statement.condition), statement.message ? ", " + sql(*statement.message) : "");
  }
  void write(const Perform& perform) { line(line_, "perform {}", sql(perform.query)); }
  void write(const Call& call) { line(line_, "{} {}", call.is_do ? "do" : "call", sql(call.statement)); }
  void write(const ExecuteSql& execute) {
    line(line_, "sql {}{}", sql(execute.statement), into(execute.into, execute.is_strict));
  }
  void write(const ExecuteDynamic& execute) {
    line(line_, "{}{}", dynamicQuery(execute.query), into(execute.into, execute.is_strict));
  }
  void write(const GetDiagnostics& get) {
    line(line_, "get {} diagnostics", get.is_stacked ? "stacked" : "current");
    ++depth_;
    for (const DiagnosticsItem& item : get.items)
      line(0, "{} = {}", name(item.target), kDiagnostics[static_cast<size_t>(item.kind)]);
    --depth_;
  }
  void write(const Open& open) {
    std::string what;
    if (const auto* fragment = std::get_if<Fragment>(&open.query)) what = " for " + sql(*fragment);
    if (const auto* dynamic = std::get_if<DynamicQuery>(&open.query)) what = " for " + dynamicQuery(*dynamic);
    if (!open.arguments.empty()) what = "(" + list(open.arguments) + ")";
    line(line_, "open {}{}{}", name(open.cursor), kScrolling[static_cast<size_t>(open.scrolling)], what);
  }
  void write(const Fetch& fetch) {
    const std::string count = fetch.is_all             ? "all"
                              : fetch.count_expression ? sql(*fetch.count_expression)
                                                       : std::to_string(fetch.count);
    line(line_, "{} {} {} from {}{}", fetch.is_move ? "move" : "fetch",
         kDirections[static_cast<size_t>(fetch.direction)], count, name(fetch.cursor), into(fetch.into, false));
  }
  void write(const Close& close) { line(line_, "close {}", name(close.cursor)); }
  void write(const EndTransaction& end) {
    line(line_, "{}{}", end.is_rollback ? "rollback" : "commit", end.is_chain ? " and chain" : "");
  }

  const Routine& routine_;
  std::string text_;
  uint32_t line_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace

std::string treeText(const Routine& routine) {
  return Writer(routine).write();
}

}  // namespace gnomon::sql::plpgsql
