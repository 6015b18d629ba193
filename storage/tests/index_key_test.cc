#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <random>
#include <string>

#include "base/int128.h"
#include "storage/index/key.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::errorOf;

/// A value with the bytes that its string_view refers to.
struct TestValue {
  Datum datum;
  std::string string;
  bool is_null = false;

  [[nodiscard]] KeyValue view() const { return {datum, string, is_null}; }
};

int128 intervalUs(const Datum& datum) {
  const int128 days = int128{static_cast<int32_t>(datum.hi >> 32)} * 30 + static_cast<int32_t>(datum.hi);
  return days * 86'400'000'000 + static_cast<int64_t>(datum.lo);
}

int sign(auto left, auto right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

/// PostgreSQL: NaN is equal to NaN and above all else.
int compareFloats(double left, double right) {
  if (std::isnan(left) || std::isnan(right)) return sign(std::isnan(left), std::isnan(right));
  return sign(left, right);
}

int compareValues(StoredKind kind, const TestValue& left, const TestValue& right) {
  switch (kind) {
    case StoredKind::Bool1:
    case StoredKind::Int16:
    case StoredKind::Int32:
    case StoredKind::Int64:
      return sign(static_cast<int64_t>(left.datum.lo), static_cast<int64_t>(right.datum.lo));
    case StoredKind::Int128:
      return sign(static_cast<int128>(uint128{left.datum.hi} << 64 | left.datum.lo),
                  static_cast<int128>(uint128{right.datum.hi} << 64 | right.datum.lo));
    case StoredKind::Float32:
    case StoredKind::Float64:
      return compareFloats(std::bit_cast<double>(left.datum.lo), std::bit_cast<double>(right.datum.lo));
    case StoredKind::String:
      return sign(left.string.compare(right.string), 0);
    case StoredKind::Interval:
      return sign(intervalUs(left.datum), intervalUs(right.datum));
  }
  return 0;
}

int compareParts(const KeyPart& part, const TestValue& left, const TestValue& right) {
  if (left.is_null || right.is_null) {
    const int order = sign(left.is_null, right.is_null);
    return part.nulls_first ? -order : order;
  }
  const int order = compareValues(part.kind, left, right);
  return part.descending ? -order : order;
}

double randomFloat(std::mt19937_64& random) {
  constexpr double kSpecial[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, -NAN, 1e-310, -1e-310, 1e30, -1e30};
  if (random() % 2 == 0) return kSpecial[random() % std::size(kSpecial)];
  return std::bit_cast<double>(random());
}

std::string randomString(std::mt19937_64& random) {
  constexpr char kBytes[] = {'\0', '\1', 'a', 'b', '\xfe', '\xff'};
  std::string string;
  for (uint64_t bytes = random() % 5; bytes > 0; --bytes) string += kBytes[random() % std::size(kBytes)];
  return string;
}

TestValue randomValue(StoredKind kind, std::mt19937_64& random) {
  TestValue value;
  if (random() % 8 == 0) {
    value.is_null = true;
    return value;
  }
  const auto small = [&] { return static_cast<int64_t>(random() % 5) - 2; };
  // Of any number of significant bytes, and at the limits of these.
  const auto any = [&] {
    const int64_t shifted = static_cast<int64_t>(random()) >> (random() % 64);
    return random() % 2 == 0 ? shifted : (int64_t{1} << (8 * (random() % 8))) * (random() % 2 == 0 ? 1 : -1) + small();
  };
  const auto word = static_cast<uint64_t>(random() % 2 == 0 ? small() : any());
  switch (kind) {
    case StoredKind::Bool1:
      value.datum.lo = word & 1;
      break;
    case StoredKind::Int16:
      value.datum.lo = static_cast<uint64_t>(static_cast<int16_t>(word));
      break;
    case StoredKind::Int32:
      value.datum.lo = static_cast<uint64_t>(static_cast<int32_t>(word));
      break;
    case StoredKind::Int64:
      value.datum.lo = word;
      break;
    case StoredKind::Int128:
      value.datum = {word, static_cast<uint64_t>(random() % 2 == 0 ? small() : any())};
      break;
    case StoredKind::Float32:
      value.datum.lo = std::bit_cast<uint64_t>(static_cast<double>(static_cast<float>(randomFloat(random))));
      break;
    case StoredKind::Float64:
      value.datum.lo = std::bit_cast<uint64_t>(randomFloat(random));
      break;
    case StoredKind::String:
      value.string = randomString(random);
      break;
    case StoredKind::Interval: {
      // Often values that differ in their fields and are equal in PostgreSQL's order.
      const int64_t months = small(), days = small() * 30, us = small() * 86'400'000'000;
      value.datum = {static_cast<uint64_t>(us), static_cast<uint64_t>(months) << 32 | static_cast<uint32_t>(days)};
      if (random() % 4 == 0) value.datum = {random(), random()};
      break;
    }
  }
  return value;
}

EncodedKey encode(const KeyEncoder& encoder, const std::vector<TestValue>& values) {
  std::vector<KeyValue> views;
  for (const TestValue& value : values) views.push_back(value.view());
  EncodedKey key;
  encoder.encode(views, key);
  return key;
}

TEST(KeyEncoder, OrdersEachKindAsSqlInBothDirectionsAndNullPlaces) {
  std::mt19937_64 random(testing::testSeed());
  for (uint8_t kind = 0; kind <= static_cast<uint8_t>(StoredKind::Interval); ++kind) {
    for (int variant = 0; variant < 4; ++variant) {
      const KeyPart part{static_cast<StoredKind>(kind), (variant & 1) != 0, (variant & 2) != 0};
      const KeyEncoder encoder({part});
      for (int round = 0; round < 5000; ++round) {
        const TestValue left = randomValue(part.kind, random), right = randomValue(part.kind, random);
        const EncodedKey left_key = encode(encoder, {left}), right_key = encode(encoder, {right});
        ASSERT_EQ(sign(left_key.view().compare(right_key.view()), 0), compareParts(part, left, right))
            << "kind " << int{kind} << " variant " << variant << " round " << round;
      }
    }
  }
}

TEST(KeyEncoder, OrdersCompositeKeysPartByPartAndNoneIsAPrefixOfAnother) {
  std::mt19937_64 random(testing::testSeed());
  for (int round = 0; round < 20000; ++round) {
    std::vector<KeyPart> parts;
    std::vector<TestValue> left, right;
    int expected = 0;
    for (uint64_t count = 1 + random() % 4; count > 0; --count) {
      const KeyPart part{static_cast<StoredKind>(random() % 9), random() % 2 == 0, random() % 2 == 0};
      parts.push_back(part);
      left.push_back(randomValue(part.kind, random));
      right.push_back(random() % 2 == 0 ? left.back() : randomValue(part.kind, random));
      if (expected == 0) expected = compareParts(part, left.back(), right.back());
    }
    const KeyEncoder encoder(parts);
    const EncodedKey left_key = encode(encoder, left), right_key = encode(encoder, right);
    ASSERT_EQ(sign(left_key.view().compare(right_key.view()), 0), expected) << "round " << round;
    if (expected != 0) ASSERT_FALSE(left_key.view().starts_with(right_key.view()));
  }
}

TEST(KeyEncoder, PrefixEndBoundsExactlyTheKeysThatBeginWithTheFirstParts) {
  std::mt19937_64 random(testing::testSeed());
  for (int round = 0; round < 20000; ++round) {
    const KeyPart first{static_cast<StoredKind>(random() % 9), random() % 2 == 0, random() % 2 == 0};
    const KeyPart second{static_cast<StoredKind>(random() % 9), random() % 2 == 0, random() % 2 == 0};
    const KeyEncoder encoder({first, second});
    const TestValue bound = randomValue(first.kind, random), value = randomValue(first.kind, random);
    const EncodedKey low = encode(encoder, {bound});
    EncodedKey high = low;
    ASSERT_TRUE(high.makePrefixEnd());
    const EncodedKey key = encode(encoder, {value, randomValue(second.kind, random)});
    const bool is_inside = key.view() >= low.view() && key.view() < high.view();
    ASSERT_EQ(is_inside, compareParts(first, bound, value) == 0) << "round " << round;
  }
}

TEST(KeyEncoder, RefusesKeysOverTheMaximum) {
  const KeyEncoder encoder({{StoredKind::String}, {StoredKind::String}});
  const std::string longest(kKeyBytesMax - 3, 'x');
  EncodedKey key;
  encoder.encode(std::vector<KeyValue>{{{}, longest}}, key);
  EXPECT_EQ(key.size(), kKeyBytesMax);
  const std::string longer = longest + "x", zeros(kKeyBytesMax / 2 + 1, '\0');
  for (const std::string& string : {longer, zeros}) {
    const SqlError error = errorOf([&] { encoder.encode(std::vector<KeyValue>{{{}, string}}, key); });
    EXPECT_STREQ(error.state().text(), "54000");
    EXPECT_THAT(error.what(), ::testing::StartsWith("index row size 1536"));
  }
}

TEST(EncodedKey, KeepsItsBytesWhenItGrowsAndWhenItIsCopied) {
  EncodedKey key;
  std::string expected;
  for (int byte = 0; byte < 300; ++byte) {
    key.append(static_cast<char>(byte));
    expected += static_cast<char>(byte);
    const EncodedKey copy = key;
    ASSERT_EQ(copy.view(), expected);
  }
  EncodedKey assigned(KeyView("short"));
  assigned = key;
  EXPECT_EQ(assigned.view(), expected);
  EncodedKey all_high(KeyView("\xff\xff", 2));
  EXPECT_FALSE(all_high.makePrefixEnd());
}

}  // namespace
}  // namespace gnomon::storage
