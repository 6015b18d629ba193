#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "codegen/translate/sql_value.h"
#include "sql/algebra/expression.h"

namespace gnomon::codegen {

/// The units that are available at the point where code is being emitted.
///
/// A unit is bound to a value, or to a loader that emits the load where the unit is first needed. What was loaded in a
/// nested level (inside a CASE branch, behind a short-circuit) does not dominate the code after it, so it is forgotten
/// when the level ends.
/// Invariant: code emitted after a bind or a load at the same or an outer level is dominated by it.
class Scope {
 public:
  using Loader = std::function<SqlValue()>;

 private:
  struct Entry {
    SqlValue value;
    Loader loader;
    bool loaded = false;
    bool is_computed = false;
  };
  using Entries = std::unordered_map<sql::Iu, Entry>;

 public:
  void bind(sql::Iu unit, SqlValue value) { entries_[unit] = {value, {}, true, false}; }
  /// The loader emits a mere load.
  void bindLazy(sql::Iu unit, Loader loader) { entries_[unit] = {{}, std::move(loader), false, false}; }
  /// The loader emits an expression, which may raise errors: not before it is needed.
  void bindComputed(sql::Iu unit, Loader loader) { entries_[unit] = {{}, std::move(loader), false, true}; }
  /// `unit` is another name of `of`.
  void bindAlias(sql::Iu unit, sql::Iu of) {
    entries_[unit] = {{}, [this, of] { return get(of); }, false, !isReadFreely(of)};
  }
  [[nodiscard]] bool has(sql::Iu unit) const { return entries_.contains(unit); }
  /// Whether get() emits no more than a load here.
  [[nodiscard]] bool isReadFreely(sql::Iu unit) const;
  /// The unit's value; emits its load if need be. The unit is bound (the plan verifier saw to that).
  SqlValue get(sql::Iu unit);

  /// While it lives, a unit that an expression binds for itself has a value. What the unit had before comes back.
  class Binding {
   public:
    Binding(Scope& scope, sql::Iu unit, const SqlValue& value);
    ~Binding();
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

   private:
    Scope& scope_;
    sql::Iu unit_;
    Entries::node_type before_;
  };

  /// While it lives, loads are remembered for its own level only.
  class Level {
   public:
    explicit Level(Scope& scope) : scope_(scope), loaded_before_(scope.loaded_.size()) {}
    ~Level();
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Scope& scope_;
    size_t loaded_before_;
  };

 private:
  Entries entries_;
  std::vector<sql::Iu> loaded_;  ///< in the order of loading; a level forgets those above its mark
};

}  // namespace gnomon::codegen
