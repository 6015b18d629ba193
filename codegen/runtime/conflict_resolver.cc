#include "codegen/runtime/conflict_resolver.h"

#include <algorithm>
#include <cstring>

#include "base/string_value.h"
#include "codegen/executor/check_evaluator.h"
#include "codegen/executor/code_unit.h"
#include "sql/catalog/violation.h"

namespace gnomon::codegen {

namespace {

/// Rows that are placed between two looks at the cancel token.
constexpr size_t kRowsPerPoll = 256;

}  // namespace

ConflictResolver::ConflictResolver(const Settings& settings, sql::TablePtr table, txn::WriteStatement& statement,
                                   ForeignKeys* keys, const std::vector<sql::IndexPtr>& arbiters)
    : settings_(settings),
      table_(std::move(table)),
      statement_(statement),
      keys_(keys),
      row_memory_(&settings.memory),
      existing_(table_->columns.size()),
      changed_(settings.conflict.columns.size()),
      existing_nulls_(table_->columns.size()),
      changed_nulls_(settings.conflict.columns.size()),
      written_memory_(&settings.memory) {
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
  UpdateCall call{
      excluded, excluded_nulls, existing_.data(), existing_nulls_.data(), changed_.data(), changed_nulls_.data(), 0};
  settings_.update->function().call<void>(&settings_.global, &local, static_cast<const void*>(&call), uint64_t{0},
                                          uint64_t{0});
  if (call.is_wanted != 0) {
    const storage::TupleChange change{settings_.conflict.columns, changed_.data(), changed_nulls_.data()};
    for (size_t i = 0; i < changed_.size(); ++i) {
      existing_[change.columns[i]] = changed_[i];
      existing_nulls_[change.columns[i]] = changed_nulls_[i];
    }
    if (place_test_) place_test_(existing_.data(), existing_nulls_.data());
    requireConstraints(existing_.data(), existing_nulls_.data());
    statement_.requireUnmodified(id);
    txn::TupleId after = id;
    const bool is_done = statement_.tryUpdate(after, change);
    CHECK(is_done, "a tuple that is held stays");
    touched_.insert(after.value);
    if (keys_) keys_->noteUpdated(id, after, change);
    keep(existing_.data(), existing_nulls_.data());
  }
  local.scratch->clear();
}

void ConflictResolver::requireConstraints(const txn::Datum* values, const uint8_t* nulls) {
  const sql::ByteaOutput bytea_output = settings_.keys.bytea_output;
  for (uint32_t column = 0; column < table_->columns.size(); ++column)
    if (nulls[column] != 0 && table_->columns[column].not_null)
      throw sql::notNullViolation(*table_, column, values, nulls, bytea_output);
  sql::CheckForms checks = settings_.conflict.checks;
  // A leaf partition may have more of them.
  if (table_->partition && (!checks.usual || checks.usual->checks.size() != table_->checks.size()))
    checks = {table_->check_expressions, table_->check_expressions};
  if (!checks.usual) return;
  if (!checker_) checker_ = compileChecks(checks, settings_.keys.policy, bytea_output, settings_.memory);
  const uint32_t broken = checker_->firstViolation(values, nulls);
  if (broken != sql::RowChecker::kNone) throw sql::checkViolation(*table_, broken, values, nulls, bytea_output);
}

/// The row has been written.
void ConflictResolver::keep(const txn::Datum* values, const uint8_t* nulls) {
  ++row_count_;
  if (!settings_.keeps_rows) return;
  const size_t columns = table_->columns.size();
  const size_t values_bytes = columns * sizeof(txn::Datum);
  auto* const row = static_cast<char*>(written_memory_.allocate(values_bytes + columns));
  std::memcpy(row, values, values_bytes);
  std::memcpy(row + values_bytes, nulls, columns);
  auto* const kept = reinterpret_cast<txn::Datum*>(row);
  for (size_t i = 0; i < columns; ++i) {
    if (nulls[i] != 0 || table_->columns[i].stored.kind != storage::StoredKind::String) continue;
    const StringValue text(values[i].lo, values[i].hi);
    if (text.view().size() <= StringValue::kInlineBytesMax) continue;
    const StringValue copy = StringValue::refer(written_memory_.copy(text.view()), StringValue::Storage::Temporary);
    kept[i] = {copy.lo(), copy.hi()};
  }
  written_.push_back(row);
}

}  // namespace gnomon::codegen
