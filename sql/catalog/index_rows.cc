#include "sql/catalog/index_rows.h"

#include <array>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"
#include "storage/relation/scan.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum IndexField : uint32_t {
  kIndexOid,
  kIndexTable,
  kIndexName,
  kIndexFlags,
  kIndexPredicate,
  kIndexRelation,
  kIndexParent,
  kIndexFields
};
enum IndexColumnField : uint32_t { kPartIndex, kPartNumber, kPartColumn, kPartFlags, kPartExpression, kPartFields };
constexpr int32_t kUniqueFlag = 1, kPrimaryFlag = 2, kConstraintFlag = 4, kHashFlag = 1024, kDeferrableFlag = 2048,
                  kDeferredFlag = 4096, kInvalidFlag = 8192, kGinFlag = 16384,
                  kNullsEqualFlag = INT16_MIN;  // the 16th bit
constexpr int32_t kDescendingFlag = 1, kNullsFirstFlag = 2, kIncludedFlag = 16, kJsonbPathFlag = 32,
                  kParameterFlag = 64;
/// What flags hold beside: a percentage, an operator class.
constexpr int kFillShift = 3, kOperatorClassShift = 2;
constexpr int32_t kFillMask = 127, kOperatorClassMask = 3;

int32_t methodFlag(IndexMethod method) {
  return method == IndexMethod::Hash ? kHashFlag : method == IndexMethod::Gin ? kGinFlag : 0;
}

int32_t operatorClassFlags(OperatorClass operator_class) {
  return operator_class == OperatorClass::JsonbPath ? kJsonbPathFlag
                                                    : static_cast<int32_t>(operator_class) << kOperatorClassShift;
}

/// `expression`: null, there is none.
void appendPart(const IndexEntry& index, size_t number_before, int64_t column, int32_t flags,
                const std::string* expression, txn::WriteStatement& parts) {
  const std::array<Datum, kPartFields> part{number(index.oid), number(static_cast<int64_t>(number_before) + 1),
                                            number(column), number(flags),
                                            text(expression == nullptr ? std::string_view() : *expression)};
  std::array<uint8_t, kPartFields> nulls{};
  nulls[kPartExpression] = expression == nullptr;
  parts.append(part.data(), nulls.data());
}

std::shared_ptr<IndexEntry> readIndex(const storage::RowCursor& row) {
  auto index = std::make_shared<IndexEntry>();
  index->oid = static_cast<uint32_t>(readNumber(row, kIndexOid));
  index->name = readText(row, kIndexName);
  const int32_t flags = readNumber(row, kIndexFlags);
  index->is_unique = (flags & kUniqueFlag) != 0;
  index->nulls_are_equal = (flags & kNullsEqualFlag) != 0;
  index->is_primary = (flags & kPrimaryFlag) != 0;
  index->is_constraint = (flags & kConstraintFlag) != 0;
  if ((flags & kHashFlag) != 0) index->method = IndexMethod::Hash;
  if ((flags & kGinFlag) != 0) index->method = IndexMethod::Gin;
  index->is_deferrable = (flags & kDeferrableFlag) != 0;
  index->is_deferred = (flags & kDeferredFlag) != 0;
  index->is_valid = (flags & kInvalidFlag) == 0;
  index->parent = static_cast<uint32_t>(readNumber(row, kIndexParent));
  index->fillfactor = static_cast<int16_t>((flags >> kFillShift) & kFillMask);
  index->predicate = readText(row, kIndexPredicate);
  return index;
}

void readPart(const storage::RowCursor& row, const TableEntry& table, IndexEntry& index) {
  const std::string expression = readText(row, kPartExpression);
  const int32_t flags = readNumber(row, kPartFlags);
  if ((flags & kParameterFlag) != 0) {
    index.parameters.push_back(expression);
    return;
  }
  const auto column =
      expression.empty() ? static_cast<uint32_t>(readNumber(row, kPartColumn) - 1) : IndexColumn::kExpression;
  if (expression.empty() && column >= table.columns.size())
    throw SqlError(sqlstate::kDataCorrupted, "the catalog's index columns do not belong to its indexes");
  if ((flags & kIncludedFlag) != 0) {
    index.included.push_back(column);
    return;
  }
  index.columns.push_back(
      {.column = column,
       .descending = (flags & kDescendingFlag) != 0,
       .nulls_first = (flags & kNullsFirstFlag) != 0,
       .expression = expression,
       .operator_class = (flags & kJsonbPathFlag) != 0
                             ? OperatorClass::JsonbPath
                             : static_cast<OperatorClass>((flags >> kOperatorClassShift) & kOperatorClassMask)});
}

}  // namespace

