#include "sql/bind/column_hint.h"

#include <fmt/format.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include "sql/catalog/column_order.h"

namespace gnomon::sql {
namespace {

constexpr size_t kDistanceMax = 3;

std::vector<UChar32> lettersOf(std::string_view text) {
  std::vector<UChar32> letters;
  for (size_t at = 0; at < text.size();) {
    UChar32 letter = 0;
    U8_NEXT(text.data(), at, text.size(), letter);
    letters.push_back(letter);
  }
  return letters;
}

/// Letters to be inserted, removed or replaced to make the one of the other (Levenshtein).
size_t distance(std::string_view left, std::string_view right) {
  const std::vector<UChar32> from = lettersOf(left), to = lettersOf(right);
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The best that was met so far.
class Closest {
 public:
  struct Column {
    const FromEntry* entry;
    std::string_view name;
  };

  [[nodiscard]] bool isInReach(size_t far) const { return far <= distance_; }
  void add(Column column, size_t far) {
    if (far > distance_) return;
    if (far < distance_) {
      distance_ = far;
      found_.assign(1, column);
    } else if (found_.size() == 2) {
      // Too many are as close as that.
      found_.clear();
      --distance_;
    } else if (!found_.empty() || distance_ <= kDistanceMax) {
      found_.push_back(column);
    }
  }
  [[nodiscard]] const std::vector<Column>& found() const { return found_; }

 private:
  size_t distance_ = kDistanceMax + 1;
  std::vector<Column> found_;
};

}  // namespace

std::string columnHint(const FromLevels& levels, std::string_view table, std::string_view column) {
  Closest closest;
  for (const std::vector<FromEntry>& level : levels | std::views::reverse)
    for (const FromEntry& entry : level) {
      const size_t table_distance = table.empty() ? 0 : distance(table, entry.alias);
      if (table_distance == 0 && std::ranges::find(entry.columns, column) != entry.columns.end())
        return fmt::format(
            "There is a column named \"{}\" in table \"{}\", but it cannot be referenced from this part of the query.",
            column, entry.alias);
      for (const std::string& name : entry.columns) {
        if (!closest.isInReach(table_distance)) break;
        const size_t far = distance(name, column);
        if (far <= column.size() / 2) closest.add({&entry, name}, table_distance + far);
      }
    }
  const auto& found = closest.found();
  if (found.empty()) return {};
  const auto shown = [](const Closest::Column& each) {
    return fmt::format("the column \"{}.{}\"", each.entry->alias, each.name);
  };
  if (found.size() == 1) return fmt::format("Perhaps you meant to reference {}.", shown(found[0]));
  return fmt::format("Perhaps you meant to reference {} or {}.", shown(found[0]), shown(found[1]));
}

std::vector<std::string> columnNames(const TableEntry& table) {
  std::vector<std::string> names;
  for (const uint32_t column : columnsInOrder(table)) names.push_back(table.columns[column].name);
  return names;
}

}  // namespace gnomon::sql
