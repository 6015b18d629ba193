#include "server/trigger_calls.h"

#include <algorithm>

#include "base/sql_error.h"
#include "codegen/executor/check_evaluator.h"
#include "server/planner.h"
#include "server/routine_calls.h"
#include "server/session_context.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/trigger_condition.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/routines.h"
#include "sql/types/text_io.h"

namespace gnomon::server {

using codegen::TriggerCall;
using codegen::WritableRow;
using storage::Datum;

namespace {

/// While it lives, a trigger is being called.
class Depth {
 public:
  explicit Depth(uint32_t& depth) : depth_(depth) { ++depth_; }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  uint32_t& depth_;
};

/// Puts a row that a trigger has returned, a value for each column that is there, into the table's row.
void store(const sql::TableEntry& table, const ValueRow& returned, WritableRow row, Arena& memory) {
  size_t next = 0;
  for (const uint32_t i : sql::columnsInOrder(table)) {
    const sql::Value& value = returned[next++];
    // Those of a table are computed behind its triggers.
    if (table.columns[i].is_generated) continue;
    row.null_flags[i] = value.is_null ? 1 : 0;
    if (value.is_null) {
      row.values[i] = {};
      continue;
    }
    sql::RegisterPair at = sql::toRegisters(value);
    if (value.type.physical() == sql::Physical::String) {
      const StringValue copy = StringValue::refer(memory.copy(value.bytes), StringValue::Storage::Temporary);
      at = {copy.lo(), copy.hi()};
    }
    row.values[i] = {at.lo, at.hi};
  }
}

}  // namespace

std::vector<sql::Value> rowValues(const sql::TableEntry& table, codegen::RowImage row) {
  std::vector<sql::Value> values;
  for (const uint32_t i : sql::columnsInOrder(table)) {
    const sql::ColumnEntry& column = table.columns[i];
    values.push_back(row.null_flags[i] != 0 ? sql::Value::null(column.type)
                                            : sql::fromRegisters(column.type, row.values[i].lo, row.values[i].hi));
  }
  return values;
}

TriggerCalls::Condition& TriggerCalls::conditionOf(const TriggerCall& call) {
  Condition& known = conditions_[call.trigger->oid];
  const uint64_t version = session_.settings.version();
  const auto isCurrent = [this](const sql::TablePtr& used) {
    return sql::isCurrent(session_.transaction.catalog(), used);
  };
  if (known.table == call.table && known.settings_version == version && std::ranges::all_of(known.used, isCurrent))
    return known;
  const StatementSource none{.text = std::make_shared<const std::string>(), .parsed = {}, .parameter_types = {}};
  sql::BindContext context = Planner(session_).bindContext(none, {});
  sql::BindState state(context);
  const sql::CheckForms forms = sql::triggerConditionForms(state, *call.table, *call.trigger);
  known = {};
  known.memory =
      std::make_unique<MemoryAccount>(static_cast<uint64_t>(session_.settings.integer(SettingId::QueryMemory)));
  known.checker = codegen::compileChecks(forms, executionPolicy(session_.settings), byteaOutput(session_.settings),
                                         *known.memory, &session_.services);
  known.table = call.table;
  known.settings_version = version;
  for (const sql::TablePtr& used : state.tables)
    if (used->routine) known.used.push_back(used);
  return known;
}

bool TriggerCalls::isWanted(const TriggerCall& call) {
  if (call.trigger->condition.empty()) return true;
  const size_t count = call.table->columns.size();
  std::vector<Datum> values(2 * count);
  std::vector<uint8_t> null_flags(2 * count, 1);
  size_t begin = 0;
  for (const codegen::RowImage& row : {call.before, call.after}) {
    if (row.isThere()) {
      std::copy_n(row.values, count, values.begin() + static_cast<std::ptrdiff_t>(begin));
      std::copy_n(row.null_flags, count, null_flags.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    begin += count;
  }
  return conditionOf(call).checker->firstViolation(values.data(), null_flags.data()) == sql::RowChecker::kNone;
}

bool TriggerCalls::call(const TriggerCall& call, WritableRow* row, Arena& memory) {
  const Depth depth(depth_);
  const std::optional<ValueRow> returned = session_.services.routines().callTrigger(call);
  using Timing = sql::TriggerEntry::Timing;
  if (!call.trigger->is_row) return true;
  if (call.trigger->timing == Timing::After) return true;
  if (!returned) return false;
  if (row != nullptr) store(*call.table, *returned, *row, memory);
  return true;
}

bool TriggerCalls::putOff(const TriggerCall& call) {
  SessionTransaction& transaction = session_.transaction;
  const std::pair key{call.table->oid, call.trigger->constraint};
  if (!transaction.deferred().isDeferred(key, call.trigger->is_deferred)) return false;
  transaction.deferredTriggers().add(call, static_cast<uint64_t>(session_.settings.integer(SettingId::QueryMemory)));
  return true;
}

}  // namespace gnomon::server
