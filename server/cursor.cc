#include "server/cursor.h"

#include <algorithm>

namespace gnomon::server {
namespace {

using Direction = sql::FetchStatement::Direction;

/// Rows are computed and handed on in pieces of so many where they are kept.
constexpr uint64_t kRowsPerPiece = 1000;
/// What is kept for going back that nobody asked for.
constexpr size_t kUnaskedBytesMax = 16 << 20;

uint64_t magnitude(int64_t count) {
  return count < 0 ? 0 - static_cast<uint64_t>(count) : static_cast<uint64_t>(count);
}

std::span<const sql::Output::Position> positionsOf(const sql::BoundStatement& bound) {
  const auto* const query = std::get_if<sql::QueryStatement>(&bound.body);
  if (query == nullptr || query->plan->root->kind != sql::Operator::Kind::Output) return {};
  return static_cast<const sql::Output&>(*query->plan->root).positions;
}

}  // namespace

Cursor::Cursor(Portal& portal, Options options, uint64_t memory_bytes_max)
    : portal_(portal),
      options_(std::move(options)),
      positions_(positionsOf(portal.bound())),
      tuple_ids_(positions_.size()),
      kept_(memory_bytes_max),
      keeps_(options_.is_scrollable),
      position_(portal.rowsPutOut()),
      at_start_(position_ == 0),
      at_end_(portal.isExhausted()) {}

uint64_t Cursor::fetch(const sql::FetchStatement& statement, RowSink& asked) {
  RowSink& rows = statement.is_move ? none_ : asked;
  if (positions_.empty()) return fetchShown(statement, rows);
  ShownRows shown(rows, tuple_ids_);
  return fetchShown(statement, shown);
}

uint64_t Cursor::fetchShown(const sql::FetchStatement& statement, RowSink& rows) {
  switch (statement.direction) {
    case Direction::Forward:
      return fetchForward(statement.count, statement.is_move, rows);
    case Direction::Backward:
      if (statement.count == sql::FetchStatement::kAll) {
        if (!statement.is_move) return backward(kAll, rows);
        const uint64_t passed = position_ > 0 && !at_end_ ? position_ - 1 : position_;
        rewind();
        return passed;
      }
      return fetchForward(static_cast<int64_t>(0 - static_cast<uint64_t>(statement.count)), statement.is_move, rows);
    case Direction::Absolute:
      return fetchAbsolute(statement.count, rows);
    case Direction::Relative:
      return fetchRelative(statement.count, statement.is_move, rows);
  }
  return 0;
}

/// `count` negative: backward.
uint64_t Cursor::fetchForward(int64_t count, bool is_move, RowSink& rows) {
  if (count == 0) return fetchCurrent(is_move, rows);
  if (count < 0) return backward(magnitude(count), rows);
  return forward(count == sql::FetchStatement::kAll ? kAll : static_cast<uint64_t>(count), rows);
}

/// The current row once more.
uint64_t Cursor::fetchCurrent(bool is_move, RowSink& rows) {
  if (is_move) return isOnRow() ? 1 : 0;
  if (!isOnRow()) return 0;
  backward(1, none_);
  return forward(1, rows);
}

uint64_t Cursor::fetchAbsolute(int64_t count, RowSink& rows) {
  if (count == 0) {
    rewind();
    return 0;
  }
  const uint64_t wanted = magnitude(count);
  if (count < 0) {
    forward(kAll, none_);
    if (wanted > 1) backward(wanted - 1, none_);
    return backward(1, rows);
  }
  if (wanted - 1 <= position_ / 2) {
    rewind();
    if (wanted > 1) forward(wanted - 1, none_);
    return forward(1, rows);
  }
  const uint64_t here = at_end_ ? position_ + 1 : position_;
  if (wanted <= here)
    backward(here - wanted + 1, none_);
  else if (wanted > here + 1)
    forward(wanted - here - 1, none_);
  return forward(1, rows);
}

uint64_t Cursor::fetchRelative(int64_t count, bool is_move, RowSink& rows) {
  if (count == 0) return fetchCurrent(is_move, rows);
  const uint64_t wanted = magnitude(count);
  if (count > 0) {
    if (wanted > 1) forward(wanted - 1, none_);
    return forward(1, rows);
  }
  if (wanted > 1) backward(wanted - 1, none_);
  return backward(1, rows);
}

void Cursor::requireScrollable() const {
  if (!options_.is_scrollable)
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState, "cursor can only scan forward")
        .hint("Declare it with SCROLL option to enable backward scan.");
}

void Cursor::rewind() {
  if (at_start_ && !at_end_) return;
  requireScrollable();
  position_ = 0;
  at_start_ = true;
  at_end_ = false;
}

uint64_t Cursor::forward(uint64_t count, RowSink& rows) {
  if (at_end_ || count == 0) return 0;
  const uint64_t done =
      keeps_ || is_kept_ ? forwardKept(count, rows) : portal_.advance(count == kAll ? 0 : count, rows);
  if (done > 0) at_start_ = false;
  if (done < count) at_end_ = true;
  position_ += done;
  return done;
}

uint64_t Cursor::forwardKept(uint64_t count, RowSink& rows) {
  uint64_t done = 0;
  rows.begin();
  while (done < count) {
    const uint64_t next = position_ + done - kept_from_;
    if (next < kept_.count()) {
      rows.write(kept_.row(next));
      ++done;
      continue;
    }
    if (is_kept_ || portal_.isExhausted()) break;
    if (options_.may_stop_scrolling && kept_.bytes() > kUnaskedBytesMax) {
      stopScrolling();
      return done + portal_.advance(count == kAll ? 0 : count - done, rows);
    }
    if (portal_.advance(std::min(count - done, kRowsPerPiece), kept_) == 0) break;
  }
  return done;
}

void Cursor::stopScrolling() {
  options_.is_scrollable = false;
  keeps_ = false;
  kept_.clear();
}

uint64_t Cursor::backward(uint64_t count, RowSink& rows) {
  requireScrollable();
  if (at_start_ || count == 0) return 0;
  const uint64_t before = at_end_ ? position_ : position_ - 1;
  const uint64_t done = std::min(count, before);
  rows.begin();
  for (uint64_t i = 1; i <= done; ++i) rows.write(kept_.row(before - i));
  if (done > 0 && at_end_) {
    at_end_ = false;
    ++position_;
  }
  if (done < count) {
    at_start_ = true;
    position_ = 0;
  } else {
    position_ -= done;
  }
  return done;
}

void Cursor::hold() {
  if (!keeps_) kept_from_ = position_;
  while (!portal_.isExhausted() && portal_.advance(kRowsPerPiece, kept_) > 0) {
  }
  portal_.release();
  is_kept_ = true;
}

}  // namespace gnomon::server
