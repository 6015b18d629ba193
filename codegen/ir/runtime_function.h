#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/int128.h"
#include "codegen/ir/type.h"

namespace gnomon::codegen {

/// What the back ends may assume of a runtime function.
enum class RuntimeEffect : uint8_t {
  Any,   ///< may read and write memory, throw, block
  Pure,  ///< result depends on the arguments alone, no effects, never throws: calls may be merged and dropped
};

/// A C++ function that generated code may call.
///
/// Lifetime: the process. Identity: its address; both back ends call `address`. The VM goes through `thunk`, which
/// takes the arguments from VM slots (one 64-bit slot each, two for i128) and writes the result to slot `slots[0]`.
struct RuntimeFunction {
  using Thunk = void (*)(const void* address, uint64_t* frame, const uint32_t* slots);

  struct Parameter {
    ir::Type type;
    bool is_signed;
  };

  std::string name;
  const void* address;
  Thunk thunk;
  Parameter result;
  std::vector<Parameter> parameters;
  RuntimeEffect effect;
};

namespace detail {

template <typename T>
concept SixteenByteStruct = std::is_class_v<T> && std::is_trivially_copyable_v<T> && sizeof(T) == 16;

template <typename T>
consteval RuntimeFunction::Parameter parameterOf() {
  if constexpr (std::is_void_v<T>)
    return {ir::Type::Void, false};
  else if constexpr (std::is_same_v<T, bool>)
    return {ir::Type::I1, false};
  else if constexpr (std::is_pointer_v<T>)
    return {ir::Type::Ptr, false};
  else if constexpr (std::is_same_v<T, double>)
    return {ir::Type::F64, false};
  else if constexpr (std::is_same_v<T, int128> || std::is_same_v<T, uint128> || SixteenByteStruct<T>)
    return {ir::Type::I128, false};
  else if constexpr (std::is_enum_v<T>)
    return parameterOf<std::underlying_type_t<T>>();
  else {
    static_assert(std::is_integral_v<T>, "a runtime function takes integers, double, pointers and 16-byte structs");
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return {ir::Type::I8, is_signed};
    else if constexpr (sizeof(T) == 2)
      return {ir::Type::I16, is_signed};
    else if constexpr (sizeof(T) == 4)
      return {ir::Type::I32, is_signed};
    else
      return {ir::Type::I64, is_signed};
  }
}

/// Reads a C++ value from a VM slot. Narrow integers lie sign-extended in slots, i1 as 0 or 1.
template <typename T>
T fromSlot(const uint64_t* slot) {
  if constexpr (std::is_same_v<T, bool>) {
    return *slot != 0;
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    return static_cast<T>(*slot);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(*slot);
  } else {
    T value;
    std::memcpy(static_cast<void*>(&value), slot, sizeof(T));
    return value;
  }
}

template <typename T>
void toSlot(uint64_t* slot, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    *slot = value ? 1 : 0;
  } else if constexpr (std::is_enum_v<T>) {
    toSlot(slot, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    *slot = static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(value)));
  } else {
    std::memcpy(slot, static_cast<const void*>(&value), sizeof(T));
  }
}

template <typename R, typename... A, size_t... I>
void callThroughSlots(R (*function)(A...), uint64_t* frame, const uint32_t* slots, std::index_sequence<I...>) {
  if constexpr (std::is_void_v<R>) {
    function(fromSlot<A>(frame + slots[I + 1])...);
  } else {
    toSlot<R>(frame + slots[0], function(fromSlot<A>(frame + slots[I + 1])...));
  }
}

template <typename R, typename... A>
void thunkOf(const void* address, uint64_t* frame, const uint32_t* slots) {
  auto* function = reinterpret_cast<R (*)(A...)>(const_cast<void*>(address));
  callThroughSlots<R, A...>(function, frame, slots, std::index_sequence_for<A...>());
}

/// Adds the row; aborts the process when another function has the name. Threads: any.
const RuntimeFunction& addRuntimeFunction(RuntimeFunction function);

}  // namespace detail

/// Registers a C++ function under a name (letters, digits, '_', '.'; unique) and derives its IR signature: bool -> i1,
/// integers by size, double -> f64, pointers -> ptr, int128 -> i128. A result may also be a trivially copyable struct
/// of two uint64_t, which arrives as an i128; as an argument it is passed as two uint64_t.
///
///   static const RuntimeFunction& kLikeMatch = registerRuntimeFunction("likeMatch", &likeMatch);
///
/// Registering the same function under the same name again returns the first row. Threads: any.
template <typename R, typename... A>
const RuntimeFunction& registerRuntimeFunction(std::string_view name, R (*function)(A...),
                                               RuntimeEffect effect = RuntimeEffect::Any) {
  static_assert(!(detail::SixteenByteStruct<A> || ...),
                "pass a 16-byte struct as two uint64_t: only results may be one");
  return detail::addRuntimeFunction({std::string(name),
                                     reinterpret_cast<const void*>(function),
                                     &detail::thunkOf<R, A...>,
                                     detail::parameterOf<R>(),
                                     {detail::parameterOf<A>()...},
                                     effect});
}

/// The registered function of that name, or null. Threads: any.
[[nodiscard]] const RuntimeFunction* findRuntimeFunction(std::string_view name);

}  // namespace gnomon::codegen

/// The row of a C++ function, registered under its name as written on first use:
///   builder.call(RUNTIME_FUNCTION(rt::likeMatch), {text_lo, text_hi, pattern})
#define RUNTIME_FUNCTION(function)                                        \
  ([]() -> const ::gnomon::codegen::RuntimeFunction& {                    \
    static const ::gnomon::codegen::RuntimeFunction& row =                \
        ::gnomon::codegen::registerRuntimeFunction(#function, &function); \
    return row;                                                           \
  }())
