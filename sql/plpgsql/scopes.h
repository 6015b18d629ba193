#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/plpgsql/datum.h"

namespace gnomon::sql::plpgsql {

/// The names of a routine: a tree of entries in which each knows the one before it. A place of the body sees the entry
/// that was newest there, and all before it up to the root. A block or loop begins with a label, named or not, and the
/// names up to it are one level.
///
/// Invariant  P1  an entry's predecessor has a smaller number
class Scopes {
 public:
  struct Entry {
    enum class Kind : uint8_t {
      Block,   ///< a label, of a block or the routine itself
      Loop,    ///< a label
      Cursor,  ///< a label: of the arguments of a cursor
      Variable,
      Record,
    };
    Kind kind = Kind::Block;
    ScopeId previous = kNoScope;
    DatumId datum = kNoDatum;  ///< of variables and records
    std::string name;          ///< empty: a label without a name
  };

  /// What a name, or names with dots between them, stand for.
  struct Found {
    DatumId datum;
    uint32_t names_used = 0;  ///< the others are fields of the record
    bool is_record = false;
  };

  [[nodiscard]] ScopeId top() const { return top_; }
  [[nodiscard]] const Entry& entry(ScopeId id) const { return entries_[id.value]; }

  /// Begins a level. Returns its label.
  ScopeId push(Entry::Kind kind, std::string_view label);
  /// Ends the level that is newest.
  void pop();
  void add(Entry::Kind kind, DatumId datum, std::string_view name);

  /// Looks from `from` outwards for a name, or up to three, of which a label may be the first; the innermost level that
  /// has it decides. A scalar has no fields, so further names do not lead to it.
  [[nodiscard]] std::optional<Found> find(ScopeId from, std::string_view first, std::string_view second = {},
                                          std::string_view third = {}) const;
  /// Whether the newest level has the name.
  [[nodiscard]] bool isDeclaredHere(std::string_view name) const;
  [[nodiscard]] std::optional<ScopeId> findLabel(std::string_view name) const;
  [[nodiscard]] std::optional<ScopeId> nearestLoop() const;

 private:
  std::vector<Entry> entries_;
  ScopeId top_ = kNoScope;
};

}  // namespace gnomon::sql::plpgsql
