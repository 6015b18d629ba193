#include "sql/catalog/trigger_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum TriggerField : uint32_t {
  kTable,
  kOid,
  kName,
  kFunction,
  kTiming,
  kEvents,
  kFlags,
  kFiring,
  kColumns,
  kCondition,
  kArguments,
  kOldTable,
  kNewTable,
  kConstraint,
  kReferenced,
  kParent,
  kFields
};
constexpr int32_t kRowFlag = 1, kConstraintFlag = 2, kDeferrableFlag = 4, kDeferredFlag = 8;
constexpr int32_t kAllEvents = 15;

[[noreturn]] void raiseDamaged(std::string_view what) {
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("the catalog has a trigger {}", what));
}

uint32_t readOid(const storage::RowCursor& row, uint32_t field) {
  return static_cast<uint32_t>(readNumber(row, field));
}

template <typename Enum>
Enum inRange(int32_t number, Enum last) {
  if (number < 0 || number > static_cast<int32_t>(last)) raiseDamaged("of an unknown form");
  return static_cast<Enum>(number);
}

/// T1.
void require(const std::map<uint32_t, std::shared_ptr<TableEntry>>& tables, const TableEntry& table,
             const TriggerEntry& trigger) {
  const auto function = tables.find(trigger.function);
  if (function == tables.end() || !function->second->routine) raiseDamaged("without a function");
  if (std::ranges::any_of(trigger.columns, [&](uint32_t column) { return column >= table.columns.size(); }))
    raiseDamaged("of columns that are not there");
}

}  // namespace

txn::RelationSchema triggersSchema() {
  return {
      {StoredKind::Int32, false},  {StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int32, false},
      {StoredKind::Int16, false},  {StoredKind::Int16, false}, {StoredKind::Int16, false},  {StoredKind::Int16, false},
      {StoredKind::String, false}, {StoredKind::String, true}, {StoredKind::String, false}, {StoredKind::String, true},
      {StoredKind::String, true},  {StoredKind::Int32, false}, {StoredKind::Int32, false},  {StoredKind::Int32, false}};
}

void appendTriggers(const TableEntry& table, txn::WriteStatement& rows) {
  for (const TriggerEntry& trigger : table.triggers) {
    std::string columns, arguments;
    for (const uint32_t column : trigger.columns)
      columns += fmt::format("{}{}", columns.empty() ? "" : " ", column + 1);
    for (const std::string& argument : trigger.arguments) arguments.append(argument).push_back('\0');
    const int32_t flags = (trigger.is_row ? kRowFlag : 0) | (trigger.is_constraint ? kConstraintFlag : 0) |
                          (trigger.is_deferrable ? kDeferrableFlag : 0) | (trigger.is_deferred ? kDeferredFlag : 0);
    const std::array<Datum, kFields> values{number(table.oid),
                                            number(trigger.oid),
                                            text(trigger.name),
                                            number(trigger.function),
                                            number(static_cast<int64_t>(trigger.timing)),
                                            number(trigger.events),
                                            number(flags),
                                            number(static_cast<int64_t>(trigger.firing)),
                                            text(columns),
                                            text(trigger.condition),
                                            text(arguments),
                                            text(trigger.old_table),
                                            text(trigger.new_table),
                                            number(trigger.constraint),
                                            number(trigger.referenced),
                                            number(trigger.parent)};
    std::array<uint8_t, kFields> nulls{};
    nulls[kCondition] = trigger.condition.empty();
    nulls[kOldTable] = trigger.old_table.empty();
    nulls[kNewTable] = trigger.new_table.empty();
    rows.append(values.data(), nulls.data());
  }
}

void loadTriggers(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next()) {
    const auto table = tables.find(readOid(row, kTable));
    if (table == tables.end()) raiseDamaged("without a table");
    TriggerEntry trigger;
    trigger.oid = readOid(row, kOid);
    trigger.name = readText(row, kName);
    trigger.function = readOid(row, kFunction);
    trigger.timing = inRange(readNumber(row, kTiming), TriggerEntry::Timing::InsteadOf);
    const int32_t events = readNumber(row, kEvents);
    if (events <= 0 || events > kAllEvents) raiseDamaged("of unknown events");
    trigger.events = static_cast<uint8_t>(events);
    const int32_t flags = readNumber(row, kFlags);
    trigger.is_row = (flags & kRowFlag) != 0;
    trigger.is_constraint = (flags & kConstraintFlag) != 0;
    trigger.is_deferrable = (flags & kDeferrableFlag) != 0;
    trigger.is_deferred = (flags & kDeferredFlag) != 0;
    trigger.firing = inRange(readNumber(row, kFiring), TriggerEntry::Firing::Always);
    std::istringstream columns(readText(row, kColumns));
    for (uint32_t column = 0; columns >> column;) trigger.columns.push_back(column - 1);
    trigger.condition = readText(row, kCondition);
    const std::string arguments = readText(row, kArguments);
    for (size_t begin = 0, end = 0; begin < arguments.size(); begin = end + 1) {
      end = arguments.find('\0', begin);
      if (end == std::string::npos) raiseDamaged("with arguments that do not end");
      trigger.arguments.push_back(arguments.substr(begin, end - begin));
    }
    trigger.old_table = readText(row, kOldTable);
    trigger.new_table = readText(row, kNewTable);
    trigger.constraint = readOid(row, kConstraint);
    trigger.referenced = readOid(row, kReferenced);
    trigger.parent = readOid(row, kParent);
    require(tables, *table->second, trigger);
    table->second->triggers.push_back(std::move(trigger));
  }
  for (auto& [oid, table] : tables) std::ranges::sort(table->triggers, {}, &TriggerEntry::name);
}

}  // namespace gnomon::sql
