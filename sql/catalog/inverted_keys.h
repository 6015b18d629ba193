#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sql/catalog/key_search.h"
#include "sql/catalog/table_entry.h"
#include "sql/types/type.h"
#include "storage/index/key.h"
#include "txn/key_extractor.h"

namespace gnomon::sql {

/// The keys whose rows may satisfy a condition. Whether they do is seen in the rows.
struct SoughtKeys {
  enum class Rows : uint8_t {
    None,     ///< no row satisfies it
    Any,      ///< rows with one of the keys
    All,      ///< rows with each of the keys, of which there is at least one
    Unknown,  ///< keys do not say
  };
  Rows rows = Rows::None;
  std::vector<uint64_t> hashes;
};

/// A part of an inverted index (gin): which keys it has of a value.
///
/// Keys by operator class, after PostgreSQL's:
///   array_ops       each element; NULL elements are one key
///   jsonb_ops       each key of an object, each string in an array and each string by itself as the same kind of key;
///                   each other scalar, and strings that are values of objects, as another
///   jsonb_path_ops  each scalar with the keys of the objects around it, from the outermost; arrays do not count
/// A value without any has one key that stands for that. Only hashes are kept: whatever a key says of a row is looked
/// at again in the row. They are in the data files, so they must not change. Threads: any number at once.
class InvertedPart {
 public:
  /// Failure: 42704, 42804 when the class is none for values of the type; 42883 for elements that do not compare.
  InvertedPart(Type type, OperatorClass operator_class);

  /// The keys of a value, which is not NULL, in any order; perhaps several times. Failure: 54000 for elements that are
  /// rows or arrays of more than 15 KB.
  void append(const storage::Datum& value, std::vector<uint64_t>& hashes) const;
  /// The keys for a condition with this other side, which is not NULL. It is of the part's type, but a text for HasKey,
  /// and an array of texts for HasAnyKey and HasAllKeys. `how`: one that serves().
  [[nodiscard]] SoughtKeys sought(KeySearch how, const storage::Datum& value) const;
  /// Whether the class knows the condition.
  [[nodiscard]] bool serves(KeySearch how) const;

 private:
  enum class Kind : uint8_t { Array, Jsonb, JsonbPath };
  void appendElements(const storage::Datum& value, std::vector<uint64_t>& hashes) const;
  void appendFound(const storage::Datum& value, std::vector<uint64_t>& hashes) const;
  [[nodiscard]] SoughtKeys soughtUnguarded(KeySearch how, const storage::Datum& value) const;

  Kind kind_;
  Type element_;                 ///< of an array
  storage::KeyEncoder encoder_;  ///< of one element
};

/// What finds the keys of an inverted index.
class InvertedKeys final : public txn::KeyExtractor {
 public:
  explicit InvertedKeys(std::vector<InvertedPart> parts) : parts_(std::move(parts)) {}
  void extract(size_t part, const storage::Datum& value, std::vector<uint64_t>& hashes) const override {
    parts_[part].append(value, hashes);
  }
  [[nodiscard]] const InvertedPart& part(size_t number) const { return parts_[number]; }
  /// Of an inverted index that has been made.
  static const InvertedKeys& of(const txn::TableIndex& index);

 private:
  const std::vector<InvertedPart> parts_;
};

}  // namespace gnomon::sql
