#include "codegen/runtime/row_constraints.h"

#include "codegen/executor/check_evaluator.h"
#include "codegen/executor/key_evaluator.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/generated_column.h"
#include "sql/catalog/violation.h"

namespace gnomon::codegen {
namespace {

/// A leaf partition may have more of them.
sql::CheckForms checksOf(const sql::TableEntry& table, const sql::CheckForms& checks) {
  const bool has_others = table.partition && (!checks.usual || checks.usual->checks.size() != table.checks.size());
  if (!has_others) return checks;
  const auto own = sql::sessionChecks(table);
  return {own, own};
}

}  // namespace

RowConstraints::RowConstraints(sql::TablePtr table, sql::TablePtr target, const sql::CheckForms& checks,
                               const ForeignKeySettings& settings, MemoryAccount& memory)
    : table_(std::move(table)),
      target_(std::move(target)),
      checks_(checksOf(*table_, checks)),
      settings_(settings),
      memory_(memory),
      generated_columns_(sql::generatedColumnNumbers(*table_)),
      generated_values_(generated_columns_.size()),
      generated_nulls_(generated_columns_.size()) {}

void RowConstraints::require(const storage::Datum* values, const uint8_t* null_flags) {
  for (uint32_t column = 0; column < table_->columns.size(); ++column)
    if (null_flags[column] != 0 && table_->columns[column].not_null)
      throw sql::notNullViolation(*table_, column, values, null_flags, settings_.bytea_output, target_.get());
  if (!checks_.usual) return;
  if (!checker_)
    checker_ = compileChecks(checks_, settings_.policy, settings_.bytea_output, memory_, settings_.session);
  const uint32_t broken = checker_->firstViolation(values, null_flags);
  if (broken == sql::RowChecker::kNone) return;
  const sql::CheckExpressions::Check& check = checks_.usual->checks[broken];
  if (check.is_of_view) throw sql::viewViolation(*target_, check.name, values, null_flags, settings_.bytea_output);
  throw sql::checkViolation(*table_, broken, values, null_flags, settings_.bytea_output, target_.get());
}

void RowConstraints::computeGenerated(storage::Datum* values, uint8_t* null_flags, Arena& bytes) {
  if (generated_columns_.empty()) return;
  if (!generated_) generated_ = compileRowExpressions(sql::generatedExpressions(*table_), settings_.session);
  generated_->evaluate(values, null_flags, generated_values_.data(), generated_nulls_.data(), bytes);
  for (size_t i = 0; i < generated_columns_.size(); ++i) {
    values[generated_columns_[i]] = generated_values_[i];
    null_flags[generated_columns_[i]] = generated_nulls_[i];
  }
}

}  // namespace gnomon::codegen
