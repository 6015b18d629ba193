#include "server/routine_calls.h"

#include <fmt/format.h>

#include <pthread.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sql_error.h"
#include "server/described_statement.h"
#include "server/planner.h"
#include "server/plpgsql/routine_call.h"
#include "server/query_run.h"
#include "server/routine_scope.h"
#include "server/session_context.h"
#include "server/trigger_calls.h"
#include "server/value_rows.h"
#include "sql/bind/polymorphic_call.h"
#include "sql/bind/routine_body.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/domain_tester.h"
#include "sql/catalog/routines.h"
#include "sql/types/array_value.h"
#include "sql/types/cast.h"
#include "sql/types/record_value.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

/// Whether a call may begin another one: half of the thread's stack is left for what that needs.
bool hasStack() {
  struct Stack {
    Stack() {
      pthread_attr_t attributes;
      void* end = nullptr;
      size_t bytes = 0;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
      pthread_attr_getstack(&attributes, &end, &bytes);
      pthread_attr_destroy(&attributes);
      least = static_cast<const char*>(end) + bytes / 2;
    }
    const char* least = nullptr;
  };
  thread_local const Stack stack;
  return static_cast<const char*>(__builtin_frame_address(0)) > stack.least;
}

sql::Value converted(const sql::Value& value, sql::Type type) {
  if (value.is_null) return sql::Value::null(type);
  return value.type == type ? value : sql::castValue(value, type, false);
}

/// The arguments as the statements were described with them.
/// The arguments as values of the parameters' types; in `memory`, unless they are.
std::span<const sql::Value> inputsOf(const sql::RoutineEntry& routine, std::span<const sql::Value> arguments,
                                     std::vector<sql::Value>& memory) {
  const auto forEachInput = [&](const auto& visit) {
    size_t number = 0;
    for (const sql::RoutineEntry::Parameter& parameter : routine.parameters)
      if (parameter.isInput() && number < arguments.size()) visit(arguments[number++], parameter.type);
    return number;
  };
  bool are_typed = true;
  const size_t count =
      forEachInput([&](const sql::Value& argument, sql::Type type) { are_typed = are_typed && argument.type == type; });
  if (are_typed) return arguments.first(count);
  memory.reserve(count);
  forEachInput([&](const sql::Value& argument, sql::Type type) { memory.push_back(converted(argument, type)); });
  return memory;
}

/// A row of the routine's last statement, whose values may be none of the domains that it returns. One that is a whole
/// row of its type has been tested.
void requireDomains(const sql::RoutineEntry& routine, const ValueRow& row) {
  const std::vector<sql::RoutineColumn> columns = sql::routineColumns(routine);
  if (row.empty() || row.size() != columns.size() || (row[0].type.isRecord() && !columns[0].type.isRecord())) return;
  for (size_t i = 0; i < row.size(); ++i)
    if (columns[i].domain != 0)
      sql::requiredCatalogSession().domains->require(converted(row[i], columns[i].type), columns[i].domain);
}

/// The types of the columns that a statement lists, as an argument tells them.
std::vector<sql::Type> listedTypes(const sql::Value& shape) {
  const sql::RecordView view(sql::toRegisters(shape).lo, sql::toRegisters(shape).hi);
  std::vector<sql::Type> types;
  for (size_t i = 0; i < view.size(); ++i) types.push_back(view.type(i));
  return types;
}

/// Those that the routine returns, or that the statement lists for it.
std::vector<sql::RoutineColumn> columnsOf(const sql::RoutineEntry& routine, const std::vector<sql::Type>& listed) {
  std::vector<sql::RoutineColumn> columns = sql::routineColumns(routine);
  for (const sql::Type type : listed) columns.push_back({"", type});
  return columns;
}

/// A row as the value that the routine returns.
sql::Value valueOf(const sql::RoutineEntry& routine, ValueRow row, const std::vector<sql::Type>& listed,
                   sql::Type type) {
  if (!type.isRecord()) return converted(row.at(0), type);
  const std::vector<sql::RoutineColumn> columns = columnsOf(routine, listed);
  const bool is_whole = row.size() == 1 && row[0].type.isRecord() &&
                        (columns.size() != 1 || (row[0].type.definition() != 0 &&
                                                 (!listed.empty() || row[0].type.definition() == type.definition())));
  if (is_whole) return row[0];
  std::string names;
  if (type.definition() == 0 && listed.empty())
    for (const sql::RoutineColumn& column : columns) names.append(column.name).push_back('\0');
  sql::RecordBuilder record(type.definition(), names);
  for (size_t i = 0; i < row.size(); ++i)
    record.add(converted(row[i], sql::heldInRecord(i < columns.size() ? columns[i].type : row[i].type)));
  return sql::Value::fromString(type, record.finish());
}

