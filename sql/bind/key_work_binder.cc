#include "sql/bind/key_work_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/generated_column.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/partitioning.h"
#include "sql/optimise/simplify.h"

namespace gnomon::sql {
namespace {

using Action = ReferentialAction;

class KeyWorkBinder {
 public:
  /// `moved_in`: the partitioned table of which `table` is a leaf; null: it is the statement's.
  KeyWorkBinder(BindState& state, const TablePtr& table, const RowChanges& changes, TablePtr moved_in = nullptr)
      : state_(state) {
    result_->moved_in = std::move(moved_in);
    addTable(table);
    effects_[0].inserts = changes.inserts;
    // A row that goes to another partition is gone for keys that refer to its own.
    effects_[0].deletes = changes.deletes || (result_->moved_in && changes.may_move);
    effects_[0].updated.insert(changes.updated.begin(), changes.updated.end());
  }

  std::shared_ptr<const KeyWork> bind() {
    // Actions change rows, which has actions.
    while (std::exchange(has_grown_, false))
      for (size_t table = 0; table < result_->tables.size(); ++table) followReferring(table);
    const size_t reached = result_->tables.size();
    for (size_t table = 0; table < reached; ++table) addOutgoing(table);
    if (result_->keys.empty()) return nullptr;
    for (size_t table = 0; table < result_->tables.size(); ++table) finishTable(table);
    return std::move(result_);
  }

 private:
  /// What happens to the rows of a table.
  struct Effects {
    bool inserts = false;
    bool deletes = false;
    std::set<uint32_t> updated;
    bool sets_defaults = false;
    bool is_by_keys = false;
  };

  size_t addTable(const TablePtr& table) {
    const auto [found, is_new] = numbers_.try_emplace(table->oid, result_->tables.size());
    if (is_new) {
      result_->tables.emplace_back().table = table;
      effects_.emplace_back();
      has_grown_ = true;
    }
    return found->second;
  }

  size_t addKey(const ForeignKeyEntry& key, size_t child, size_t parent) {
    const auto [found, is_new] = keys_.try_emplace({child, &key}, result_->keys.size());
    if (!is_new) return found->second;
    KeyWork::Key made{.key = &key, .child = child, .parent = parent, .to_parent = {}, .to_child = {}};
    for (size_t i = 0; i < key.columns.size(); ++i) {
      const Type& child_type = result_->tables[child].table->columns[key.columns[i]].type;
      const Type& parent_type = result_->tables[parent].table->columns[key.parent_columns[i]].type;
      made.to_parent.emplace_back(child_type, parent_type);
      made.to_child.emplace_back(parent_type, child_type);
    }
    for (const TablePtr& above : ancestorsOf(state_.context.catalog, *result_->tables[child].table))
      if (const ForeignKeyEntry* const same = findKey(*above, key.name);
          same != nullptr && (same->part_of == 0) == (key.part_of == 0))
        made.declared = above;
    nameParts(made);
    result_->keys.push_back(std::move(made));
    return found->second;
  }

  void nameParts(KeyWork::Key& made) const {
    const ForeignKeyEntry& key = *made.key;
    made.own_number = key.number;
    if (key.part_of == 0) return;
    const TableEntry& child = *result_->tables[made.child].table;
    const TableEntry& declaring = made.declared ? *made.declared : child;
    const ForeignKeyEntry* const whole = findKey(declaring, key.part_of);
    if (whole == nullptr) return;
    if (const ForeignKeyEntry* const own = findKey(child, whole->name)) made.own_number = own->number;
    if (!result_->moved_in) return;
    for (const ForeignKeyEntry& each : declaring.foreign_keys)
      if ((each.number == key.part_of || each.part_of == key.part_of) && each.parent == result_->moved_in->oid)
        made.moved = &each;
    made.forbids_moves = made.moved == nullptr;
  }

  static bool touches(const std::set<uint32_t>& updated, const std::vector<uint32_t>& columns) {
    return std::ranges::any_of(columns, [&](uint32_t column) { return updated.contains(column); });
  }

  void update(Effects& effects, const std::vector<uint32_t>& columns) {
    const size_t before = effects.updated.size();
    effects.updated.insert(columns.begin(), columns.end());
    if (effects.updated.size() != before) has_grown_ = true;
    effects.is_by_keys = true;
  }

  /// What the action does to the child.
  void follow(Action action, const std::vector<uint32_t>& columns, bool is_delete, Effects& child) {
    switch (action) {
      case Action::NoAction:
      case Action::Restrict:
        return;
      case Action::Cascade:
        if (!is_delete) return update(child, columns);
        if (!child.deletes) has_grown_ = true;
        child.deletes = true;
        return;
      case Action::SetDefault:
        child.sets_defaults = true;
        return update(child, columns);
      case Action::SetNull:
        return update(child, columns);
    }
  }

