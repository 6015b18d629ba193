#pragma once

#include <span>
#include <vector>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "storage/index/key.h"

namespace gnomon::txn {

/// Encodes values as the first parts of keys, with the memory that their strings need meanwhile. None is NULL.
/// Threads: one.
class KeyColumns {
 public:
  explicit KeyColumns(std::vector<storage::KeyPart> parts)
      : encoder_(std::move(parts)), values_(encoder_.parts().size()), strings_(encoder_.parts().size()) {}

  [[nodiscard]] size_t size() const { return values_.size(); }
  void set(size_t part, const storage::Datum& datum) { values_[part].datum = datum; }
  /// False: the key is longer than any in an index.
  bool encode(storage::EncodedKey& key) {
    for (size_t part = 0; part < values_.size(); ++part) {
      if (encoder_.parts()[part].kind != storage::StoredKind::String) continue;
      strings_[part] = StringValue(values_[part].datum.lo, values_[part].datum.hi);
      values_[part].string = strings_[part].view();
    }
    key.clear();
    try {
      encoder_.encode(values_, key);
    } catch (const SqlError& error) {
      if (!(error.state() == sqlstate::kProgramLimitExceeded)) throw;
      return false;
    }
    return true;
  }

 private:
  const storage::KeyEncoder encoder_;
  std::vector<storage::KeyValue> values_;
  std::vector<StringValue> strings_;  ///< short texts lie in here while the key is encoded
};

}  // namespace gnomon::txn
