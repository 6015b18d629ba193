#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon::codegen::ir {

/// The type of an SSA value. A string (base/string_value.h) is two i64 in generated code and an i128 where it crosses a
/// call; real is held as f64.
enum class Type : uint8_t { Void, I1, I8, I16, I32, I64, I128, F64, Ptr };

[[nodiscard]] constexpr bool isInteger(Type type) {
  return type >= Type::I1 && type <= Type::I128;
}

/// Bits of an integer type; 64 for f64 and ptr; 0 for void.
[[nodiscard]] constexpr unsigned bitsOf(Type type) {
  constexpr unsigned bits[] = {0, 1, 8, 16, 32, 64, 128, 64, 64};
  return bits[static_cast<unsigned>(type)];
}

/// Bytes in memory (i1 takes one).
[[nodiscard]] constexpr unsigned bytesOf(Type type) {
  constexpr unsigned bytes[] = {0, 1, 1, 2, 4, 8, 16, 8, 8};
  return bytes[static_cast<unsigned>(type)];
}

/// "i64".
[[nodiscard]] constexpr std::string_view nameOf(Type type) {
  constexpr std::string_view names[] = {"void", "i1", "i8", "i16", "i32", "i64", "i128", "f64", "ptr"};
  return names[static_cast<unsigned>(type)];
}

/// An SSA value of one function: the index of the instruction that defines it.
struct Value {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t index = kNone;

  [[nodiscard]] constexpr bool isValid() const { return index != kNone; }
  constexpr bool operator==(const Value&) const = default;
};

/// A basic block of one function.
struct Block {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t index = kNone;

  [[nodiscard]] constexpr bool isValid() const { return index != kNone; }
  constexpr bool operator==(const Block&) const = default;
};

/// A function of one module.
struct FunctionId {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t index = kNone;

  [[nodiscard]] constexpr bool isValid() const { return index != kNone; }
  constexpr bool operator==(const FunctionId&) const = default;
};

}  // namespace gnomon::codegen::ir
