#pragma once

#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/algebra/check_expressions.h"
#include "sql/catalog/table_entry.h"

/// Statements that define types.
namespace gnomon::sql {

/// CREATE TYPE, CREATE DOMAIN and what ALTER makes of them.
struct DefineTypeStatement {
  TablePtr before;                   ///< null: it is new
  ObjectPath path;                   ///< afterwards
  TypeEntry type;                    ///< afterwards; labels without an oid get one
  std::vector<ColumnEntry> columns;  ///< afterwards: attributes, or a domain's value
  std::vector<CheckEntry> checks;    ///< of a domain, afterwards
  CheckForms tested_checks;          ///< that all values there are must pass; null: none
  bool tests_nulls = false;          ///< none of them may be NULL
  std::vector<TablePtr> used;        ///< types that it is made of
  bool changes_nothing = false;      ///< IF NOT EXISTS, and there is one
  std::vector<SqlError> notices;
};

struct DropTypeStatement {
  std::vector<ObjectPath> names;  ///< as they are written
  bool if_exists = false;
  bool is_cascade = false;  ///< columns and types that need them go as well
  bool are_domains = false;
};

}  // namespace gnomon::sql
