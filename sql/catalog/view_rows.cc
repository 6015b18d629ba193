#include "sql/catalog/view_rows.h"

#include <array>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"
#include "sql/catalog/dependent_views.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum ViewField : uint32_t { kViewOid, kViewQuery, kViewTable, kViewColumn, kViewFields };
/// In the place of the column in a row without a table.
constexpr uint32_t kMaterializedFlag = 1, kUnpopulatedFlag = 2, kLocalCheckFlag = 4, kCascadedCheckFlag = 8,
                   kInvokerFlag = 16;

uint32_t flagsOf(const TableEntry& entry) {
  const ViewEntry& view = *entry.query();
  return (entry.materialized ? kMaterializedFlag : 0) | (view.is_populated ? 0 : kUnpopulatedFlag) |
         (view.check_option == CheckOption::Local ? kLocalCheckFlag : 0) |
         (view.check_option == CheckOption::Cascaded ? kCascadedCheckFlag : 0) | (view.is_invoker ? kInvokerFlag : 0);
}

constexpr int32_t kStoredKey = -1;

int32_t storedColumn(uint32_t column) {
  if (column == kPrimaryKeyUse) return kStoredKey;
  return column == ViewEntry::Use::kNoColumn ? 0 : static_cast<int32_t>(column) + 1;
}

uint32_t readColumn(int32_t stored) {
  if (stored == kStoredKey) return kPrimaryKeyUse;
  return stored == 0 ? ViewEntry::Use::kNoColumn : static_cast<uint32_t>(stored) - 1;
}

}  // namespace

txn::RelationSchema viewsSchema() {
  return {
      {StoredKind::Int32, false}, {StoredKind::String, true}, {StoredKind::Int32, false}, {StoredKind::Int16, false}};
}

void appendView(const TableEntry& view, txn::WriteStatement& rows) {
  const ViewEntry* const query = view.query();
  if (query == nullptr) return;
  const uint32_t flags = flagsOf(view);
  std::vector<ViewEntry::Use> uses = query->uses;
  if (uses.empty() || flags != 0) uses.emplace_back();
  for (size_t i = 0; i < uses.size(); ++i) {
    const int64_t column = uses[i].table == 0 ? flags : storedColumn(uses[i].column);
    const std::array<Datum, kViewFields> values{number(view.oid), text(query->query), number(uses[i].table),
                                                number(column)};
    std::array<uint8_t, kViewFields> nulls{};
    nulls[kViewQuery] = i > 0;
    rows.append(values.data(), nulls.data());
  }
}

void loadViews(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  std::map<uint32_t, std::shared_ptr<ViewEntry>> views;
  std::map<uint32_t, uint32_t> flags;
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next()) {
    const auto oid = static_cast<uint32_t>(readNumber(row, kViewOid));
    const auto used = static_cast<uint32_t>(readNumber(row, kViewTable));
    const int32_t column = readNumber(row, kViewColumn);
    auto& view = views[oid];
    if (!view) view = std::make_shared<ViewEntry>();
    if (!row.isNull(kViewQuery)) view->query = readText(row, kViewQuery);
    if (used == 0) flags[oid] = static_cast<uint32_t>(column);
    if (used == 0) continue;
    const auto found = tables.find(used);
    const uint32_t read = readColumn(column);
    const bool is_column = read != ViewEntry::Use::kNoColumn && read != kPrimaryKeyUse;
    if (found == tables.end() || (is_column && read >= found->second->columns.size()))
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a view of something that is not there");
    view->uses.push_back({used, read});
  }
  for (auto& [oid, view] : views) {
    const auto found = tables.find(oid);
    if (found == tables.end() || view->query.empty())
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a view without a name or query");
    view->is_populated = (flags[oid] & kUnpopulatedFlag) == 0;
    if ((flags[oid] & kLocalCheckFlag) != 0) view->check_option = CheckOption::Local;
    if ((flags[oid] & kCascadedCheckFlag) != 0) view->check_option = CheckOption::Cascaded;
    view->is_invoker = (flags[oid] & kInvokerFlag) != 0;
    ((flags[oid] & kMaterializedFlag) != 0 ? found->second->materialized : found->second->view) = std::move(view);
  }
}

}  // namespace gnomon::sql
