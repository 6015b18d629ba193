#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sql/catalog/catalog_transaction.h"

namespace gnomon::sql {

/// Makes in a new database what its template has in its schemas, which are there: a part of CatalogTransaction.
///
/// Everything gets another oid, and what refers to it says so: types of columns, keys, owners of sequences, what views
/// read. Rows are copied as they lie. Threads: the session's; nobody is in the template, or comes.
class DatabaseCopy {
 public:
  DatabaseCopy(const Catalog& from, CatalogTransaction& to, const DefinitionContext& context)
      : from_(from), to_(to), context_(context) {}

  /// Failure: 0A000 for what cannot be copied: partitioned tables, and rows that have rows as values; 53100, 57014.
  void make();

 private:
  struct Pair {
    TablePtr before;
    std::shared_ptr<TableEntry> after;
    size_t change;  ///< its place among the transaction's
  };
  void createStorage(const TablePtr& before);
  void refer(const Pair& pair);
  void referFromKeys(const Pair& pair);
  void copyRows(const Pair& pair);
  void createIndexes(const Pair& pair);
  [[nodiscard]] uint32_t oidOf(uint32_t before) const;
  [[nodiscard]] uint32_t domainOf(uint32_t before) const;
  [[nodiscard]] Type typeOf(Type type) const;
  [[nodiscard]] std::string withOwnObjects(std::string_view text) const;
  [[nodiscard]] std::string textOf(const std::string& text) const;
  [[nodiscard]] std::string queryOf(const std::string& stored) const;

  const Catalog& from_;
  CatalogTransaction& to_;
  const DefinitionContext& context_;
  std::vector<Pair> pairs_;
  std::map<uint32_t, uint32_t> oids_;  ///< of entries and indexes, from the template's
  std::map<uint32_t, std::shared_ptr<TableEntry>> made_;
};

}  // namespace gnomon::sql
