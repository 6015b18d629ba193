#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sql/algebra/check_expressions.h"
#include "sql/catalog/table_entry.h"

/// COPY.
namespace gnomon::sql {

struct KeyWork;
struct TriggerWork;
struct Plan;

/// COPY's options after validation (PostgreSQL 15's rules and messages).
struct CopyOptions {
  enum class Format : uint8_t { Text, Csv, Binary };
  Format format = Format::Text;
  char delimiter = '\t';          ///< csv: ','
  std::string null_text = "\\N";  ///< csv: ""
  bool header = false;
  bool header_match = false;
  bool freezes = false;  ///< FREEZE: only into a table that the transaction has made or emptied
  char quote = '"';
  char escape = '"';
  /// Csv: flags of columns, as many as are copied; empty: none is set.
  std::vector<uint8_t> force_quote;
  std::vector<uint8_t> force_not_null;  ///< the NULL text is a value
  std::vector<uint8_t> force_null;      ///< the NULL text is NULL in quotes, too
};

/// What a domain, or an array of one, wants of its values, for those that are tested one by one.
struct DomainRules {
  std::shared_ptr<const DomainRules> of_elements;  ///< of an array, tested first; null: there is nothing to be tested
  Type element;                                    ///< the elements' type
  std::string name;
  uint32_t oid = 0;
  bool is_not_null = false;
  std::vector<std::string> check_names;  ///< those below it first
  CheckForms checks;                     ///< over the value alone; null: none
};

/// COPY table [(columns)] FROM.
struct CopyFromStatement {
  TablePtr table;
  std::vector<uint32_t> columns;        ///< in the order of the input; index in TableEntry::columns
  std::vector<ExpressionPtr> defaults;  ///< one per table column: the value of a column that is not in the input
  std::vector<std::pair<uint32_t, DomainRules>> domains;  ///< of table columns that are in the input
  CheckForms checks;                                      ///< of the table; null: none
  CheckForms where;                                       ///< of the rows that are taken; null: all of them
  std::shared_ptr<const KeyWork> keys;                    ///< null: none
  std::shared_ptr<const TriggerWork> triggers;            ///< null: none fires
  std::vector<TablePtr> ancestors;                        ///< of a partition: from the one above it upward
  CopyOptions options;
  std::string file;  ///< on the server; empty: STDIN
};

/// COPY {table [(columns)] | (query)} TO: the plan's rows in COPY's format.
struct CopyToStatement {
  std::shared_ptr<Plan> plan;
  CopyOptions options;
  std::string file;  ///< on the server; empty: STDOUT
};

}  // namespace gnomon::sql
