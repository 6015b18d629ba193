#pragma once

#include <string>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// While it lives, untyped literals of dates, times and intervals are read for good, also `today` and its kin: of an
/// expression that is going to be stored PostgreSQL keeps what the session that defined it read.
class StoredLiterals {
 public:
  explicit StoredLiterals(BindState& state);
  ~StoredLiterals();
  StoredLiterals(const StoredLiterals&) = delete;
  StoredLiterals& operator=(const StoredLiterals&) = delete;

  /// The text of an expression that was bound meanwhile, with its literals as every session reads them. `node` is the
  /// expression as it was bound; the text is the same without its positions.
  [[nodiscard]] std::string write(const ast::Expression& node, const std::string& text) const;

 private:
  BindState& state_;
  std::vector<ReadLiteral> read_;
};

}  // namespace gnomon::sql
