#include "sql/catalog/inverted_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/types/array_text.h"
#include "sql/types/json_parser.h"
#include "sql/types/jsonb_value.h"

namespace gnomon::sql {
namespace {

using Rows = SoughtKeys::Rows;

const Type kJsonb = Type::of(TypeKind::Jsonb);

storage::Datum datumOf(const std::string& bytes) {
  const StringValue value = StringValue::refer(bytes, StringValue::Storage::Persistent);
  return {value.lo(), value.hi()};
}

using Keys = std::set<uint64_t>;

Keys keysOf(const InvertedPart& part, const std::string& bytes) {
  std::vector<uint64_t> hashes;
  part.append(datumOf(bytes), hashes);
  EXPECT_FALSE(hashes.empty());
  return {hashes.begin(), hashes.end()};
}

Keys keysOf(const SoughtKeys& sought) {
  return {sought.hashes.begin(), sought.hashes.end()};
}

/// JSON as a tree, which knows its text and, by itself, the keys of both classes.
struct Tree {
  char kind = 'z';     ///< z null, s string, n number, b boolean, a array, o object
  std::string scalar;  ///< a number as written, a string's letters
  std::string name;    ///< of a field
  std::vector<Tree> parts;

  [[nodiscard]] std::string text() const {
    if (kind == 's') return '"' + scalar + '"';
    if (kind == 'z') return "null";
    if (kind != 'a' && kind != 'o') return scalar;
    std::string text(1, kind == 'a' ? '[' : '{');
    for (const Tree& part : parts) {
      if (text.size() > 1) text += ", ";
      if (kind == 'o') text += '"' + part.name + "\": ";
      text += part.text();
    }
    return text + (kind == 'a' ? ']' : '}');
  }
  [[nodiscard]] std::string scalarName() const {
    std::string shown = scalar;
    if (kind == 'n' && shown.find('.') != std::string::npos) {
      shown.erase(shown.find_last_not_of('0') + 1);
      if (shown.ends_with('.')) shown.pop_back();
    }
    return kind + shown;
  }
  void addKeys(bool is_field, std::set<std::string>& keys) const {
    if (kind != 'a' && kind != 'o') {
      keys.insert((kind == 's' && !is_field ? "name " : "value ") + (kind == 's' ? scalar : scalarName()));
      return;
    }
    for (const Tree& part : parts) {
      if (kind == 'o') keys.insert("name " + part.name);
      part.addKeys(kind == 'o', keys);
    }
  }
  void addPaths(const std::string& path, std::set<std::string>& keys) const {
    if (kind != 'a' && kind != 'o') keys.insert(path + scalarName());
    for (const Tree& part : parts) part.addPaths(kind == 'o' ? path + part.name + '/' : path, keys);
  }
};

class Drawing {
 public:
  explicit Drawing(uint64_t seed) : random_(seed) {}
  size_t below(size_t limit) { return random_() % limit; }
  Tree tree(unsigned depth) {
    Tree result;
    result.kind = "zsnbao"[below(depth == 0 ? 4 : 6)];
    if (result.kind == 's') result.scalar = std::string(1, static_cast<char>('p' + below(4)));
    if (result.kind == 'n')
      result.scalar = std::to_string(below(4)) + (below(3) == 0 ? ".50" : below(2) == 0 ? ".0" : "");
    if (result.kind == 'b') result.scalar = below(2) == 0 ? "true" : "false";
    if (depth == 0) return result;
    std::set<std::string> names;
    const size_t count = result.kind == 'a' || result.kind == 'o' ? below(4) : 0;
    for (size_t i = 0; i < count; ++i) {
      const std::string name = result.kind == 'o' ? std::string(1, static_cast<char>('p' + below(4))) : "";
      if (result.kind == 'o' && !names.insert(name).second) continue;
      result.parts.push_back(tree(depth - 1));
      result.parts.back().name = name;
    }
    return result;
  }

