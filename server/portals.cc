#include "server/portals.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/prepared_statements.h"
#include "sql/catalog/partitioning.h"

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
  place.follower.reset();
  place.number = 0;
  place.has_failed = false;
  place.is_pinned = false;
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
  if (found->second.is_pinned)
    throw SqlError(kInvalidCursorState, fmt::format("cannot drop pinned portal \"{}\"", name));
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

void Portals::holdPinned() {
  for (auto& [name, place] : named_)
    if (place.is_pinned && place.cursor && !place.isKept()) place.cursor->hold();
}

void Portals::endCursors() {
  std::erase_if(named_, [](const auto& entry) {
    const BoundPortal& place = entry.second;
    return place.cursor && !place.isKept() && !place.is_running;
  });
}

void Portals::hold() {
  for (auto& [name, place] : named_)
    if (place.cursor && place.cursor->options().is_held && !place.isKept()) place.cursor->hold();
}

void Portals::forEach(const std::function<void(const std::string& name, const BoundPortal&)>& visit) const {
  if (unnamed_.number != 0) visit({}, unnamed_);
  for (const auto& [name, place] : named_) visit(name, place);
}

void beginCursor(SessionContext& session, BoundPortal& place, std::shared_ptr<sql::BoundStatement> fresh,
                 Cursor::Options options, int16_t format) {
  const DescribedStatement& statement = *place.source.statement;
  const auto& query = std::get<sql::QueryStatement>(statement.bound->body);
  std::vector<int16_t>& formats = place.source.format.column_formats;
  formats.assign(statement.columns().size(), format);
  if (query.plan->root->kind == sql::Operator::Kind::Output)
    formats.resize(static_cast<const sql::Output&>(*query.plan->root).columns.size(), 1);
  place.number = session.transaction.numberPortal();
  place.follower.emplace(session.server.transactions.movedTuples());
  place.portal.emplace(session, place.source, std::move(fresh));
  place.portal->begin();
  place.cursor.emplace(*place.portal, std::move(options), memoryForRows(session));
}

namespace {

/// The leaf partitions of a table, or itself.
std::vector<const sql::TableEntry*> leavesOf(const sql::TableEntry& table) {
  if (!table.partitioning) return {&table};
  std::vector<const sql::TableEntry*> leaves;
  for (const sql::TablePtr& leaf : table.partitioning->leaves()) leaves.push_back(leaf.get());
  return leaves;
}

bool covers(const sql::Output::Position& position, const sql::TableEntry& leaf) {
  return std::ranges::any_of(leavesOf(*position.table),
                             [&](const sql::TableEntry* covered) { return covered->oid == leaf.oid; });
}

/// Of a cursor's positions the one that has the rows of a leaf. Failure: 24000.
size_t positionOf(const Cursor& cursor, std::string_view name, const sql::TableEntry& leaf) {
  const std::span<const sql::Output::Position> positions = cursor.positions();
  const auto has = [&](const sql::Output::Position& position) { return covers(position, leaf); };
  const auto found = std::ranges::find_if(positions, has);
  const auto refuse = [&](std::string_view what) {
    throw SqlError(kInvalidCursorState, fmt::format("cursor \"{}\" {} table \"{}\"", name, what, leaf.name));
  };
  if (found == positions.end())
    refuse(!positions.empty() && positions[0].is_locked ? "does not have a FOR UPDATE/SHARE reference to"
                                                        : "is not a simply updatable scan of");
  if (std::find_if(found + 1, positions.end(), has) != positions.end())
    refuse("has multiple FOR UPDATE/SHARE references to");
  return static_cast<size_t>(found - positions.begin());
}

}  // namespace

std::optional<uint64_t> currentRow(Portals& portals, const sql::TableEntry& target, std::string_view name) {
  const auto refuse = [&](std::string_view what) {
    throw SqlError(kInvalidCursorState, fmt::format("cursor \"{}\" {}", name, what));
  };
  const BoundPortal* const place = portals.find(name);
  if (place == nullptr) throw SqlError(sqlstate::kInvalidCursorName, fmt::format("cursor \"{}\" does not exist", name));
  if (place->isKept()) refuse("is held from a previous transaction");
  if (!place->portal || !std::holds_alternative<sql::QueryStatement>(place->portal->bound().body) ||
      place->portal->bound().command != "SELECT")
    refuse("is not a SELECT query");
  if (!place->source.statement->source.is_positioned) throwNotSupported("WHERE CURRENT OF a portal of a Bind message");
  const Cursor& cursor = *place->cursor;
  const std::vector<const sql::TableEntry*> leaves = leavesOf(target);
  std::optional<uint64_t> row;
  for (size_t number = 0; number < leaves.size(); ++number) {
    const size_t position = positionOf(cursor, name, *leaves[number]);
    if (!cursor.isOnRow()) refuse("is not positioned on a row");
    // Of a partitioned table the leaf's number is above the id.
    const uint64_t id = cursor.tupleIds()[position];
    const std::vector<const sql::TableEntry*> read = leavesOf(*cursor.positions()[position].table);
    if (read[id >> sql::Partitioning::kLeafShift]->oid != leaves[number]->oid) continue;
    row = (uint64_t{number} << sql::Partitioning::kLeafShift) | (id & sql::Partitioning::kTupleMask);
  }
  return row;
}

void declareCursor(SessionContext& session, const sql::DeclareCursorStatement& declare, const PortalSource& source) {
  if (declare.name.empty()) throw SqlError(sqlstate::kInvalidCursorName, "invalid cursor name: must not be empty");
  if (!declare.is_held && !session.transaction.isLasting())
    throw SqlError(sqlstate::kNoActiveSqlTransaction, "DECLARE CURSOR can only be used in transaction blocks");
  const DescribedStatement& declaring = *source.statement;
  StatementSource query = innerStatement(declaring.source, declaring.bound->parameters);
  query.is_positioned = true;
  std::shared_ptr<sql::BoundStatement> bound = Planner(session).bind(query);
  BoundPortal& place = session.portals.make(declare.name);
  try {
    place.source.statement =
        std::make_shared<DescribedStatement>(std::move(query), bound, resultShape(session, *bound));
    place.source.parameters = source.parameters;
    beginCursor(session, place, std::move(bound), optionsOf(session, declare, declaring.source),
                declare.is_binary ? 1 : 0);
  } catch (...) {
    session.portals.erase(declare.name);
    throw;
  }
}

}  // namespace gnomon::server
