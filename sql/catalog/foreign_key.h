#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gnomon::sql {

/// What happens to rows that refer to a row that goes, or gets another key.
enum class ReferentialAction : uint8_t { NoAction, Restrict, Cascade, SetNull, SetDefault };

/// A FOREIGN KEY, kept by the table whose rows refer to others (the child).
struct ForeignKeyEntry {
  /// Keys are numbered as they are made: in that order they are tested and act. 0: not made yet.
  uint32_t number = 0;
  std::string name;
  std::vector<uint32_t> columns;  ///< of the child
  uint32_t parent = 0;            ///< oid of the table that is referred to; 0, until it is made: the child itself
  std::vector<uint32_t> parent_columns;  ///< each stands for one of `columns`
  uint32_t parent_index = 0;             ///< oid of the unique index of these; 0, until it is made: one of the child's
  ReferentialAction on_delete = ReferentialAction::NoAction;
  ReferentialAction on_update = ReferentialAction::NoAction;
  std::vector<uint32_t> set_columns;  ///< what ON DELETE SET NULL or SET DEFAULT sets; empty: all of `columns`
  bool is_full = false;               ///< MATCH FULL: all values are NULL or none
  bool is_valid = true;               ///< false (NOT VALID): rows may break it that were there before it
  bool is_deferrable = false;         ///< SET CONSTRAINTS can say when it is tested
  bool is_deferred = false;           ///< INITIALLY DEFERRED: at the transaction's end, unless that says otherwise
  std::string comment = {};           ///< empty: none
  /// Number of the table's key of which it is a part: each table below a partitioned one that a key refers to has a
  /// part of the key, which says what happens when its rows go; 0: it is none.
  uint32_t part_of = 0;
  bool operator==(const ForeignKeyEntry&) const = default;
};

/// That a key of a table, which may be the same, refers to a table.
struct ReferringKey {
  uint32_t table = 0;  ///< the child's oid
  uint32_t number = 0;
  bool is_part = false;  ///< ForeignKeyEntry::part_of
  bool operator==(const ReferringKey&) const = default;
};

}  // namespace gnomon::sql
