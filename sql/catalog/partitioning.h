#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "sql/catalog/table_entry.h"
#include "sql/types/value.h"
#include "storage/index/key.h"

namespace gnomon::txn {
class KeyExpressions;
}

namespace gnomon::sql {

/// How a partitioned table tells where a row belongs.
enum class PartitionStrategy : uint8_t { Range, List, Hash };

/// PARTITION BY: what it tells it by. Immutable.
struct PartitionKey {
  PartitionStrategy strategy = PartitionStrategy::Range;
  std::vector<IndexColumn> parts;                             ///< columns and expressions, ascending, NULLs last
  std::vector<Type> types;                                    ///< of the parts
  std::shared_ptr<const IndexExpressions> expressions;        ///< null: only columns
  std::shared_ptr<const txn::KeyExpressions> evaluator = {};  ///< of these

  /// The columns that it reads, ascending.
  [[nodiscard]] std::vector<uint32_t> columns() const;
};

/// What may be in a partition. Immutable.
struct PartitionBound {
  struct End {
    enum class Kind : uint8_t { Minimum, Value, Maximum };
    Kind kind = Kind::Value;
    Value value = {};
  };
  bool is_default = false;
  uint32_t modulus = 0, remainder = 0;  ///< Hash
  std::vector<Value> values;            ///< List; may be NULL
  std::vector<End> from, to;            ///< Range, an end for each part
};

/// That a table is a partition.
struct PartitionEntry {
  uint32_t parent = 0;  ///< oid of the partitioned table
  PartitionBound bound;
};

/// A value that bounds what is read, as generated code leaves it.
struct KnownValue {
  storage::Datum datum;
  uint64_t is_null;
};
static_assert(sizeof(KnownValue) == 24);

/// What is known of a partition key: values of its first parts, and bounds of the next one; or that its only part is
/// one of several values. Values are of the part's type or of a wider integer type.
struct KnownKey {
  uint32_t table = 0;  ///< oid of the partitioned table
  size_t equal_count = 0;
  bool has_low = false, has_high = false;
  size_t any_count = 0;    ///< alone
  size_t first_value = 0;  ///< in the order: equal ..., low, high; or any ...

  [[nodiscard]] size_t valueCount() const { return equal_count + (has_low ? 1 : 0) + (has_high ? 1 : 0); }
};

/// Finds the partitions of one partitioned table, and the leaf partitions below it.
///
/// Keys are compared as those of indexes are, by bytes. The tuple id that a statement knows a row by has the number of
/// the leaf above the id in the leaf's relation.
/// Threads: any; a Scratch is one thread's.
class Partitioning {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr unsigned kLeafShift = 44;
  static constexpr uint64_t kTupleMask = (uint64_t{1} << kLeafShift) - 1;

  /// Memory for keys on their way.
  struct Scratch {
    storage::EncodedKey key;
    std::vector<storage::KeyValue> values;
    std::vector<StringValue> strings;
    std::vector<storage::Datum> parts;
    std::vector<uint8_t> part_nulls;
    Arena memory;
  };

  /// `partitions`: the table's, in any order.
  Partitioning(std::shared_ptr<const PartitionKey> key, std::vector<TablePtr> partitions);

  [[nodiscard]] const PartitionKey& key() const { return *key_; }
  [[nodiscard]] const std::shared_ptr<const PartitionKey>& sharedKey() const { return key_; }
  /// In the order of their bounds, the default one last.
  [[nodiscard]] const std::vector<TablePtr>& partitions() const { return partitions_; }
  /// Those below it that have rows.
  [[nodiscard]] const std::vector<TablePtr>& leaves() const { return leaves_; }
  /// All tables below it, each before those that are its own partitions.
  [[nodiscard]] std::vector<TablePtr> descendants() const;
  [[nodiscard]] TablePtr defaultPartition() const { return default_ == kNone ? nullptr : partitions_[default_]; }

