#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gnomon::sql {

/// A type that a user made. What else belongs to it stands in its TableEntry, where a relation has the same: the
/// attributes of a composite type are its columns; a domain has one column, `value`, of the type below it, NOT NULL and
/// DEFAULT as the domain's, and its constraints are checks over that column.
struct TypeEntry {
  enum class Form : uint8_t { Enum = 1, Domain = 2, Composite = 3 };
  /// Invariants:  E1  labels stand in ascending order of their keys
  ///              E2  a key never changes, so stored values keep their label whatever it is called
  struct Label {
    /// Between the keys of labels there is room for others.
    static constexpr int64_t kKeyDistance = int64_t{1} << 44;
    std::string name;
    int64_t key = 0;       ///< what is stored in its place
    uint32_t oid = 0;      ///< pg_enum.oid
    float sort_order = 0;  ///< pg_enum.enumsortorder
  };
  Form form = Form::Enum;
  std::vector<Label> labels = {};  ///< of an enum
  uint32_t base_domain = 0;        ///< right below a domain: another, or an array of one (domainOid()); 0: none
};

}  // namespace gnomon::sql
