#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/described_statement.h"
#include "server/result_columns.h"
#include "sql/plpgsql/datum.h"
#include "sql/plpgsql/frame_layout.h"
#include "sql/plpgsql/frame_names.h"

namespace gnomon::server {

/// A piece of SQL in a routine, bound to the columns, and to the shapes that the routine's records have.
///
/// Threads: the session's.
struct Piece {
  /// How a row of the piece gets into a variable without a conversion.
  struct Direct {
    sql::plpgsql::DatumId target;
    std::shared_ptr<const std::vector<ResultColumn>> columns;  ///< of the row
    bool is_possible = false;
    struct Field {
      uint32_t slot;
      bool is_string;
    };
    std::vector<Field> fields;
    sql::plpgsql::FrameLayout::ShapeId shape = sql::plpgsql::FrameLayout::kNoShape;  ///< of a record
  };
  /// Which rows of the piece somebody looks at.
  enum class Rows : uint8_t {
    All,   ///< as HeldRows take them
    First  ///< as code leaves it (framing FirstRow), if the piece locks no rows
  };
  std::string text;                                       ///< as SQL's grammar reads it
  std::shared_ptr<const sql::plpgsql::FrameNames> names;  ///< its parameters are the values of names->slots()
  std::shared_ptr<DescribedStatement> statement;
  codegen::OutputFormat format;
  uint64_t catalog_version = 0;                  ///< with which its tables were the catalog's
  std::shared_ptr<const CompiledQuery> planned;  ///< that `columns` are of
  std::shared_ptr<const std::vector<ResultColumn>> columns;
  Direct direct;                  ///< the one that was used last
  bool reads_records = false;     ///< names->records()
  bool is_plain = false;          ///< an expression that reads no rows
  bool is_query = false;          ///< it has a plan; otherwise it defines something, or is a command
  bool is_change = false;         ///< it has one that changes tables
  const char* refusal = nullptr;  ///< why no routine may execute it as a statement (0A000); null: it may
  uint8_t lone_rows = 0;          ///< GatheredInsert: put alone, one after the other
  uint32_t users = 0;             ///< PiecePtr
};

/// A piece that lives as long as somebody has such a pointer. They are counted by the session's thread alone, hence not
/// atomically, as std::shared_ptr does it: a statement of a routine takes one.
class PiecePtr {
 public:
  PiecePtr() = default;
  explicit PiecePtr(std::unique_ptr<Piece> piece) : piece_(piece.release()) { ++piece_->users; }
  PiecePtr(const PiecePtr& other) : piece_(other.piece_) {
    if (piece_ != nullptr) ++piece_->users;
  }
  PiecePtr(PiecePtr&& other) noexcept : piece_(std::exchange(other.piece_, nullptr)) {}
  PiecePtr& operator=(PiecePtr other) noexcept {
    std::swap(piece_, other.piece_);
    return *this;
  }
  ~PiecePtr() {
    if (piece_ != nullptr && --piece_->users == 0) std::unique_ptr<Piece>{piece_}.reset();
  }
  explicit operator bool() const { return piece_ != nullptr; }
  Piece& operator*() const { return *piece_; }
  Piece* operator->() const { return piece_; }

 private:
  Piece* piece_ = nullptr;
};

}  // namespace gnomon::server
