#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/text_style.h"
#include "server/plan_cache.h"
#include "server/session_context.h"
#include "server/statement_source.h"
#include "sql/bind/binder.h"
#include "sql/bound_statement.h"

namespace gnomon::sql {
class TableStatistics;
}

namespace gnomon::server {

/// What PlainRun wants to know of a plan.
struct PlanTraits {
  const CompiledQuery* of = nullptr;  ///< null: it is not known
  bool is_plain = false;              ///< its program is, and it changes nothing in WITH
  bool is_writing = false;
  bool writes_stored = false;   ///< a table that is not temporary
  bool gathers_rows = false;    ///< codegen::Program::gathersRows()
  bool looks_at_keys = false;   ///< codegen::Program::looksAtKeys()
  bool looks_ahead = false;     ///< codegen::Program::looksAhead()
  double expected_changes = 0;  ///< rows
};

/// A statement's plan, kept by whoever executes it again. P1 holds for it, too.
struct KeptPlan {
  std::shared_ptr<const CompiledQuery> query;  ///< null: none
  PlanTraits traits;
  // What it was compiled for.
  uint64_t settings_version = 0;  ///< which say so of policy, bytea_output, time_zone, text_style and search_path
  codegen::ExecutionPolicy policy;
  codegen::OutputFormat format;
  sql::ByteaOutput bytea_output = sql::ByteaOutput::Hex;
  std::string time_zone;
  std::string search_path;
  TextStyle text_style;
  uint64_t generation = 0;       ///< of the plan cache
  uint64_t catalog_version = 0;  ///< with which its tables, locked, were the catalog's; 0: not known
  uint64_t locks_held = 0;       ///< LockOwner::releaseCount() when its locks were held; 0: not known
  uint32_t definer = 0;          ///< for whom it is good (sql::CatalogTransaction::definer), with `settings_version`
  uint32_t uses = 0;             ///< how often it was looked at
  size_t parked_place = 0;       ///< where an execution of it was parked the last time
  bool are_columns_expected = false;     ///< the client has seen them as they are
  bool are_parameters_expected = false;  ///< the client gives them as they are
};

/// What is otherwise when a statement is planned again, since its usual plan failed (sql::BindContext).
struct PlanMode {
  bool unlimited_numerics = false;
  bool subqueries_on_demand = false;
  bool operator==(const PlanMode&) const = default;
  [[nodiscard]] bool isUsual() const { return *this == PlanMode{}; }
};

/// Turns a statement's source into what can be executed, by way of the plan cache.
///
/// Rules:  P1  a compiled query may be used only while locks on its tables are held that were taken before
///             isCurrent() was asked
///         P2  a bound statement's plan is optimised once; another format or mode binds anew
///         P3  the tables of a query that is used may get indexes meanwhile, which it does without, where it only reads
///             them
///         P4  rights are asked for when a statement is bound, not when it is executed. So its plan is good for who
///         asked
///             then, and while the rights are as they were: GRANT and REVOKE on a table or view, and another owner,
///             make a new entry of it, which isCurrent() finds; SET ROLE and SET SESSION AUTHORIZATION make other
///             actors; whatever happens to roles, their members, schemas or the database, a new access version, of
///             which isAllowed() knows both. They are parts of the key in the cache, too.
/// Threads: the session's. Failure: SqlError with positions in the source's text.
class Planner {
 public:
  explicit Planner(SessionContext& session) : session_(session) {}

  std::shared_ptr<sql::BoundStatement> bind(const StatementSource& source, PlanMode mode = {}) const;

  /// What the source is bound against. The session outlives it.
  [[nodiscard]] sql::BindContext bindContext(const StatementSource& source, PlanMode mode) const;

  /// The source compiled for an output format (without column formats: all text). `fresh`: a statement bound from it
  /// whose plan nobody has optimised yet, used up; may be null.
  std::shared_ptr<const CompiledQuery> compile(const StatementSource& source, const codegen::OutputFormat& format,
                                               PlanMode mode, std::shared_ptr<sql::BoundStatement> fresh);
  /// The same, for this snapshot alone: without indexes that are newer. The tables are locked, and stay so.
  std::shared_ptr<const CompiledQuery> compileFor(const txn::Snapshot& snapshot, const StatementSource& source,
                                                  const codegen::OutputFormat& format, PlanMode mode);
  /// From the cache; null when it is not there, or when it was made for tables of quite another size.
  std::shared_ptr<const CompiledQuery> findCompiled(const StatementSource& source, const codegen::OutputFormat& format,
                                                    PlanMode mode);
  /// Whether who asks is who asked when it was bound, and may as much.
  [[nodiscard]] bool isAllowed(const sql::BoundStatement& bound) const;
  /// Whether the tables it was bound to are still the catalog's.
  [[nodiscard]] bool isCurrent(const sql::BoundStatement& bound) const;
  /// Binds a statement with `bind`, which is told whether it did so before, and locks its tables for the transaction,
  /// until they are the catalog's while they are locked. A table that others change all the time is bound under its
  /// lock. Failure: as `bind` and LockOwner::acquire.
  void lockTables(const std::function<const sql::BoundStatement&(bool again)>& bind);
  /// Locks the tables of a kept plan for the transaction. False: there is none, or it is not for this format and these
  /// settings, or not for the tables as they are now. Failure: as LockOwner::acquire.
  bool lockKept(KeptPlan& kept, const codegen::OutputFormat& format);
  /// Whether the plan is as good as when lockKept() said so: the locks are held, and who asks, settings and catalog are
  /// the same.
  [[nodiscard]] bool stands(const KeptPlan& kept) const {
    const SessionTransaction& transaction = session_.transaction;
    return kept.locks_held == transaction.owner().releaseCount() &&
           kept.settings_version == session_.settings.version() && kept.definer == transaction.catalog().definer() &&
           kept.catalog_version == session_.server.catalog.version() &&
           kept.generation == session_.server.plans.generation() && transaction.catalog().isEmpty();
  }
  /// Keeps a plan whose tables have been locked, unless it is only good for this transaction. `generation`: of the plan
  /// cache before the plan was made or found.
  void keep(KeptPlan& kept, const StatementSource& source, const codegen::OutputFormat& format,
            const std::shared_ptr<const CompiledQuery>& query, uint64_t generation);
  /// Drops it from the cache.
  void forget(const StatementSource& source, const codegen::OutputFormat& format, PlanMode mode);

  /// The plan of a statement that has one (queries, COPY TO, EXPLAIN); null otherwise.
  static std::shared_ptr<sql::Plan> planOf(const sql::BoundStatement& bound);

 private:
  bool acquireLocks(const CompiledQuery& query);
  std::shared_ptr<const CompiledQuery> compileBound(std::shared_ptr<sql::BoundStatement> bound,
                                                    const codegen::OutputFormat& format,
                                                    const sql::TableStatistics& statistics) const;
  [[nodiscard]] std::string cacheKey(const StatementSource& source, const codegen::OutputFormat& format,
                                     PlanMode mode) const;

  SessionContext& session_;
};

/// What the session's settings say of how statements run.
codegen::ExecutionPolicy executionPolicy(const Settings& settings);
/// What they say of how bytea is shown.
sql::ByteaOutput byteaOutput(const Settings& settings);

}  // namespace gnomon::server
