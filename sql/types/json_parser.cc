#include "sql/types/json_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <new>

#include "base/sql_error.h"
#include "sql/types/json_scanner.h"

namespace gnomon::sql {
namespace {

namespace ondemand = simdjson::ondemand;

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && std::string_view(" \t\n\r").contains(token.front())) token.remove_prefix(1);
  while (!token.empty() && std::string_view(" \t\n\r").contains(token.back())) token.remove_suffix(1);
  return token;
}

/// Whether the escapes of a string are written right that begins behind its quote and ends somewhere.
bool areEscapesWritten(const char* text) {
  for (; *text != '"'; ++text) {
    if (*text != '\\') continue;
    ++text;
    if (!std::string_view("\"\\/bfnrtu").contains(*text)) return false;
    if (*text != 'u') continue;
    for (int digit = 0; digit < 4; ++digit)
      if (!std::string_view("0123456789abcdefABCDEF").contains(*++text)) return false;
  }
  return true;
}

bool isAtEnd(ondemand::document& document) {
  const char* location = nullptr;
  return document.current_location().get(location) == simdjson::OUT_OF_BOUNDS;
}

/// What only looks whether the text is JSON.
class NoSink {
 public:
  static constexpr bool kWantsText = false;
  void beginArray() {}
  void endArray() {}
  void beginObject() {}
  void endObject() {}
  void null() {}
  void boolean(bool) {}
  void key(std::string_view) {}
  void string(std::string_view) {}
  void number(std::string_view) {}
};

class BuilderSink {
 public:
  static constexpr bool kWantsText = true;
  explicit BuilderSink(JsonbBuilder& builder) : builder_(builder) {}
  void beginArray() { builder_.beginArray(); }
  void endArray() { builder_.endArray(); }
  void beginObject() { builder_.beginObject(); }
  void endObject() { builder_.endObject(); }
  void null() { builder_.null(); }
  void boolean(bool value) { builder_.boolean(value); }
  void key(std::string_view key) { builder_.key(key); }
  void string(std::string_view text) { builder_.string(text); }
  void number(std::string_view token) { builder_.number(BigNumeric::parse(token)); }

 private:
  JsonbBuilder& builder_;
};

/// Tells a sink what the text says. Every function answers whether the text is JSON so far.
template <typename Sink>
class Walker {
 public:
  explicit Walker(Sink& sink) : sink_(sink) {}

  /// `text`: all of it, without blanks around it.
  bool document(ondemand::document& document, std::string_view text) {
    ondemand::json_type type;
    if (document.type().get(type) != simdjson::SUCCESS) return false;
    if (type == ondemand::json_type::array) {
      ondemand::array array;
      if (document.get_array().get(array) != simdjson::SUCCESS || !elements(array, 0)) return false;
      return isAtEnd(document);
    }
    if (type == ondemand::json_type::object) {
      ondemand::object object;
      if (document.get_object().get(object) != simdjson::SUCCESS || !fields(object, 0)) return false;
      return isAtEnd(document);
    }
    // A token ends where the next one begins, so behind a scalar that is the text nothing stands.
    std::string_view token;
    if (document.raw_json_token().get(token) != simdjson::SUCCESS || trimmed(token) != text) return false;
    if (type != ondemand::json_type::string) return scalar(text);
    std::string_view meant;
    if constexpr (Sink::kWantsText) {
      if (document.get_string().get(meant) != simdjson::SUCCESS || meant.contains('\0')) return false;
    } else if (!areEscapesWritten(text.data() + 1)) {
      return false;
    }
    sink_.string(meant);
    return true;
  }

