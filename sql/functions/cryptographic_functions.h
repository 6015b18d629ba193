#pragma once

#include <span>

#include "sql/types/value.h"

/// Functions of extension pgcrypto, as ExtensionFunction::answer.
namespace gnomon::sql {

/// (data, algorithm). Failure: 22023 for one that there is not.
Value digest(std::span<const Value> arguments, Type result);
/// (data, key, algorithm). Failure: the same.
Value keyedDigest(std::span<const Value> arguments, Type result);
/// (count). Failure: 22023 outside of [1, 1024].
Value randomByteString(std::span<const Value> arguments, Type result);

}  // namespace gnomon::sql