/// That the columns of the final statement become those that the statement lists. Failure: 42P13.
void requireListed(const sql::RoutineEntry& routine, const std::vector<ResultColumn>& given,
                   const std::vector<sql::Type>& listed) try {
  std::vector<sql::Type> types;
  for (const ResultColumn& column : given) types.push_back(column.type);
  const bool is_row = types.size() == 1 && types[0].isRecord() && types[0].definition() != 0;
  if (is_row)
    sql::requireRowColumns(types[0].definition(), columnsOf(routine, listed));
  else
    sql::requireResultColumns(routine, types, columnsOf(routine, listed));
} catch (SqlError& error) {
  throw error.addContext(fmt::format("SQL function \"{}\" during startup", routine.name));
}

}  // namespace

struct RoutineCalls::Prepared {
  sql::TablePtr entry;
  uint64_t catalog_version = 0;
  std::vector<std::unique_ptr<DescribedStatement>> statements;
  std::vector<codegen::OutputFormat> formats;
};

RoutineCalls::RoutineCalls(SessionContext& session) : session_(session) {}
RoutineCalls::~RoutineCalls() = default;

std::shared_ptr<RoutineCalls::Prepared> RoutineCalls::prepare(const sql::TablePtr& entry) {
  std::shared_ptr<Prepared>& known = preparedPlace(entry);
  const uint64_t version = session_.server.catalog.version();
  const bool is_current =
      known && known->entry == entry && known->catalog_version == version && session_.transaction.catalog().isEmpty();
  if (is_current) return known;
  auto prepared = std::make_shared<Prepared>();
  prepared->entry = entry;
  prepared->catalog_version = version;
  const sql::RoutineBody body(*entry);
  const auto text = std::make_shared<const std::string>(body.text());
  std::vector<sql::Type> inputs;
  for (const sql::RoutineEntry::Parameter* input : entry->routine->inputs()) inputs.push_back(input->type);
  for (const sql::ParsedStatement& parsed : body.statements()) {
    StatementSource source{.text = text,
                           .parsed = parsed,
                           .parameter_types = inputs,
                           .is_whole_text = true,
                           .routine = entry,
                           .number = static_cast<uint32_t>(prepared->statements.size())};
    const auto bound = [&] {
      try {
        return Planner(session_).bind(source);
      } catch (SqlError& error) {
        // Rights are asked for when a statement begins.
        if (error.state() == sqlstate::kInsufficientPrivilege)
          throw error.addContext(
              fmt::format("SQL function \"{}\" statement {}", entry->routine->name, prepared->statements.size() + 1));
        throw;
      }
    }();
    if (!std::holds_alternative<sql::QueryStatement>(bound->body))
      throwNotSupported(fmt::format("{} in a function in LANGUAGE sql", bound->command));
    if (!bound->written.empty() && entry->routine->volatility != sql::Volatility::Volatile)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("{} is not allowed in a non-volatile function", bound->command));
    auto described = std::make_unique<DescribedStatement>(std::move(source), bound);
    described->has_name = true;
    prepared->formats.push_back(valueFormat(described->columns()));
    prepared->statements.push_back(std::move(described));
  }
  known = prepared;
  return prepared;
}

sql::TablePtr RoutineCalls::entryOf(uint32_t oid) {
  const sql::CatalogTransaction& catalog = session_.transaction.catalog();
  KnownEntry& known = known_entries_[oid];
  const uint64_t version = session_.server.catalog.version();
  if (known.entry && known.catalog_version == version && catalog.isEmpty()) return known.entry;
  const sql::TablePtr entry = catalog.findEntry(oid);
  if (!entry || !entry->routine)
    throw SqlError(sqlstate::kUndefinedFunction, fmt::format("function with OID {} does not exist", oid));
  known = {};
  if (catalog.isEmpty()) known = {version, {std::make_shared<sql::TablePtr>(entry), entry.get()}};
  return entry;
}

