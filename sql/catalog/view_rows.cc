#include "sql/catalog/view_rows.h"

#include <array>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"

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
    const bool has_column = uses[i].column != ViewEntry::Use::kNoColumn;
    const int64_t column = uses[i].table == 0 ? flags : has_column ? int64_t{uses[i].column} + 1 : 0;
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
    const auto column = static_cast<uint32_t>(readNumber(row, kViewColumn));
    auto& view = views[oid];
    if (!view) view = std::make_shared<ViewEntry>();
    if (!row.isNull(kViewQuery)) view->query = readText(row, kViewQuery);
    if (used == 0) flags[oid] = column;
    if (used == 0) continue;
    const auto found = tables.find(used);
    if (found == tables.end() || column > found->second->columns.size())
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a view of something that is not there");
    view->uses.push_back({used, column == 0 ? ViewEntry::Use::kNoColumn : column - 1});
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
