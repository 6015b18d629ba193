#include "benchmarks/tatp/loader.h"

#include <array>
#include <string>
#include <vector>

#include "benchmarks/oltp/random.h"
#include "benchmarks/tatp/inputs.h"

namespace gnomon::tatp {

namespace {

using oltp::CopyWriter;
using oltp::Random;

std::string capitals(Random& random, size_t count) {
  std::string text(count, ' ');
  for (char& letter : text) letter = static_cast<char>(random.uniform('A', 'Z'));
  return text;
}

/// `count` different ones of a row's possible types, in any order.
template <size_t kCount>
std::vector<int32_t> someOf(Random& random, std::array<int32_t, kCount> all, int32_t count) {
  random.shuffle(all);
  return {all.begin(), all.begin() + count};
}

struct Facility {
  int32_t subscriber, type;
};

void loadSubscriberRows(oltp::Connection& connection, Random& random, int32_t first, int32_t last) {
  CopyWriter rows(connection, "subscriber");
  for (int32_t subscriber = first; subscriber <= last; ++subscriber) {
    rows.integer(subscriber).text(subscriberNumber(subscriber));
    for (int column = 0; column < 10; ++column) rows.integer(random.uniform(0, 1));
    for (int column = 0; column < 10; ++column) rows.integer(random.uniform(0, 15));
    for (int column = 0; column < 10; ++column) rows.integer(random.uniform(0, 255));
    rows.integer(random.uniform(1, INT32_MAX)).integer(random.uniform(1, INT32_MAX));
    rows.endRow();
  }
  rows.finish();
}

void loadAccess(oltp::Connection& connection, Random& random, int32_t first, int32_t last) {
  CopyWriter rows(connection, "access_info");
  for (int32_t subscriber = first; subscriber <= last; ++subscriber)
    for (const int32_t type : someOf<4>(random, {1, 2, 3, 4}, random.uniform(1, 4))) {
      rows.integer(subscriber).integer(type).integer(random.uniform(0, 255)).integer(random.uniform(0, 255));
      rows.text(capitals(random, 3)).text(capitals(random, 5));
      rows.endRow();
    }
  rows.finish();
}

std::vector<Facility> loadFacilities(oltp::Connection& connection, Random& random, int32_t first, int32_t last) {
  std::vector<Facility> facilities;
  CopyWriter rows(connection, "special_facility");
  for (int32_t subscriber = first; subscriber <= last; ++subscriber)
    for (const int32_t type : someOf<4>(random, {1, 2, 3, 4}, random.uniform(1, 4))) {
      facilities.push_back({subscriber, type});
      rows.integer(subscriber).integer(type).integer(random.chance(85) ? 1 : 0);
      rows.integer(random.uniform(0, 255)).integer(random.uniform(0, 255)).text(capitals(random, 5));
      rows.endRow();
    }
  rows.finish();
  return facilities;
}

void loadForwarding(oltp::Connection& connection, Random& random, const std::vector<Facility>& facilities) {
  CopyWriter rows(connection, "call_forwarding");
  for (const auto& [subscriber, type] : facilities)
    for (const int32_t start : someOf<3>(random, {0, 8, 16}, random.uniform(0, 3))) {
      rows.integer(subscriber).integer(type).integer(start).integer(start + random.uniform(1, 8));
      rows.text(random.digits(15));
      rows.endRow();
    }
  rows.finish();
}

}  // namespace

void loadSubscribers(oltp::Connection& connection, uint64_t seed, int32_t first, int32_t last) {
  Random random(seed + static_cast<uint64_t>(first));
  loadSubscriberRows(connection, random, first, last);
  loadAccess(connection, random, first, last);
  loadForwarding(connection, random, loadFacilities(connection, random, first, last));
}

}  // namespace gnomon::tatp
