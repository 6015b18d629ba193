#include <fmt/format.h>

#include <algorithm>

#include "server/plpgsql/routine_call.h"
#include "server/trigger_calls.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/user_types.h"
#include "sql/types/array_value.h"
#include "sql/types/record_value.h"

/// What a trigger gives to its function, and what it gets.
namespace gnomon::server {

using namespace sql::plpgsql;

namespace {

constexpr SqlState kNoReturn("2F005");

std::string_view whenOf(sql::TriggerEntry::Timing timing) {
  using Timing = sql::TriggerEntry::Timing;
  return timing == Timing::Before ? "BEFORE" : timing == Timing::After ? "AFTER" : "INSTEAD OF";
}

std::string_view operationOf(sql::TriggerEvent event) {
  using sql::TriggerEvent;
  switch (event) {
    case TriggerEvent::Insert:
      return "INSERT";
    case TriggerEvent::Update:
      return "UPDATE";
    case TriggerEvent::Delete:
      return "DELETE";
    case TriggerEvent::Truncate:
      break;
  }
  return "TRUNCATE";
}

/// TG_ARGV, whose subscripts begin with 0; NULL without arguments.
sql::Value argumentsOf(const std::vector<std::string>& arguments) {
  const sql::Type text = sql::Type::of(sql::TypeKind::Text);
  if (arguments.empty()) return sql::Value::null(text.array());
  sql::ArrayBuilder array(text);
  for (const std::string& argument : arguments) array.add(sql::Value::fromString(text, argument));
  return sql::Value::fromString(text.array(), array.finish(0));
}

sql::Value providedValue(const codegen::TriggerCall& call, Provided provided) {
  const sql::Type text = sql::Type::of(sql::TypeKind::Text);
  const auto textOf = [&](std::string_view value) { return sql::Value::fromString(text, value); };
  switch (provided) {
    case Provided::TriggerName:
      return textOf(call.trigger->name);
    case Provided::TriggerWhen:
      return textOf(whenOf(call.trigger->timing));
    case Provided::TriggerLevel:
      return textOf(call.trigger->is_row ? "ROW" : "STATEMENT");
    case Provided::TriggerOperation:
      return textOf(operationOf(call.event));
    case Provided::TriggerRelation:
      return sql::Value::fromInt(sql::Type::of(sql::TypeKind::Oid), call.table->oid);
    case Provided::TriggerTable:
      return textOf(call.table->name);
    case Provided::TriggerSchema:
      return textOf(call.table->schema);
    case Provided::TriggerArgumentCount:
      return sql::Value::fromInt(sql::Type::of(sql::TypeKind::Integer),
                                 static_cast<int64_t>(call.trigger->arguments.size()));
    case Provided::TriggerArguments:
      return argumentsOf(call.trigger->arguments);
    default:
      return sql::Value::null(text);
  }
}

}  // namespace

void RoutineCall::beginTrigger() {
  for (uint32_t i = 0; i < routine_.datums.size(); ++i) {
    const Datum& datum = routine_.datums[i];
    if (datum.provided == Provided::None) continue;
    const uint32_t slot = layout_.slotOf(DatumId{i});
    frame_.set(slot, convert(providedValue(*trigger_, datum.provided), layout_.typeOf(slot), 0));
  }
  const auto give = [&](DatumId record, codegen::RowImage row) {
    if (row.isThere()) return assignFields(record, layout_.declaredShape(record), rowValues(*trigger_->table, row));
    assignRecord(record, sql::Value::null(datum(record).type.type));
  };
  using sql::TriggerEvent;
  give(routine_.old_row, trigger_->event == TriggerEvent::Insert ? codegen::RowImage{} : trigger_->before);
  give(routine_.new_row, trigger_->event == TriggerEvent::Delete ? codegen::RowImage{} : trigger_->after);
  if (trigger_->trigger->timing != sql::TriggerEntry::Timing::Before || !trigger_->after.isThere()) return;
  // Generated columns are not computed yet.
  uint32_t slot = layout_.shape(layout_.declaredShape(routine_.new_row)).first_slot;
  for (const uint32_t column : sql::columnsInOrder(*trigger_->table)) {
    if (trigger_->table->columns[column].is_generated) frame_.setNull(slot);
    ++slot;
  }
}

/// RETURN of a row, or of NULL.
void RoutineCall::setReturnedRow(const sql::Value& value) {
  if (value.is_null) return;
  if (!value.type.isRecord())
    throw SqlError(sqlstate::kDatatypeMismatch,
                   "cannot return non-composite value from function returning composite type");
  rows_.push_back(fieldsOf(value, nullptr));
}

/// The row that is returned becomes one of the trigger's table.
void RoutineCall::endTrigger(bool has_returned) {
  frame_.place.statement = nullptr;
  if (!has_returned) throw SqlError(kNoReturn, "control reached end of trigger procedure without RETURN");
  if (!trigger_->trigger->is_row) rows_.clear();
  if (rows_.empty()) return;
  frame_.place.phase = "during function exit";
  frame_.place.phase_line = 0;
  const auto refuse = [](std::string detail) {
    throw SqlError(sqlstate::kDatatypeMismatch,
                   "returned row structure does not match the structure of the triggering table")
        .detail(std::move(detail));
  };
  std::vector<const sql::ColumnEntry*> columns;
  for (const uint32_t column : sql::columnsInOrder(*trigger_->table))
    columns.push_back(&trigger_->table->columns[column]);
  ValueRow& row = rows_[0];
  for (size_t i = 0; i < std::min(row.size(), columns.size()); ++i) {
    const sql::Type type = columns[i]->type;
    if (!row[i].type.isSameAs(type))
      refuse(fmt::format("Returned type {} does not match expected type {} in column {}.", row[i].type.baseName(),
                         sql::shownName(type, columns[i]->domain), i + 1));
  }
  if (row.size() != columns.size())
    refuse(fmt::format("Number of returned columns ({}) does not match expected column count ({}).", row.size(),
                       columns.size()));
  for (size_t i = 0; i < row.size(); ++i) row[i] = convert(std::move(row[i]), columns[i]->type, columns[i]->domain);
  frame_.place.phase = nullptr;
}

}  // namespace gnomon::server
