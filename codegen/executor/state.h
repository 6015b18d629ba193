#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.h"
#include "base/cancel.h"

namespace gnomon::codegen {

class SessionFunctions;

/// A parameter ($1, ...) as generated code reads it; the bits are those of sql::Value, strings as StringValue.
struct ParameterSlot {
  uint64_t lo;
  uint64_t hi;
  uint64_t is_null;
  uint64_t spare;
};
static_assert(sizeof(ParameterSlot) == 32);

/// What all workers of one execution share, the first argument of every generated function. `slots` hold the addresses
/// of the execution's runtime structures (hash tables, sorters, ...), numbered by the translators.
struct GlobalState {
  const ParameterSlot* parameters;
  const CancelToken* cancel;
  SessionFunctions* session;  ///< null: no statement of a session is executed
  void* slots[1];
};
static_assert(offsetof(GlobalState, cancel) == 8 && offsetof(GlobalState, session) == 16 &&
              offsetof(GlobalState, slots) == 24);

/// What belongs to one worker, the second argument.
///   scratch  results of functions (concatenated strings, big numerics): emptied after every morsel, so what is kept
///   must
///            be copied. Values in it have storage class transient.
///   arena    lives as long as the execution: rows of hash tables and sorters, and their strings (class temporary).
struct LocalState {
  Arena* scratch;
  Arena* arena;
  void* slots[1];
};
static_assert(offsetof(LocalState, arena) == 8 && offsetof(LocalState, slots) == 16);

}  // namespace gnomon::codegen
