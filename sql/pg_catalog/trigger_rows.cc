#include <algorithm>

#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"

/// The rows of pg_trigger.
namespace gnomon::sql::pg_catalog {
namespace {

/// tgtype, a bit for each of what it is.
int64_t typeBits(const TriggerEntry& trigger) {
  using Timing = TriggerEntry::Timing;
  constexpr int64_t kRow = 1, kBefore = 2, kInsert = 4, kDelete = 8, kUpdate = 16, kTruncate = 32, kInstead = 64;
  const auto bit = [&](TriggerEvent event, int64_t number) { return trigger.isFor(event) ? number : 0; };
  return (trigger.is_row ? kRow : 0) | (trigger.timing == Timing::Before ? kBefore : 0) |
         (trigger.timing == Timing::InsteadOf ? kInstead : 0) | bit(TriggerEvent::Insert, kInsert) |
         bit(TriggerEvent::Delete, kDelete) | bit(TriggerEvent::Update, kUpdate) |
         bit(TriggerEvent::Truncate, kTruncate);
}

std::string argumentBytes(const TriggerEntry& trigger) {
  std::string bytes;
  for (const std::string& argument : trigger.arguments) bytes.append(argument).push_back('\0');
  return bytes;
}

Field nameOrNull(const std::string& name) {
  return name.empty() ? Field(nullptr) : Field(name);
}

}  // namespace

VirtualRows triggerRows(const std::vector<ColumnEntry>& columns) {
  static constexpr char kFiring[] = {'O', 'D', 'R', 'A'};
  RowMaker rows(columns, {"oid", "tgrelid", "tgparentid", "tgname", "tgfoid", "tgtype", "tgenabled", "tgconstrrelid",
                          "tgconstraint", "tgdeferrable", "tginitdeferred", "tgnargs", "tgattr", "tgargs", "tgqual",
                          "tgoldtable", "tgnewtable"});
  const Type attributes = typeOfColumn(columns, "tgattr");
  for (const TablePtr& table : requiredCatalogSession().catalog.entries())
    for (const TriggerEntry& trigger : table->triggers) {
      rows.add({trigger.oid, table->oid, trigger.parent, trigger.name, trigger.function, typeBits(trigger),
                kFiring[static_cast<size_t>(trigger.firing)], trigger.referenced, trigger.constraint,
                trigger.is_deferrable, trigger.is_deferred, trigger.arguments.size(),
                arrayOfNumbers(attributes, numbersOfColumns(*table, trigger.columns)), argumentBytes(trigger),
                nameOrNull(trigger.condition), nameOrNull(trigger.old_table), nameOrNull(trigger.new_table)});
    }
  return rows.take();
}

}  // namespace gnomon::sql::pg_catalog
