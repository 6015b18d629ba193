#include "sql/bind/access_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/dependent_views.h"

namespace gnomon::sql {
namespace {

constexpr Privilege kOfColumns[] = {Privilege::Select, Privilege::Insert, Privilege::Update, Privilege::References};

}  // namespace

AccessNotes::Need& AccessNotes::needOf(const TablePtr& entry) {
  for (Need& need : needs_)
    if (need.role == role_ && need.entry == entry) return need;
  return needs_.emplace_back(Need{role_, entry, Privilege::None, {}, kNobody});
}

void AccessNotes::add(const TablePtr& entry, Privilege right) {
  Need& need = needOf(entry);
  need.rights = need.rights | right;
  if (overlaps(right, Privilege::Select)) need.read_by = kNobody;
}

void AccessNotes::addBelow(const TablePtr& entry, Privilege right, const TableEntry& view, uint32_t view_role,
                           const std::vector<uint32_t>& columns) {
  const auto above = std::ranges::find_if(
      needs_, [&](const Need& need) { return need.role == view_role && need.entry->oid == view.oid; });
  const auto number = static_cast<size_t>(above - needs_.begin());
  Need& need = needOf(entry);
  if (!overlaps(need.rights, Privilege::Select)) need.read_by = number;
  need.rights = need.rights | right | Privilege::Select;
  for (const uint32_t column : columns) need.columns.emplace_back(Privilege::Select, column);
}

bool AccessNotes::isRead(const Need& need) const {
  if (!overlaps(need.rights, Privilege::Select)) return false;
  return need.read_by == kNobody || isRead(needs_[need.read_by]);
}

void AccessNotes::add(const TablePtr& entry, Privilege right, const std::vector<uint32_t>& columns) {
  add(entry, right);
  Need& need = needOf(entry);
  for (const uint32_t column : columns) need.columns.emplace_back(right, column);
}

void AccessNotes::read(uint32_t oid, int16_t number) {
  for (Need& need : needs_) {
    if (need.role != role_ || need.entry->oid != oid) continue;
    const std::pair<Privilege, uint32_t> column{Privilege::Select, static_cast<uint32_t>(number - 1)};
    if (std::ranges::find(need.columns, column) != need.columns.end()) return;
    need.rights = need.rights | Privilege::Select;
    need.columns.push_back(column);
    return;
  }
}

void AccessNotes::forEachOwnColumn(const std::function<void(const TableEntry&, uint32_t)>& visit) const {
  for (const Need& need : needs_)
    if (need.role == 0)
      for (const auto& [right, column] : need.columns) visit(*need.entry, column);
}

bool AccessNotes::isMet(const CatalogView& catalog, uint32_t role, const Need& need, Privilege right) {
  const TableEntry& entry = *need.entry;
  if (rightsOn(catalog, role, entry, right) != Privilege::None) return true;
  if (std::ranges::find(kOfColumns, right) == std::end(kOfColumns)) return false;
  const auto has = [&](uint32_t column) {
    return rightsOnColumn(catalog, role, entry, column, right) != Privilege::None;
  };
  bool is_mentioned = false;
  for (const auto& [of, column] : need.columns) {
    if (of != right) continue;
    if (!has(column)) return false;
    is_mentioned = true;
  }
  if (is_mentioned) return true;
  for (uint32_t column = 0; column < entry.columns.size(); ++column)
    if (!entry.columns[column].isDropped() && has(column)) return true;
  return false;
}

void AccessNotes::require(const CatalogView& catalog) const {
  for (const Need& need : needs_) {
    const uint32_t role = need.role == 0 ? catalog.actors().current : need.role;
    for (uint16_t bit = 1; bit != 0; bit = static_cast<uint16_t>(bit << 1)) {
      const auto right = static_cast<Privilege>(bit);
      if (!overlaps(need.rights, right) || (right == Privilege::Select && !isRead(need)) ||
          isMet(catalog, role, need, right))
        continue;
      throw SqlError(sqlstate::kInsufficientPrivilege,
                     fmt::format("permission denied for {} {}", kindName(*need.entry), need.entry->calledName()));
    }
  }
}

}  // namespace gnomon::sql
