#include "server/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/text_style_setting.h"
#include "sql/algebra/rewrite.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/stored_nan.h"
#include "sql/optimise/optimiser.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "txn/table.h"

namespace gnomon::server {

sql::ByteaOutput byteaOutput(const Settings& settings) {
  return settings.text(SettingId::ByteaOutput) == "escape" ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
}

codegen::ExecutionPolicy executionPolicy(const Settings& settings) {
  using codegen::ExecutionMode;
  using codegen::Optimisation;
  const std::string& mode = settings.text(SettingId::ExecutionMode);
  const std::string& optimisation = settings.text(SettingId::LlvmOptimisation);
  return {.mode = mode == "vm"     ? ExecutionMode::Vm
                  : mode == "llvm" ? ExecutionMode::Llvm
                                   : ExecutionMode::Auto,
          .optimisation = optimisation == "quick"  ? Optimisation::Quick
                          : optimisation == "full" ? Optimisation::Full
                                                   : Optimisation::Auto};
}

namespace {

/// What is said of LOCK TABLE where no block is, before what is wrong with its names.
sql::BoundStatement boundInBlock(const sql::ParsedStatement& parsed, sql::BindContext& context, bool is_in_block) {
  try {
    return sql::bind(parsed, context);
  } catch (const SqlError&) {
    const bool is_lock = parsed.tree && std::holds_alternative<sql::ast::LockTable>(parsed.tree->body);
    if (!is_lock || is_in_block) throw;
    throw SqlError(sqlstate::kNoActiveSqlTransaction, "LOCK TABLE can only be used in transaction blocks");
  }
}

}  // namespace

std::shared_ptr<sql::BoundStatement> Planner::bind(const StatementSource& source, PlanMode mode) const {
  if (!source.parsed.tree && !source.parsed.rejection) {
    // Found by its text in the cache first; now its tree is wanted after all.
    StatementSource parsed = source;
    parsed.parsed = sql::parse(*source.text).at(0);
    return bind(parsed, mode);
  }
  sql::BindContext context = bindContext(source, mode);
  session_.transaction.seeAccess();
  // Before anything is looked up.
  const uint64_t access_version = session_.transaction.catalog().accessVersion();
  auto bound =
      std::make_shared<sql::BoundStatement>(boundInBlock(source.parsed, context, session_.transaction.isLasting()));
  bound->actors = session_.transaction.catalog().actors();
  bound->access_version = access_version;
  return bound;
}

sql::BindContext Planner::bindContext(const StatementSource& source, PlanMode mode) const {
  const sql::CatalogTransaction& catalog = session_.transaction.catalog();
  const sql::Actors actors = catalog.actors();
  return {.catalog = catalog,
          .parameter_types = source.parameter_types,
          .unlimited_numerics = mode.unlimited_numerics,
          .user = sql::roleName(catalog, actors.current),
          .database = catalog.database()->name,
          .version = session_.server.version_text,
          .text = *source.text,
          .fills = source.fills,
          .rewritten = source.rewritten,
          .part = source.part,
          .session_user = sql::roleName(catalog, actors.session),
          .routine = source.routine,
          .variables = source.variables.get(),
          .transitions = source.transitions.get(),
          .is_positioned = source.is_positioned,
          .subqueries_on_demand = mode.subqueries_on_demand};
}

std::shared_ptr<sql::Plan> Planner::planOf(const sql::BoundStatement& bound) {
  if (const auto* query = std::get_if<sql::QueryStatement>(&bound.body)) return query->plan;
  if (const auto* copy = std::get_if<sql::CopyToStatement>(&bound.body)) return copy->plan;
  if (const auto* explain = std::get_if<sql::ExplainStatement>(&bound.body)) return explain->plan;
  return nullptr;
}

std::string Planner::cacheKey(const StatementSource& source, const codegen::OutputFormat& format, PlanMode mode) const {
  const codegen::ExecutionPolicy policy = executionPolicy(session_.settings);
  std::string key = fmt::format("{} {} {} {} {} ", static_cast<int>(policy.mode), static_cast<int>(policy.optimisation),
                                (mode.unlimited_numerics ? 1 : 0) + (mode.subqueries_on_demand ? 2 : 0),
                                static_cast<int>(format.framing), static_cast<int>(byteaOutput(session_.settings)));
  for (const sql::Type& type : source.parameter_types) key += fmt::format("{},", type.oid());
  key += ' ';
  for (int16_t column_format : format.column_formats) key += static_cast<char>('0' + column_format);
  key += ' ';
  key += session_.settings.text(SettingId::TimeZone);
  key += '\0';
  for (const SettingId id : {SettingId::DateStyle, SettingId::IntervalStyle, SettingId::ExtraFloatDigits})
    key.append(session_.settings.text(id)).push_back(' ');
  const sql::CatalogTransaction& catalog = session_.transaction.catalog();
  const sql::Actors actors = catalog.actors();
  key += fmt::format("{} {} {} {} ", session_.transaction.database()->databaseOid(), actors.current, actors.session,
                     catalog.accessVersion());
  // What names without a schema mean.
  for (const std::string& schema : catalog.searchPath().schemas) {
    if (schema == catalog.searchPath().temporary && !catalog.findSchema(schema)) continue;
    key += schema;
    key += '\0';
  }
  if (source.is_positioned) key += "positioned ";
  if (source.routine) key += fmt::format("{}.{}", source.routine->oid, source.number) + '\0';
  key += *source.text;
  return key;
}

namespace {

/// Of a partitioned table a few of its leaves tell.
uint64_t rowCount(const sql::TableEntry& table) {
  constexpr size_t kLeavesMax = 8;
  if (!table.storage) return 0;
  if (!table.partitioning) return table.storage->tupleCountEstimate();
  const auto& leaves = table.partitioning->leaves();
  uint64_t count = 0;
  for (size_t i = 0; i < std::min(leaves.size(), kLeavesMax); ++i) count += leaves[i]->storage->tupleCountEstimate();
  return count;
}

std::vector<uint64_t> rowCounts(const sql::BoundStatement& bound) {
  std::vector<uint64_t> counts;
  for (const sql::TablePtr& table : bound.tables) counts.push_back(rowCount(*table));
  return counts;
}

/// Whether a table has doubled, or halved, since; small ones do so for nothing. Or the first NaN was written to one.
bool isOutgrown(const CompiledQuery& query) {
  if (query.readsUnforeseenNan()) return true;
  constexpr uint64_t kSmall = 1000;
  for (size_t i = 0; i < query.row_counts.size(); ++i) {
    const sql::TablePtr& table = query.bound->tables[i];
    const uint64_t then = query.row_counts[i], now = rowCount(*table);
    if (now > 2 * then + kSmall || then > 2 * now + kSmall) return true;
  }
  return false;
}

/// In the order of their ids, each once, those that have rows of their own. Who calls a routine does not keep others
/// from replacing it.
std::vector<sql::TablePtr> tablesToLock(const sql::BoundStatement& bound) {
  std::vector<sql::TablePtr> tables = bound.tables;
  std::erase_if(tables, [](const sql::TablePtr& table) { return table->storage == nullptr || table->routine; });
  std::ranges::sort(tables, {}, &sql::TableEntry::oid);
  const auto repeated = std::ranges::unique(tables, {}, &sql::TableEntry::oid);
  tables.erase(repeated.begin(), repeated.end());
  return tables;
}

txn::LockMode lockModeOf(const sql::BoundStatement& bound, const sql::TableEntry& table) {
  const bool is_changed =
      std::ranges::find(bound.written, table.oid, &sql::TableEntry::oid) != bound.written.end() ||
      std::ranges::find(bound.also_written, table.oid, &sql::TableEntry::oid) != bound.also_written.end();
  if (is_changed) return txn::LockMode::RowExclusive;
  const bool is_locked =
      std::ranges::find(bound.row_locked, table.oid, &sql::TableEntry::oid) != bound.row_locked.end();
  return is_locked ? txn::LockMode::RowShare : txn::LockMode::AccessShare;
}

std::vector<CompiledQuery::Lock> locksOf(const sql::BoundStatement& bound) {
  std::vector<CompiledQuery::Lock> locks;
  for (const sql::TablePtr& table : tablesToLock(bound))
    locks.push_back({table->storage->lock(), lockModeOf(bound, *table)});
  return locks;
}

std::vector<sql::IndexPtr> indexesOf(sql::Plan& plan) {
  std::vector<sql::IndexPtr> indexes;
  sql::forEachOperator(plan, [&indexes](sql::OperatorPtr& op) {
    if (op->kind != sql::Operator::Kind::TableScan) return;
    const auto& scan = static_cast<const sql::TableScan&>(*op);
    if (scan.range) indexes.push_back(scan.range->index);
    if (scan.lookup) indexes.push_back(scan.lookup->index);
  });
  return indexes;
}

/// Those whose columns the plan takes for scaled decimals of which none is NaN.
std::vector<std::shared_ptr<const txn::Table>> tablesWithoutNan(sql::Plan& plan) {
  std::vector<std::shared_ptr<const txn::Table>> tables;
  sql::forEachOperator(plan, [&tables](sql::OperatorPtr& op) {
    if (op->kind != sql::Operator::Kind::TableScan) return;
    const auto& scan = static_cast<const sql::TableScan&>(*op);
    const auto isTakenForNumber = [](const sql::TableScan::Column& column) {
      return column.iu->type.isFixedNumeric() && column.iu->type.may_be_nan == 0;
    };
    if (std::ranges::none_of(scan.columns, isTakenForNumber)) return;
    for (std::shared_ptr<txn::Table>& table : sql::storagesOf(*scan.table)) tables.push_back(std::move(table));
  });
  std::ranges::sort(tables);
  const auto repeated = std::ranges::unique(tables);
  tables.erase(repeated.begin(), repeated.end());
  return tables;
}

bool isForSettings(KeptPlan& kept, const Settings& settings) {
  if (kept.settings_version == settings.version()) return true;
  if (kept.policy != executionPolicy(settings) || kept.bytea_output != byteaOutput(settings) ||
      kept.time_zone != settings.text(SettingId::TimeZone) || kept.text_style != textStyleOf(settings) ||
      kept.search_path != settings.text(SettingId::SearchPath))
    return false;
  kept.settings_version = settings.version();
  return true;
}

}  // namespace

std::shared_ptr<const CompiledQuery> Planner::findCompiled(const StatementSource& source,
                                                           const codegen::OutputFormat& format, PlanMode mode) {
  if (!source.is_whole_text || source.text->size() > PlanCache::kKeyBytesMax) return nullptr;
  const std::string key = cacheKey(source, format, mode);
  std::shared_ptr<const CompiledQuery> found = session_.server.plans.find(key);
  if (!found || !isOutgrown(*found)) return found;
  session_.server.plans.erase(key);
  return nullptr;
}

std::shared_ptr<const CompiledQuery> Planner::compile(const StatementSource& source,
                                                      const codegen::OutputFormat& format, PlanMode mode,
                                                      std::shared_ptr<sql::BoundStatement> fresh) {
  if (auto found = findCompiled(source, format, mode)) return found;
  if (!fresh || !isAllowed(*fresh)) fresh = bind(source, mode);
  auto compiled = compileBound(std::move(fresh), format, sql::StoredTableStatistics());
  // What an uncommitted definition is part of is no plan for others.
  if (source.is_whole_text && source.text->size() <= PlanCache::kKeyBytesMax &&
      session_.transaction.catalog().isEmpty() && isAllowed(*compiled->bound))
    session_.server.plans.insert(cacheKey(source, format, mode), compiled);
  return compiled;
}

std::shared_ptr<const CompiledQuery> Planner::compileFor(const txn::Snapshot& snapshot, const StatementSource& source,
                                                         const codegen::OutputFormat& format, PlanMode mode) {
  return compileBound(bind(source, mode), format, sql::StoredTableStatistics(snapshot));
}

std::shared_ptr<const CompiledQuery> Planner::compileBound(std::shared_ptr<sql::BoundStatement> bound,
                                                           const codegen::OutputFormat& format,
                                                           const sql::TableStatistics& statistics) const {
  const std::shared_ptr<sql::Plan> plan = planOf(*bound);
  std::vector<uint64_t> row_counts = rowCounts(*bound);
  sql::optimise(*plan, statistics);
  session_.interrupts.poll();
  codegen::OutputFormat complete = format;
  complete.bytea_output = byteaOutput(session_.settings);
  if (plan->root->kind == sql::Operator::Kind::Output && format.column_formats.empty())
    complete.column_formats.assign(static_cast<const sql::Output&>(*plan->root).columns.size(), 0);
  auto program = codegen::compileProgram(plan, complete, executionPolicy(session_.settings));
  std::vector<CompiledQuery::Lock> locks = locksOf(*bound);
  std::optional<DirectCall> direct_call;
  if (std::holds_alternative<sql::QueryStatement>(bound->body) && bound->written.empty())
    direct_call = directCallOf(*plan);
  return std::make_shared<const CompiledQuery>(
      CompiledQuery{std::move(bound), std::move(program), std::move(row_counts), std::move(locks), indexesOf(*plan),
                    tablesWithoutNan(*plan), plan->has_subqueries, std::move(direct_call)});
}

bool Planner::isAllowed(const sql::BoundStatement& bound) const {
  const sql::CatalogTransaction& catalog = session_.transaction.catalog();
  return bound.actors == catalog.actors() && bound.access_version == catalog.accessVersion();
}

bool Planner::isCurrent(const sql::BoundStatement& bound) const {
  const sql::CatalogView& catalog = session_.transaction.catalog();
  return std::ranges::all_of(bound.tables, [&](const sql::TablePtr& table) { return sql::isCurrent(catalog, table); });
}

void Planner::lockTables(const std::function<const sql::BoundStatement&(bool again)>& bind) {
  const txn::Locker locker = session_.transaction.locker();
  const auto isLocked = [&](const sql::BoundStatement& bound) {
    return std::ranges::all_of(tablesToLock(bound), [&](const sql::TablePtr& table) {
      return locker.owner.holds(*table->storage->lock(), lockModeOf(bound, *table));
    });
  };
  for (bool again = false;; again = true) {
    session_.interrupts.poll();
    const sql::BoundStatement& bound = bind(again);
    try {
      for (const sql::TablePtr& table : tablesToLock(bound))
        locker.owner.acquire(table->storage->lock(), lockModeOf(bound, *table), locker.patience);
    } catch (const SqlError& error) {
      // Dropped while we waited: binding again says which table is missing, and where the text names it.
      if (!(error.state() == sqlstate::kUndefinedTable)) throw;
      continue;
    }
    if (isCurrent(bound) && isAllowed(bound)) return;
    const sql::BoundStatement& rebound = bind(true);
    if (isLocked(rebound) && isCurrent(rebound) && isAllowed(rebound)) return;
  }
}

/// False: a table was dropped while we waited.
bool Planner::acquireLocks(const CompiledQuery& query) {
  const txn::Locker locker = session_.transaction.locker();
  try {
    for (const CompiledQuery::Lock& lock : query.locks) locker.owner.acquire(lock.object, lock.mode, locker.patience);
  } catch (const SqlError& error) {
    if (!(error.state() == sqlstate::kUndefinedTable)) throw;
    return false;
  }
  return true;
}

bool Planner::lockKept(KeptPlan& kept, const codegen::OutputFormat& format) {
  if (!kept.query) return false;
  constexpr uint32_t kUsesBetweenLooks = 32;
  session_.interrupts.poll();
  if (kept.format.framing != format.framing || kept.format.column_formats != format.column_formats) return false;
  if (kept.uses++ % kUsesBetweenLooks == 0 && isOutgrown(*kept.query)) return false;
  if (stands(kept)) return true;
  SessionTransaction& transaction = session_.transaction;
  if (!transaction.catalog().isEmpty() || !isForSettings(kept, session_.settings)) return false;
  if (kept.locks_held != transaction.owner().releaseCount() && !acquireLocks(*kept.query)) return false;
  kept.locks_held = transaction.owner().releaseCount();
  // P1: from now on the tables do not change, but for indexes that are added (P3).
  if (kept.generation != session_.server.plans.generation()) return false;
  const uint64_t version = session_.server.catalog.version();
  const sql::BoundStatement& bound = *kept.query->bound;
  const bool is_good = version == kept.catalog_version && bound.actors == transaction.catalog().actors();
  // Settings as they are now may be those of another role, for whom it does not stand.
  kept.catalog_version = is_good || (isCurrent(bound) && isAllowed(bound)) ? version : 0;
  if (kept.catalog_version == 0) return false;
  kept.definer = transaction.catalog().definer();
  return true;
}

void Planner::keep(KeptPlan& kept, const StatementSource& source, const codegen::OutputFormat& format,
                   const std::shared_ptr<const CompiledQuery>& query, uint64_t generation) {
  if (kept.query && kept.query != query) session_.parked.forget(kept.query.get());
  kept = {};
  const bool is_repeated = source.is_whole_text || source.variables;
  if (!is_repeated || !session_.transaction.catalog().isEmpty()) return;
  // Counted by the session itself: references to what is in the cache are counted by all.
  kept.query = {std::make_shared<std::shared_ptr<const CompiledQuery>>(query), query.get()};
  kept.settings_version = session_.settings.version();
  kept.policy = executionPolicy(session_.settings);
  kept.format = format;
  kept.bytea_output = byteaOutput(session_.settings);
  kept.time_zone = session_.settings.text(SettingId::TimeZone);
  kept.search_path = session_.settings.text(SettingId::SearchPath);
  kept.text_style = textStyleOf(session_.settings);
  kept.generation = generation;
}

void Planner::forget(const StatementSource& source, const codegen::OutputFormat& format, PlanMode mode) {
  if (source.is_whole_text) session_.server.plans.erase(cacheKey(source, format, mode));
}

}  // namespace gnomon::server
