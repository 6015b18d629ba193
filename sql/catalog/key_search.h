#pragma once

#include <cstdint>

namespace gnomon::sql {

/// What a condition on a value asks of the keys that an inverted index has of it: value @> x, value <@ x, value && x,
/// value = x; value ? x, value ?| x, value ?& x.
enum class KeySearch : uint8_t { Contains, ContainedBy, Overlaps, Equal, HasKey, HasAnyKey, HasAllKeys };

}  // namespace gnomon::sql
