#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace gnomon::sql {

/// What may be done with an object, as bits: PostgreSQL's, in the order in which it shows them.
enum class Privilege : uint16_t {
  None = 0,
  Insert = 1 << 0,
  Select = 1 << 1,
  Update = 1 << 2,
  Delete = 1 << 3,
  Truncate = 1 << 4,
  References = 1 << 5,
  Trigger = 1 << 6,
  Execute = 1 << 7,
  Usage = 1 << 8,
  Create = 1 << 9,
  Temporary = 1 << 10,
  Connect = 1 << 11,
  Set = 1 << 12,
  AlterSystem = 1 << 13,
};
constexpr Privilege operator|(Privilege left, Privilege right) {
  return static_cast<Privilege>(static_cast<uint16_t>(left) | static_cast<uint16_t>(right));
}
constexpr Privilege operator&(Privilege left, Privilege right) {
  return static_cast<Privilege>(static_cast<uint16_t>(left) & static_cast<uint16_t>(right));
}
/// Those of the left that are not of the right.
constexpr Privilege operator-(Privilege left, Privilege right) {
  return static_cast<Privilege>(static_cast<uint16_t>(left) & ~static_cast<uint16_t>(right));
}
constexpr bool contains(Privilege all, Privilege wanted) {
  return (all & wanted) == wanted;
}
constexpr bool overlaps(Privilege left, Privilege right) {
  return (left & right) != Privilege::None;
}

/// Everybody, in the place of a role.
inline constexpr uint32_t kPublicGrantee = 0;

/// What one role, or everybody, has been given by another one.
struct AclItem {
  uint32_t grantee = kPublicGrantee;
  uint32_t grantor = 0;
  Privilege rights = Privilege::None;
  Privilege grantable = Privilege::None;  ///< those that it may give on

  bool operator==(const AclItem&) const = default;
};
/// What has been given, in the order in which it is shown; no two items have the same two roles.
using Acl = std::vector<AclItem>;
using AclPtr = std::shared_ptr<const Acl>;

}  // namespace gnomon::sql
