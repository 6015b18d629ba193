#pragma once

#include <string_view>

#include "base/sql_error.h"

namespace gnomon::server {

/// Another line of the error's context: what was executed that called what stands there already.
inline void addContext(SqlError& error, std::string_view line) {
  std::string context = error.context();
  if (!context.empty()) context.push_back('\n');
  error.context(context += line);
}

}  // namespace gnomon::server
