#include "sql/functions/bit_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/types/bit_string.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

BitString bitsAt(Arguments arguments, size_t index) {
  return BitString::decode(arguments[index].bytes);
}
Value held(const BitString& bits, Type result) {
  return Value::fromString(result, bits.encoded());
}

template <typename Combine>
Value combined(Arguments arguments, Type result, const char* name, Combine combine) {
  const BitString left = bitsAt(arguments, 0), right = bitsAt(arguments, 1);
  if (left.size() != right.size())
    throw SqlError(SqlState("22026"), fmt::format("cannot {} bit strings of different sizes", name));
  std::string bytes = left.bytes();
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(combine(bytes[i], right.bytes()[i]));
  return held(BitString::ofBytes(std::move(bytes), left.size()), result);
}
Value conjunction(Arguments arguments, Type result) {
  return combined(arguments, result, "AND", [](char a, char b) { return a & b; });
}
Value disjunction(Arguments arguments, Type result) {
  return combined(arguments, result, "OR", [](char a, char b) { return a | b; });
}
Value difference(Arguments arguments, Type result) {
  return combined(arguments, result, "XOR", [](char a, char b) { return a ^ b; });
}
Value inversion(Arguments arguments, Type result) {
  return held(bitsAt(arguments, 0).inverted(), result);
}
Value shiftLeft(Arguments arguments, Type result) {
  return held(bitsAt(arguments, 0).shifted(arguments[1].asInt()), result);
}
Value shiftRight(Arguments arguments, Type result) {
  return held(bitsAt(arguments, 0).shifted(-arguments[1].asInt()), result);
}
Value concatenation(Arguments arguments, Type result) {
  return held(bitsAt(arguments, 0) + bitsAt(arguments, 1), result);
}

Value length(Arguments arguments, Type result) {
  return Value::fromInt(result, bitsAt(arguments, 0).size());
}
Value byteLength(Arguments arguments, Type result) {
  return Value::fromInt(result, (bitsAt(arguments, 0).size() + 7) / 8);
}
Value count(Arguments arguments, Type result) {
  return Value::fromInt(result, bitsAt(arguments, 0).count());
}
Value position(Arguments arguments, Type result) {
  return Value::fromInt(result, bitsAt(arguments, 0).find(bitsAt(arguments, 1)));
}

Value substring(Arguments arguments, Type result) {
  const BitString bits = bitsAt(arguments, 0);
  int64_t start = arguments[1].asInt() - 1;
  int64_t end = bits.size();
  if (arguments.size() > 2) {
    const int64_t wanted = arguments[2].asInt();
    if (wanted < 0) throw SqlError(SqlState("22011"), "negative substring length not allowed");
    end = start + wanted;
  }
  start = std::max<int64_t>(start, 0);
  return held(bits.part(start, std::max<int64_t>(end - start, 0)), result);
}

Value overlay(Arguments arguments, Type result) {
  const BitString bits = bitsAt(arguments, 0), part = bitsAt(arguments, 1);
  const int64_t start = arguments[2].asInt();
  const int64_t replaced = arguments.size() > 3 ? arguments[3].asInt() : part.size();
  if (start <= 0) throw SqlError(SqlState("22011"), "negative substring length not allowed");
  if (start + replaced != static_cast<int32_t>(start + replaced))
    throw SqlError(sqlstate::kNumericValueOutOfRange, "integer out of range");
  const int64_t behind = std::max<int64_t>(start + replaced - 1, 0);
  return held(bits.part(0, start - 1) + part + bits.part(behind, std::max<int64_t>(bits.size() - behind, 0)), result);
}

int64_t checkedIndex(const BitString& bits, int64_t index) {
  if (index < 0 || index >= bits.size())
    throw SqlError(sqlstate::kArraySubscriptError,
                   fmt::format("bit index {} out of valid range (0..{})", index, bits.size() - 1));
  return index;
}
Value getBit(Arguments arguments, Type result) {
  const BitString bits = bitsAt(arguments, 0);
  return Value::fromInt(result, bits.at(checkedIndex(bits, arguments[1].asInt())) ? 1 : 0);
}
Value setBit(Arguments arguments, Type result) {
  BitString bits = bitsAt(arguments, 0);
  const int64_t index = checkedIndex(bits, arguments[1].asInt());
  const int64_t bit = arguments[2].asInt();
  if (bit != 0 && bit != 1) throw SqlError(sqlstate::kInvalidParameterValue, "new bit must be 0 or 1");
  bits.set(index, bit == 1);
  return held(bits, result);
}

}  // namespace

void addBitFunctions(std::vector<ValueFunction>& functions) {
  const auto addOperator = [&](std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                               Value (*answer)(Arguments, Type)) {
    functions.push_back({name, std::move(arguments), result, answer, Volatility::Immutable, true, true});
  };
  const auto add = [&](std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                       Value (*answer)(Arguments, Type)) {
    functions.push_back({name, std::move(arguments), result, answer});
  };
  addOperator("&", {Bit, Bit}, Bit, conjunction);
  addOperator("|", {Bit, Bit}, Bit, disjunction);
  addOperator("#", {Bit, Bit}, Bit, difference);
  addOperator("~", {Bit}, Bit, inversion);
  addOperator("<<", {Bit, Integer}, Bit, shiftLeft);
  addOperator(">>", {Bit, Integer}, Bit, shiftRight);
  addOperator("||", {VarBit, VarBit}, VarBit, concatenation);
  add("length", {Bit}, Integer, length);
  add("bit_length", {Bit}, Integer, length);
  add("octet_length", {Bit}, Integer, byteLength);
  add("bit_count", {Bit}, Bigint, count);
  add("position", {Bit, Bit}, Integer, position);
  add("substring", {Bit, Integer}, Bit, substring);
  add("substring", {Bit, Integer, Integer}, Bit, substring);
  add("overlay", {Bit, Bit, Integer}, Bit, overlay);
  add("overlay", {Bit, Bit, Integer, Integer}, Bit, overlay);
  add("get_bit", {Bit, Integer}, Integer, getBit);
  add("set_bit", {Bit, Integer, Integer}, Bit, setBit);
}

}  // namespace gnomon::sql
