#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "benchmarks/oltp/random.h"

/// What TATP's clients ask for (description 1.0, sections 2.2 and 2.3).
namespace gnomon::tatp {

enum class Kind : uint16_t {
  GetSubscriberData,
  GetNewDestination,
  GetAccessData,
  UpdateSubscriberData,
  UpdateLocation,
  InsertCallForwarding,
  DeleteCallForwarding
};
inline constexpr size_t kKinds = 7;
/// Cards of a deck of a hundred.
inline constexpr std::array<int, kKinds> kCards = {35, 10, 35, 2, 14, 2, 2};

/// Fifteen digits.
std::string subscriberNumber(int32_t subscriber);

/// Draws the inputs of one client. Threads: one.
class Inputs {
 public:
  /// `uniform`: all subscribers alike, as in paper 1; otherwise some far oftener than others, as the description wants.
  Inputs(uint64_t seed, int32_t subscribers, bool uniform);
  Kind kind() { return static_cast<Kind>(deck_.draw(random_)); }
  int32_t subscriber();
  int16_t facility() { return small(1, 4); }
  int16_t accessType() { return small(1, 4); }
  /// 0, 8 or 16.
  int16_t startTime() { return static_cast<int16_t>(8 * random_.uniform(0, 2)); }
  int16_t endTime() { return small(1, 24); }
  int16_t bit() { return small(0, 1); }
  int16_t byte() { return small(0, 255); }
  int32_t location() { return random_.uniform(0, INT32_MAX); }
  std::string number() { return random_.digits(15); }

 private:
  int16_t small(int32_t least, int32_t most) { return static_cast<int16_t>(random_.uniform(least, most)); }

  oltp::Random random_;
  oltp::Deck deck_;
  int32_t subscribers_;
  int32_t mask_;  // A of the description's formula; 0: uniform
};

}  // namespace gnomon::tatp
