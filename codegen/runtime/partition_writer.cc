#include "codegen/runtime/partition_writer.h"

#include <algorithm>

#include "base/sql_error.h"
#include "codegen/executor/check_evaluator.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/violation.h"

namespace gnomon::codegen {

PartitionWriter::PartitionWriter(Settings settings) : settings_(std::move(settings)) {
  if (isPartitioned()) leaves_.resize(leaves().size());
}

PartitionWriter::~PartitionWriter() = default;

PartitionWriter::Leaf& PartitionWriter::at(uint32_t number) {
  if (leaves_[number]) return *leaves_[number];
  const sql::TablePtr& entry = leaves()[number];
  auto leaf = std::make_unique<Leaf>();
  leaf->statement = std::make_unique<txn::WriteStatement>(*entry->storage, settings_.context);
  leaf->statement->setPart();
  if (settings_.keys && !settings_.keys->leaves.empty()) {
    if (const std::shared_ptr<const sql::KeyWork>& work = settings_.keys->leaves[number])
      leaf->keys = std::make_unique<ForeignKeys>(work, settings_.context, *leaf->statement, settings_.key_settings,
                                                 settings_.memory);
  } else if (settings_.keys) {
    auto work = std::make_shared<sql::KeyWork>(*settings_.keys);
    work->tables.front().table = entry;
    leaf->keys = std::make_unique<ForeignKeys>(std::move(work), settings_.context, *leaf->statement,
                                               settings_.key_settings, settings_.memory);
  }
  for (uint32_t i = 0; i < entry->columns.size(); ++i)
    if (entry->columns[i].not_null && !settings_.table->columns[i].not_null) leaf->not_null.push_back(i);
  const bool has_own = std::ranges::any_of(entry->checks, [&](const sql::CheckEntry& check) {
    return std::ranges::find(settings_.table->checks, check.name, &sql::CheckEntry::name) ==
           settings_.table->checks.end();
  });
  if (has_own) {
    const auto checks = sql::sessionChecks(*entry);
    leaf->checker = compileChecks({checks, checks}, settings_.key_settings.policy, settings_.key_settings.bytea_output,
                                  settings_.memory, settings_.key_settings.session);
  }
  leaves_[number] = std::move(leaf);
  return *leaves_[number];
}

uint32_t PartitionWriter::route(const txn::Datum* values, const uint8_t* null_flags, Scratch& scratch) const {
  if (settings_.table->partition) requirePlace(values, null_flags, scratch);
  return settings_.table->partitioning->findLeaf(*settings_.table, values, null_flags, scratch);
}

void PartitionWriter::requirePlace(const txn::Datum* values, const uint8_t* null_flags, Scratch& scratch) const {
  if (belongs(values, null_flags, scratch)) return;
  throw sql::partitionViolation(*settings_.table, values, null_flags, settings_.key_settings.bytea_output);
}

void PartitionWriter::requireLeaf(uint32_t leaf, const txn::Datum* values, const uint8_t* null_flags,
                                  Scratch& scratch) const {
  if (settings_.table->partitioning->tryFindLeaf(values, null_flags, scratch) == leaf) return;
  throw sql::partitionViolation(*leaves()[leaf], values, null_flags, settings_.key_settings.bytea_output);
}

void PartitionWriter::requireOwn(uint32_t number, const txn::Datum* values, const uint8_t* null_flags) {
  Leaf& leaf = at(number);
  const sql::TableEntry& entry = *leaves()[number];
  for (const uint32_t column : leaf.not_null)
    if (null_flags[column] != 0)
      throw sql::notNullViolation(entry, column, values, null_flags, settings_.key_settings.bytea_output,
                                  settings_.table.get());
  if (!leaf.checker) return;
  const uint32_t broken = leaf.checker->firstViolation(values, null_flags);
  if (broken != sql::RowChecker::kNone)
    throw sql::checkViolation(entry, broken, values, null_flags, settings_.key_settings.bytea_output,
                              settings_.table.get());
}

void PartitionWriter::append(const txn::Datum* values, const uint8_t* null_flags, std::span<const uint32_t> leaves) {
  if (leaves.empty()) return;
  forEachLeaf(values, null_flags, leaves,
              [this](uint32_t leaf, const txn::Datum* own, const uint8_t* own_nulls, size_t count,
                     std::span<const uint32_t> rows) {
                const size_t columns = settings_.table->columns.size();
                for (size_t i = 0; i < count; ++i) {
                  failed_row_ = rows[i];
                  requireOwn(leaf, own + i * columns, own_nulls + i * columns);
                }
                txn::WriteStatement& target = statement(leaf);
                txn::TupleId first{};
                try {
                  first = target.appendBatch(own, own_nulls, count);
                } catch (const SqlError&) {
                  if (target.failedRow() < count) failed_row_ = rows[target.failedRow()];
                  throw;
                }
                if (ForeignKeys* own_keys = keys(leaf)) own_keys->noteAppended(first, own, own_nulls, count);
              });
}

void PartitionWriter::finish() {
  for (const std::unique_ptr<Leaf>& leaf : leaves_) {
    if (!leaf) continue;
    leaf->keys ? leaf->keys->finish() : leaf->statement->finish();
  }
}

uint32_t checkOfLeaf(const sql::TableEntry& table, const sql::TableEntry& leaf, uint32_t check) {
  const auto found = std::ranges::find(leaf.checks, table.checks[check].name, &sql::CheckEntry::name);
  return found == leaf.checks.end() ? check : static_cast<uint32_t>(found - leaf.checks.begin());
}

}  // namespace gnomon::codegen
