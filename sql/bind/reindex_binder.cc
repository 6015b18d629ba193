#include "sql/bind/reindex_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/binder.h"
#include "sql/bind/option_value.h"
#include "sql/catalog/access.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/partitioning.h"

namespace gnomon::sql {
namespace {

using What = ast::Reindex::What;

constexpr SqlState kSuccess("00000");

class ReindexBinder {
 public:
  ReindexBinder(BindState& state, const ast::Reindex& reindex) : state_(state), reindex_(reindex) {}

  ReindexStatement bind() {
    readOptions();
    switch (reindex_.what) {
      case What::Index:
        bindIndex();
        break;
      case What::Table:
        bindTable();
        break;
      case What::Schema:
        bindSchema();
        break;
      case What::Database:
        bindDatabase();
        break;
      case What::System:
        throwNotSupported("REINDEX SYSTEM");
    }
    if (is_concurrent_) result_.command = "REINDEX CONCURRENTLY";
    // That of a partitioned table is made anew, if anything, when its partitions are at rest.
    std::ranges::sort(result_.targets, {}, [&](const ReindexStatement::Target& target) {
      return std::pair(ancestorsOf(state_.context.catalog, *target.table).size(), target.table->oid);
    });
    return std::move(result_);
  }

 private:
  void readOptions() {
    for (const ast::Option& option : reindex_.options) {
      if (option.name == "verbose")
        result_.is_verbose = booleanOption(option);
      else if (option.name == "concurrently")
        is_concurrent_ = booleanOption(option);
      else if (option.name == "tablespace")
        throwNotSupported("TABLESPACE", option.position);
      else
        throw SqlError(sqlstate::kSyntaxError, fmt::format("unrecognized REINDEX option \"{}\"", option.name))
            .position(option.position);
    }
  }

  [[nodiscard]] FoundRelation find() const {
    const ObjectPath path{reindex_.relation.schema, reindex_.relation.name};
    const FoundRelation found = state_.context.catalog.findRelation(path);
    if (!found) raiseNoRelation(state_.context.catalog, path);
    return found;
  }

  void bindIndex() {
    const FoundRelation found = find();
    if (!found.index)
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not an index", reindex_.relation.name));
    requireIndexOwner(state_.context.catalog, *found.table, found.index->name);
    if (found.table->partitioning) result_.command = "REINDEX INDEX";
    addIndex(found.table, found.index->oid);
  }

  /// Those of partitions are parts of that of their table.
  void addIndex(const TablePtr& table, uint32_t index) {
    add(table, {index});
    if (!table->partitioning) return;
    for (const TablePtr& partition : table->partitioning->partitions())
      for (const IndexPtr& part : partition->indexes)
        if (part->parent == index) addIndex(partition, part->oid);
  }

  void bindTable() {
    const FoundRelation found = find();
    const TablePtr table = found.stored();
    if (found.system) throwNotSupported("REINDEX of a system catalog");
    if (!table || table->view || table->sequence || table->type)
      throw SqlError(sqlstate::kWrongObjectType,
                     fmt::format("\"{}\" is not a table or materialized view", reindex_.relation.name));
    requireOwner(state_.context.catalog, *table);
    if (table->partitioning) result_.command = "REINDEX TABLE";
    if (table->indexes.empty() && !table->partitioning)
      result_.notices.emplace_back(kSuccess,
                                   fmt::format("table \"{}\" has no indexes {}", table->name,
                                               is_concurrent_ ? "that can be reindexed concurrently" : "to reindex"));
    addTable(table);
    if (!table->partitioning) return;
    for (const TablePtr& below : table->partitioning->descendants()) addTable(below);
  }

  void bindSchema() {
    const CatalogView& catalog = state_.context.catalog;
    const std::string& schema = catalog.searchPath().actual(reindex_.name);
    if (!catalog.findSchema(schema)) raiseNoSchema(reindex_.name);
    for (const TablePtr& table : catalog.tables())
      if (table->schema == schema) addTable(table);
    result_.command = "REINDEX SCHEMA";
  }

  void bindDatabase() {
    if (reindex_.name != state_.context.database)
      throw SqlError(sqlstate::kFeatureNotSupported, "can only reindex the currently open database");
    const CatalogView& catalog = state_.context.catalog;
    for (const TablePtr& table : catalog.tables())
      if (!table->is_temporary || table->schema == catalog.searchPath().temporary) addTable(table);
    result_.command = "REINDEX DATABASE";
  }

  void addTable(const TablePtr& table) {
    std::vector<uint32_t> indexes;
    for (const IndexPtr& index : table->indexes) indexes.push_back(index->oid);
    add(table, std::move(indexes));
  }

  /// That of a partitioned table itself has no entries.
  void add(const TablePtr& table, std::vector<uint32_t> indexes) {
    if (!table->partitioning && !indexes.empty()) result_.targets.push_back({table, std::move(indexes)});
  }

  BindState& state_;
  const ast::Reindex& reindex_;
  ReindexStatement result_;
  bool is_concurrent_ = false;
};

}  // namespace

ReindexStatement bindReindex(BindState& state, const ast::Reindex& reindex) {
  return ReindexBinder(state, reindex).bind();
}

}  // namespace gnomon::sql
