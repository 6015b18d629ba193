#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sql_error.h"

namespace gnomon::sql {

namespace ast {
struct Statement;
}

/// One statement of a text, parsed but not bound.
///
/// A statement whose syntax is PostgreSQL's but which Gnomon does not do has no tree: `rejection` says why (0A000, or
/// 54001 when it is nested too deeply) and bind() throws it, so that the statements before it are still executed.
/// Ownership: independent of the text it was parsed from. Threads: immutable, may be shared.
struct ParsedStatement {
  uint32_t offset = 0;  ///< of the statement's first byte in the text
  uint32_t length = 0;  ///< without the semicolon
  std::shared_ptr<const ast::Statement> tree;
  std::optional<SqlError> rejection;
};

/// The statements of a text, in order; none for an empty one.
///
/// Positions, here and in what bind() throws, are byte offsets in the whole text. `text` is valid UTF-8 without NUL.
/// Failure: 42601 as PostgreSQL words it, with position; 54001.
/// Threads: any.
std::vector<ParsedStatement> parse(std::string_view text);

}  // namespace gnomon::sql
