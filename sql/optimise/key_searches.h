#pragma once

#include <optional>
#include <vector>

#include "sql/optimise/index_shape.h"

namespace gnomon::sql {

/// A filter that inverted indexes may know: it holds something of the row against a value.
struct KeyCondition {
  const Expression* subject;
  KeySearch how;
  const Expression* value;  ///< reads no columns
};

/// What the filter asks of keys; none: nothing.
std::optional<KeyCondition> keyCondition(const Expression& filter);

/// A filter of a scan that an inverted index can look up.
struct MatchedKeys {
  size_t part;
  KeyCondition condition;
  const Expression* filter;
};
/// All of them.
std::vector<MatchedKeys> matchKeys(const IndexShape& shape, const TableScan& scan);

/// Whether the filter is a containment or the like, which few rows satisfy.
bool isContainment(const Expression& filter);

}  // namespace gnomon::sql
