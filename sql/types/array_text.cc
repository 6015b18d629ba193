#include "sql/types/array_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/array_value.h"
#include "sql/types/binary_reader.h"

namespace gnomon::sql {
namespace {

bool isBlank(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

bool isNullWord(std::string_view text) {
  constexpr std::string_view kNull = "null";
  return text.size() == kNull.size() &&
         std::ranges::equal(text, kNull, [](char given, char wanted) { return (given | 0x20) == wanted; });
}

/// Reads an array's text: its structure as a whole comes before its elements' values.
class ArrayReader {
 public:
  explicit ArrayReader(std::string_view text) : text_(text) {}

  struct Item {
    std::string text;
    bool is_null;
  };

  void read() {
    skipBlanks();
    readBounds();
    readLevels();
    skipBlanks();
    if (!atEnd()) fail("Junk after closing right brace.");
    if (items_.empty()) dimensions_.clear();
    if (!bounds_.empty() && !items_.empty()) applyBounds();
  }
  [[nodiscard]] const std::vector<ArrayDimension>& dimensions() const { return dimensions_; }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  enum class State { NoLevel, LevelStarted, ElementDone, ElementDelimited, LevelDone, LevelDelimited };

  [[noreturn]] void fail(std::string_view detail) const {
    throw SqlError(sqlstate::kInvalidTextRepresentation, fmt::format("malformed array literal: \"{}\"", text_))
        .detail(std::string(detail));
  }
  [[nodiscard]] bool atEnd() const { return next_ == text_.size(); }
  [[nodiscard]] char peek() const { return atEnd() ? '\0' : text_[next_]; }
  void skipBlanks() {
    while (!atEnd() && isBlank(text_[next_])) ++next_;
  }
  std::optional<int32_t> readInteger();
  void readBounds();
  void readLevels();
  void openLevel();
  void closeLevel();
  void readElement();
  void applyBounds();

  const std::string_view text_;
  size_t next_ = 0;
  State state_ = State::NoLevel;
  std::vector<ArrayDimension> bounds_;      ///< as written before the braces
  std::vector<ArrayDimension> dimensions_;  ///< as found; a length of 0: no level of it has been closed
  std::vector<int32_t> counts_;             ///< members so far of the levels that are open
  std::vector<Item> items_;
};

std::optional<int32_t> ArrayReader::readInteger() {
  const size_t begin = next_;
  if (peek() == '-' || peek() == '+') ++next_;
  int64_t number = 0;
  const size_t digits = next_;
  for (; peek() >= '0' && peek() <= '9'; ++next_) {
    number = number * 10 + (peek() - '0');
    if (number > int64_t{INT32_MAX} + 1) fail("Array dimension value out of range.");
  }
  if (next_ == digits) {
    next_ = begin;
    return std::nullopt;
  }
  return static_cast<int32_t>(text_[begin] == '-' ? -number : number);
}

void ArrayReader::readBounds() {
  while (peek() == '[') {
    ++next_;
    skipBlanks();
    std::optional<int32_t> first = readInteger();
    if (!first) fail("\"[\" must introduce explicitly-specified array dimensions.");
    int32_t lower = 1;
    int32_t upper = *first;
    if (peek() == ':') {
      ++next_;
      const std::optional<int32_t> second = readInteger();
      if (!second) fail("Missing array dimension value.");
      lower = *first;
      upper = *second;
    }
    if (peek() != ']') fail("Missing \"]\" after array dimensions.");
    ++next_;
    if (bounds_.size() == kArrayDimensionsMax) throwTooManyDimensions(bounds_.size() + 1);
    if (upper < lower) throw SqlError(sqlstate::kArraySubscriptError, "upper bound cannot be less than lower bound");
    bounds_.push_back({static_cast<int32_t>(std::min<int64_t>(int64_t{upper} - lower + 1, INT32_MAX)), lower});
    skipBlanks();
  }
  if (bounds_.empty()) {
    if (peek() != '{') fail("Array value must start with \"{\" or dimension information.");
    return;
  }
  if (peek() != '=') fail("Missing \"=\" after array dimensions.");
  ++next_;
  skipBlanks();
  if (peek() != '{') fail("Array contents must start with \"{\".");
}

void ArrayReader::openLevel() {
  if (state_ == State::ElementDelimited) fail("Multidimensional arrays must have sub-arrays with matching dimensions.");
  if (state_ == State::ElementDone || state_ == State::LevelDone) fail("Unexpected \"{\" character.");
  if (counts_.size() == kArrayDimensionsMax) throwTooManyDimensions(counts_.size() + 1);
  counts_.push_back(0);
  if (dimensions_.size() < counts_.size()) dimensions_.push_back({0, 1});
  state_ = State::LevelStarted;
  ++next_;
}

void ArrayReader::closeLevel() {
  const bool is_empty_array = state_ == State::LevelStarted && counts_.size() == 1;
  if (state_ != State::ElementDone && state_ != State::LevelDone && !is_empty_array)
    fail("Unexpected \"}\" character.");
  ArrayDimension& dimension = dimensions_[counts_.size() - 1];
  if (dimension.length != 0 && dimension.length != counts_.back())
    fail("Multidimensional arrays must have sub-arrays with matching dimensions.");
  dimension.length = counts_.back();
  counts_.pop_back();
  if (!counts_.empty()) ++counts_.back();
  state_ = State::LevelDone;
  ++next_;
}

void ArrayReader::readElement() {
  if (state_ != State::LevelStarted && state_ != State::ElementDelimited) fail("Unexpected array element.");
  if (counts_.size() < dimensions_.size())
    fail("Multidimensional arrays must have sub-arrays with matching dimensions.");
  Item item{{}, false};
  const bool is_quoted = peek() == '"';
  bool has_escape = false;
  if (is_quoted) ++next_;
  size_t kept = 0;  // up to the last byte that is no trailing blank
  for (;; ++next_) {
    if (atEnd()) fail("Unexpected end of input.");
    char byte = text_[next_];
    if (is_quoted ? byte == '"' : byte == kArrayDelimiter || byte == '}') break;
    if (!is_quoted && byte == '"') fail("Unexpected array element.");
    if (!is_quoted && byte == '{') fail("Unexpected \"{\" character.");
    const bool is_escape = byte == '\\';
    if (is_escape) {
      has_escape = true;
      if (++next_ == text_.size()) fail("Unexpected end of input.");
      byte = text_[next_];
    }
    item.text += byte;
    if (is_quoted || is_escape || !isBlank(byte)) kept = item.text.size();
  }
  item.text.resize(kept);
  if (is_quoted) {
    ++next_;
  } else {
    item.is_null = !has_escape && isNullWord(item.text);
  }
  items_.push_back(std::move(item));
  ++counts_.back();
  state_ = State::ElementDone;
}

void ArrayReader::readLevels() {
  do {
    skipBlanks();
    if (atEnd()) fail("Unexpected end of input.");
    const char byte = peek();
    if (byte == '{') {
      openLevel();
    } else if (byte == '}') {
      closeLevel();
    } else if (byte == kArrayDelimiter) {
      if (state_ != State::ElementDone && state_ != State::LevelDone) fail("Unexpected \",\" character.");
      state_ = state_ == State::ElementDone ? State::ElementDelimited : State::LevelDelimited;
      ++next_;
    } else {
      readElement();
    }
  } while (!counts_.empty());
}

void ArrayReader::applyBounds() {
  const bool matches = std::ranges::equal(bounds_, dimensions_, {}, &ArrayDimension::length, &ArrayDimension::length);
  if (!matches) fail("Specified array dimensions do not match array contents.");
  dimensions_ = bounds_;
}

bool needsQuotes(std::string_view text) {
  if (text.empty() || isNullWord(text)) return true;
  return std::ranges::any_of(text, [](char byte) {
    return byte == '"' || byte == '\\' || byte == '{' || byte == '}' || byte == kArrayDelimiter || isBlank(byte);
  });
}

void appendItem(std::string_view text, std::string& out) {
  if (!needsQuotes(text)) {
    out += text;
    return;
  }
  out += '"';
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') out += '\\';
    out += byte;
  }
  out += '"';
}

}  // namespace

std::string parseArrayText(Type element, std::string_view text) {
  ArrayReader reader(text);
  reader.read();
  countElements(reader.dimensions());
  ArrayBuilder builder(element);
  for (const ArrayReader::Item& item : reader.items())
    item.is_null ? builder.addNull() : builder.add(parseText(element, item.text));
  return builder.finish(reader.dimensions());
}

void appendArrayText(Type element, StringValue array, std::string& out, ByteaOutput bytea_output) {
  const ArrayView view(element, array);
  const auto dimensions = view.dimensions();
  if (dimensions.empty()) {
    out += "{}";
    return;
  }
  if (std::ranges::any_of(dimensions, [](const ArrayDimension& dimension) { return dimension.lower != 1; })) {
    for (const ArrayDimension& dimension : dimensions)
      fmt::format_to(std::back_inserter(out), "[{}:{}]", dimension.lower, dimension.upper());
    out += '=';
  }
  // A level's braces stand where its size divides the element's number.
  std::vector<size_t> sizes(dimensions.size());
  size_t size = 1;
  for (size_t i = dimensions.size(); i-- > 0;) {
    size *= static_cast<size_t>(dimensions[i].length);
    sizes[i] = size;
  }
  std::string item;
  for (size_t index = 0; index < view.size(); ++index) {
    if (index > 0) out += kArrayDelimiter;
    for (const size_t level : sizes)
      if (index % level == 0) out += '{';
    if (view.isNull(index)) {
      out += "NULL";
    } else {
      const RegisterPair value = view.at(index);
      item.clear();
      appendText(element, value.lo, value.hi, item, bytea_output);
      appendItem(item, out);
    }
    for (const size_t level : sizes)
      if ((index + 1) % level == 0) out += '}';
  }
}

std::string parseArrayBinary(Type element, std::string_view bytes, unsigned parameter) {
  BinaryReader reader(bytes, parameter);
  const int32_t count = reader.integer();
  if (count < 0)
    throw SqlError(sqlstate::kInvalidBinaryRepresentation, fmt::format("invalid number of dimensions: {}", count));
  if (count > static_cast<int32_t>(kArrayDimensionsMax)) throwTooManyDimensions(static_cast<size_t>(count));
  const int32_t flags = reader.integer();
  if (flags != 0 && flags != 1)
    throw SqlError(sqlstate::kInvalidBinaryRepresentation, fmt::format("invalid array flags"));
  if (static_cast<uint32_t>(reader.integer()) != element.oid())
    throw SqlError(sqlstate::kDatatypeMismatch, "wrong element type");
  std::array<ArrayDimension, kArrayDimensionsMax> said;
  bool is_empty = count == 0;
  for (ArrayDimension& dimension : std::span(said).first(static_cast<size_t>(count))) {
    dimension = {reader.integer(), reader.integer()};
    if (dimension.length < 0) throwTooManyElements();
    is_empty = is_empty || dimension.length == 0;
  }
  const std::span dimensions = std::span(said).first(is_empty ? 0 : static_cast<size_t>(count));
  const size_t elements = countElements(dimensions);
  // Most arrays that are given are of integers.
  if (element.kind == TypeKind::Integer)
    if (std::optional<std::string> array = arrayOfMessage(dimensions, reader.rest())) return *std::move(array);
  ArrayBuilder builder(element);
  // A message that says more than it brings is refused below.
  builder.reserve(std::min(elements, bytes.size() / sizeof(int32_t)));
  for (size_t i = 0; i < elements; ++i) {
    const int32_t length = reader.integer();
    if (length == -1) {
      builder.addNull();
    } else {
      if (length < 0) throw SqlError(sqlstate::kInvalidBinaryRepresentation, "insufficient data left in message");
      builder.add(parseBinary(element, reader.take(static_cast<size_t>(length)), parameter));
    }
  }
  reader.finish();
  return builder.finish(dimensions);
}

void appendArrayBinary(Type element, StringValue array, std::string& out) {
  const ArrayView view(element, array);
  appendBigEndian(static_cast<int32_t>(view.dimensions().size()), out);
  appendBigEndian(view.hasNulls() ? 1 : 0, out);
  appendBigEndian(static_cast<int32_t>(element.oid()), out);
  for (const ArrayDimension& dimension : view.dimensions()) {
    appendBigEndian(dimension.length, out);
    appendBigEndian(dimension.lower, out);
  }
  std::string item;
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.isNull(i)) {
      appendBigEndian(-1, out);
      continue;
    }
    const RegisterPair value = view.at(i);
    item.clear();
    appendBinary(element, value.lo, value.hi, item);
    appendBigEndian(static_cast<int32_t>(item.size()), out);
    out += item;
  }
}

}  // namespace gnomon::sql
