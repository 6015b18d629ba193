#pragma once

#include <cstdint>

#include "sql/types/value.h"

namespace gnomon::sql {

/// Tests values of domains where no code does: those of fields when a text becomes a row. Threads: the session's.
class DomainTester {
 public:
  virtual ~DomainTester() = default;
  /// `domain`: as domainOid() says; not 0. Failure: 23502, 23514, and what the checks raise.
  virtual void require(const Value& value, uint32_t domain) = 0;
};

}  // namespace gnomon::sql
