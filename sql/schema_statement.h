#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/table_entry.h"

/// Statements that define schemas, put objects into them, and say what objects are.
namespace gnomon::sql {

namespace ast {
struct Statement;
}

/// CREATE SCHEMA.
struct CreateSchemaStatement {
  std::string name;
  bool if_not_exists = false;
  uint32_t owner = 0;
  std::vector<std::shared_ptr<ast::Statement>> elements =
      {};  ///< what is made in it, in this order; bound when it is there
};

/// ALTER SCHEMA ... RENAME TO, OWNER TO.
struct AlterSchemaStatement {
  std::string name;
  std::string new_name;  ///< empty: it gets another owner
  uint32_t owner = 0;
};

struct DropSchemaStatement {
  std::vector<std::string> names;
  bool if_exists = false;
  bool is_cascade = false;  ///< all that is in them, and what depends on that, goes as well
};

/// ALTER TABLE, VIEW or SEQUENCE ... SET SCHEMA, RENAME TO of a view or index.
struct MoveStatement {
  TablePtr table;   ///< null: there is none, and IF EXISTS was given
  IndexPtr index;   ///< of the table, which is moved; null: the table itself
  ObjectPath path;  ///< afterwards
  std::vector<SqlError> notices;
};

/// COMMENT ON.
struct CommentStatement {
  enum class What : uint8_t { Relation, Column, Index, Constraint, Trigger, Schema, Database, LargeObject };
  What what = What::Relation;
  TablePtr table;       ///< the relation, or that which has the column, index or constraint; null: a schema or database
  uint32_t column = 0;  ///< in its columns
  std::string name;     ///< of the index, constraint, trigger, schema or database
  uint32_t large_object = 0;
  std::string comment;  ///< empty: it goes
  std::vector<SqlError> notices = {};
};

}  // namespace gnomon::sql
