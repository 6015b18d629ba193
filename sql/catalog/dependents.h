#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/dependent_keys.h"

namespace gnomon::sql {

/// Something that needs what is dropped: it goes along, or keeps it.
struct Dependent {
  enum class Kind : uint8_t { Entry, Column, Default, Check, Index, Trigger, ForeignKey };
  Kind kind = Kind::Entry;
  TablePtr entry;         ///< the thing itself, or whose part it is
  uint32_t number = 0;    ///< of a column (also for Default), or of a foreign key
  std::string name = {};  ///< of a check, index or trigger

  /// "view v", "column a of table t", "trigger x on table t".
  [[nodiscard]] std::string describe(const CatalogView& catalog) const;
};

/// What goes with things that are dropped, told in PostgreSQL's order (that of its findDependentObjects: younger
/// dependents are followed first, and all are told backwards). Parts of what goes as a whole are not among it.
class Dependents {
 public:
  explicit Dependents(const CatalogView& catalog) : catalog_(catalog) {}

  /// Each of these is to be dropped, which is not told; then finish().
  void drop(const TablePtr& entry);
  void dropColumn(const TablePtr& table, uint32_t column);
  void dropIndex(const TablePtr& table, const std::string& index);
  /// What is in the schema is told.
  void dropSchema(const SchemaPtr& schema);
  void finish();

  /// Those for which it is true are known to go anyway.
  void leaveOut(const std::function<bool(const Dependent&)>& isGone);

  /// All of them, with those that are not told, and the things that are dropped.
  [[nodiscard]] std::vector<Dependent> all() const;
  /// Those that go as a whole.
  [[nodiscard]] std::vector<TablePtr> entries() const;
  /// Keys of tables that stay.
  [[nodiscard]] std::vector<DependentKey> keys() const;
  /// Whether nothing is to be told.
  [[nodiscard]] bool isEmpty() const;
  /// Each as it is described.
  [[nodiscard]] std::vector<std::string> told() const;
  /// 2BP01: it does not go without CASCADE. `what`: as "table t"; several things are kSeveral.
  static constexpr std::string_view kSeveral = "desired object(s)";
  [[nodiscard]] SqlError stillThere(std::string_view what) const;

 private:
  struct Found {
    Dependent dependent;
    std::string on;  ///< what it needs, through which it was met
    bool is_silent = false;
  };
  struct Step;
  using Key = std::tuple<Dependent::Kind, uint32_t, uint32_t, std::string>;
  static Key keyOf(const Dependent& dependent);

  void visit(const Dependent& dependent, const std::string& on, bool is_silent);
  void follow(std::vector<Step> steps, const std::string& on);
  void followEntry(const TablePtr& entry);
  void addUsesOfType(const TablePtr& type, std::vector<Step>& steps) const;
  void addMentions(const TablePtr& named, std::vector<Step>& steps) const;
  void followColumn(const TablePtr& table, uint32_t column);
  void addParts(const TablePtr& table, uint32_t column, std::vector<Step>& steps) const;
  void followTrigger(const TablePtr& table, const std::string& name);
  void followIndex(const TablePtr& table, const std::string& name);
  [[nodiscard]] bool goesWhole(const TableEntry& entry) const;

  const CatalogView& catalog_;
  std::vector<TablePtr> all_;  ///< entries of the catalog
  std::map<Key, bool> met_;    ///< whether silent
  std::vector<Found> found_;   ///< dependents before what they need
};

}  // namespace gnomon::sql
