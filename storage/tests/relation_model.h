#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "storage/relation/editor.h"
#include "storage/tests/row_model.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage::testing {

/// A relation and what it should hold. Each operation is done to both; what fails with 53200 is done to neither.
class RelationModel {
 public:
  using Rows = std::map<uint64_t, ModelRow>;

  /// `wal`: the log of all changes; null: there is none.
  RelationModel(std::filesystem::path directory, RelationSchema schema, uint64_t seed, uint64_t pool_bytes,
                wal::WriteAheadLog* wal = nullptr)
      : directory_(std::move(directory)),
        schema_(std::move(schema)),
        pool_bytes_(pool_bytes),
        seed_(seed),
        generator_(schema_, seed) {
    buffers_ = std::make_unique<BufferManager>(directory_, BufferOptions{.pool_bytes = pool_bytes_});
    buffers_->log().attach(wal);
    if (wal) buffers_->writePageNumbers(buffers_->pageNumbers().state());
    relation_ = std::make_unique<Relation>(*buffers_, RelationId{9}, schema_);
    appender_.emplace(*relation_);
  }

  [[nodiscard]] Relation& relation() { return *relation_; }
  [[nodiscard]] BufferManager& buffers() { return *buffers_; }
  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] RowGenerator& generator() { return generator_; }
  uint64_t below(uint64_t limit) { return generator_.below(limit); }
  /// Mostly short texts; now and then some that need larger pages.
  size_t textBytesMax() { return below(40) == 0 ? 200000 : below(4) == 0 ? 2000 : below(2) == 0 ? 40 : 14; }

  void append(uint64_t count, size_t text_bytes_max) {
    std::deque<ModelRow> rows;
    for (uint64_t row = 0; row < (text_bytes_max > 2000 ? 2 : count); ++row)
      rows.push_back(generator_.row(text_bytes_max));
    const TupleId bound = relation_->nextTupleId();
    if (attempt([&] { appendRows(rows); })) {
      for (uint64_t row = 0; row < rows.size(); ++row) rows_[bound.value + row] = std::move(rows[row]);
    } else {
      relation_->truncate(bound);
    }
  }
  /// Values of columns that the relation does not have yet are left out.
  void append(ModelRow row) {
    row.resize(schema_.size());
    appendRows({row});
    rows_[relation_->nextTupleId().value - 1] = std::move(row);
  }

  /// New values for some columns of random tuples, some of which do not exist.
  void update(uint64_t count, size_t text_bytes_max) {
    for (uint64_t i = 0; i < (text_bytes_max > 2000 ? 2 : count); ++i)
      attempt([&] { update(someId(), generator_.row(text_bytes_max), someColumns()); });
  }
  bool update(uint64_t id, const ModelRow& row, const std::vector<uint32_t>& columns) {
    RelationEditor editor(*relation_);
    if (below(2) == 0) tellPlace(editor, id);
    const bool is_done = editor.update(TupleId{id}, ModelChange(row, columns).change());
    const auto found = rows_.find(id);
    EXPECT_EQ(is_done, found != rows_.end()) << "tuple " << id << ", seed " << seed_;
    if (is_done && found != rows_.end())
      for (const uint32_t column : columns) found->second[column] = row[column];
    return is_done;
  }

  /// Neighbours together, in columns without texts.
  void updateTogether(uint64_t count_max) {
    const std::vector<uint32_t> columns = someColumns(false);
    std::vector<ModelRow> rows;
    std::vector<uint64_t> ids;
    for (auto each = rows_.lower_bound(someId()); each != rows_.end() && ids.size() < count_max; ++each) {
      if (below(16) == 0) continue;
      ids.push_back(each->first);
      rows.push_back(generator_.row(0));
    }
    if (ids.empty() || columns.empty()) return;
    std::vector<ModelChange> changes;
    for (const ModelRow& row : rows) changes.emplace_back(row, columns);
    std::vector<RowUpdate> updates;
    for (size_t i = 0; i < ids.size(); ++i) updates.push_back({TupleId{ids[i]}, changes[i].change()});
    attempt([&] {
      RelationEditor editor(*relation_);
      const size_t done = editor.updateRun(updates);
      EXPECT_TRUE(done != 1 && done <= ids.size()) << done << ", seed " << seed_;
      together_count_ += done;
      for (size_t i = 0; i < done; ++i)
        for (const uint32_t column : columns) rows_[ids[i]][column] = rows[i][column];
    });
  }
  /// Tuples that updateTogether() has changed.
  [[nodiscard]] uint64_t togetherCount() const { return together_count_; }

  /// Where the tuple is now.
  void tellPlace(RelationEditor& editor, uint64_t id) {
    LeafView leaf;
    uint32_t row = 0;
    if (relation_->find(TupleId{id}, leaf, row)) editor.expect(leaf.frame(), TupleId{id});
  }

  void markDeleted(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) markDeletedId(someId());
  }
  bool markDeletedId(uint64_t id) {
    const bool is_done = relation_->markDeleted(TupleId{id});
    auto node = rows_.extract(id);
    EXPECT_EQ(is_done, !node.empty()) << "tuple " << id << ", seed " << seed_;
    if (is_done) deleted_.insert(std::move(node));
    return is_done;
  }
  /// Tuples that follow each other, some left out.
  void deleteRange() {
    const uint64_t first = someId(), share = 1 + below(20);
    for (uint64_t id = first; id < first + 400; ++id)
      if (rows_.contains(id) && below(20) < share) markDeletedId(id);
  }
  void unmarkDeleted(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      const auto found = deleted_.lower_bound(someId());
      unmarkDeletedId(found == deleted_.end() || below(8) == 0 ? someId() : found->first);
    }
  }
  void unmarkDeletedId(uint64_t id) {
    auto node = deleted_.extract(id);
    EXPECT_EQ(relation_->unmarkDeleted(TupleId{id}), !node.empty()) << "tuple " << id << ", seed " << seed_;
    if (!node.empty()) rows_.insert(std::move(node));
  }

  void truncate() {
    const uint64_t next = relation_->nextTupleId().value;
    truncate(below(6) == 0 ? 0 : next - below(next / 3 + 1));
  }
  void truncate(uint64_t bound) {
    relation_->truncate(TupleId{bound});
    rows_.erase(rows_.lower_bound(bound), rows_.end());
    deleted_.erase(deleted_.lower_bound(bound), deleted_.end());
  }

  void reopen() { reopen(schema_); }
  /// With columns added: rows have their missing values.
  void reopen(const RelationSchema& schema) {
    const RelationState state = relation_->state();
    appender_.reset();
    buffers_->writeAll();
    relation_.reset();
    buffers_.reset();
    extendRows(schema);
    schema_ = schema;
    buffers_ = std::make_unique<BufferManager>(directory_, BufferOptions{.pool_bytes = pool_bytes_});
    relation_ = std::make_unique<Relation>(*buffers_, RelationId{9}, schema_, state);
    appender_.emplace(*relation_);
  }

  void changeSchema(const RelationSchema& schema) {
    extendRows(schema);
    schema_ = schema;
    relation_->changeSchema(schema);
  }

  /// One step of a statement, and how to take it back.
  void recordStep(std::vector<std::function<void()>>& undo, size_t text_bytes_max, bool may_append) {
    const uint64_t id = someId();
    const uint64_t kind = below(20);
    if (kind == 0 && may_append) {
      const uint64_t bound = relation_->nextTupleId().value;
      append(1 + below(20), std::min<size_t>(text_bytes_max, 500));
      undo.emplace_back([this, bound] { truncate(bound); });
    } else if (kind < 2) {
      if (markDeletedId(id)) undo.emplace_back([this, id] { unmarkDeletedId(id); });
    } else if (rows_.contains(id)) {
      const ModelRow before = rows_[id];
      const std::vector<uint32_t> columns = someColumns();
      if (attempt([&] { update(id, generator_.row(text_bytes_max), columns); }))
        undo.emplace_back([this, id, before, columns] { EXPECT_TRUE(update(id, before, columns)); });
    }
  }

  void expectSame() {
    relation_->audit();
    ASSERT_EQ(relation_->tupleCount(), rows_.size()) << "seed " << seed_;
    RowCursor cursor(*relation_, relation_->nextTupleId());
    for (const auto& [id, row] : rows_) {
      ASSERT_TRUE(cursor.next()) << "seed " << seed_;
      ASSERT_EQ(cursor.tupleId().value, id) << "seed " << seed_;
      ASSERT_EQ(readRow(schema_, cursor), row) << "tuple " << id << ", seed " << seed_;
    }
    ASSERT_FALSE(cursor.next()) << "seed " << seed_;
  }
  void expectFound(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) expectFoundId(someId());
  }
  void expectFoundId(uint64_t id) {
    LeafView leaf;
    uint32_t row = 0;
    const auto expected = rows_.find(id);
    ASSERT_EQ(relation_->find(TupleId{id}, leaf, row), expected != rows_.end()) << "tuple " << id << ", seed " << seed_;
    if (expected == rows_.end()) return;
    for (uint32_t column = 0; column < schema_.size(); ++column) {
      bool is_null = false;
      const Datum datum = leaf.value(column, row, is_null);
      ASSERT_EQ(fromDatum(schema_[column], datum, is_null), expected->second[column])
          << "tuple " << id << " column " << column << ", seed " << seed_;
    }
  }

  void reclaim() {
    const uint64_t next = relation_->nextTupleId().value;
    const uint64_t from = below(2) == 0 ? 0 : below(next + 1);
    reclaim(from, below(2) == 0 ? next : from + below(next - from + 1));
  }
  void reclaim(uint64_t from, uint64_t to) {
    const auto first = deleted_.lower_bound(from), end = deleted_.lower_bound(to);
    const auto count = static_cast<uint64_t>(std::distance(first, end));
    const uint64_t next = relation_->nextTupleId().value;
    EXPECT_EQ(relation_->reclaim(TupleId{from}, TupleId{to}), count) << "seed " << seed_;
    EXPECT_EQ(relation_->nextTupleId().value, next);
    deleted_.erase(first, end);
  }

  void destroy() {
    relation_->destroy();
    EXPECT_EQ(buffers_->usedBytes(), 0u);
  }

  /// Random ids lie in a part of the relation that changes seldom, so that the same tuples are hit again.
  uint64_t someId() {
    const uint64_t next = relation_->nextTupleId().value + 2;
    if (below(50) == 0) focus_ = below(next);
    return below(4) == 0 ? below(next) : std::min(next, focus_ + below(100));
  }
  std::vector<uint32_t> someColumns(bool with_texts = true) {
    std::vector<uint32_t> columns;
    for (uint32_t column = 0; column < schema_.size(); ++column)
      if (below(3) == 0 && (with_texts || schema_[column].kind != StoredKind::String)) columns.push_back(column);
    return columns;
  }

 private:
  void appendRows(const std::deque<ModelRow>& rows) {
    Batch batch;
    for (const ModelRow& row : rows) batch.add(row);
    appender_->appendBatch(batch.values.data(), batch.null_flags.data(), rows.size());
  }
  void extendRows(const RelationSchema& schema) {
    for (auto* rows : {&rows_, &deleted_})
      for (auto& [id, row] : *rows)
        for (size_t column = schema_.size(); column < schema.size(); ++column) {
          const OwnedValue* missing = schema[column].missing.get();
          row.push_back(fromDatum(schema[column], missing ? missing->datum() : Datum{}, missing == nullptr));
        }
  }
  template <typename Action>
  bool attempt(Action&& action) {
    try {
      action();
      return true;
    } catch (const SqlError& error) {
      EXPECT_STREQ(error.state().text(), "53200") << error.message() << ", seed " << seed_;
      return false;
    }
  }

  const std::filesystem::path directory_;
  RelationSchema schema_;
  const uint64_t pool_bytes_;
  const uint64_t seed_;
  RowGenerator generator_;
  std::unique_ptr<BufferManager> buffers_;
  std::unique_ptr<Relation> relation_;
  std::optional<RelationAppender> appender_;
  Rows rows_;
  Rows deleted_;
  uint64_t focus_ = 0;
  uint64_t together_count_ = 0;
};

}  // namespace gnomon::storage::testing