/// With the types of the inputs, where it is polymorphic.
sql::TablePtr RoutineCalls::typedEntry(const sql::TablePtr& entry, std::span<const sql::Value> inputs) {
  const sql::TablePtr defined = entry->routine->generic ? session_.transaction.catalog().findEntry(entry->oid) : entry;
  if (!defined || !defined->routine) return entry;
  const auto takesRow = [](const auto* input) { return sql::takesAnyRow(input->type); };
  const auto isRow = [&](const sql::RoutineEntry::Parameter& each) { return each.isInput() && takesRow(&each); };
  if (!defined->routine->isPolymorphic() && std::ranges::none_of(defined->routine->parameters, isRow)) return entry;
  const auto parameters = defined->routine->inputs();
  std::vector<sql::Type> types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const sql::Type given = inputs[i].type;
    types.push_back(parameters[i]->type.isPolymorphic() || takesRow(parameters[i])
                        ? sql::Type::of(given.kind, given.isDefined() ? given.typmod : -1)
                        : parameters[i]->type);
  }
  return instanceOf(defined, types).entry;
}

RoutineCalls::Instance& RoutineCalls::instanceOf(const sql::TablePtr& defined, std::span<const sql::Type> inputs) {
  std::vector<std::unique_ptr<Instance>>& known = instances_[defined->oid];
  std::erase_if(known, [&](const auto& each) { return each->defined != defined; });
  const auto fits = [&](const auto& each) {
    return std::ranges::equal(each->entry->routine->inputs(), inputs, {},
                              [](const auto* input) { return input->type; });
  };
  if (const auto found = std::ranges::find_if(known, fits); found != known.end()) return **found;
  auto instance = std::make_unique<Instance>();
  instance->defined = defined;
  instance->entry = sql::concreteRoutine(defined, inputs);
  return *known.emplace_back(std::move(instance));
}

std::shared_ptr<CompiledRoutine>& RoutineCalls::compiledPlace(const sql::TablePtr& entry) {
  if (entry->routine->generic)
    for (const auto& each : instances_[entry->oid])
      if (each->entry == entry) return each->compiled;
  return compiled_[entry->oid];
}

std::shared_ptr<RoutineCalls::Prepared>& RoutineCalls::preparedPlace(const sql::TablePtr& entry) {
  if (entry->routine->generic)
    for (const auto& each : instances_[entry->oid])
      if (each->entry == entry) return each->prepared;
  return prepared_[entry->oid];
}

std::shared_ptr<CompiledRoutine> RoutineCalls::compiledOf(const sql::TablePtr& entry) {
  std::shared_ptr<CompiledRoutine>& known = compiledPlace(entry);
  const bool is_same = known && known->entry() == entry;
  if (!is_same || !known->isCurrent(session_))
    known = std::make_shared<CompiledRoutine>(session_, entry, is_same ? known->first() : nullptr);
  return known;
}

namespace {

/// A transition table as a relation of the statements of the trigger's function.
sql::VirtualRelationPtr transitionRelation(const SessionContext& session, const sql::TableEntry& table,
                                           const std::string& name, bool is_old) {
  sql::VirtualRelation relation;
  relation.schema = {};
  relation.name = name;
  relation.kind = 'r';
  for (const uint32_t i : sql::columnsInOrder(table)) {
    const sql::ColumnEntry& column = table.columns[i];
    sql::ColumnEntry copy;
    copy.name = column.name;
    copy.type = column.type;
    relation.columns.push_back(std::move(copy));
  }
  relation.rows = [&session, is_old] {
    sql::VirtualRows rows;
    const codegen::TriggerCall* const call = session.services.routines().trigger();
    if (call == nullptr || call->transitions == nullptr) return rows;
    for (const codegen::RowImage& row : is_old ? call->transitions->before : call->transitions->after)
      rows.push_back(rowValues(*call->table, row));
    return rows;
  };
  return std::make_shared<const sql::VirtualRelation>(std::move(relation));
}

}  // namespace

std::shared_ptr<CompiledRoutine> RoutineCalls::compiledOf(const sql::TablePtr& entry,
                                                          const codegen::TriggerCall& call) {
  std::shared_ptr<CompiledRoutine>& known = compiled_triggers_[call.trigger->oid];
  if (known && known->entry() == entry && known->table() == call.table && known->isCurrent(session_)) return known;
  CompiledRoutine::Transitions transitions;
  if (call.trigger->hasTransitionTables()) {
    std::vector<sql::VirtualRelationPtr> relations;
    for (const bool is_old : {true, false})
      if (const std::string& name = is_old ? call.trigger->old_table : call.trigger->new_table; !name.empty())
        relations.push_back(transitionRelation(session_, *call.table, name, is_old));
    transitions = std::make_shared<const std::vector<sql::VirtualRelationPtr>>(std::move(relations));
  }
  known = std::make_shared<CompiledRoutine>(
      session_, entry, known && known->entry() == entry ? known->first() : nullptr, call.table, std::move(transitions));
  return known;
}