  void followReferring(size_t table) {
    const TablePtr parent = result_->tables[table].table;
    if (!effects_[table].deletes && effects_[table].updated.empty()) return;
    for (const DependentKey& dependent : dependentKeys(state_.context.catalog, *parent)) {
      const ForeignKeyEntry& key = dependent.key();
      const bool is_updated = touches(effects_[table].updated, key.parent_columns);
      if (!effects_[table].deletes && !is_updated) continue;
      // A part of a key is the table's alone that has the whole, whose rows may be in its partitions.
      const bool is_partitioned = key.part_of != 0 && dependent.child->partitioning;
      if (!is_partitioned) {
        addIncoming(table, dependent.child, key, is_updated);
        continue;
      }
      for (const TablePtr& leaf : dependent.child->partitioning->leaves()) addIncoming(table, leaf, key, is_updated);
      state_.addTable(dependent.child);
    }
  }

  void addIncoming(size_t table, const TablePtr& referring, const ForeignKeyEntry& key, bool is_updated) {
    const size_t child = addTable(referring);
    const size_t number = addKey(key, child, table);
    std::vector<size_t>& incoming = result_->tables[table].incoming;
    if (std::ranges::find(incoming, number) == incoming.end()) incoming.push_back(number);
    if (effects_[table].deletes)
      follow(key.on_delete, key.set_columns.empty() ? key.columns : key.set_columns, true, effects_[child]);
    if (is_updated) follow(key.on_update, key.columns, false, effects_[child]);
  }

  void addOutgoing(size_t table) {
    const TablePtr child = result_->tables[table].table;
    for (const ForeignKeyEntry& key : child->foreign_keys) {
      if (key.part_of != 0) continue;
      // A row that was put off may get another place by any change.
      const bool is_moved = key.is_deferrable && !effects_[table].updated.empty();
      if (!effects_[table].inserts && !is_moved && !touches(effects_[table].updated, key.columns)) continue;
      const TablePtr parent = key.parent == child->oid ? child : findTable(state_.context.catalog, key.parent);
      // Somebody is about to drop it: who binds again sees neither.
      if (parent == nullptr) continue;
      const size_t number = addKey(key, table, addTable(parent));
      result_->tables[table].outgoing.push_back(number);
    }
  }

  void finishTable(size_t number) {
    KeyWork::Table& table = result_->tables[number];
    const Effects& effects = effects_[number];
    table.may_change = effects.deletes || !effects.updated.empty();
    std::ranges::sort(table.incoming, {}, [&](size_t key) { return result_->keys[key].key->number; });
    if (effects.is_by_keys) {
      const std::vector<uint32_t> updated(effects.updated.begin(), effects.updated.end());
      const GeneratedColumns generated(state_, table.table->name, table.table->columns);
      if (!generated.affected(updated).empty())
        throwNotSupported("actions of foreign keys on columns that generated columns read");
    }
    if (effects.sets_defaults)
      for (const ColumnEntry& column : table.table->columns) table.defaults.push_back(defaultOf(column));
    if (effects.is_by_keys && !table.table->checks.empty())
      table.checks = checkForms(state_, table.table->columns, table.table->checks);
    state_.addTable(table.table);
    if (number == 0) return;
    (table.may_change ? state_.also_written : state_.key_locked).push_back(table.table);
  }

  Value defaultOf(const ColumnEntry& column) const {
    const ExpressionPtr value = simplifyExpression(bindColumnDefault(state_, column));
    if (!value->isConstant())
      throwNotSupported(fmt::format("SET DEFAULT of a column whose default is no constant, \"{}\"", column.name));
    return value->value;
  }

  BindState& state_;
  std::shared_ptr<KeyWork> result_ = std::make_shared<KeyWork>();
  std::vector<Effects> effects_;                                      ///< of each table
  std::map<uint32_t, size_t> numbers_;                                ///< of tables, by oid
  std::map<std::pair<size_t, const ForeignKeyEntry*>, size_t> keys_;  ///< by child and key
  bool has_grown_ = true;
};

}  // namespace

namespace {

/// Whether the leaves of a partitioned table have to be told apart.
bool hasOwnKeys(const TableEntry& table) {
  if (std::ranges::any_of(table.foreign_keys, &ForeignKeyEntry::is_deferrable)) return true;
  return std::ranges::any_of(table.partitioning->leaves(), [&](const TablePtr& leaf) {
    const auto wholes = std::ranges::count_if(leaf->foreign_keys, [](const auto& key) { return key.part_of == 0; });
    const auto own = std::ranges::count_if(table.foreign_keys, [](const auto& key) { return key.part_of == 0; });
    return !leaf->referring_keys.empty() || wholes != own;
  });
}

}  // namespace

std::shared_ptr<const KeyWork> bindKeyWork(BindState& state, const TablePtr& table, const RowChanges& changes) {
  if (table->partitioning && hasOwnKeys(*table)) {
    auto result = std::make_shared<KeyWork>();
    result->tables.emplace_back().table = table;
    bool is_asked = false;
    for (const TablePtr& leaf : table->partitioning->leaves()) {
      std::shared_ptr<const KeyWork> work;
      if (!leaf->foreign_keys.empty() || !leaf->referring_keys.empty())
        work = KeyWorkBinder(state, leaf, changes, table).bind();
      is_asked = is_asked || work != nullptr;
      result->leaves.push_back(std::move(work));
    }
    if (!is_asked) return nullptr;
    return result;
  }
  if (table->foreign_keys.empty() && table->referring_keys.empty()) return nullptr;
  return KeyWorkBinder(state, table, changes).bind();
}

}  // namespace gnomon::sql
