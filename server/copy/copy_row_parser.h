#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/arena.h"
#include "server/copy/copy_binary_cutter.h"
#include "server/copy/copy_splitter.h"
#include "server/copy/default_values.h"
#include "server/copy/domain_test.h"
#include "sql/catalog/row_checker.h"
#include "sql/statement.h"
#include "sql/types/bytea.h"
#include "storage/relation/schema.h"
#include "txn/key_expressions.h"

namespace gnomon::server {

/// Turns the fields of a row into the values that a table stores. One parse function per column, chosen once.
///
/// Threads: one. Failure: the types' input errors, 22P04, 23502, 23514 and what checks raise, each with PostgreSQL's
/// CONTEXT.
class CopyRowParser {
 public:
  /// `defaults`: the values of the table's columns that are not in the input; `row_defaults`: of those among them of
  /// which each row gets another. `bytea_output` is for messages. `strings`
  /// takes bytes that are not the input's own. `checker`: of the table's checks; null: it has none. `where`: of the
  /// rows that are wanted; null: all of them. `domains`: tests of columns. `session`: whom generated columns ask. All
  /// of them outlive this object.
  CopyRowParser(const sql::CopyFromStatement& statement, std::vector<sql::Value> defaults,
                std::vector<RowDefault> row_defaults, sql::ByteaOutput bytea_output, Arena& strings,
                sql::RowChecker* checker, sql::RowChecker* where, std::vector<DomainTest> domains,
                codegen::SessionFunctions& session);

  /// Writes one value and null flag for each column of the table. Strings refer to the input or to `strings`. False:
  /// WHERE does not want the row.
  bool parse(const CopySplitter& splitter, storage::Datum* values, uint8_t* null_flags);
  /// The same of a row in binary format.
  bool parse(const CopyBinaryCutter& cutter, storage::Datum* values, uint8_t* null_flags);
  /// Compares the header line with the columns' names (HEADER MATCH).
  void checkHeader(const CopySplitter& splitter);
  /// "COPY t, line 3", with the line's text when it is given.
  [[nodiscard]] std::string lineContext(uint64_t line_number, std::string_view line = {}) const;
  /// "COPY t, line 3, column a" of a row in binary format; without a column where it is in none.
  [[nodiscard]] std::string binaryContext(uint64_t row_number, std::optional<size_t> column) const;

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
    const DomainTest* domain;  ///< null: its type is none
  };
  struct Default {
    uint32_t index;
    storage::Datum value;
    bool is_null;
  };
  struct Parsers;

  static FieldParser parserOf(const sql::Type& type);
  void addDefault(uint32_t index);
  void requireNull(const CopySplitter& splitter, const Column& column) const;
  void checkFieldCount(const CopySplitter& splitter, size_t column) const;
  /// What a field stands for; none: NULL.
  std::optional<std::string_view> textOf(const CopySplitter& splitter, const CopyField& field, size_t column) const;
  storage::Datum parseBinary(const Column& column, std::string_view bytes) const;
  /// A row with its given columns, of this line: the others, and whether it may be and is wanted. Failure: with the
  /// line as its context.
  bool finish(uint64_t line_number, std::string_view line, storage::Datum* values, uint8_t* null_flags);
  bool complete(storage::Datum* values, uint8_t* null_flags);
  void computeDefaults(storage::Datum* values, uint8_t* null_flags);
  void computeGenerated(storage::Datum* values, uint8_t* null_flags);
  void check(const storage::Datum* values, const uint8_t* null_flags) const;
  [[nodiscard]] std::string columnContext(const CopySplitter& splitter, size_t column) const;

  const sql::CopyFromStatement& statement_;
  const std::vector<sql::Value> default_values_;
  const std::vector<RowDefault> row_defaults_;
  const sql::ByteaOutput bytea_output_;
  Arena& strings_;
  sql::RowChecker* const checker_;
  sql::RowChecker* const where_;
  const std::vector<DomainTest> domains_;
  std::vector<Column> columns_;    ///< in the order of the input
  std::vector<Default> defaults_;  ///< of the table's other columns
  std::vector<uint32_t> not_null_;
  std::shared_ptr<const txn::KeyExpressions> generated_;  ///< computes generated_columns_; null: there are none
  std::vector<uint32_t> generated_columns_;
  std::vector<storage::Datum> generated_values_;
  std::vector<uint8_t> generated_nulls_;
};

}  // namespace gnomon::server
