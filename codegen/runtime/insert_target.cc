#include "codegen/runtime/insert_target.h"

#include "base/sql_error.h"
#include "codegen/executor/execution_state.h"
#include "sql/catalog/violation.h"

namespace gnomon::codegen {

namespace {

/// Rows that are written between two looks at the cancel token.
constexpr size_t kRowsPerPoll = 256;

/// Of DO UPDATE.
[[noreturn]] void raiseMoved() {
  throw SqlError(sqlstate::kFeatureNotSupported, "invalid ON UPDATE specification")
      .detail("The result tuple would appear in a different partition than the original tuple.");
}

}  // namespace

void InsertTarget::setConflict(const ConflictResolver::Settings& settings) {
  if (partitions_ && partitions_->isPartitioned()) {
    leaf_conflict_.emplace(settings);
    leaf_resolvers_.resize(partitions_->leaves().size());
    return;
  }
  resolver_.emplace(settings, table_, *statement_, keys_ ? &*keys_ : nullptr);
  if (partitions_)
    resolver_->setPlaceTest([this](const txn::Datum* values, const uint8_t* null_flags) {
      if (!partitions_->belongs(values, null_flags, scratch_)) raiseMoved();
    });
}

ConflictResolver& InsertTarget::resolverOf(uint32_t leaf) {
  std::unique_ptr<ConflictResolver>& resolver = leaf_resolvers_[leaf];
  if (!resolver) {
    std::vector<sql::IndexPtr> arbiters;
    for (const sql::IndexPtr& index : leaf_conflict_->conflict.arbiters)
      arbiters.push_back(sql::Partitioning::leafIndex(*table_, *index, leaf));
    resolver =
        std::make_unique<ConflictResolver>(*leaf_conflict_, partitions_->leaves()[leaf], partitions_->statement(leaf),
                                           partitions_->keys(leaf), arbiters, table_);
    resolver->setPlaceTest([this, leaf](const txn::Datum* row, const uint8_t* null_flags) {
      if (table_->partitioning->tryFindLeaf(row, null_flags, scratch_) != leaf) raiseMoved();
    });
    if (triggers_ && waiting_) resolver->setTriggers(*triggers_);
  }
  return *resolver;
}

void InsertTarget::appendToLeaves(const txn::Datum* values, const uint8_t* nulls, LocalState& local,
                                  const std::vector<uint32_t>& leaves) {
  appended_to_leaves_ += leaves.size();
  if (!leaf_conflict_) return partitions_->append(values, nulls, leaves);
  if (leaves.empty()) return;
  partitions_->forEachLeaf(
      values, nulls, leaves,
      [&](uint32_t leaf, const txn::Datum* own, const uint8_t* own_nulls, size_t count, std::span<const uint32_t>) {
        for (size_t i = 0; i < count; ++i)
          partitions_->requireOwn(leaf, own + i * rowWidth(), own_nulls + i * rowWidth());
        resolverOf(leaf).append(own, own_nulls, count, local);
      });
}

void InsertTarget::setTriggers(std::shared_ptr<const sql::TriggerWork> work, const ForeignKeySettings& settings,
                               MemoryAccount& memory, bool keeps_rows) {
  triggers_.emplace(std::move(work), settings, memory);
  keeps_rows_ = keeps_rows;
  if (triggers_->hasRows()) waiting_.emplace(memory);
  if (resolver_ && waiting_) resolver_->setTriggers(*triggers_);
}

void InsertTarget::wait(const txn::Datum* values, const uint8_t* nulls, size_t rows, LocalState& local,
                        const std::vector<uint32_t>& leaves) {
  const size_t width = rowWidth();
  for (size_t i = 0; i < rows; ++i)
    waiting_->rows.push_back(
        {waiting_->kept.keep({}, {values + i * width, nulls + i * width}, width), leaves.empty() ? 0 : leaves[i]});
  waiting_->local = &local;
}

void InsertTarget::apply(ExecutionState& state) {
  if (!triggers_ || (waiting_ && waiting_->are_written)) return;
  if (waiting_) {
    waiting_->are_written = true;
    for (size_t i = 0; i < waiting_->rows.size(); ++i) {
      if (i % kRowsPerPoll == 0) state.context.cancel.poll();
      applyRow(waiting_->rows[i].row, waiting_->rows[i].leaf, *waiting_->local);
    }
  }
  triggers_->end();
}

void InsertTarget::applyRow(WritableRow row, uint32_t leaf, LocalState& local) {
  if (triggers_->isInstead()) {
    if (!triggers_->instead(sql::TriggerEvent::Insert, {}, row)) return;
    ++written_count_;
    if (keeps_rows_) written_.push_back(reinterpret_cast<char*>(row.values));
    return;
  }
  const bool is_partitioned = partitions_ && partitions_->isPartitioned();
  const sql::TablePtr& table = is_partitioned ? partitions_->leaves()[leaf] : table_;
  if (!triggers_->beforeInsert(table, row)) return;
  triggers_->complete(table, row);
  if (is_partitioned && triggers_->mayChangeRows())
    partitions_->requireLeaf(leaf, row.values, row.null_flags, scratch_);
  else if (partitions_ && !is_partitioned)
    partitions_->requirePlace(row.values, row.null_flags, scratch_);
  write(row, leaf, local);
}

/// A row that has passed the triggers before it.
void InsertTarget::write(WritableRow row, uint32_t leaf, LocalState& local) {
  if (resolver_) return resolver_->append(row.values, row.null_flags, 1, local);
  const bool is_partitioned = partitions_ && partitions_->isPartitioned();
  if (is_partitioned) partitions_->requireOwn(leaf, row.values, row.null_flags);
  if (is_partitioned && leaf_conflict_) {
    ++appended_to_leaves_;
    return resolverOf(leaf).append(row.values, row.null_flags, 1, local);
  }
  const sql::TablePtr& table = is_partitioned ? partitions_->leaves()[leaf] : table_;
  txn::WriteStatement& statement = is_partitioned ? partitions_->statement(leaf) : *statement_;
  ForeignKeys* const keys = is_partitioned ? partitions_->keys(leaf) : keys_ ? &*keys_ : nullptr;
  const txn::TupleId id = statement.append(row.values, row.null_flags);
  if (keys != nullptr) keys->noteAppended(id, row.values, row.null_flags, 1);
  triggers_->afterInsert(table, row.image());
  ++written_count_;
  if (keeps_rows_) written_.push_back(reinterpret_cast<char*>(row.values));
}

std::vector<const std::vector<char*>*> InsertTarget::writtenRows() const {
  if (waiting_ && !resolver_ && !leaf_conflict_) return {&written_};
  if (resolver_) return {&resolver_->writtenRows()};
  std::vector<const std::vector<char*>*> lists;
  for (const auto& resolver : leaf_resolvers_)
    if (resolver) lists.push_back(&resolver->writtenRows());
  return lists;
}

uint64_t InsertTarget::rowCount() const {
  if (resolver_) return resolver_->rowCount();
  if (waiting_ && !leaf_conflict_) return written_count_;
  if (!partitions_ || !partitions_->isPartitioned()) return statement_->appendedCount();
  if (!leaf_conflict_) return appended_to_leaves_;
  uint64_t rows = 0;
  for (const auto& resolver : leaf_resolvers_)
    if (resolver) rows += resolver->rowCount();
  return rows;
}

void InsertTarget::restart(ExecutionState& state) {
  open(state.context.write);
}

/// With the target, whose rows it has.
bool InsertBuffer::park() {
  if (!target_.isParkable() || values_.capacity() > kParkedRows * columns_) return false;
  rows_ = kept_rows_ = 0;
  strings_.clear();
  return true;
}

void InsertBuffer::dropUnkept() {
  rows_ = std::exchange(kept_rows_, 0);
}

void InsertBuffer::route() {
  leaves_.push_back(target_.partitions()->route(current_.values, current_.nulls, scratch_));
}

const sql::TableEntry& InsertBuffer::rowTable() const {
  return leaves_.empty() ? target_.table() : *target_.partitions()->leaves()[leaves_.back()];
}

InsertBuffer::Row* InsertBuffer::nextRow() {
  // Values of a column are of one kind: what the row that was there before has left does no harm.
  if (const size_t needed = (rows_ + 1) * columns_; values_.size() < needed) {
    values_.resize(needed);
    nulls_.resize(needed);
  }
  current_ = {values_.data() + rows_ * columns_, nulls_.data() + rows_ * columns_};
  ++rows_;
  return &current_;
}

void InsertBuffer::flush(std::optional<SqlError>* refusal) {
  if (rows_ == 0) return;
  target_.append(values_.data(), nulls_.data(), rows_, local_, leaves_, refusal);
  rows_ = 0;
  leaves_.clear();
  if (!target_.refersToRows()) strings_.clear();
}

InsertBuffer::Row* rt::insertNextRow(InsertBuffer* buffer) {
  return buffer->nextRow();
}
Arena* rt::insertArena(InsertBuffer* buffer) {
  return &buffer->strings();
}

void rt::insertNullViolation(InsertBuffer* buffer, uint32_t column, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const InsertBuffer::Row& row = buffer->currentRow();
  throw sql::notNullViolation(buffer->rowTable(), column, row.values, row.nulls, output, &buffer->target().table());
}

void rt::insertCheckViolation(InsertBuffer* buffer, uint32_t check, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const InsertBuffer::Row& row = buffer->currentRow();
  const sql::TableEntry& table = buffer->rowTable();
  const sql::TableEntry& target = buffer->target().table();
  throw sql::checkViolation(table, checkOfLeaf(target, table, check), row.values, row.nulls, output, &target);
}

void rt::insertRoute(InsertBuffer* buffer) {
  buffer->route();
}

void rt::insertRequirePlace(InsertBuffer* buffer) {
  buffer->requirePlace();
}

void rt::insertViewViolation(InsertBuffer* buffer, const std::string* view, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const InsertBuffer::Row& row = buffer->currentRow();
  throw sql::viewViolation(buffer->target().table(), *view, row.values, row.nulls, output);
}

}  // namespace gnomon::codegen
