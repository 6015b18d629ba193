#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/deallocate.h"
#include "server/portal.h"

namespace gnomon::server {

/// A portal of the extended protocol: what it is made of, and how far it has run.
struct BoundPortal {
  PortalSource source;           ///< of the portal, which goes before it
  std::optional<Portal> portal;  ///< none: of DEALLOCATE, or of the empty statement
  std::optional<Deallocate> deallocate;
  uint64_t number = 0;  ///< SessionTransaction::numberPortal; 0: nothing is bound here
};

/// The portals of a session by name. The unnamed one, which is all that most clients use, has a place that stays, and
/// the memory for its parameters stays there. Threads: the session's.
class Portals {
 public:
  /// Null: there is none.
  [[nodiscard]] BoundPortal* find(std::string_view name) {
    if (name.empty()) return unnamed_.number != 0 ? &unnamed_ : nullptr;
    return findNamed(name);
  }
  /// The place of a portal that is about to be bound, empty. Failure: 42P03.
  BoundPortal& make(std::string_view name) {
    if (!name.empty()) return makeNamed(name);
    empty(unnamed_);
    return unnamed_;
  }
  void erase(std::string_view name);
  void clear();
  /// Those with larger numbers go.
  void eraseAfter(uint64_t number);

 private:
  static constexpr size_t kParametersKept = 64;

  [[nodiscard]] BoundPortal* findNamed(std::string_view name);
  BoundPortal& makeNamed(std::string_view name);
  static void empty(BoundPortal& place);

  BoundPortal unnamed_;
  std::map<std::string, BoundPortal, std::less<>> named_;
};

}  // namespace gnomon::server
