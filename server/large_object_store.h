#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/value_rows.h"
#include "sql/catalog/privilege.h"
#include "txn/transaction.h"

namespace gnomon::server {

struct SessionContext;
class DescribedStatement;

/// A large object without its bytes.
struct LargeObject {
  uint32_t owner = 0;
  sql::AclPtr acl;      ///< null: what its owner has, and nobody else
  std::string comment;  ///< empty: none
};

/// The large objects of the session's database, as its transaction sees and changes them: rows of tables of the system
/// (sql/catalog/system_tables.h), which it reads and changes by statements of its own.
///
/// Shape: the bytes of an object lie in pages of 2 KiB, as rows of pg_largeobject show them. Pages, or their ends, that
///        are not there are zeros; the last one says where the object ends.
/// Threads: the session's. Failure: as those of statements, which undo what they did; 25006 is the caller's.
class LargeObjectStore {
 public:
  static constexpr int64_t kPageBytes = 2048;
  static constexpr int64_t kBytesMax = int64_t{INT32_MAX} * kPageBytes;

  explicit LargeObjectStore(SessionContext& session);
  ~LargeObjectStore();
  LargeObjectStore(const LargeObjectStore&) = delete;
  LargeObjectStore& operator=(const LargeObjectStore&) = delete;

  /// None: there is no such object. `seen`: what is seen of it, here and below; null: the newest that the transaction
  /// sees.
  std::optional<LargeObject> find(uint32_t oid, const txn::Snapshot* seen);
  /// Failure: 23505.
  void add(uint32_t oid, uint32_t owner);
  /// With its bytes. False: there was none.
  bool remove(uint32_t oid);
  /// Those that the role owns, or has rights on or has given some, in the order of their oids.
  std::vector<std::pair<uint32_t, LargeObject>> ofRole(uint32_t role);
  /// Its owner, rights and comment.
  void change(uint32_t oid, const LargeObject& object);

  int64_t size(uint32_t oid, const txn::Snapshot* seen);
  /// Less where the object ends before. `offset` and `count` are not negative.
  std::string read(uint32_t oid, int64_t offset, int64_t count, const txn::Snapshot* seen);
  /// All of it lies below kBytesMax.
  void write(uint32_t oid, int64_t offset, std::string_view bytes);
  /// Shortens it, or makes it longer by zeros.
  void truncate(uint32_t oid, int64_t length);

  /// Grows with each statement that changes something.
  [[nodiscard]] uint64_t changeCount() const { return change_count_; }

 private:
  enum class Statement : uint8_t {
    Find,
    OfRole,
    Add,
    Remove,
    Change,
    RemovePages,
    LastPage,
    Page,
    Pages,
    AddPage,
    ChangePage,
    Count
  };
  struct Prepared;
  struct Result {
    std::vector<ValueRow> rows;
    uint64_t row_count = 0;  ///< that were changed
  };
  static std::string_view textOf(Statement statement);
  static LargeObject objectOf(const ValueRow& row);
  Prepared& prepared(Statement statement);
  Result run(Statement statement, std::vector<sql::Value> parameters, const txn::Snapshot* seen = nullptr);
  void putPage(uint32_t oid, int32_t number, bool is_there, std::string_view bytes);

  SessionContext& session_;
  std::array<std::unique_ptr<Prepared>, static_cast<size_t>(Statement::Count)> prepared_;
  uint64_t change_count_ = 0;
};

}  // namespace gnomon::server
