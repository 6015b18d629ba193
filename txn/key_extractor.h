#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/index/key.h"
#include "storage/relation/schema.h"

namespace gnomon::txn {

/// Says which keys stand in an inverted index for a tuple: any number, found in the values of the index's parts.
/// Threads: any number at once.
class KeyExtractor {
 public:
  virtual ~KeyExtractor() = default;

  /// Appends hashes of the keys in a part's value, which is not NULL; in any order, the same one perhaps several times,
  /// at least one. Equal values have the same hashes. Strings lie where the datum says. Failure: none but for memory.
  virtual void extract(size_t part, const storage::Datum& value, std::vector<uint64_t>& hashes) const = 0;
};

/// Bytes of an inverted index's key: the number of its part in one, then the hash, big-endian.
inline constexpr size_t kInvertedKeyBytes = 9;

/// The key as it stands in the tree of an inverted index. Different keys may have one hash: whoever follows an entry
/// looks at the tuple.
inline void encodeInvertedKey(size_t part, uint64_t hash, storage::EncodedKey& key) {
  key.clear();
  char* byte = key.extend(kInvertedKeyBytes);
  *byte++ = static_cast<char>(part);
  for (int shift = 56; shift >= 0; shift -= 8) *byte++ = static_cast<char>(hash >> shift);
}

/// What all keys of a part begin with.
inline void encodeInvertedPart(size_t part, storage::EncodedKey& key) {
  key.clear();
  key.append(static_cast<char>(part));
}

}  // namespace gnomon::txn
