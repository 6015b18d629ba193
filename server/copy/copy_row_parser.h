#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/arena.h"
#include "server/copy/copy_splitter.h"
#include "server/copy/default_values.h"
#include "sql/catalog/row_checker.h"
#include "sql/statement.h"
#include "sql/types/bytea.h"
#include "storage/relation/schema.h"

namespace gnomon::server {

/// Turns the fields of a row into the values that a table stores. One parse function per column, chosen once.
///
/// Threads: one. Failure: the types' input errors, 22P04, 23502, 23514 and what checks raise, each with PostgreSQL's
/// CONTEXT.
class CopyRowParser {
 public:
  /// `defaults`: the values of the table's columns that are not in the input; `row_defaults`: of those among them of
  /// which each row gets another. `bytea_output` is for messages. `strings`
  /// takes bytes that are not the input's own. `checker`: of the table's checks; null: it has none. All of them outlive
  /// this object.
  CopyRowParser(const sql::CopyFromStatement& statement, std::vector<sql::Value> defaults,
                std::vector<RowDefault> row_defaults, sql::ByteaOutput bytea_output, Arena& strings,
                sql::RowChecker* checker);

  /// Writes one value and null flag for each column of the table. Strings refer to the input or to `strings`.
  void parse(const CopySplitter& splitter, storage::Datum* values, uint8_t* null_flags);
  /// Compares the header line with the columns' names (HEADER MATCH).
  void checkHeader(const CopySplitter& splitter);
  /// "COPY t, line 3", with the line's text when it is given.
  [[nodiscard]] std::string lineContext(uint64_t line_number, std::string_view line = {}) const;

 private:
  struct Column;
  using FieldParser = storage::Datum (*)(const Column& column, std::string_view text);
  struct Column {
    FieldParser parse;
    sql::Type type;
    Arena* strings;
    uint32_t index;  ///< in the table
    unsigned precision, scale;
    const std::string* name;
  };
  struct Default {
    uint32_t index;
    storage::Datum value;
    bool is_null;
  };
  struct Parsers;

  static FieldParser parserOf(const sql::Type& type);
  void addDefault(uint32_t index);
  void checkFieldCount(const CopySplitter& splitter, size_t column) const;
  [[noreturn]] void throwNull(const CopySplitter& splitter, uint32_t column, const storage::Datum* values,
                              const uint8_t* null_flags) const;
  void computeDefaults(const CopySplitter& splitter, storage::Datum* values, uint8_t* null_flags);
  void check(const CopySplitter& splitter, const storage::Datum* values, const uint8_t* null_flags);
  [[nodiscard]] std::string columnContext(const CopySplitter& splitter, size_t column) const;

  const sql::CopyFromStatement& statement_;
  const std::vector<sql::Value> default_values_;
  const std::vector<RowDefault> row_defaults_;
  const sql::ByteaOutput bytea_output_;
  Arena& strings_;
  sql::RowChecker* const checker_;
  std::vector<Column> columns_;    ///< in the order of the input
  std::vector<Default> defaults_;  ///< of the table's other columns
  std::vector<uint32_t> not_null_;
};

}  // namespace gnomon::server
