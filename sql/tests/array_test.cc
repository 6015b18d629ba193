#include <gtest/gtest.h>

#include <random>

#include "base/sql_error.h"
#include "sql/catalog/stored_schema.h"
#include "sql/types/array_text.h"
#include "sql/types/array_value.h"

namespace gnomon::sql {
namespace {

const Type kInteger = Type::of(TypeKind::Integer);
const Type kText = Type::of(TypeKind::Text);

StringValue refer(const std::string& bytes) {
  return StringValue::refer(bytes, StringValue::Storage::Persistent);
}

std::string shown(Type element, const std::string& encoded) {
  std::string text;
  appendArrayText(element, refer(encoded), text, ByteaOutput::Hex);
  return text;
}

/// The array read and shown again, or the error.
std::string roundTrip(Type element, std::string_view text) {
  try {
    return shown(element, parseArrayText(element, text));
  } catch (const SqlError& error) {
    return std::string(error.state().text()) + " " + std::string(error.message());
  }
}

TEST(Array, ShowsWhatItReads) {
  EXPECT_EQ(roundTrip(kInteger, " { 1 , null,-3 } "), "{1,NULL,-3}");
  EXPECT_EQ(roundTrip(kInteger, "{}"), "{}");
  EXPECT_EQ(roundTrip(kInteger, "[-1:0]={1,2}"), "[-1:0]={1,2}");
  EXPECT_EQ(roundTrip(kInteger, "{{1,2},{3,4}}"), "{{1,2},{3,4}}");
  EXPECT_EQ(roundTrip(kText, R"({a b,"c,d",NULL,"NULL","",\"})"), R"({"a b","c,d",NULL,"NULL","","\""})");
  EXPECT_EQ(roundTrip(kInteger, "{{1},{2,3}}"), "22P02 malformed array literal: \"{{1},{2,3}}\"");
  EXPECT_EQ(roundTrip(kInteger, "{1,x}"), "22P02 invalid input syntax for type integer: \"x\"");
  EXPECT_EQ(roundTrip(kInteger, "{{{{{{{1}}}}}}}"),
            "54000 number of array dimensions (7) exceeds the maximum allowed (6)");
}

TEST(Array, BinaryFormIsPostgresqls) {
  std::string bytes;
  const std::string encoded = parseArrayText(kInteger, "{1,NULL}");
  appendArrayBinary(kInteger, refer(encoded), bytes);
  const std::string expected("\0\0\0\1\0\0\0\1\0\0\0\x17\0\0\0\2\0\0\0\1\0\0\0\4\0\0\0\1\xff\xff\xff\xff", 32);
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(parseArrayBinary(kInteger, bytes, 1), encoded);
  EXPECT_THROW(parseArrayBinary(kText, bytes, 1), SqlError);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(parseArrayBinary(kInteger, std::string_view(bytes).substr(0, size), 1), SqlError) << size;
}

TEST(Array, ElementsAreFoundByTheirSubscripts) {
  const std::string encoded = parseArrayText(kInteger, "[2:3][0:2]={{1,2,3},{4,NULL,6}}");
  const ArrayView array(kInteger, refer(encoded));
  const auto find = [&](std::vector<int32_t> subscripts) { return array.find(subscripts); };
  EXPECT_EQ(array.size(), 6U);
  EXPECT_EQ(find({2, 0}), 0);
  EXPECT_EQ(find({3, 2}), 5);
  EXPECT_EQ(find({3}), -1);
  EXPECT_EQ(find({4, 0}), -1);
  EXPECT_EQ(find({2, 3}), -1);
  EXPECT_EQ(static_cast<int32_t>(array.at(5).lo), 6);
  EXPECT_TRUE(array.isNull(4));
}

/// Random arrays of up to two dimensions, with few values, so that many are equal.
template <typename Element>
std::string randomArray(std::mt19937_64& random, Type type, Element&& element) {
  const auto below = [&](uint64_t end) { return random() % end; };
  ArrayBuilder builder(type);
  const size_t rows = below(3);
  const size_t columns = 1 + below(2);
  for (size_t i = 0; i < rows * columns; ++i) below(5) == 0 ? builder.addNull() : builder.add(element(below(4)));
  if (rows == 0) return builder.finish();
  std::vector<ArrayDimension> dimensions{{static_cast<int32_t>(rows), static_cast<int32_t>(below(3)) - 1}};
  if (columns > 1 || below(3) == 0) dimensions.push_back({static_cast<int32_t>(columns), 1});
  return builder.finish(dimensions);
}

/// The order of the keys is that of the arrays, and equal arrays hash alike.
template <typename Element>
void checkOrder(Type type, Element&& element) {
  std::mt19937_64 random(7);
  std::vector<std::string> arrays;
  for (int i = 0; i < 150; ++i) arrays.push_back(randomArray(random, type, element));
  const storage::KeyEncoder encoder({keyPart(type.array(), false, false)});
  const auto keyOf = [&](const std::string& array) {
    const storage::KeyValue value{{refer(array).lo(), refer(array).hi()}, array, false};
    storage::EncodedKey key;
    encoder.encode({&value, 1}, key);
    return std::string(key.view());
  };
  const auto sign = [](int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; };
  for (const std::string& left : arrays) {
    for (const std::string& right : arrays) {
      const int order = compareArrays(type, refer(left), refer(right));
      EXPECT_EQ(sign(order), sign(keyOf(left).compare(keyOf(right)))) << shown(type, left) << " " << shown(type, right);
      EXPECT_EQ(sign(order), -sign(compareArrays(type, refer(right), refer(left))));
      if (order == 0) {
        EXPECT_EQ(hashArray(type, refer(left)), hashArray(type, refer(right)));
      }
    }
  }
}

TEST(Array, KeysAndHashesGoWithTheOrder) {
  checkOrder(kInteger, [](uint64_t number) { return Value::fromInt(kInteger, static_cast<int64_t>(number) - 2); });
  checkOrder(kText, [](uint64_t number) { return Value::fromString(kText, std::string(number, '\0') + "a"); });
  checkOrder(Type::bigNumeric(), [](uint64_t number) {
    constexpr std::string_view kTexts[] = {"1", "1.00", "-0.5", "NaN"};
    return parseText(Type::bigNumeric(), kTexts[number]);
  });
  checkOrder(Type::of(TypeKind::Double), [](uint64_t number) {
    constexpr std::string_view kTexts[] = {"0", "-0", "NaN", "-1.5"};
    return parseText(Type::of(TypeKind::Double), kTexts[number]);
  });
  checkOrder(Type::of(TypeKind::Uuid), [](uint64_t number) {
    constexpr std::string_view kTexts[] = {
        "00000000-0000-0000-0000-000000000000", "7fffffff-ffff-ffff-ffff-ffffffffffff",
        "80000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"};
    return parseText(Type::of(TypeKind::Uuid), kTexts[number]);
  });
}

}  // namespace
}  // namespace gnomon::sql
