#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/memory_account.h"
#include "codegen/runtime/trigger_queue.h"
#include "sql/catalog/row_checker.h"
#include "sql/types/value.h"

namespace gnomon::server {

struct SessionContext;

/// Calls the triggers of a session's statements: tests their conditions and executes their functions.
///
/// Threads: the session's. Lifetime: the session's. Failure: that of conditions and functions.
class TriggerCalls final : public codegen::TriggerHost {
 public:
  explicit TriggerCalls(SessionContext& session) : session_(session) {}

  bool isWanted(const codegen::TriggerCall& call) override;
  bool call(const codegen::TriggerCall& call, codegen::WritableRow* row, Arena& memory) override;
  bool putOff(const codegen::TriggerCall& call) override;
  /// How many triggers are being called, one within the other.
  [[nodiscard]] uint32_t depth() const { return depth_; }

 private:
  /// The condition of a trigger, compiled.
  struct Condition {
    sql::TablePtr table;              ///< that it was bound to
    std::vector<sql::TablePtr> used;  ///< functions that are a part of it
    uint64_t settings_version = 0;
    std::unique_ptr<MemoryAccount> memory;
    std::unique_ptr<sql::RowChecker> checker;
  };
  Condition& conditionOf(const codegen::TriggerCall& call);

  SessionContext& session_;
  std::unordered_map<uint32_t, Condition> conditions_;  ///< by the trigger's oid
  uint32_t depth_ = 0;
};

/// The fields of a row of the table.
std::vector<sql::Value> rowValues(const sql::TableEntry& table, codegen::RowImage row);

}  // namespace gnomon::server
