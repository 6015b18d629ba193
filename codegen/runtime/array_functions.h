#pragma once

#include <cstdint>
#include <vector>

#include "base/arena.h"
#include "codegen/executor/state.h"
#include "codegen/runtime/register_value.h"
#include "sql/functions/function_id.h"
#include "sql/types/bytea.h"
#include "sql/types/type.h"

namespace gnomon::codegen {

class SessionFunctions;

/// A call of a function of arrays, of JSON or of the catalog, which the program keeps: what does not change from row to
/// row.
struct ArrayCall {
  sql::FunctionId function;
  sql::Type result;
  std::vector<sql::Type> arguments;
  sql::ByteaOutput bytea_output = sql::ByteaOutput::Hex;
};

namespace rt {

/// Replaces the first of the arguments by the result; what is long lies in the arena. At least one slot, and one for
/// each argument. Failure: as PostgreSQL's functions, 2202E, 22004, 54000, 0A000 and others.
void callArrayFunction(const ArrayCall* call, ParameterSlot* slots, Arena* arena);

/// The same for a routine that a user made, whose oid is the first argument. Failure: the routine's; 0A000 without a
/// session.
void callRoutine(SessionFunctions* session, const ArrayCall* call, ParameterSlot* slots, Arena* arena);

/// Values of several parts (Type::isComposed()). The type as one word: its bits.
int32_t compareComposed(uint64_t type, uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi);
uint64_t hashComposed(uint64_t type, uint64_t lo, uint64_t hi);

StringValue parseComposed(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena);
int64_t parseEnum(uint32_t type, uint64_t lo, uint64_t hi);
/// What an oid or a vector reads and shows, by the bits of its type (sql/types/object_id.h).
int64_t parseObject(uint64_t type, uint64_t lo, uint64_t hi);
int64_t bigintToOid(int64_t number);
StringValue parseVector(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena);
StringValue anyToText(uint64_t type, uint64_t lo, uint64_t hi, bool is_escape, Arena* arena);
/// Of a type that is held as a string.
StringValue parseAny(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena);
/// Replaces the value in the slot by one of another type; it may become NULL.
void castAny(uint64_t from, uint64_t to, bool is_explicit, ParameterSlot* slot, Arena* arena);
StringValue castArray(uint64_t from, uint64_t to, bool is_explicit, uint64_t lo, uint64_t hi, Arena* arena);

uint64_t arraySize(uint64_t lo, uint64_t hi);
/// That of an array with one dimension which has the subscript; NULL where there is none.
void arraySubscript(uint64_t element_type, uint64_t lo, uint64_t hi, int32_t subscript, ParameterSlot* slot);
/// The same of an array of integers with four bytes: its bits, or kNoElement.
uint64_t int32Subscript(uint64_t lo, uint64_t hi, int32_t subscript);
inline constexpr uint64_t kNoElement = UINT64_MAX;
/// Element `index`, counted from 0 through all dimensions, and whether it is NULL.
void arrayElement(uint64_t element_type, uint64_t lo, uint64_t hi, uint64_t index, ParameterSlot* slot);
/// Whether the comparison holds between the value and some element (all elements, for !is_any): 0 no, 1 yes,
/// 2 unknown. Both are of the element's type.
int32_t compareWithElements(uint64_t element_type, uint32_t function, bool is_any, uint64_t value_lo, uint64_t value_hi,
                            uint64_t array_lo, uint64_t array_hi);

}  // namespace rt
}  // namespace gnomon::codegen
