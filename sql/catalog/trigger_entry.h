#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace gnomon::sql {

/// What makes a trigger fire. Sets of events have a bit for each.
enum class TriggerEvent : uint8_t { Insert = 1, Delete = 2, Update = 4, Truncate = 8 };

/// A trigger of a table or view. Those of one event fire in the order of their names.
struct TriggerEntry {
  enum class Timing : uint8_t { Before, After, InsteadOf };
  /// In which sessions it fires: that are no replicas, in none, that are, in all.
  enum class Firing : uint8_t { Origin, Disabled, Replica, Always };

  uint32_t oid = 0;  ///< 0: not made yet
  std::string name;
  uint32_t function = 0;  ///< oid
  Timing timing = Timing::Before;
  bool is_row = false;  ///< FOR EACH ROW
  uint8_t events = 0;
  Firing firing = Firing::Origin;
  std::vector<uint32_t> columns = {};          ///< UPDATE OF; empty: any
  std::string condition = {};                  ///< WHEN, as SQL over the rows "old" and "new"; empty: none
  std::vector<std::string> arguments = {};     ///< of the function
  std::string old_table = {}, new_table = {};  ///< REFERENCING; empty: none
  bool is_constraint = false;                  ///< CREATE CONSTRAINT TRIGGER
  bool is_deferrable = false;
  bool is_deferred = false;  ///< INITIALLY DEFERRED
  uint32_t constraint = 0;   ///< oid of the constraint; 0: there is none, or it is not made yet
  uint32_t referenced = 0;   ///< FROM: oid of that table; 0: none
  uint32_t parent = 0;       ///< of a partition: oid of the trigger of the table above that it was made of; 0: none
  std::string comment = {};  ///< empty: none
  bool operator==(const TriggerEntry&) const = default;

  [[nodiscard]] bool isFor(TriggerEvent event) const { return (events & static_cast<uint8_t>(event)) != 0; }
  [[nodiscard]] bool isEnabled() const { return firing == Firing::Origin || firing == Firing::Always; }
  [[nodiscard]] bool hasTransitionTables() const { return !old_table.empty() || !new_table.empty(); }
  /// Whether an UPDATE of these columns, ascending, makes it fire, or another event whatever they are.
  [[nodiscard]] bool isOf(TriggerEvent event, const std::vector<uint32_t>& changed) const {
    if (!isFor(event)) return false;
    return event != TriggerEvent::Update || columns.empty() ||
           std::ranges::any_of(columns, [&](uint32_t column) { return std::ranges::binary_search(changed, column); });
  }
};

}  // namespace gnomon::sql