 private:
  std::mt19937_64 random_;
};

TEST(InvertedKeys, AreThoseOfTheModel) {
  const InvertedPart keys(kJsonb, OperatorClass::Default), paths(kJsonb, OperatorClass::JsonbPath);
  // Which hashes a key may have: those of all values that have it.
  std::map<std::string, std::set<uint64_t>> candidates[2];
  Drawing drawing(21);
  for (int i = 0; i < 3000; ++i) {
    const Tree tree = drawing.tree(3);
    const std::string bytes = parseJsonb(tree.text());
    for (const bool is_path : {false, true}) {
      std::set<std::string> names;
      if (is_path)
        tree.addPaths("", names);
      else
        tree.addKeys(false, names);
      const Keys hashes = keysOf(is_path ? paths : keys, bytes);
      ASSERT_EQ(std::max<size_t>(names.size(), 1), hashes.size()) << tree.text();
      for (const std::string& name : names) {
        auto [found, is_new] = candidates[is_path ? 1 : 0].emplace(name, hashes);
        if (is_new) continue;
        std::erase_if(found->second, [&](uint64_t hash) { return !hashes.contains(hash); });
        ASSERT_FALSE(found->second.empty()) << name << " in " << tree.text();
      }
    }
  }
}

TEST(InvertedKeys, OfWhatIsContainedAreThoseOfWhatContainsIt) {
  const InvertedPart keys(kJsonb, OperatorClass::Default), paths(kJsonb, OperatorClass::JsonbPath);
  Drawing drawing(22);
  int contained = 0;
  for (int i = 0; i < 30000; ++i) {
    const std::string outer = parseJsonb(drawing.tree(3).text()), inner = parseJsonb(drawing.tree(2).text());
    if (JsonbView(outer).isObject() != JsonbView(inner).isObject() ||
        !containsJsonb(JsonbView(outer), JsonbView(inner)))
      continue;
    ++contained;
    for (const InvertedPart* part : {&keys, &paths}) {
      const SoughtKeys sought = part->sought(KeySearch::Contains, datumOf(inner));
      if (sought.rows == Rows::Unknown) continue;
      ASSERT_EQ(sought.rows, Rows::All);
      const Keys there = keysOf(*part, outer), wanted = keysOf(sought);
      EXPECT_TRUE(std::ranges::includes(there, wanted));
    }
  }
  EXPECT_GT(contained, 1000);
}

TEST(InvertedKeys, NamesAreKeysOfObjectsAndStringsOfArrays) {
  const InvertedPart part(kJsonb, OperatorClass::Default);
  const std::string name = "p";
  const Keys wanted = keysOf(part.sought(KeySearch::HasKey, datumOf(name)));
  ASSERT_EQ(wanted.size(), 1u);
  for (const char* text : {R"({"p": 1})", R"(["p"])", R"("p")", R"({"a": ["p"]})"})
    EXPECT_TRUE(keysOf(part, parseJsonb(text)).contains(*wanted.begin())) << text;
  for (const char* text : {R"({"a": "p"})", R"([1])", R"("P")", "{}"})
    EXPECT_FALSE(keysOf(part, parseJsonb(text)).contains(*wanted.begin())) << text;
  const std::string names = parseArrayText(Type::of(TypeKind::Text), "{p,NULL,q}");
  EXPECT_EQ(part.sought(KeySearch::HasAnyKey, datumOf(names)).rows, Rows::Any);
  EXPECT_EQ(keysOf(part.sought(KeySearch::HasAllKeys, datumOf(names))).size(), 2u);
  const std::string none = parseArrayText(Type::of(TypeKind::Text), "{NULL}");
  EXPECT_EQ(part.sought(KeySearch::HasAnyKey, datumOf(none)).rows, Rows::None);
  EXPECT_EQ(part.sought(KeySearch::HasAllKeys, datumOf(none)).rows, Rows::Unknown);
}

TEST(InvertedKeys, OfArraysAreTheirElements) {
  const Type integer = Type::of(TypeKind::Integer);
  const InvertedPart part(Type::of(arrayOf(TypeKind::Integer)), OperatorClass::Default);
  const auto array = [&](std::string_view text) { return parseArrayText(integer, text); };
  EXPECT_EQ(keysOf(part, array("{1,2,1,NULL,NULL}")).size(), 3u);
  EXPECT_EQ(keysOf(part, array("{{1,2},{2,1}}")), keysOf(part, array("{2,1}")));
  EXPECT_EQ(keysOf(part, array("{}")).size(), 1u);
  const Keys empty = keysOf(part, array("{}"));
  EXPECT_FALSE(keysOf(part, array("{NULL}")).contains(*empty.begin()));
  EXPECT_EQ(part.sought(KeySearch::Contains, datumOf(array("{}"))).rows, Rows::Unknown);
  EXPECT_EQ(part.sought(KeySearch::Overlaps, datumOf(array("{}"))).rows, Rows::None);
  EXPECT_EQ(keysOf(part.sought(KeySearch::Equal, datumOf(array("{}")))), empty);
  EXPECT_EQ(keysOf(part.sought(KeySearch::ContainedBy, datumOf(array("{}")))), empty);
}

TEST(InvertedKeys, EqualElementsHaveOneKey) {
  const auto keys = [](TypeKind kind, std::string_view text) {
    return keysOf(InvertedPart(Type::of(arrayOf(kind)), OperatorClass::Default), parseArrayText(Type::of(kind), text));
  };
  EXPECT_EQ(keys(TypeKind::Double, "{0}"), keys(TypeKind::Double, "{-0}"));
  EXPECT_EQ(keys(TypeKind::Char, "{a}"), keys(TypeKind::Char, "{\"a  \"}"));
  EXPECT_NE(keys(TypeKind::Text, "{a}"), keys(TypeKind::Text, "{\"a  \"}"));
  EXPECT_EQ(keys(TypeKind::Interval, "{1 day}"), keys(TypeKind::Interval, "{24 hours}"));
  const std::string wide(40'000, 'w');
  EXPECT_EQ(keys(TypeKind::Text, "{" + wide + "}").size(), 1u);
}

TEST(InvertedKeys, AreOnlyOfTypesWithAClass) {
  const auto errorOf = [](Type type, OperatorClass operator_class) {
    try {
      InvertedPart part(type, operator_class);
      return std::string("none");
    } catch (const SqlError& error) {
      return std::string(error.state().text());
    }
  };
  EXPECT_EQ(errorOf(kJsonb, OperatorClass::JsonbPath), "none");
  EXPECT_EQ(errorOf(Type::of(TypeKind::Integer), OperatorClass::Default), "42704");
  EXPECT_EQ(errorOf(Type::of(TypeKind::Text), OperatorClass::JsonbPath), "42804");
  EXPECT_EQ(errorOf(Type::of(arrayOf(TypeKind::Json)), OperatorClass::Default), "42883");
}

}  // namespace
}  // namespace gnomon::sql
