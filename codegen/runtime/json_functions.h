#pragma once

#include <cstdint>

#include "base/arena.h"
#include "codegen/executor/state.h"
#include "codegen/runtime/array_functions.h"
#include "codegen/runtime/register_value.h"

namespace gnomon::codegen {

/// As rt::callArrayFunction, of a function of JSON.
void callJsonFunction(const ArrayCall& call, ParameterSlot* slots, Arena* arena);

namespace rt {

/// A json, jsonb or jsonpath from text; the type as its bits.
StringValue parseJson(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena);
/// Failure: 22023 when it is no such value.
bool jsonbToBoolean(uint64_t lo, uint64_t hi);
/// `type`: what it is to become, for the error.
StringValue jsonbToNumeric(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena);

int32_t compareJsonb(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
uint64_t hashJsonb(uint64_t lo, uint64_t hi);

}  // namespace rt
}  // namespace gnomon::codegen
