#include <fmt/format.h>

#include <algorithm>

#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/trigger_condition.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/definitions.h"
#include "sql/types/text_io.h"

/// Triggers as SQL.
namespace gnomon::sql::pg_catalog {
namespace {

/// Whether the condition names a whole row.
bool hasWholeRow(const ast::Expression& tree) {
  bool is_found = false;
  forEachNode(tree, [&](const ast::Expression& node) {
    if (node.kind == ast::Expression::Kind::Column && (node.names.size() < 2 || node.is_star)) is_found = true;
  });
  return is_found;
}

/// What the name of a column in a condition is written as, until its row is known.
std::string placeholder(size_t unit) {
  return fmt::format("trigger_unit_{}_", unit);
}

/// The stored text, with "old.*" for the row itself.
std::string withStars(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view word = std::string_view(text).substr(i, 3);
    const auto isPart = [&](size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_' ||
                                  text[at] == '.' || text[at] == '"');
    };
    if ((word != "old" && word != "new") || (i > 0 && isPart(i - 1)) || isPart(i + 3)) {
      result += text[i];
      continue;
    }
    result.append(word).append(".*");
    i += 2;
  }
  return result;
}

std::string conditionOf(const CatalogView& catalog, const TableEntry& table, const TriggerEntry& trigger,
                        Parentheses parentheses) {
  const StoredExpression stored(trigger.condition);
  const auto asStored = [&] {
    const std::string text = withStars(trigger.condition);
    const bool is_call = stored.tree().kind == ast::Expression::Kind::Function;
    return parentheses == Parentheses::Needed || is_call ? text : "(" + text + ")";
  };
  if (hasWholeRow(stored.tree())) return asStored();
  BindContext context{.catalog = catalog, .parameter_types = {}, .user = {}, .database = {}, .version = {}, .text = {}};
  context.called = calledRoutines(stored.tree());
  BindState state(context);
  std::deque<InformationUnit> units;
  const ExpressionPtr bound = bindTriggerCondition(state, table, stored.tree(), units);
  for (size_t i = 0; i < units.size(); ++i) units[i].name = placeholder(i);
  std::vector<ColumnEntry> columns = table.columns;
  columns.insert(columns.end(), table.columns.begin(), table.columns.end());
  std::string text = expressionText(*bound, stored.tree(), parentheses, &columns);
  const size_t count = table.columns.size();
  for (size_t i = 0; i < units.size(); ++i) {
    const std::string from = placeholder(i);
    const std::string to = (i < count ? "old." : "new.") + quotedIdentifier(table.columns[i % count].name);
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

std::string eventsOf(const TableEntry& table, const TriggerEntry& trigger) {
  std::string text;
  const auto add = [&](TriggerEvent event, std::string_view word) {
    if (trigger.isFor(event)) text.append(text.empty() ? "" : " OR ").append(word);
  };
  add(TriggerEvent::Insert, "INSERT");
  add(TriggerEvent::Delete, "DELETE");
  add(TriggerEvent::Update, "UPDATE");
  for (size_t i = 0; i < trigger.columns.size(); ++i)
    text.append(i == 0 ? " OF " : ", ").append(quotedIdentifier(table.columns[trigger.columns[i]].name));
  add(TriggerEvent::Truncate, "TRUNCATE");
  return text;
}

std::string functionOf(const CatalogView& catalog, uint32_t oid) {
  const TablePtr function = catalog.findEntry(oid);
  if (!function || !function->routine) return "???";
  const std::vector<std::string>& schemas = catalog.searchPath().schemas;
  for (const std::string& schema : schemas) {
    bool is_other = false;
    for (const TablePtr& each : catalog.routinesNamed(schema, function->routine->name)) {
      if (!each->routine->inputs().empty()) continue;
      if (each->oid == oid) return quotedIdentifier(function->routine->name);
      is_other = true;
    }
    if (is_other) break;
  }
  return quotedIdentifier(function->schema) + "." + quotedIdentifier(function->routine->name);
}

}  // namespace

std::string deferralText(const TriggerEntry& trigger) {
  return fmt::format("{}DEFERRABLE INITIALLY {} ", trigger.is_deferrable ? "" : "NOT ",
                     trigger.is_deferred ? "DEFERRED" : "IMMEDIATE");
}

std::string triggerText(const CatalogView& catalog, const TableEntry& table, const TriggerEntry& trigger,
                        Parentheses parentheses) {
  using Timing = TriggerEntry::Timing;
  const bool is_short = parentheses == Parentheses::Needed;
  const auto relation = [&](const TableEntry& entry) {
    return is_short ? catalog.shownName(entry) : quotedIdentifier(entry.schema) + "." + quotedIdentifier(entry.name);
  };
  std::string text = fmt::format("CREATE {}TRIGGER {} {} {} ON {} ", trigger.is_constraint ? "CONSTRAINT " : "",
                                 quotedIdentifier(trigger.name),
                                 trigger.timing == Timing::Before  ? "BEFORE"
                                 : trigger.timing == Timing::After ? "AFTER"
                                                                   : "INSTEAD OF",
                                 eventsOf(table, trigger), relation(table));
  if (trigger.is_constraint) {
    const TablePtr referenced = trigger.referenced == 0 ? nullptr : findTable(catalog, trigger.referenced);
    if (referenced) text += fmt::format("FROM {} ", relation(*referenced));
    text += deferralText(trigger);
  }
  if (trigger.hasTransitionTables()) text += "REFERENCING ";
  if (!trigger.old_table.empty()) text += fmt::format("OLD TABLE AS {} ", quotedIdentifier(trigger.old_table));
  if (!trigger.new_table.empty()) text += fmt::format("NEW TABLE AS {} ", quotedIdentifier(trigger.new_table));
  text += trigger.is_row ? "FOR EACH ROW " : "FOR EACH STATEMENT ";
  if (!trigger.condition.empty())
    text += fmt::format("WHEN ({}) ", withShownObjects(catalog, conditionOf(catalog, table, trigger, parentheses)));
  std::string arguments;
  for (const std::string& argument : trigger.arguments)
    arguments.append(arguments.empty() ? "" : ", ").append(asLiteral(argument));
  return text + fmt::format("EXECUTE FUNCTION {}({})", functionOf(catalog, trigger.function), arguments);
}

}  // namespace gnomon::sql::pg_catalog
