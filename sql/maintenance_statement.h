#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"
#include "sql/table_statement.h"

/// Statements that tend what is stored.
namespace gnomon::sql {

/// VACUUM and ANALYZE, of one table after the other.
struct VacuumStatement {
  bool vacuums = false;   ///< takes out what everybody sees as deleted
  bool analyzes = false;  ///< counts what the statistics know anew
  bool is_full = false;   ///< VACUUM: has each table alone
  bool skips_locked = false;
  bool is_verbose = false;
  std::vector<TablePtr> tables;    ///< without repetition
  bool is_of_all = false;          ///< no table was named: all there are
  std::vector<SqlError> warnings;  ///< of what was named and is no table
};

struct CheckpointStatement {};

/// REINDEX: indexes are made anew of what is in their tables.
struct ReindexStatement {
  struct Target {
    TablePtr table;
    std::vector<uint32_t> indexes;  ///< their oids
  };
  std::vector<Target> targets;  ///< each table once
  std::string command;          ///< "REINDEX SCHEMA" and so on, of one that is not for transaction blocks; empty: it is
  bool is_verbose = false;
  std::vector<SqlError> notices;
};

/// CREATE EXTENSION, DROP EXTENSION. DROP of objects that are not there (ast::DropOther): notices alone.
struct ExtensionStatement {
  std::vector<SqlError> notices;
  std::optional<CreateTableStatement> made = {};  ///< its entry
  std::vector<TablePtr> dropped = {};             ///< entries
};

}  // namespace gnomon::sql
