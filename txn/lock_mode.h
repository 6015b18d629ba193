#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon::txn {

/// As PostgreSQL's table locks, weakest first; conflicts are the same.
enum class LockMode : uint8_t {
  AccessShare,           ///< reading
  RowShare,              ///< SELECT ... FOR UPDATE and its kin
  RowExclusive,          ///< changing rows
  ShareUpdateExclusive,  ///< ANALYZE
  Share,
  ShareRowExclusive,
  Exclusive,
  AccessExclusive  ///< dropping, emptying, changing the shape
};
inline constexpr size_t kLockModes = 8;
/// The first ones, which do not conflict with one another.
inline constexpr size_t kWeakLockModes = 3;

constexpr bool isWeak(LockMode mode) {
  return static_cast<size_t>(mode) < kWeakLockModes;
}
[[nodiscard]] bool conflicts(LockMode left, LockMode right);
/// As in pg_locks.
[[nodiscard]] const char* lockModeName(LockMode mode);

}  // namespace gnomon::txn
