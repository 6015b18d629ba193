#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// What an item of FROM needs for its rows as values, which outer joins make NULL: a unit that is so where they do.
/// Shared by the copies of its Range. The joins stand in the tree that is being bound.
struct RowMarker {
  struct Extension {
    Join* join;
    bool is_left;  ///< the item is in the left input
  };
  std::vector<Extension> joins;  ///< around it, innermost first
};

/// A column as a name of FROM offers it.
struct ScopeColumn {
  std::string name;
  Iu iu = nullptr;
};

/// A table, derived table or aliased join in FROM.
struct Range {
  std::string alias;
  std::string table_name;  ///< the stored table behind the alias; empty: none
  std::vector<ScopeColumn> columns;
  bool is_aliased = false;  ///< public.t.a does not work then
  std::string schema = "public";
  std::vector<ScopeColumn> hidden = {};  ///< that `*` does not stand for
  uint32_t relation = 0;                 ///< oid of the user's table or view; 0: none
  std::shared_ptr<RowMarker> marker = std::make_shared<RowMarker>();
  size_t extensions = 0;     ///< how many of the marker's joins are below this scope
  Operator* rows = nullptr;  ///< what a derived table or view was bound to, in the tree; null: another item
};

/// An item of FROM, or the target of INSERT, as messages about names out of reach mention it.
struct FromEntry {
  std::string alias;
  std::string table_name;                 ///< the stored table behind the alias; empty: none
  std::vector<std::string> columns = {};  ///< none of a join
};
/// What the statement has met so far: by query, from the outermost to the one being bound.
using FromLevels = std::vector<std::vector<FromEntry>>;

/// Whether each of PostgreSQL's tables has a column of this name that CREATE TABLE does not mention.
bool isSystemColumn(std::string_view name);

/// The names that expressions over a FROM clause can use.
///
/// `columns` is what * stands for and where unqualified names are looked up: columns merged by USING stand there once.
struct Scope {
  std::vector<Range> ranges;
  std::vector<ScopeColumn> columns;

  /// Takes in the names of another FROM item. Failure: 42712 when both have a range of the same name.
  void append(Scope other);
  /// The column's unit. `levels` words the error. Failure: 42703, 42702, 42P01.
  [[nodiscard]] Iu resolve(std::span<const std::string> names, const FromLevels& levels, int32_t position) const;
  /// The unit with this unqualified name, null when there is none. Failure: 42702.
  [[nodiscard]] Iu find(std::string_view name, int32_t position) const;
  /// The same among the hidden ones.
  [[nodiscard]] Iu findHidden(std::string_view name, int32_t position) const;
  /// The range of `t.*` or `t.a`; null: there is none.
  [[nodiscard]] const Range* findRange(std::span<const std::string> qualifiers) const;
  /// The one with an alias that has the unit under this name; null: there is none, or several share it.
  [[nodiscard]] const Range* rangeWith(std::string_view name, Iu unit) const;
  /// The same. Failure: 42P01.
  [[nodiscard]] const Range& range(std::span<const std::string> qualifiers, const FromLevels& levels,
                                   int32_t position) const;
  /// One of its names means the unit.
  [[nodiscard]] bool has(Iu unit) const;
  /// Replaces units.
  void replace(const std::unordered_map<Iu, Iu>& replacements);
};

}  // namespace gnomon::sql
