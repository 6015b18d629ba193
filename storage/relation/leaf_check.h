#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/relation/leaf.h"

namespace gnomon::storage {

/// What a leaf holds, counted row by row.
struct LeafCounts {
  uint64_t tuples = 0;
  uint64_t deleted = 0;
  uint64_t string_bytes = 0;  ///< of the strings that tuples refer to
};

/// Counts what a sound leaf (Leaf::isSound) holds and checks it, also when it is damaged: R2 with ids from `first` to
/// below `end`, the flagged count, R4, R5. Adds what is wrong to `problems`. The page is held shared.
LeafCounts checkLeafContents(std::byte* page, uint64_t page_bytes, const RelationSchema& schema, TupleId first,
                             TupleId end, std::vector<const char*>& problems);

}  // namespace gnomon::storage
