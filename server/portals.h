#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/cursor.h"
#include "server/portal.h"
#include "sql/bound_statement.h"
#include "txn/moved_tuples.h"

namespace gnomon::server {

/// A portal of the extended protocol or of DECLARE: what it is made of, and how far it has run.
struct BoundPortal {
  PortalSource source;           ///< of the portal, which goes before it
  std::optional<Portal> portal;  ///< none: of the empty statement
  std::optional<Cursor> cursor;  ///< over the portal; none: nobody has gone through it by name yet
  uint64_t number = 0;           ///< SessionTransaction::numberPortal; 0: nothing is bound here
  int64_t bound_us = 0;          ///< since 1970
  bool is_running = false;
  bool has_failed = false;                             ///< going through it by name did
  bool is_pinned = false;                              ///< a loop of a routine goes through it
  std::optional<txn::MovedTuples::Follower> follower;  ///< of the rows where it may stand
  /// It is held past the end of its transaction.
  [[nodiscard]] bool isKept() const { return cursor && cursor->isKept(); }
  /// Of the columns that its statement has.
  [[nodiscard]] std::span<const int16_t> shownFormats() const {
    return std::span(source.format.column_formats).first(source.statement->columns().size());
  }
};

/// The portals of a session by name. The unnamed one, which is all that most clients use, has a place that stays, and
/// the memory for its parameters stays there. Threads: the session's.
class Portals {
 public:
  /// Null: there is none.
  [[nodiscard]] BoundPortal* find(std::string_view name) {
    if (name.empty()) return unnamed_.number != 0 ? &unnamed_ : nullptr;
    return findNamed(name);
  }
  /// The portal as one that FETCH and MOVE go through. Failure: 34000; 55000 while it runs.
  BoundPortal& findCursor(std::string_view name, uint64_t memory_bytes_max);
  /// For a portal without a name of its own.
  uint64_t numberUnnamed() { return ++unnamed_count_; }
  /// The place of a portal that is about to be bound, empty. Failure: 42P03.
  BoundPortal& make(std::string_view name) {
    if (!name.empty()) return makeNamed(name);
    empty(unnamed_);
    return unnamed_;
  }
  void erase(std::string_view name);
  /// CLOSE. Failure: 34000; 24000 while it runs, or is pinned.
  void close(std::string_view name);
  /// All that do not run.
  void closeAll();
  /// At the end of a transaction: what is not held goes.
  void endTransaction();
  /// Those with larger numbers go.
  void eraseAfter(uint64_t number);
  /// Before a routine ends a transaction: keeps the rows of those that are pinned.
  void holdPinned();
  /// Behind that: cursors that are not held go.
  void endCursors();
  /// Before a commit: keeps the rows of those that are to outlive it.
  void hold();
  void forEach(const std::function<void(const std::string& name, const BoundPortal&)>& visit) const;

 private:
  static constexpr size_t kParametersKept = 64;

  [[nodiscard]] BoundPortal* findNamed(std::string_view name);
  BoundPortal& makeNamed(std::string_view name);
  static void empty(BoundPortal& place);

  BoundPortal unnamed_;
  uint64_t unnamed_count_ = 0;
  std::map<std::string, BoundPortal, std::less<>> named_;
};

/// Begins the query of a cursor that is made at `place`, where its source is, and makes the cursor. `format`: of all
/// columns. Failure: that of the query's start.
void beginCursor(SessionContext& session, BoundPortal& place, std::shared_ptr<sql::BoundStatement> fresh,
                 Cursor::Options options, int16_t format);

/// As codegen::SessionFunctions.
std::optional<uint64_t> currentRow(Portals& portals, const sql::TableEntry& target, std::string_view cursor);

/// DECLARE of what `source` is made of. Failure: 34000, 25P01, 42P03; that of the query's start.
void declareCursor(SessionContext& session, const sql::DeclareCursorStatement& declare, const PortalSource& source);

}  // namespace gnomon::server
