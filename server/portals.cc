#include "server/portals.h"

#include <fmt/format.h>

#include "server/prepared_statements.h"

namespace gnomon::server {
namespace {

const SqlState kInvalidCursorState("24000");

uint64_t memoryForRows(const SessionContext& session) {
  return static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory));
}

Cursor::Options optionsOf(const SessionContext& session, const sql::DeclareCursorStatement& declare,
                          const StatementSource& source) {
  using Scroll = sql::DeclareCursorStatement::Scroll;
  return {.is_scrollable = declare.scroll == Scroll::Yes || (declare.scroll == Scroll::Possible && declare.can_scroll),
          .may_stop_scrolling = declare.scroll == Scroll::Possible,
          .is_held = declare.is_held,
          .is_binary = declare.is_binary,
          .text = source.text,
          .created_us = session.status.queryBegunUs()};
}

}  // namespace

BoundPortal* Portals::findNamed(std::string_view name) {
  const auto found = named_.find(name);
  return found != named_.end() ? &found->second : nullptr;
}

BoundPortal& Portals::findCursor(std::string_view name, uint64_t memory_bytes_max) {
  BoundPortal* const place = findNamed(name);
  if (place == nullptr) throw SqlError(sqlstate::kInvalidCursorName, fmt::format("cursor \"{}\" does not exist", name));
  if (place->is_running || place->has_failed || !place->portal)
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState, fmt::format("portal \"{}\" cannot be run", name));
  if (!place->cursor) {
    Cursor::Options options{.text = place->portal->text(), .created_us = place->bound_us};
    place->cursor.emplace(*place->portal, std::move(options), memory_bytes_max);
  }
  return *place;
}

BoundPortal& Portals::makeNamed(std::string_view name) {
  const auto [place, is_new] = named_.try_emplace(std::string(name));
  if (!is_new) throw SqlError(sqlstate::kDuplicateCursor, fmt::format("cursor \"{}\" already exists", name));
  return place->second;
}

/// The statement and the formats of the unnamed portal are mostly the next one's, too: they are left where they are.
void Portals::empty(BoundPortal& place) {
  place.cursor.reset();
  place.portal.reset();
  place.number = 0;
  place.has_failed = false;
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

void Portals::close(std::string_view name) {
  const auto found = named_.find(name);
  if (found == named_.end())
    throw SqlError(sqlstate::kInvalidCursorName, fmt::format("cursor \"{}\" does not exist", name));
  if (found->second.is_running)
    throw SqlError(kInvalidCursorState, fmt::format("cannot drop active portal \"{}\"", name));
  named_.erase(found);
}

void Portals::closeAll() {
  if (!unnamed_.is_running) erase({});
  std::erase_if(named_, [](const auto& entry) { return !entry.second.is_running; });
}

void Portals::endTransaction() {
  erase({});
  std::erase_if(named_, [](const auto& entry) { return !entry.second.isKept(); });
}

void Portals::eraseAfter(uint64_t number) {
  if (unnamed_.number > number) erase({});
  std::erase_if(named_, [number](const auto& entry) { return entry.second.number > number && !entry.second.isKept(); });
}

void Portals::hold() {
  for (auto& [name, place] : named_)
    if (place.cursor && place.cursor->options().is_held && !place.isKept()) place.cursor->hold();
}

void Portals::forEach(const std::function<void(const std::string& name, const BoundPortal&)>& visit) const {
  if (unnamed_.number != 0) visit({}, unnamed_);
  for (const auto& [name, place] : named_) visit(name, place);
}

void declareCursor(SessionContext& session, const sql::DeclareCursorStatement& declare, const PortalSource& source) {
  if (declare.name.empty()) throw SqlError(sqlstate::kInvalidCursorName, "invalid cursor name: must not be empty");
  if (!declare.is_held && !session.transaction.isLasting())
    throw SqlError(sqlstate::kNoActiveSqlTransaction, "DECLARE CURSOR can only be used in transaction blocks");
  const DescribedStatement& declaring = *source.statement;
  StatementSource query = innerStatement(declaring.source, declaring.bound->parameters);
  std::shared_ptr<sql::BoundStatement> bound = Planner(session).bind(query);
  BoundPortal& place = session.portals.make(declare.name);
  try {
    place.source.statement =
        std::make_shared<DescribedStatement>(std::move(query), bound, resultShape(session, *bound));
    place.source.parameters = source.parameters;
    place.source.format.column_formats.assign(place.source.statement->columns().size(), declare.is_binary ? 1 : 0);
    place.number = session.transaction.numberPortal();
    place.portal.emplace(session, place.source, std::move(bound));
    place.portal->begin();
    place.cursor.emplace(*place.portal, optionsOf(session, declare, declaring.source), memoryForRows(session));
  } catch (...) {
    session.portals.erase(declare.name);
    throw;
  }
}

}  // namespace gnomon::server
