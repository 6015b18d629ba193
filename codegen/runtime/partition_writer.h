#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/runtime/foreign_keys.h"
#include "sql/algebra/key_work.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/row_checker.h"
#include "txn/write_statement.h"

namespace gnomon::codegen {

/// Where the rows of a statement go that writes to a partitioned table, or to a partition itself.
///
/// Each leaf has a WriteStatement of its own, made when it gets its first row: parts of the one on the table that the
/// statement names, which undoes them with its own changes and is finished last. What only a leaf wants of its rows is
/// tested here. Threads: route() any, each with its Scratch; the rest one at a time. Failure: 23514; 23502 and 23514
/// for constraints of a leaf; as WriteStatement, ForeignKeys.
class PartitionWriter {
 public:
  using Scratch = sql::Partitioning::Scratch;
  struct Settings {
    sql::TablePtr table;                       ///< that the statement names
    std::vector<sql::TablePtr> ancestors;      ///< of it
    std::shared_ptr<const sql::KeyWork> keys;  ///< of it; null: none
    const txn::WriteContext& context;          ///< outlives the writer
    ForeignKeySettings key_settings;
    MemoryAccount& memory;     ///< outlives it
    size_t values_beside = 0;  ///< of each row that is given, behind those of the table's columns
  };
  explicit PartitionWriter(Settings settings);
  ~PartitionWriter();

  [[nodiscard]] bool isPartitioned() const { return settings_.table->partitioning != nullptr; }
  [[nodiscard]] const std::vector<sql::TablePtr>& leaves() const { return settings_.table->partitioning->leaves(); }
  /// The leaf of a partitioned table that a row belongs to.
  uint32_t route(const txn::Datum* values, const uint8_t* null_flags, Scratch& scratch) const;
  /// Whether the table, a partition, may have the row.
  [[nodiscard]] bool belongs(const txn::Datum* values, const uint8_t* null_flags, Scratch& scratch) const {
    return sql::belongsTo(*settings_.table, settings_.ancestors, values, null_flags, scratch);
  }
  /// It must.
  void requirePlace(const txn::Datum* values, const uint8_t* null_flags, Scratch& scratch) const;
  /// Whether the leaf of a partitioned table may have the row, which triggers have changed.
  void requireLeaf(uint32_t leaf, const txn::Datum* values, const uint8_t* null_flags, Scratch& scratch) const;
  /// What the leaf wants beside the table, and has been told of by nobody.
  void requireOwn(uint32_t leaf, const txn::Datum* values, const uint8_t* null_flags);

  txn::WriteStatement& statement(uint32_t leaf) { return *at(leaf).statement; }
  /// Null: none.
  ForeignKeys* keys(uint32_t leaf) { return at(leaf).keys.get(); }
  /// Calls `append(leaf, values, null_flags, count, rows)` for the rows of each leaf, `rows` being their numbers.
  template <typename Append>
  void forEachLeaf(const txn::Datum* values, const uint8_t* null_flags, std::span<const uint32_t> leaves,
                   Append&& append);
  void append(const txn::Datum* values, const uint8_t* null_flags, std::span<const uint32_t> leaves);
  /// The number among those given to append() of the row at which it failed.
  [[nodiscard]] size_t failedRow() const { return failed_row_; }
  /// Finishes what all leaves got.
  void finish();

 private:
  struct Leaf {
    std::unique_ptr<txn::WriteStatement> statement;
    std::unique_ptr<ForeignKeys> keys;
    std::vector<uint32_t> not_null;            ///< columns that only the leaf wants so
    std::unique_ptr<sql::RowChecker> checker;  ///< of all checks of the leaf; null: it has none of its own
  };
  Leaf& at(uint32_t leaf);

  const Settings settings_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  size_t failed_row_ = 0;
};

template <typename Append>
void PartitionWriter::forEachLeaf(const txn::Datum* values, const uint8_t* null_flags, std::span<const uint32_t> leaves,
                                  Append&& append) {
  const size_t count = leaves.size();
  const size_t columns = settings_.table->columns.size() + settings_.values_beside;
  std::vector<uint32_t> rows(count);
  for (uint32_t i = 0; i < count; ++i) rows[i] = i;
  if (std::ranges::all_of(leaves, [&](uint32_t leaf) { return leaf == leaves.front(); })) {
    append(leaves.front(), values, null_flags, count, rows);
    return;
  }
  std::ranges::sort(rows, {}, [&](uint32_t row) { return std::pair(leaves[row], row); });
  std::vector<txn::Datum> gathered;
  std::vector<uint8_t> gathered_nulls;
  for (size_t begin = 0, end = 0; begin < count; begin = end) {
    const uint32_t leaf = leaves[rows[begin]];
    gathered.clear();
    gathered_nulls.clear();
    for (; end < count && leaves[rows[end]] == leaf; ++end) {
      const size_t offset = rows[end] * columns;
      gathered.insert(gathered.end(), values + offset, values + offset + columns);
      gathered_nulls.insert(gathered_nulls.end(), null_flags + offset, null_flags + offset + columns);
    }
    append(leaf, gathered.data(), gathered_nulls.data(), end - begin,
           std::span<const uint32_t>(rows).subspan(begin, end - begin));
  }
}

/// Of the table's checks the one of the leaf with the same name.
uint32_t checkOfLeaf(const sql::TableEntry& table, const sql::TableEntry& leaf, uint32_t check);

}  // namespace gnomon::codegen