 private:
  bool value(ondemand::value& value, unsigned depth) {
    ondemand::json_type type;
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    switch (type) {
      case ondemand::json_type::array: {
        ondemand::array array;
        return value.get_array().get(array) == simdjson::SUCCESS && elements(array, depth);
      }
      case ondemand::json_type::object: {
        ondemand::object object;
        return value.get_object().get(object) == simdjson::SUCCESS && fields(object, depth);
      }
      case ondemand::json_type::string:
        return string(value);
      default:
        return scalar(trimmed(value.raw_json_token()));
    }
  }
  bool elements(ondemand::array& array, unsigned depth) {
    if (depth >= kJsonDepthMax) throwJsonTooDeep();
    sink_.beginArray();
    for (auto element : array) {
      ondemand::value inner;
      if (element.get(inner) != simdjson::SUCCESS || !value(inner, depth + 1)) return false;
    }
    sink_.endArray();
    return true;
  }
  bool fields(ondemand::object& object, unsigned depth) {
    if (depth >= kJsonDepthMax) throwJsonTooDeep();
    sink_.beginObject();
    for (auto found : object) {
      ondemand::field field;
      if (std::move(found).get(field) != simdjson::SUCCESS) return false;
      std::string_view key;
      if constexpr (Sink::kWantsText) {
        if (field.unescaped_key().get(key) != simdjson::SUCCESS || key.contains('\0')) return false;
      } else if (!areEscapesWritten(field.key().raw())) {
        return false;
      }
      sink_.key(key);
      ondemand::value inner = field.value();
      if (!value(inner, depth + 1)) return false;
    }
    sink_.endObject();
    return true;
  }
  bool string(ondemand::value& value) {
    std::string_view text;
    if constexpr (Sink::kWantsText) {
      if (value.get_string().get(text) != simdjson::SUCCESS || text.contains('\0')) return false;
    } else {
      ondemand::raw_json_string raw;
      if (value.get_raw_json_string().get(raw) != simdjson::SUCCESS || !areEscapesWritten(raw.raw())) return false;
    }
    sink_.string(text);
    return true;
  }
  bool scalar(std::string_view token) {
    if (token == "null")
      sink_.null();
    else if (token == "true" || token == "false")
      sink_.boolean(token == "true");
    else if (isJsonNumber(token))
      sink_.number(token);
    else
      return false;
    return true;
  }

  Sink& sink_;
};

/// A thread's own. What a large text needed is given back.
struct Reader {
  ondemand::parser parser;
  std::string padded;

  Reader() {
    constexpr size_t kFirstBytes = 4'096, kDepthSpare = 8;
    if (parser.allocate(kFirstBytes, kJsonDepthMax + kDepthSpare) != simdjson::SUCCESS) throw std::bad_alloc();
  }
};
constexpr size_t kKeptBytesMax = 1 << 20;

template <typename Sink>
bool walk(std::string_view text, Sink& sink) {
  thread_local Reader reader;
  reader.padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  reader.padded.assign(text);
  ondemand::document document;
  const bool is_read =
      reader.parser.iterate(reader.padded.data(), text.size(), reader.padded.capacity()).get(document) ==
      simdjson::SUCCESS;
  const bool is_json = is_read && Walker<Sink>(sink).document(document, trimmed(reader.padded));
  if (text.size() > kKeptBytesMax) reader = Reader();
  return is_json;
}

}  // namespace

void checkJson(std::string_view text) {
  NoSink sink;
  if (!walk(text, sink)) scanJson(text, JsonEscapes::Written);
}

void parseJsonb(std::string_view text, JsonbBuilder& builder) {
  BuilderSink sink(builder);
  if (walk(text, sink)) return;
  scanJson(text, JsonEscapes::Meant);
  throw SqlError(sqlstate::kInternalError, "JSON is read by one reader and refused by another one");
}

std::string parseJsonb(std::string_view text) {
  JsonbBuilder builder;
  parseJsonb(text, builder);
  return builder.finish();
}

std::string_view jsonWireText(std::string_view bytes, std::string_view type_name) {
  if (bytes.empty()) throw SqlError(sqlstate::kProtocolViolation, "insufficient data left in message");
  const int version = static_cast<unsigned char>(bytes.front());
  if (version != kJsonWireVersion)
    throw SqlError(sqlstate::kInternalError, fmt::format("unsupported {} version number {}", type_name, version));
  return bytes.substr(1);
}

}  // namespace gnomon::sql
