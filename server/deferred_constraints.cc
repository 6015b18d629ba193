#include "server/deferred_constraints.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/memory_account.h"
#include "codegen/runtime/foreign_keys.h"
#include "server/planner.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/key_work_binder.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/roles.h"

namespace gnomon::server {
namespace {

using Row = txn::DeferredReferences::Row;

/// Writes as a statement does that puts nothing off; `write`: with its context.
template <typename Write>
void writeNow(SessionContext& session, MemoryAccount& memory, Write&& write) {
  for (bool again = true; again;) {
    again = false;
    session.transaction.beginWriting();
    txn::TransactionManager::SnapshotGuard guard;
    txn::WriteContext context = session.transaction.writeContext(session.transaction.takeSnapshot(guard), &memory);
    context.deferred = nullptr;
    try {
      write(context);
    } catch (const txn::StatementRestart&) {
      // Another transaction has changed a row meanwhile.
      again = true;
    }
  }
}

/// Rows of one table that were entered in its deferred unique indexes.
void requireUnique(SessionContext& session, const sql::TablePtr& table, const std::vector<Row>& rows) {
  if (rows.empty()) return;
  MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
  writeNow(session, memory, [&](const txn::WriteContext& context) {
    txn::WriteStatement statement(*table->storage, context);
    for (const Row& row : rows) {
      const auto index = std::ranges::find(table->indexes, row.key.second, &sql::IndexEntry::oid);
      if (index != table->indexes.end()) statement.requireAlone(*(*index)->storage, row.id);
    }
    statement.finish();
  });
}

/// Rows of one table. The transaction has locked it, and what its keys refer to, since it wrote to one of them.
void requireReferences(SessionContext& session, const sql::TablePtr& table, const std::vector<Row>& rows) {
  if (rows.empty()) return;
  const std::string no_text;
  sql::BindContext binding{
      .catalog = session.transaction.catalog(),
      .parameter_types = {},
      .unlimited_numerics = false,
      .user = sql::roleName(session.transaction.catalog(), session.transaction.catalog().actors().current),
      .database = {},
      .version = {},
      .text = no_text};
  sql::BindState state(binding);
  const std::shared_ptr<const sql::KeyWork> work = sql::bindKeyWork(state, table, {.inserts = true});
  if (!work) return;
  const codegen::ForeignKeySettings settings{executionPolicy(session.settings), byteaOutput(session.settings), nullptr,
                                             &session.services};
  MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
  writeNow(session, memory, [&](const txn::WriteContext& context) {
    txn::WriteStatement target(*table->storage, context);
    codegen::ForeignKeys keys(work, context, target, settings, memory);
    for (const Row& row : rows) keys.noteDeferred(row);
    keys.finish();
  });
}

}  // namespace

void requireDeferred(SessionContext& session,
                     const std::function<bool(const txn::DeferredReferences::Key&)>& isWanted) {
  std::vector<Row>& pending = session.transaction.deferred().rows();
  struct Rows {
    std::vector<Row> entered, referring;
  };
  std::map<uint32_t, Rows> tables;  // by the oid of the table that has the keys
  for (const Row& row : pending) {
    if (row.is_checked || !isWanted(row.key)) continue;
    Rows& rows = tables[row.key.first];
    (row.is_unique ? rows.entered : rows.referring).push_back(row);
  }
  for (const auto& [oid, rows] : tables)
    if (const sql::TablePtr table = sql::findTable(session.transaction.catalog(), oid)) {
      requireUnique(session, table, rows.entered);
      requireReferences(session, table, rows.referring);
    }
  for (Row& row : pending)
    if (isWanted(row.key)) row.is_checked = true;
  const auto isTriggerWanted = [&](const codegen::TriggerCall& call) {
    return isWanted({call.table->oid, call.trigger->constraint});
  };
  Arena memory;
  while (const codegen::TriggerCall* const next = session.transaction.deferredTriggers().take(isTriggerWanted)) {
    const codegen::TriggerCall call = *next;
    session.services.triggers().call(call, nullptr, memory);
  }
}

void setConstraints(SessionContext& session, const sql::SetConstraintsStatement& statement) {
  using Key = txn::DeferredReferences::Key;
  if (!session.transaction.isLasting())
    session.notice(
        SqlError(sqlstate::kNoActiveSqlTransaction, "SET CONSTRAINTS can only be used in transaction blocks"),
        Severity::Warning);
  const auto isMeant = [&](const Key& key) {
    return statement.are_all || std::ranges::find(statement.keys, key) != statement.keys.end();
  };
  txn::DeferredReferences& deferred = session.transaction.deferred();
  if (!statement.are_deferred) requireDeferred(session, isMeant);
  if (statement.are_all) deferred.setAll(statement.are_deferred);
  for (const Key& key : statement.keys) deferred.set(key, statement.are_deferred);
}

}  // namespace gnomon::server
