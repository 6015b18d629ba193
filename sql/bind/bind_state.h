#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sql/algebra/set_operators.h"
#include "sql/bind/access_notes.h"
#include "sql/bind/binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/stored_reference.h"
#include "sql/bind/subquery_joins.h"
#include "sql/bind/window_calls.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Where a column of a result comes from, for RowDescription.
struct ColumnOrigin {
  uint32_t table_oid = 0;
  int16_t attribute = 0;
};

class SetCalls;
class CommonTables;

/// GROUPING(...) over the groups: an integer with a bit for each argument, the last one lowest, which is set where the
/// rows are not grouped by it.
struct GroupingCall {
  Iu iu;
  std::vector<ExpressionPtr> arguments;  ///< over the groups' input
};

/// A clause whose expressions are bound.
struct Clause {
  std::string_view name;                           ///< as messages have it
  Aggregation* aggregation = nullptr;              ///< takes aggregates; null: they are refused
  SubqueryJoins* subqueries = nullptr;             ///< takes subqueries; null: they are refused
  SubqueryJoins* argument_subqueries = nullptr;    ///< takes those in arguments of aggregates
  WindowCalls* windows = nullptr;                  ///< takes window functions; null: they are refused
  std::vector<GroupingCall>* groupings = nullptr;  ///< takes GROUPING; null: it is refused
  SetCalls* sets = nullptr;                        ///< takes set-returning functions; null: they are refused
  RoutineCalls* calls = nullptr;                   ///< of functions that users made, which are known already
};

/// A table of WITH, where it can be named. References scan its shared plan; without one each gets a copy of its query.
struct CommonTableScope {
  /// Whose query is not bound yet cannot be read, but in the recursive term of its own.
  enum class State : uint8_t { Bound, Later, NotUnion, NonRecursiveTerm, RecursiveTerm, Change };
  const ast::CommonTable* table;
  size_t outer_levels;  ///< around its query
  State state = State::Bound;
  const SharedPlan* shared = nullptr;
  const Recursion* recursion = nullptr;      ///< RecursiveTerm
  std::shared_ptr<Output> copied = nullptr;  ///< Bound, without a shared plan
  bool is_volatile = false;                  ///< without a shared plan: it may be referred to once only
  bool is_read = false;
  bool has_rows = true;              ///< otherwise it is a change without RETURNING
  CommonTables* siblings = nullptr;  ///< Later: who binds it
};

/// A query around the one that is bound: what its expressions can use where the subquery stands.
struct OuterLevel {
  const Scope* scope;
  const Clause* clause;
  bool is_lateral = false;  ///< the subquery is an item of FROM, and reads those before it
};

/// An aggregate whose arguments are being bound. Levels count queries from the outermost, 0.
struct AggregateLevel {
  int64_t written;
  int64_t read = -1;                 ///< the innermost level, not further in than `written`, of which a column was read
  std::vector<int64_t> within = {};  ///< the levels of the aggregates in it
};

/// A `*` in a select list, and the columns that it stands for as SQL; or the name of a relation, and what it is stored
/// as.
struct StarExpansion {
  int32_t position;   ///< of it, or of the names before it
  size_t qualifiers;  ///< how many names these are
  std::string columns;
  bool is_relation = false;
};

/// An untyped literal of an expression that is going to be stored, and what the session read.
struct ReadLiteral {
  int32_t position;
  Value value;
};

/// The routine whose body is bound: what its inputs stand for there.
struct RoutineFrame {
  const RoutineEntry* routine;
  const std::vector<ExpressionPtr>* arguments;  ///< of its inputs; they are copied where they are named
  const RoutineFrame* around = nullptr;         ///< that of the routine whose body calls it; null: none
  uint32_t oid = 0;                             ///< of a function in PL/pgSQL

  [[nodiscard]] bool isWithin(const RoutineEntry& other) const {
    return routine->isSameAs(other) || (around != nullptr && around->isWithin(other));
  }
  /// Whether a name that means a column, or begins to, could mean a variable of a body in PL/pgSQL.
  [[nodiscard]] bool mayBeVariable(const std::string& name) const;
};

/// Of a function in PL/pgSQL: its body is no part of the statement after all, which is bound anew.
struct CalledRoutine {
  uint32_t oid;
};

