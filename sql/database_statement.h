#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/sql_error.h"
#include "sql/role_statement.h"

/// Statements that define databases.
namespace gnomon::sql {

/// What CREATE and ALTER say of a database; nothing: they do not.
struct DatabaseOptions {
  std::optional<bool> is_template = {}, allows_connections = {};
  std::optional<int32_t> connection_limit = {};
};

struct CreateDatabaseStatement {
  std::string name;
  DatabaseOptions options = {};
  std::optional<std::string> owner = {};     ///< nothing: who asks
  std::string from = "template1";            ///< TEMPLATE
  std::optional<std::string> encoding = {};  ///< as it is shown, where it is not the server's; nothing: that of `from`
  /// Where they are not those of `from`.
  std::optional<std::string> collation = {}, character_type = {};
  std::optional<uint32_t> oid = {};
};

/// ALTER DATABASE ... WITH, or RENAME TO.
struct AlterDatabaseStatement {
  std::string name;
  std::string new_name = {};  ///< empty: the options
  DatabaseOptions options = {};
};

/// ALTER DATABASE ... SET, RESET.
struct DatabaseSettingStatement {
  std::string name;
  std::string setting;               ///< empty: all of them
  std::optional<std::string> value;  ///< as the setting has it; nothing: it is reset
  bool is_current = false;           ///< to the value that it has
};

struct DropDatabaseStatement {
  std::string name;
  bool if_exists = false;
  bool is_forced = false;  ///< sessions in it are ended
};

}  // namespace gnomon::sql