const codegen::TriggerCall* RoutineCalls::trigger() const {
  return innermost_ == nullptr ? nullptr : innermost_->trigger();
}

std::optional<ValueRow> RoutineCalls::callTrigger(const codegen::TriggerCall& trigger) {
  const sql::TablePtr entry = session_.transaction.catalog().findEntry(trigger.trigger->function);
  if (!entry || !entry->routine)
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("function with OID {} does not exist", trigger.trigger->function));
  ++change_count_;
  std::optional<RoutineScope> scope;
  if (entry->routine->hasSurroundings()) scope.emplace(session_, *entry);
  RoutineCall call(session_, compiledOf(entry, trigger), {innermost_, innermost_sql_}, true, &trigger);
  run(call, {});
  if (call.rows().empty()) return std::nullopt;
  return std::move(call.rows()[0]);
}

void RoutineCalls::run(RoutineCall& call, std::span<const sql::Value> inputs, std::optional<SqlError>* failure) {
  if (!hasStack()) throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
  session_.transaction.putPending();
  struct Nesting {
    RoutineCall*& innermost;
    RoutineCall* const before;
    SessionTransaction& transaction;
    ~Nesting() {
      innermost = before;
      transaction.leaveRoutine();
    }
  } nesting{innermost_, std::exchange(innermost_, &call), session_.transaction};
  session_.transaction.enterRoutine();
  if (failure == nullptr) return call.run(inputs);
  *failure = call.tryRun(inputs);
}

ValueRow RoutineCalls::callProcedure(const sql::TablePtr& entry, std::span<const sql::Value> inputs, bool is_atomic) {
  ++change_count_;
  const bool has_surroundings = entry->routine->hasSurroundings();
  std::optional<RoutineScope> scope;
  if (has_surroundings) scope.emplace(session_, *entry);
  const sql::TablePtr typed = typedEntry(entry, inputs);
  if (entry->routine->language == sql::RoutineEntry::Language::Sql) {
    std::vector<ValueRow> rows = runSql(typed, inputs);
    const auto given = typed->routine->outputs();
    if (given.size() == 1)
      return {rows.empty() ? sql::Value::null(given[0]->type)
                           : valueOf(*typed->routine, std::move(rows[0]), {}, given[0]->type)};
    ValueRow result;
    const std::vector<sql::RoutineColumn> columns = sql::routineColumns(*typed->routine);
    for (size_t i = 0; i < columns.size() && !given.empty(); ++i)
      result.push_back(rows.empty() || i >= rows[0].size() ? sql::Value::null(columns[i].type)
                                                           : converted(rows[0][i], columns[i].type));
    return result;
  }
  RoutineCall call(session_, compiledOf(typed), {innermost_, innermost_sql_}, is_atomic || has_surroundings);
  run(call, inputs);
  return call.outputs();
}

std::string RoutineCalls::contextLines() const {
  return innermost_ == nullptr ? std::string() : innermost_->allContextLines();
}

std::string RoutineCalls::codeText(const sql::TablePtr& entry) {
  return compiledOf(entry)->code().irText();
}

void RoutineCalls::runBlock(const std::string& body, bool is_atomic) {
  ++change_count_;
  RoutineCall call(session_, std::make_shared<CompiledRoutine>(session_, body), {innermost_, innermost_sql_},
                   is_atomic);
  run(call, {});
}

/// What it changes may be seen by statements that call it, so any call counts as a change that is not declared
/// harmless.
sql::Value RoutineCalls::callPlpgsql(const sql::TablePtr& entry, std::span<const sql::Value> inputs,
                                     const std::vector<sql::Type>& listed, sql::Type result,
                                     std::optional<SqlError>* failure) {
  const sql::RoutineEntry& routine = *entry->routine;
  if (routine.result.kind == sql::TypeKind::Trigger)
    throw SqlError(sqlstate::kFeatureNotSupported, "trigger functions can only be called as triggers")
        .context(fmt::format("compilation of PL/pgSQL function \"{}\" near line 1", routine.name));
  if (routine.volatility == sql::Volatility::Volatile) ++change_count_;
  RoutineCall call(session_, compiledOf(entry), {innermost_, innermost_sql_}, true);
  call.setListed(listed);
  run(call, inputs, failure);
  if (failure != nullptr && *failure) return sql::Value::null(result);
  if (routine.result.kind == sql::TypeKind::Void && !routine.returns_set) return sql::Value::fromString(result, "");
  std::vector<ValueRow>& rows = call.rows();
  if (!routine.returns_set) {
    if (std::optional<sql::Value>& value = call.value(); value && value->type == result && !result.isRecord())
      return *std::move(value);
    else if (value)
      rows.push_back({*std::move(value)});
    if (rows.empty()) return sql::Value::null(result);
    return valueOf(routine, std::move(rows[0]), listed, result);
  }
  sql::ArrayBuilder array(result.element());
  for (ValueRow& row : rows) {
    if (result.element().isRecord() && row.empty())
      array.addNull();
    else
      array.add(valueOf(routine, std::move(row), listed, result.element()));
  }
  return sql::Value::fromString(result, array.finish());
}

