#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/memory_account.h"
#include "server/session_context.h"
#include "sql/catalog/domain_tester.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::server {

/// The session's tests of domains: compiled when they are first needed, and anew when a domain has changed.
class SessionDomains final : public sql::DomainTester {
 public:
  explicit SessionDomains(SessionContext& session);
  ~SessionDomains() override;

  void require(const sql::Value& value, uint32_t domain) override;

 private:
  struct Known;
  std::shared_ptr<Known> make(uint32_t domain);

  SessionContext& session_;
  MemoryAccount memory_;
  std::map<uint32_t, std::shared_ptr<Known>> known_;  ///< by domainOid()'s number
};

}  // namespace gnomon::server
