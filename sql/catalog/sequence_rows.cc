#include "sql/catalog/sequence_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"
#include "txn/sequence.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum SequenceField : uint32_t {
  kSequenceOid,
  kSequenceType,
  kSequenceFlags,
  kSequenceStart,
  kSequenceIncrement,
  kSequenceMinimum,
  kSequenceMaximum,
  kSequenceCache,
  kSequenceOwner,
  kSequenceColumn,
  kSequenceFields
};
constexpr int32_t kCycleFlag = 1, kIdentityFlag = 2;

[[noreturn]] void raiseDamaged(const TableEntry& sequence, std::string_view what) {
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("the catalog has a sequence \"{}\" {}", sequence.name, what));
}

int64_t readLong(const storage::RowCursor& row, uint32_t column) {
  return static_cast<int64_t>(row.value(column).lo);
}

bool isLike(const TableEntry& table) {
  return table.storage->schema().size() == 3 && table.columns.size() == 3;
}

/// Q2
void requireInside(const TableEntry& entry, const SequenceEntry& sequence) {
  const txn::SequenceRange& range = sequence.range;
  const int64_t value = sequence.counter->state().last_value;
  if (range.increment == 0 || range.cache < 1 || range.minimum >= range.maximum) raiseDamaged(entry, "without values");
  if (value < range.minimum || value > range.maximum) raiseDamaged(entry, "that stands outside of its limits");
}

/// Q1
void requireOwner(const TableEntry& entry, const SequenceEntry& sequence,
                  const std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  if (sequence.owner == 0) return;
  const auto owner = tables.find(sequence.owner);
  if (owner == tables.end() || sequence.owner_column >= owner->second->columns.size() ||
      owner->second->columns[sequence.owner_column].isDropped())
    raiseDamaged(entry, "whose owner is not there");
}

}  // namespace

txn::RelationSchema sequencesSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Int16, false},
          {StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::Int64, false},
          {StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::Int32, false},
          {StoredKind::Int16, false}};
}

void appendSequence(const TableEntry& sequence, txn::WriteStatement& rows) {
  if (!sequence.sequence) return;
  const SequenceDefinition& definition = *sequence.sequence;
  const txn::SequenceRange& range = definition.range;
  const bool has_owner = definition.owner != 0;
  const std::array<Datum, kSequenceFields> values{
      number(sequence.oid),
      number(Type::of(definition.type).oid()),
      number((range.is_cycle ? kCycleFlag : 0) | (definition.is_identity ? kIdentityFlag : 0)),
      number(definition.start),
      number(range.increment),
      number(range.minimum),
      number(range.maximum),
      number(range.cache),
      number(definition.owner),
      number(has_owner ? int64_t{definition.owner_column} + 1 : 0)};
  const std::array<uint8_t, kSequenceFields> nulls{};
  rows.append(values.data(), nulls.data());
}

void loadSequences(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next()) {
    const auto found = tables.find(static_cast<uint32_t>(readNumber(row, kSequenceOid)));
    if (found == tables.end() || !isLike(*found->second))
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a sequence without a relation");
    TableEntry& entry = *found->second;
    auto sequence = std::make_shared<SequenceEntry>();
    Type type;
    if (!typeFromOid(static_cast<uint32_t>(readNumber(row, kSequenceType)), type) || !type.isInteger())
      raiseDamaged(entry, "of another type");
    const int32_t flags = readNumber(row, kSequenceFlags);
    sequence->type = type.kind;
    sequence->start = readLong(row, kSequenceStart);
    sequence->range = {.increment = readLong(row, kSequenceIncrement),
                       .minimum = readLong(row, kSequenceMinimum),
                       .maximum = readLong(row, kSequenceMaximum),
                       .cache = readLong(row, kSequenceCache),
                       .is_cycle = (flags & kCycleFlag) != 0};
    sequence->owner = static_cast<uint32_t>(readNumber(row, kSequenceOwner));
    sequence->owner_column = sequence->owner == 0 ? 0 : static_cast<uint32_t>(readNumber(row, kSequenceColumn) - 1);
    sequence->is_identity = (flags & kIdentityFlag) != 0;
    sequence->counter = std::make_shared<txn::Sequence>(entry.storage);
    requireInside(entry, *sequence);
    requireOwner(entry, *sequence, tables);
    entry.sequence = std::move(sequence);
  }
  // Q3
  for (const auto& [oid, table] : tables) {
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      if (table->columns[i].identity == Identity::None) continue;
      const bool has_own = std::ranges::any_of(tables, [&](const auto& each) {
        const SequencePtr& sequence = each.second->sequence;
        return sequence && sequence->is_identity && sequence->owner == oid && sequence->owner_column == i;
      });
      if (!has_own)
        throw SqlError(sqlstate::kDataCorrupted,
                       fmt::format("the identity column \"{}\" of table \"{}\" has no sequence", table->columns[i].name,
                                   table->name));
    }
  }
}

}  // namespace gnomon::sql
