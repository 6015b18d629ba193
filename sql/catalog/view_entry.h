#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gnomon::sql {

/// WITH CHECK OPTION: whether rows that are written through a view must be rows of it, and of the views that it reads.
enum class CheckOption : uint8_t { None, Local, Cascaded };

/// What a view shows, or a materialized view is filled with. Its names are those at its definition: what it reads is
/// not renamed while it is there.
struct ViewEntry {
  /// What the query reads itself, not by way of other views.
  struct Use {
    static constexpr uint32_t kNoColumn = UINT32_MAX;
    uint32_t table = 0;           ///< oid of a table, view or sequence
    uint32_t column = kNoColumn;  ///< in TableEntry::columns; kNoColumn: nothing but the table itself

    bool operator==(const Use&) const = default;
  };
  std::string query;  ///< SQL without `*`, bound anew at each use
  std::vector<Use> uses;
  CheckOption check_option = CheckOption::None;
  bool is_invoker = false;   ///< security_invoker: what it reads is asked of who reads the view, not of its owner
  bool is_populated = true;  ///< of a materialized view: it has been filled, and can be read
};

}  // namespace gnomon::sql
