#include "storage/statistics/value_hash.h"

#include <xxhash.h>

namespace gnomon::storage::value_hash {

uint64_t ofLongText(const char* text, uint64_t length) {
  return XXH3_64bits(text, length);
}

uint64_t of(StoredKind kind, const Datum& value) {
  uint64_t result = 0;
  const uint32_t row = 0;
  forEach(kind, &value, 1, {&row, 1}, [&](size_t, uint64_t hash) { result = hash; });
  return result;
}

}  // namespace gnomon::storage::value_hash