txn::RelationSchema indexesSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::String, false},
          {StoredKind::Int16, false}, {StoredKind::String, true}, {StoredKind::Int32, false},
          {StoredKind::Int32, false}};
}
txn::RelationSchema indexColumnsSchema() {
  return {{StoredKind::Int32, false},
          {StoredKind::Int16, false},
          {StoredKind::Int16, false},
          {StoredKind::Int16, false},
          {StoredKind::String, true}};
}

void appendIndex(const TableEntry& table, const IndexEntry& index, txn::WriteStatement& indexes,
                 txn::WriteStatement& parts) {
  const int32_t flags = (index.is_unique ? kUniqueFlag : 0) | (index.is_primary ? kPrimaryFlag : 0) |
                        (index.is_constraint ? kConstraintFlag : 0) | methodFlag(index.method) |
                        (index.is_deferrable ? kDeferrableFlag : 0) | (index.is_deferred ? kDeferredFlag : 0) |
                        (index.is_valid ? 0 : kInvalidFlag) | (index.nulls_are_equal ? kNullsEqualFlag : 0) |
                        (index.fillfactor << kFillShift);
  const std::array<Datum, kIndexFields> values{number(index.oid),     number(table.oid),
                                               text(index.name),      number(flags),
                                               text(index.predicate), number(index.storage->id().value),
                                               number(index.parent)};
  std::array<uint8_t, kIndexFields> nulls{};
  nulls[kIndexPredicate] = index.predicate.empty();
  indexes.append(values.data(), nulls.data());
  size_t count = 0;
  for (const IndexColumn& column : index.columns) {
    const bool is_expression = column.column == IndexColumn::kExpression;
    const int32_t part_flags = (column.descending ? kDescendingFlag : 0) | (column.nulls_first ? kNullsFirstFlag : 0) |
                               operatorClassFlags(column.operator_class);
    appendPart(index, count++, is_expression ? 0 : int64_t{column.column} + 1, part_flags,
               is_expression ? &column.expression : nullptr, parts);
  }
  for (const uint32_t column : index.included)
    appendPart(index, count++, int64_t{column} + 1, kIncludedFlag, nullptr, parts);
  for (const std::string& parameter : index.parameters)
    appendPart(index, count++, 0, kParameterFlag, &parameter, parts);
}

std::vector<StoredIndex> readIndexes(txn::Table& indexes, txn::Table& index_columns,
                                     const std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  std::map<uint32_t, StoredIndex> read;
  storage::RowCursor row(indexes.relation(), indexes.readBound());
  while (row.next()) {
    const auto owner = tables.find(static_cast<uint32_t>(readNumber(row, kIndexTable)));
    if (owner == tables.end()) throw SqlError(sqlstate::kDataCorrupted, "the catalog has an index without a table");
    const txn::RelationId relation{static_cast<uint32_t>(readNumber(row, kIndexRelation))};
    StoredIndex stored{readIndex(row), owner->second.get(), relation};
    read[stored.index->oid] = std::move(stored);
  }
  storage::RowCursor part(index_columns.relation(), index_columns.readBound());
  while (part.next()) {
    const auto owner = read.find(static_cast<uint32_t>(readNumber(part, kPartIndex)));
    if (owner == read.end())
      throw SqlError(sqlstate::kDataCorrupted, "the catalog's index columns do not belong to its indexes");
    readPart(part, *owner->second.table, *owner->second.index);
  }
  std::vector<StoredIndex> result;
  for (auto& [oid, stored] : read) result.push_back(std::move(stored));
  return result;
}

}  // namespace gnomon::sql
