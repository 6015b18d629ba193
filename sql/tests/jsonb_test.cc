#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/json_parser.h"
#include "sql/types/json_scanner.h"
#include "sql/types/json_text.h"
#include "sql/types/jsonb_builder.h"
#include "sql/types/jsonb_value.h"

namespace gnomon::sql {
namespace {

std::string textOf(std::string_view bytes) {
  std::string text;
  appendJsonbText(JsonbView(bytes), text);
  return text;
}

std::string errorOf(std::string_view json) {
  try {
    parseJsonb(json);
    return "no error";
  } catch (const SqlError& error) {
    return std::string(error.state().text()) + " " + error.detail();
  }
}

/// JSON as a tree of its own.
struct Tree {
  JsonKind kind = JsonKind::Null;
  std::string scalar;  ///< as JSON text
  std::vector<Tree> elements;
  std::map<std::pair<size_t, std::string>, Tree> fields;

  [[nodiscard]] std::string text() const {
    if (kind == JsonKind::Array) {
      std::string text = "[";
      for (const Tree& element : elements) text += (text.size() > 1 ? ", " : "") + element.text();
      return text + "]";
    }
    if (kind != JsonKind::Object) return scalar;
    std::string text = "{";
    for (const auto& [key, value] : fields)
      text += (text.size() > 1 ? ", \"" : "\"") + key.second + "\": " + value.text();
    return text + "}";
  }
};

class Drawing {
 public:
  explicit Drawing(uint64_t seed) : random_(seed) {}

  size_t below(size_t limit) { return random_() % limit; }
  Tree tree(unsigned depth) {
    Tree tree;
    tree.kind = static_cast<JsonKind>(below(depth == 0 ? 4 : 6));
    switch (tree.kind) {
      case JsonKind::Null:
        tree.scalar = "null";
        break;
      case JsonKind::Boolean:
        tree.scalar = below(2) == 0 ? "true" : "false";
        break;
      case JsonKind::Number:
        tree.scalar = std::to_string(static_cast<int>(below(7)) - 3) + (below(2) == 0 ? ".5" : "");
        if (tree.scalar == "-0") tree.scalar = "0";
        break;
      case JsonKind::String:
        tree.scalar = "\"" + word() + "\"";
        break;
      case JsonKind::Array:
        for (size_t i = below(4); i > 0; --i) tree.elements.push_back(this->tree(depth - 1));
        break;
      case JsonKind::Object:
        for (size_t i = below(4); i > 0; --i) {
          const std::string key = word();
          tree.fields.insert_or_assign({key.size(), key}, this->tree(depth - 1));
        }
        break;
    }
    return tree;
  }
  std::string word() {
    std::string word;
    for (size_t i = below(4); i > 0; --i) word += static_cast<char>('a' + below(3));
    return word;
  }
  std::string damaged(std::string text) {
    constexpr std::string_view kBytes = "{}[],:\"\\ 0123.eE+-truefalsn\nu";
    for (size_t i = 1 + below(3); i > 0 && !text.empty(); --i) {
      const size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text[at] = kBytes[below(kBytes.size())];
          break;
        default:
          text.insert(at, 1, kBytes[below(kBytes.size())]);
      }
    }
    return text;
  }

 private:
  std::mt19937_64 random_;
};

TEST(Jsonb, HoldsWhatATreeHolds) {
  Drawing drawing(20240611);
  for (int round = 0; round < 2'000; ++round) {
    const Tree tree = drawing.tree(4);
    const std::string bytes = parseJsonb(tree.text());
    EXPECT_EQ(textOf(bytes), tree.text());
    EXPECT_EQ(textOf(parseJsonb("  " + tree.text() + "\n")), tree.text());
    const JsonbView view(bytes);
    if (tree.kind == JsonKind::Object) {
      for (const auto& [key, value] : tree.fields) {
        const auto found = view.find(key.second);
        ASSERT_TRUE(found);
        EXPECT_EQ(textOf(found->bytes()), value.text());
      }
      EXPECT_FALSE(view.find("absent"));
    }
    if (tree.kind == JsonKind::Array) {
      ASSERT_EQ(view.size(), tree.elements.size());
      for (size_t i = 0; i < view.size(); ++i) EXPECT_EQ(textOf(view.at(i).bytes()), tree.elements[i].text());
    }
  }
}

TEST(Jsonb, OrderedBytesOrderAsValuesDo) {
  Drawing drawing(7);
  std::vector<std::string> values;
  for (int i = 0; i < 300; ++i) values.push_back(parseJsonb(drawing.tree(3).text()));
  const auto sign = [](int order) { return (order > 0) - (order < 0); };
  for (const std::string& left : values)
    for (const std::string& right : values) {
      std::string left_bytes, right_bytes;
      appendOrderedJsonb(JsonbView(left), left_bytes);
      appendOrderedJsonb(JsonbView(right), right_bytes);
      const int order = compareJsonb(JsonbView(left), JsonbView(right));
      EXPECT_EQ(sign(left_bytes.compare(right_bytes)), sign(order)) << textOf(left) << " " << textOf(right);
      if (order == 0) EXPECT_EQ(hashJsonb(JsonbView(left)), hashJsonb(JsonbView(right)));
    }
}

TEST(Json, BothReadersTakeTheSameTexts) {
  Drawing drawing(99);
  size_t valid = 0;
  for (int round = 0; round < 8'000; ++round) {
    const std::string text = drawing.damaged(drawing.tree(3).text());
    const auto accepts = [&](auto&& read) {
      try {
        read();
        return true;
      } catch (const SqlError& error) {
        EXPECT_NE(std::string_view(error.state().text()), "XX000") << text;
        return false;
      }
    };
    const bool is_written = accepts([&] { scanJson(text, JsonEscapes::Written); });
    const bool is_meant = accepts([&] { scanJson(text, JsonEscapes::Meant); });
    EXPECT_EQ(accepts([&] { checkJson(text); }), is_written) << text;
    EXPECT_EQ(accepts([&] { parseJsonb(text); }), is_meant) << text;
    valid += is_written ? 1 : 0;
  }
  EXPECT_GT(valid, 400U);
}

TEST(Json, NestingIsBounded) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(errorOf(nested(kJsonDepthMax)), "no error");
  EXPECT_EQ(errorOf(nested(kJsonDepthMax + 1)), "54001 ");
  EXPECT_EQ(errorOf(std::string(1'000'000, '[')), "54001 ");
  std::string value = parseJsonb("1");
  JsonbBuilder builder;
  for (size_t i = 0; i < kJsonDepthMax; ++i) {
    builder.beginArray();
    builder.value(JsonbView(value));
    builder.endArray();
    value = builder.finish();
  }
  builder.beginArray();
  builder.value(JsonbView(value));
  EXPECT_THROW(builder.endArray(), SqlError);
}

TEST(Json, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf("{\"a\": oops}"), "22P02 Token \"oops\" is invalid.");
  EXPECT_EQ(errorOf("[1,]"), "22P02 Expected JSON value, but found \"]\".");
  EXPECT_EQ(errorOf("\"\\u0000\""), "22P05 \\u0000 cannot be converted to text.");
  EXPECT_EQ(errorOf(""), "22P02 The input string ended unexpectedly.");
}

}  // namespace
}  // namespace gnomon::sql