sql::Value RoutineCalls::call(uint32_t routine_oid, std::span<const sql::Value> arguments, sql::Type result,
                              std::optional<SqlError>* failure) {
  const sql::TablePtr entry = entryOf(routine_oid);
  const auto inputs = arguments.first(entry->routine->inputCount());
  std::vector<sql::Type> listed;
  if (arguments.size() > inputs.size()) listed = listedTypes(arguments.back());
  if (entry->routine->is_strict && std::ranges::any_of(inputs, &sql::Value::is_null)) return sql::Value::null(result);
  const sql::TablePtr typed = typedEntry(entry, inputs);
  if (!entry->routine->hasSurroundings()) return callInside(typed, inputs, listed, result, failure);
  const RoutineScope scope(session_, *entry);
  return callInside(typed, inputs, listed, result, failure);
}

std::vector<ValueRow> RoutineCalls::runSql(const sql::TablePtr& entry, std::span<const sql::Value> arguments,
                                           const std::vector<sql::Type>& listed) {
  if (!hasStack()) throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
  const sql::RoutineEntry& routine = *entry->routine;
  const std::shared_ptr<Prepared> prepared = prepare(entry);
  if (!listed.empty() && !prepared->statements.empty())
    requireListed(routine, prepared->statements.back()->columns(), listed);
  std::vector<sql::Value> memory;
  const std::span<const sql::Value> inputs = inputsOf(routine, arguments, memory);
  struct Nesting {
    const SqlCall*& innermost;
    const SqlCall* const before;
    ~Nesting() { innermost = before; }
  } const nesting{innermost_sql_, innermost_sql_};
  std::vector<ValueRow> rows;
  for (size_t i = 0; i < prepared->statements.size(); ++i) {
    DescribedStatement& statement = *prepared->statements[i];
    const bool is_last = i + 1 == prepared->statements.size();
    const bool is_result = is_last && statement.returns_rows && routine.result.kind != sql::TypeKind::Void;
    const SqlCall now{routine.name, i + 1, innermost_, nesting.before};
    innermost_sql_ = &now;
    ValueRows sink(!is_result ? 0 : routine.returns_set ? SIZE_MAX : 1);
    try {
      QueryRun run(session_, statement, prepared->formats[i], inputs, nullptr);
      if (!run.bound().written.empty()) ++change_count_;
      run.run(0, sink);
      if (is_result) {
        rows = sink.take(statement.columns());
        for (const ValueRow& row : rows) requireDomains(routine, row);
      }
    } catch (SqlError& error) {
      innermost_sql_ = nesting.before;
      throw error.dropPosition().addContext(fmt::format("SQL function \"{}\" statement {}", routine.name, i + 1));
    }
    innermost_sql_ = nesting.before;
  }
  return rows;
}

sql::Value RoutineCalls::callInside(const sql::TablePtr& entry, std::span<const sql::Value> arguments,
                                    const std::vector<sql::Type>& listed, sql::Type result,
                                    std::optional<SqlError>* failure) {
  const sql::RoutineEntry& routine = *entry->routine;
  if (routine.language == sql::RoutineEntry::Language::Plpgsql) {
    std::vector<sql::Value> memory;
    return callPlpgsql(entry, inputsOf(routine, arguments, memory), listed, result, failure);
  }
  std::vector<ValueRow> rows = runSql(entry, arguments, listed);
  if (routine.result.kind == sql::TypeKind::Void) return sql::Value::null(result);
  if (!routine.returns_set)
    return rows.empty() ? sql::Value::null(result) : valueOf(routine, std::move(rows[0]), listed, result);
  sql::ArrayBuilder array(result.element());
  for (ValueRow& row : rows) array.add(valueOf(routine, std::move(row), listed, result.element()));
  return sql::Value::fromString(result, array.finish());
}

}  // namespace gnomon::server
