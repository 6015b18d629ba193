#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/parse/ast_session.h"

/// The trees of statements about databases.
namespace gnomon::sql::ast {

struct DatabaseOption {
  std::string name;                  ///< as the grammar has it
  std::optional<std::string> value;  ///< nothing: DEFAULT
  int32_t position = -1;
};

struct CreateDatabase {
  std::string name;
  std::vector<DatabaseOption> options;
};

struct AlterDatabase {
  std::string name;
  std::vector<DatabaseOption> options;
};

struct RenameDatabase {
  std::string name;
  std::string new_name;
};

/// ALTER DATABASE ... SET, RESET.
struct DatabaseSetting {
  std::string name;
  Set set;
};

struct DropDatabase {
  std::string name;
  bool if_exists = false;
  bool is_forced = false;
};

}  // namespace gnomon::sql::ast
