#include "codegen/runtime/conflict_resolver.h"

#include <algorithm>

#include "codegen/executor/code_unit.h"

namespace gnomon::codegen {

namespace {

/// Rows that are placed between two looks at the cancel token.
constexpr size_t kRowsPerPoll = 256;

}  // namespace

ConflictResolver::ConflictResolver(const Settings& settings, sql::TablePtr table, txn::WriteStatement& statement,
                                   ForeignKeys* keys, const std::vector<sql::IndexPtr>& arbiters, sql::TablePtr target)
    : settings_(settings),
      table_(std::move(table)),
      statement_(statement),
      keys_(keys),
      constraints_(table_, target ? std::move(target) : table_, settings.conflict.checks, settings.keys,
                   settings.memory),
      row_memory_(&settings.memory),
      existing_(table_->columns.size()),
      changed_(settings.conflict.columns.size()),
      existing_nulls_(table_->columns.size()),
      changed_nulls_(settings.conflict.columns.size()),
      kept_(&settings.memory) {
  for (const sql::IndexPtr& index : arbiters) arbiters_.push_back(index->storage.get());
  statement_.setNewest(true);
}

void ConflictResolver::append(const txn::Datum* values, const uint8_t* nulls, size_t rows, LocalState& local) {
  const size_t columns = table_->columns.size() + settings_.values_beside;
  for (size_t row = 0; row < rows; ++row) {
    if (row % kRowsPerPoll == 0) settings_.cancel.poll();
    place(values + row * columns, nulls + row * columns, local);
  }
}

void ConflictResolver::place(const txn::Datum* values, const uint8_t* nulls, LocalState& local) {
  using Standing = txn::WriteStatement::Standing;
  if (std::ranges::any_of(arbiters_, [](const txn::TableIndex* index) { return index->deferral().has_value(); }))
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters");
  for (;;) {
    const auto [is_appended, id] = statement_.propose(values, nulls, arbiters_);
    if (is_appended) {
      touched_.insert(id.value);
      if (keys_) keys_->noteAppended(id, values, nulls, 1);
      if (triggers_ != nullptr) triggers_->afterInsert(table_, {values, nulls});
      return keep(values, nulls);
    }
    if (!settings_.conflict.is_update) {
      if (statement_.settle(id) == Standing::There) return;
      continue;
    }
    if (touched_.contains(id.value))
      throw SqlError(SqlState("21000"), "ON CONFLICT DO UPDATE command cannot affect row a second time")
          .hint(
              "Ensure that no rows proposed for insertion within the same command have duplicate constrained values.");
    if (statement_.seize(id) == Standing::There) return update(id, values, nulls, local);
  }
}

void ConflictResolver::update(txn::TupleId id, const txn::Datum* excluded, const uint8_t* excluded_nulls,
                              LocalState& local) {
  row_memory_.clear();
  statement_.read(id, existing_.data(), existing_nulls_.data(), row_memory_);
  changed_.resize(settings_.conflict.columns.size());
  changed_nulls_.resize(settings_.conflict.columns.size());
  UpdateCall call{
      excluded, excluded_nulls, existing_.data(), existing_nulls_.data(), changed_.data(), changed_nulls_.data(), 0};
  settings_.update->function().call<void>(&settings_.global, &local, static_cast<const void*>(&call), uint64_t{0},
                                          uint64_t{0});
  if (call.is_wanted != 0) {
    storage::TupleChange change{settings_.conflict.columns, changed_.data(), changed_nulls_.data()};
    before_ = existing_;
    before_nulls_ = existing_nulls_;
    for (size_t i = 0; i < changed_.size(); ++i) {
      existing_[change.columns[i]] = changed_[i];
      existing_nulls_[change.columns[i]] = changed_nulls_[i];
    }
    if (!fireBefore(change)) return local.scratch->clear();
    if (place_test_) place_test_(existing_.data(), existing_nulls_.data());
    constraints_.require(existing_.data(), existing_nulls_.data());
    statement_.requireUnmodified(id);
    txn::TupleId after = id;
    const bool is_done = statement_.tryUpdate(after, change);
    CHECK(is_done, "a tuple that is held stays");
    touched_.insert(after.value);
    if (keys_) keys_->noteUpdated(id, after, change);
    if (triggers_ != nullptr)
      triggers_->afterUpdate(table_, {before_.data(), before_nulls_.data()},
                             {existing_.data(), existing_nulls_.data()});
    keep(existing_.data(), existing_nulls_.data());
  }
  local.scratch->clear();
}

/// Triggers may make another row of `existing_`, and another change. False: the row is left alone.
bool ConflictResolver::fireBefore(storage::TupleChange& change) {
  if (triggers_ == nullptr) return true;
  const RowImage before{before_.data(), before_nulls_.data()};
  const WritableRow row{existing_.data(), existing_nulls_.data()};
  if (!triggers_->beforeUpdate(table_, before, row)) return false;
  triggers_->computeGenerated(table_, row);
  changed_columns_ = triggers_->changedColumns(*table_, settings_.conflict.columns, before, row.image());
  changed_.clear();
  changed_nulls_.clear();
  for (const uint32_t column : changed_columns_) {
    changed_.push_back(existing_[column]);
    changed_nulls_.push_back(existing_nulls_[column]);
  }
  change = {changed_columns_, changed_.data(), changed_nulls_.data()};
  return true;
}

/// The row has been written.
void ConflictResolver::keep(const txn::Datum* values, const uint8_t* nulls) {
  ++row_count_;
  if (settings_.keeps_rows)
    written_.push_back(reinterpret_cast<char*>(kept_.keep(table_->storage->schema(), {values, nulls}).values));
}

}  // namespace gnomon::codegen
