#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/string_value.h"
#include "codegen/executor/state.h"
#include "codegen/translate/sql_value.h"
#include "sql/types/bytea.h"

namespace gnomon::codegen {

/// What a program's code refers to by address: constants and precompiled patterns. Lives as long as the program.
class ProgramResources {
 public:
  /// How the program shows values of bytea. Set before any code is made.
  sql::ByteaOutput bytea_output = sql::ByteaOutput::Hex;
  /// Its code asks the session, which waits in its own thread alone.
  bool asks_session = false;

  /// A constant string for generated code (storage class persistent).
  StringValue internString(std::string_view text) {
    return StringValue::refer(text.size() > StringValue::kInlineBytesMax ? constants_.copy(text) : text,
                              StringValue::Storage::Persistent);
  }
  /// That many zero bytes.
  const void* keepZeroes(size_t bytes) {
    void* memory = constants_.allocate(bytes);
    std::memset(memory, 0, bytes);
    return memory;
  }
  /// Keeps an object alive with the program; the address is for use in generated code.
  template <typename T>
  T* keep(std::unique_ptr<T> object) {
    T* address = object.get();
    kept_.push_back(std::shared_ptr<void>(std::move(object)));
    return address;
  }

 private:
  Arena constants_;
  std::vector<std::shared_ptr<void>> kept_;
};

/// The function that is being emitted.
struct CodeContext {
  ir::Builder& builder;
  ir::Value global;  ///< GlobalState*
  ir::Value local;   ///< LocalState*; in functions without one (comparators) invalid: nothing may allocate
  ProgramResources& resources;
  std::optional<size_t> group_arena_slot = {};  ///< local: while states of groups are made

  /// Arena* for results of functions.
  ir::Value scratchArena() { return builder.load(ir::Type::Ptr, local, offsetof(LocalState, scratch)); }
  /// Arena* for what lives as long as the execution.
  ir::Value executionArena() { return builder.load(ir::Type::Ptr, local, offsetof(LocalState, arena)); }
  /// Arena* for what a group's state refers to.
  ir::Value groupArena() { return group_arena_slot ? localSlot(*group_arena_slot) : executionArena(); }
  ir::Value globalSlot(size_t slot) {
    return builder.load(ir::Type::Ptr, global, static_cast<int64_t>(offsetof(GlobalState, slots) + 8 * slot));
  }
  ir::Value localSlot(size_t slot) {
    return builder.load(ir::Type::Ptr, local, static_cast<int64_t>(offsetof(LocalState, slots) + 8 * slot));
  }
};

}  // namespace gnomon::codegen