  /// The number of the partition for a row, whose values are given as stored; kNone: there is none. Failure: what
  /// expressions of the key raise; 54000 for a key that is too long.
  uint32_t find(const storage::Datum* values, const uint8_t* null_flags, Scratch& scratch) const;
  /// The number of the leaf for a row. `table`: the one that this is of. Failure: the same; 23514 where there is none.
  uint32_t findLeaf(const TableEntry& table, const storage::Datum* values, const uint8_t* null_flags,
                    Scratch& scratch) const;
  /// The same; kNone: there is none.
  uint32_t tryFindLeaf(const storage::Datum* values, const uint8_t* null_flags, Scratch& scratch) const;
  /// Adds the numbers of the leaves that may have rows of which the keys say something. `table`: the one that this is
  /// of.
  void select(const TableEntry& table, std::span<const KnownKey> keys, const KnownValue* values,
              std::vector<uint32_t>& leaves) const;
  /// What the leaf's index is that is a part of an index of the table; null: there is none.
  static IndexPtr leafIndex(const TableEntry& table, const IndexEntry& index, uint32_t leaf);

  /// What of other partitions' bounds a new one's would share with; null: nothing. Failure: 42P17 for bounds that hold
  /// nothing, or moduli that do not go together.
  [[nodiscard]] TablePtr overlapping(const PartitionBound& bound) const;
  /// Whether the lower end of a range is below its upper one.
  static bool isEmptyRange(const PartitionKey& key, const PartitionBound& bound);

 private:
  /// A partition of a range: from `low` to below `high`.
  struct Range {
    storage::EncodedKey low, high;
    uint32_t partition;
  };
  struct Listed {
    storage::EncodedKey value;
    uint32_t partition;
  };
  static storage::KeyEncoder encoderOf(const PartitionKey& key);
  void encodeRow(const storage::Datum* values, const uint8_t* null_flags, Scratch& scratch, bool& has_null) const;
  [[nodiscard]] uint32_t lookUp(std::string_view key, bool has_null) const;
  void addChild(const TableEntry& table, uint32_t partition, std::span<const KnownKey> keys, const KnownValue* values,
                uint32_t base, std::vector<uint32_t>& leaves) const;
  void selectFrom(const TableEntry& table, std::span<const KnownKey> keys, const KnownValue* values, uint32_t base,
                  std::vector<uint32_t>& leaves) const;
  std::vector<uint32_t> candidates(const KnownKey& known, const KnownValue* values) const;
  std::vector<uint32_t> candidatesOfAny(const KnownKey& known, const KnownValue* values) const;
  [[nodiscard]] std::vector<uint32_t> all() const;

  const std::shared_ptr<const PartitionKey> key_;
  const storage::KeyEncoder encoder_;
  std::vector<TablePtr> partitions_;
  std::vector<TablePtr> leaves_;
  std::vector<uint32_t> first_leaf_;  ///< of each partition
  uint32_t default_ = kNone;
  std::vector<Range> ranges_;           ///< ascending
  std::vector<Listed> listed_;          ///< ascending
  std::vector<uint32_t> by_remainder_;  ///< of the largest modulus; kNone: no partition
};

/// The table with other partitions.
std::shared_ptr<const Partitioning> withPartitions(const Partitioning& before, std::vector<TablePtr> partitions);

/// Whether one index can be a part of the other.
bool isAlike(const IndexEntry& left, const IndexEntry& right);
/// Puts the new names of columns into the expressions of the partition key, if there are any.
void renameInPartitionKey(const TableEntry& before, TableEntry& after);

/// The tables above a partition, from its parent upward; empty: it is none.
class CatalogView;
std::vector<TablePtr> ancestorsOf(const CatalogView& catalog, const TableEntry& table);

/// Whether a partition of a table may be the leaf's: what its ancestors say of the row. Failure: as find().
bool belongsTo(const TableEntry& partition, std::span<const TablePtr> ancestors, const storage::Datum* values,
               const uint8_t* null_flags, Partitioning::Scratch& scratch);

/// The table that messages name for a row: of a partitioned one the leaf that it belongs to. Failure: as findLeaf().
const TableEntry& tableOfRow(const TableEntry& table, const storage::Datum* values, const uint8_t* null_flags);

}  // namespace gnomon::sql
