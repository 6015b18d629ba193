#include "server/session_domains.h"

#include <algorithm>

#include "server/copy/domain_test.h"
#include "server/planner.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/type_definition.h"
#include "sql/catalog/user_types.h"

namespace gnomon::server {

struct SessionDomains::Known {
  sql::DomainRules rules;
  std::vector<sql::TablePtr> used;  ///< the rules are good while these are the catalog's
  uint64_t settings_version = 0;    ///< likewise
  std::unique_ptr<const DomainTest> test;
  bool is_running = false;

  [[nodiscard]] bool isCurrent(const SessionContext& session) const {
    return settings_version == session.settings.version() && std::ranges::all_of(used, [](const sql::TablePtr& entry) {
             return sql::findTypeEntry(entry->oid) == entry;
           });
  }
};

SessionDomains::SessionDomains(SessionContext& session)
    : session_(session), memory_(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory))) {}

SessionDomains::~SessionDomains() = default;

std::shared_ptr<SessionDomains::Known> SessionDomains::make(uint32_t domain) {
  auto made = std::make_shared<Known>();
  const StatementSource none{.text = std::make_shared<const std::string>(), .parsed = {}, .parameter_types = {}};
  sql::BindContext context = Planner(session_).bindContext(none, {.unlimited_numerics = true});
  sql::BindState state(context);
  made->rules = sql::domainRules(state, domain);
  made->used = state.tables;
  made->settings_version = session_.settings.version();
  made->test = std::make_unique<const DomainTest>(session_, 0, made->rules, memory_);
  return made;
}

void SessionDomains::require(const sql::Value& value, uint32_t domain) {
  std::shared_ptr<Known> known = known_[domain];
  // A check may call a routine that comes here again.
  if (!known || known->is_running || !known->isCurrent(session_)) known_[domain] = known = make(domain);
  struct Running {
    explicit Running(bool& flag) : is_running(flag) { is_running = true; }
    ~Running() { is_running = false; }
    bool& is_running;
  } const running(known->is_running);
  known->test->require(value);
}

}  // namespace gnomon::server
