#include "codegen/runtime/json_functions.h"

#include <bit>
#include <string>
#include <vector>

#include "sql/json/json_functions.h"
#include "sql/types/cast.h"
#include "sql/types/jsonb_value.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen {
namespace {

using sql::JsonbView;
using sql::Type;

Type typeOf(uint64_t bits) {
  return std::bit_cast<Type>(bits);
}

}  // namespace

void callJsonFunction(const ArrayCall& call, ParameterSlot* slots, Arena* arena) {
  std::vector<sql::JsonArgument> arguments;
  arguments.reserve(call.arguments.size());
  for (size_t i = 0; i < call.arguments.size(); ++i)
    arguments.push_back({call.arguments[i], slots[i].is_null != 0, StringValue(slots[i].lo, slots[i].hi)});
  sql::JsonCall json(call.result, arguments);
  sql::callJsonFunction(call.function, json);
  switch (json.answer()) {
    case sql::JsonCall::Answer::Null:
      slots[0] = {0, 0, 1, 0};
      return;
    case sql::JsonCall::Answer::Registers:
      slots[0] = {json.registers().lo, json.registers().hi, 0, 0};
      return;
    case sql::JsonCall::Answer::Bytes: {
      const StringValue value = rt::copied(json.bytes(), arena);
      slots[0] = {value.lo(), value.hi(), 0, 0};
      return;
    }
  }
}

namespace rt {

StringValue parseJson(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue text(lo, hi);
  return copied(sql::parseText(typeOf(type), text.view()).bytes, arena);
}

bool jsonbToBoolean(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return sql::jsonbScalar(JsonbView(value.view()), Type::of(sql::TypeKind::Boolean)).lo != 0;
}

StringValue jsonbToNumeric(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  return copied(sql::jsonbScalar(JsonbView(value.view()), typeOf(type)).bytes, arena);
}

int32_t compareJsonb(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  const StringValue left(left_lo, left_hi);
  const StringValue right(right_lo, right_hi);
  return sql::compareJsonb(JsonbView(left.view()), JsonbView(right.view()));
}

uint64_t hashJsonb(uint64_t lo, uint64_t hi) {
  const StringValue value(lo, hi);
  return sql::hashJsonb(JsonbView(value.view()));
}

}  // namespace rt
}  // namespace gnomon::codegen
