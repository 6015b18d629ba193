#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/large_object_store.h"
#include "sql/privilege_statement.h"
#include "sql/types/value.h"
#include "txn/transaction.h"

namespace gnomon::server {

/// Large objects as users know them: functions on them, descriptors, rights.
///
/// Rules:  L1  a descriptor ends with its transaction, or with the savepoint before it
///         L2  one that was opened for reading alone sees what the statement saw that opened it; what writes sees the
///             newest
///         L3  lo_compat_privileges lets everybody do everything
/// Threads: the session's. Lifetime: the session's.
class LargeObjects {
 public:
  explicit LargeObjects(SessionContext& session);

  /// One of sql::hostedFunctions(), by its oid. Failure: 42704 for an object or descriptor that is not there; 42501,
  /// 25006; 22003, 22023, 54000, 55000.
  sql::Value call(uint32_t function, std::span<const sql::Value> arguments, sql::Type result);

  /// GRANT, REVOKE. Failure: 0LP01, 25006, 2BP01, 42501, 42704.
  void grant(const sql::GrantStatement& statement, const sql::GrantTarget& target, std::vector<SqlError>& notices);
  /// ALTER LARGE OBJECT ... OWNER TO. Failure: 42501, 42704.
  void changeOwner(uint32_t oid, uint32_t owner);
  /// COMMENT ON. Failure: 42501, 42704.
  void comment(uint32_t oid, const std::string& text);

  /// Before DROP ROLE. Failure: 2BP01 where the role owns some or has rights on some.
  void requireNothingOf(const std::string& role_name);
  /// REASSIGN OWNED.
  void reassign(uint32_t role, uint32_t new_owner);
  /// DROP OWNED: those of the role go, and its rights on others.
  void dropOwned(uint32_t role);

  /// How many descriptors have been opened: a point to go back to.
  [[nodiscard]] uint64_t openedCount() const { return opened_count_; }
  void closeAfter(uint64_t opened_count) noexcept;
  void closeAll() noexcept { descriptors_.clear(); }
  [[nodiscard]] uint64_t changeCount() const { return store_.changeCount(); }

 private:
  struct Descriptor {
    uint32_t oid = 0;
    bool is_writable = false;
    int64_t offset = 0;
    uint64_t number = 0;                ///< from 1, in the order in which they were opened
    std::optional<txn::Snapshot> seen;  ///< L2; none: the newest
    txn::TransactionManager::SnapshotGuard guard;

    [[nodiscard]] const txn::Snapshot* snapshot() const { return seen ? &*seen : nullptr; }
  };
  struct Call {
    std::span<const sql::Value> arguments;
    sql::Type result;
    [[nodiscard]] int64_t number(size_t index) const { return arguments[index].asInt(); }
    [[nodiscard]] uint32_t oid(size_t index) const { return static_cast<uint32_t>(arguments[index].lo); }
    [[nodiscard]] const std::string& bytes(size_t index) const { return arguments[index].bytes; }
    [[nodiscard]] sql::Value answer(int64_t number) const { return sql::Value::fromInt(result, number); }
    [[nodiscard]] sql::Value answer(std::string_view bytes) const { return sql::Value::fromString(result, bytes); }
  };
  using Function = sql::Value (LargeObjects::*)(const Call& call);
  static Function functionOf(uint32_t oid);

  void requireMayWrite(std::string_view function) const;
  [[nodiscard]] bool isCompatible() const;
  LargeObject require(uint32_t oid, const txn::Snapshot* seen);
  /// Failure: 42704, 42501.
  void requireRight(uint32_t oid, sql::Privilege right, const txn::Snapshot* seen);
  void requireOwner(uint32_t oid, const LargeObject& object) const;
  Descriptor& descriptorOf(int64_t descriptor);
  Descriptor& writableOf(int64_t descriptor);
  uint32_t create(uint32_t oid);
  void move(Descriptor& descriptor, int64_t offset, int64_t whence);

  sql::Value commentOf(const Call& call);
  sql::Value createAny(const Call& call);
  sql::Value createNamed(const Call& call);
  sql::Value createFrom(const Call& call);
  sql::Value unlink(const Call& call);
  sql::Value open(const Call& call);
  sql::Value close(const Call& call);
  sql::Value read(const Call& call);
  sql::Value write(const Call& call);
  sql::Value seek(const Call& call);
  sql::Value seekFar(const Call& call);
  sql::Value tell(const Call& call);
  sql::Value tellFar(const Call& call);
  sql::Value truncate(const Call& call);
  sql::Value get(const Call& call);
  sql::Value getPart(const Call& call);
  sql::Value put(const Call& call);
  sql::Value importFile(const Call& call);
  sql::Value exportFile(const Call& call);

  SessionContext& session_;
  LargeObjectStore store_;
  std::vector<std::optional<Descriptor>> descriptors_;  ///< none: the number is free
  uint64_t opened_count_ = 0;
};

}  // namespace gnomon::server
