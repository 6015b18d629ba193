#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/privilege.h"

namespace gnomon::sql {

/// For whom a view, or materialized view, reads what it reads: its owner, or 0: who asks.
inline uint32_t readerOf(const TableEntry& view) {
  return view.view && view.view->is_invoker ? 0 : view.owner;
}

/// What a statement does with tables and views, and for whom: gathered while it is bound, asked for at its end.
///
/// What views do, they do for their owners. A right on a table is one on all of its columns; where a role has not that
/// one, it needs the right on each column that is mentioned, or on some column where none is.
class AccessNotes {
 public:
  /// For as long as it lives, what is noted is for the owner of a view.
  class Owner {
   public:
    Owner(AccessNotes& notes, uint32_t role) : notes_(notes), before_(std::exchange(notes.role_, role)) {}
    ~Owner() { notes_.role_ = before_; }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

   private:
    AccessNotes& notes_;
    const uint32_t before_;
  };

  void add(const TablePtr& entry, Privilege right);
  /// What a change by way of `view` does with the entry that the view reads. Where the view's rows are read too, its
  /// reader must be allowed to read these columns.
  void addBelow(const TablePtr& entry, Privilege right, const TableEntry& view, uint32_t view_role,
                const std::vector<uint32_t>& columns);
  void add(const TablePtr& entry, Privilege right, const std::vector<uint32_t>& columns);
  /// A column of something that is read is mentioned. `number`: from 1; below: a system column, for which the right on
  /// the whole is needed. Nothing where it was not noted.
  void read(uint32_t oid, int16_t number);
  /// Calls `visit(entry, place of the column)` for what columns are mentioned for who asks, system columns among them.
  void forEachOwnColumn(const std::function<void(const TableEntry&, uint32_t)>& visit) const;
  /// The role of which something is wanted: 0: who asks.
  [[nodiscard]] uint32_t role() const { return role_; }

  /// Failure: 42501 `permission denied for table x`.
  void require(const CatalogView& catalog) const;

 private:
  struct Need {
    uint32_t role;
    TablePtr entry;
    Privilege rights;
    /// By right: places of columns.
    std::vector<std::pair<Privilege, uint32_t>> columns;
    size_t read_by = kNobody;  ///< the view by way of which it is read, if that is; kNobody: it is read itself
  };
  static constexpr size_t kNobody = SIZE_MAX;
  Need& needOf(const TablePtr& entry);
  [[nodiscard]] bool isRead(const Need& need) const;
  static bool isMet(const CatalogView& catalog, uint32_t role, const Need& need, Privilege right);

  uint32_t role_ = 0;
  std::vector<Need> needs_;
};

}  // namespace gnomon::sql
