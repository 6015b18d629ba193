#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/bind/binder.h"
#include "sql/bind/scope.h"

namespace gnomon::sql {

/// Where a column of a result comes from, for RowDescription.
struct ColumnOrigin {
  uint32_t table_oid = 0;
  int16_t attribute = 0;
};

/// What the parts of the binder share while one statement is bound. Threads: one.
struct BindState {
  explicit BindState(BindContext& bind_context)
      : context(bind_context), parameters(bind_context.parameter_types), plan(std::make_shared<Plan>()) {}

  BindContext& context;
  std::vector<Type> parameters;  ///< Unknown: not yet inferred
  std::shared_ptr<Plan> plan;
  std::vector<TablePtr> tables;                            ///< in the order of their first use, without repetition
  std::vector<TablePtr> also_written, key_locked;          ///< among them, those that foreign keys change or lock
  std::unordered_map<Iu, std::string> unit_names;          ///< "alias.column", for messages
  std::unordered_map<Iu, ColumnOrigin> origins;            ///< of units that are stored columns
  FromLevels from_levels = FromLevels(1);                  ///< the outermost is that of INSERT's target
  std::vector<std::pair<uint32_t, int32_t>> untyped_uses;  ///< parameter and position: any type would do there
  bool is_immutable = true;                                ///< nothing bound so far depends on who asks, or on settings
  uint64_t cloned_nodes = 0;                               ///< size of the expressions that were copied

  void addTable(const TablePtr& table) {
    for (const TablePtr& known : tables)
      if (known == table) return;
    tables.push_back(table);
  }
  /// `to` stands for the same column as `from`.
  void inherit(Iu to, Iu from) {
    if (const auto name = unit_names.find(from); name != unit_names.end()) unit_names[to] = std::string(name->second);
    if (const auto origin = origins.find(from); origin != origins.end()) origins[to] = ColumnOrigin(origin->second);
  }
};

}  // namespace gnomon::sql
