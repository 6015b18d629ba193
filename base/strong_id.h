#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace gnomon {

/// A number that means one thing only: ids of different things do not convert into one another.
template <typename Tag, typename Representation = uint64_t>
struct StrongId {
  Representation value{};

  constexpr StrongId() = default;
  constexpr explicit StrongId(Representation number) : value(number) {}
  constexpr auto operator<=>(const StrongId&) const = default;
};

}  // namespace gnomon

template <typename Tag, typename Representation>
struct std::hash<gnomon::StrongId<Tag, Representation>> {
  size_t operator()(const gnomon::StrongId<Tag, Representation>& id) const noexcept {
    return std::hash<Representation>()(id.value);
  }
};
