#pragma once

#include <memory>

#include "base/memory_account.h"
#include "server/session_context.h"
#include "sql/catalog/row_checker.h"
#include "sql/statement.h"
#include "storage/relation/schema.h"

namespace gnomon::server {

/// Tests the values of a column of a domain one by one. Threads: one.
class DomainTest {
 public:
  /// `rules` and `memory`, which pays for intermediate values, outlive this object.
  DomainTest(SessionContext& session, uint32_t column, const sql::DomainRules& rules, MemoryAccount& memory);

  [[nodiscard]] uint32_t column() const { return column_; }
  /// As a column of the domain holds it. Failure: 23502, 23514, and what the checks raise.
  void require(storage::Datum value, bool is_null) const;
  /// As rows and arrays hold it. Failure: likewise.
  void require(const sql::Value& value) const;

 private:
  const uint32_t column_;
  const sql::DomainRules& rules_;
  sql::Type type_;                                 ///< below the domain
  std::unique_ptr<const DomainTest> of_elements_;  ///< of an array; null: there is nothing to be tested
  std::unique_ptr<sql::RowChecker> checker_;       ///< null: it has no checks
};

}  // namespace gnomon::server
