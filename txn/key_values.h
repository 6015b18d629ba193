#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/inline_array.h"
#include "base/string_value.h"
#include "storage/index/key.h"
#include "txn/table_index.h"

namespace gnomon::txn {

/// The parts of one key after the other, with the memory that their strings need. Only for sources of this folder.
/// Threads: one.
class TableIndex::KeyValues {
 public:
  explicit KeyValues(const IndexDefinition& definition)
      : definition_(definition),
        values_(definition.parts.size()),
        null_flags_(definition.parts.size()),
        parts_(definition.parts.size()),
        strings_(definition.parts.size()) {}

  void set(size_t part, const Datum& datum, bool is_null) {
    values_[part] = datum;
    null_flags_[part] = is_null ? 1 : 0;
  }
  /// A column's value, for evaluateColumns().
  void setColumn(uint32_t column, const Datum& datum, bool is_null) {
    if (column >= row_.size()) {
      row_.resize(column + 1);
      row_nulls_.resize(column + 1);
    }
    row_[column] = datum;
    row_nulls_[column] = is_null ? 1 : 0;
  }
  bool evaluateColumns(const KeyExpressions& expressions) {
    return evaluate(expressions, row_.data(), row_nulls_.data());
  }
  /// Forgets the strings of the key before.
  bool evaluate(const KeyExpressions& expressions, const Datum* values, const uint8_t* null_flags) {
    memory_.clear();
    return expressions.evaluate(values, null_flags, values_.data(), null_flags_.data(), memory_);
  }

  /// Failure: 54000.
  void encode(const storage::KeyEncoder& encoder, storage::EncodedKey& key) {
    for (size_t part = 0; part < values_.size(); ++part) {
      parts_[part] = {values_[part], {}, null_flags_[part] != 0};
      if (parts_[part].is_null || definition_.parts[part].kind != storage::StoredKind::String) continue;
      strings_[part] = StringValue(values_[part].lo, values_[part].hi);
      parts_[part].string = strings_[part].view();
    }
    encoder.encode({parts_.data(), parts_.size()}, key);
  }
  /// The keys of an inverted index, each once, in their order.
  void extract(const KeyExtractor& extractor, std::vector<storage::EncodedKey>& keys) {
    keys.clear();
    for (size_t part = 0; part < values_.size(); ++part) {
      if (null_flags_[part] != 0) continue;
      hashes_.clear();
      extractor.extract(part, values_[part], hashes_);
      std::ranges::sort(hashes_);
      const auto repeated = std::ranges::unique(hashes_);
      hashes_.erase(repeated.begin(), repeated.end());
      for (const uint64_t hash : hashes_) encodeInvertedKey(part, hash, keys.emplace_back());
    }
  }
  /// Gives back the memory of the strings.
  void releaseStrings() { memory_.clear(); }
  /// The key has a NULL that is equal to no other: it is nobody's duplicate.
  [[nodiscard]] bool isDistinct() const {
    if (definition_.nulls_are_equal) return false;
    for (const uint8_t flag : null_flags_)
      if (flag != 0) return true;
    return false;
  }
  [[nodiscard]] const Datum* values() const { return values_.data(); }
  [[nodiscard]] const uint8_t* nullFlags() const { return null_flags_.data(); }

 private:
  static constexpr size_t kUsualParts = 6;

  const IndexDefinition& definition_;
  InlineArray<Datum, kUsualParts> values_;
  InlineArray<uint8_t, kUsualParts> null_flags_;
  InlineArray<storage::KeyValue, kUsualParts> parts_;
  InlineArray<StringValue, kUsualParts> strings_;  ///< short texts lie in here while the key is encoded
  std::vector<Datum> row_;                         ///< only the definition's columns count
  std::vector<uint8_t> row_nulls_;
  std::vector<uint64_t> hashes_;
  Arena memory_;
};

}  // namespace gnomon::txn
