#pragma once

#include <string>
#include <string_view>

#include "sql/catalog/partitioning.h"

namespace gnomon::sql {

/// A partition's bound as the catalog keeps it: with the values themselves, so that it means the same whatever a
/// session's settings are, and whatever labels, tables and the like are called later.
///
/// Layout: form (1 byte: 1 default, 2 hash, 3 list, 4 range), then
///   hash   modulus (4), remainder (4)
///   list   values
///   range  the values of FROM, then as many of TO
/// A value: what it is (1 byte: 0 NULL, 1 a value, 2 MINVALUE, 3 MAXVALUE), and of a value lo (8), hi (8), count of
/// bytes (4), bytes, as Value has them.
std::string storedBound(const PartitionBound& bound);

/// Bounds that earlier servers stored are SQL, which begins with a letter.
inline bool isStoredBound(std::string_view stored) {
  return !stored.empty() && stored.front() < ' ';
}
/// The bound that was stored so. Failure: XX001.
PartitionBound readStoredBound(std::string_view stored, const PartitionKey& key);

}  // namespace gnomon::sql