/// What the parts of the binder share while one statement is bound. Threads: one.
struct BindState {
  explicit BindState(BindContext& bind_context)
      : context(bind_context), parameters(bind_context.parameter_types), plan(std::make_shared<Plan>()) {
    plan->subqueries_on_demand = bind_context.subqueries_on_demand;
  }

  BindContext& context;
  std::vector<Type> parameters;  ///< Unknown: not yet inferred
  std::shared_ptr<Plan> plan;
  std::vector<TablePtr> tables;                    ///< in the order of their first use, without repetition
  std::vector<TablePtr> written;                   ///< among them, those that the statement itself changes
  const ast::With* top_with = nullptr;             ///< the statement's own, the only one that may change anything
  std::vector<TablePtr> also_written, key_locked;  ///< among them, those that foreign keys change or lock
  std::vector<TablePtr> row_locked;                ///< those of which queries inside the statement lock rows
  std::string_view locking;                        ///< by what, of the first of these queries: "FOR UPDATE"
  std::unordered_map<Iu, std::string> unit_names;  ///< "alias.column", for messages
  std::unordered_map<Iu, ColumnOrigin> origins;    ///< of units that are stored columns
  std::unordered_map<Iu, std::vector<RecordField>> record_shapes;  ///< of units of type record: the rows' fields
  FromLevels from_levels = FromLevels(1);                          ///< the outermost is that of INSERT's target
  std::vector<CommonTableScope> common_tables;                     ///< innermost last
  uint32_t copied_operators = 0;                                   ///< for WITH queries that are read several times
  std::string_view recursion_barrier;    ///< where it stands nobody may read a recursion's rows; empty: they may
  bool reads_recursion = false;          ///< the FROM that is bound does, itself
  std::vector<OuterLevel> outer_levels;  ///< of the subquery that is bound, from the outermost
  std::vector<AggregateLevel> aggregate_levels;            ///< those whose arguments are being bound
  std::vector<std::pair<uint32_t, int32_t>> untyped_uses;  ///< parameter and position: any type would do there
  bool has_collations = false;                             ///< a text was bound whose collation is not the default
  bool is_immutable = true;                                ///< nothing bound so far depends on who asks, or on settings
  uint64_t cloned_nodes = 0;                               ///< size of the expressions that were copied

  bool changes_rows = false;              ///< what routines read may change while the statement is executed
  const RoutineFrame* routine = nullptr;  ///< null: no routine's body is bound
  bool hides_variables = false;           ///< those of BindContext::variables

  uint32_t refreshed = 0;   ///< oid of the materialized view that stands for its query; 0: none
  AccessNotes access;       ///< what it does with tables and views, and for whom
  uint32_t view_depth = 0;  ///< of views whose queries are bound
  /// Oids of what is read outside of views, and of primary keys that GROUP BY relies on there.
  std::unordered_set<uint32_t> own_tables;
  const StoredReferences* references = nullptr;  ///< of the stored query that is bound; null: none
  StoredReferences* made_references = nullptr;  ///< gets those of a query that is going to be stored; null: nobody asks
  std::vector<ReadLiteral>* read_literals = nullptr;  ///< gets those of dates, times and intervals; null: nobody asks
  std::vector<StarExpansion>* stars = nullptr;        ///< collects those outside of views; null: nobody asks

  void addTable(const TablePtr& table) {
    if (view_depth == 0) own_tables.insert(table->oid);
    for (const TablePtr& known : tables)
      if (known == table) return;
    tables.push_back(table);
  }
  /// The statement uses the enum or the rows' type, which therefore stay as they are while it is executed.
  void addType(Type type) {
    if (const TablePtr entry = findTypeEntry(type.definition())) addTable(entry);
  }
  /// A column of a table, or view, is mentioned.
  void noteRead(Iu unit) {
    if (const auto origin = origins.find(unit); origin != origins.end())
      access.read(origin->second.table_oid, origin->second.attribute);
  }
  /// `to` stands for the same column as `from`.
  void inherit(Iu to, Iu from) {
    if (const auto name = unit_names.find(from); name != unit_names.end()) unit_names[to] = std::string(name->second);
    if (const auto origin = origins.find(from); origin != origins.end()) origins[to] = ColumnOrigin(origin->second);
    if (const auto shape = record_shapes.find(from); shape != record_shapes.end())
      record_shapes[to] = std::vector<RecordField>(shape->second);
  }
};

}  // namespace gnomon::sql
