#include "server/portals.h"

#include <fmt/format.h>

namespace gnomon::server {

BoundPortal* Portals::findNamed(std::string_view name) {
  const auto found = named_.find(name);
  return found != named_.end() ? &found->second : nullptr;
}

BoundPortal& Portals::makeNamed(std::string_view name) {
  const auto [place, is_new] = named_.try_emplace(std::string(name));
  if (!is_new) throw SqlError(sqlstate::kDuplicateCursor, fmt::format("cursor \"{}\" already exists", name));
  return place->second;
}

/// The statement and the formats of the unnamed portal are mostly the next one's, too: they are left where they are.
void Portals::empty(BoundPortal& place) {
  place.portal.reset();
  place.deallocate.reset();
  place.number = 0;
  place.source.parameters.clear();
}

void Portals::erase(std::string_view name) {
  if (!name.empty()) {
    if (const auto found = named_.find(name); found != named_.end()) named_.erase(found);
    return;
  }
  empty(unnamed_);
  unnamed_.source.statement = nullptr;
  if (unnamed_.source.parameters.capacity() > kParametersKept) unnamed_.source.parameters = std::vector<sql::Value>();
}

void Portals::clear() {
  erase({});
  named_.clear();
}

void Portals::eraseAfter(uint64_t number) {
  if (unnamed_.number > number) erase({});
  std::erase_if(named_, [number](const auto& entry) { return entry.second.number > number; });
}

}  // namespace gnomon::server
