#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// What a JSON value is, in the order in which jsonb values of different kinds compare.
enum class JsonKind : uint8_t { Null, String, Number, Boolean, Array, Object };

/// The deepest nesting of arrays and objects: all that walks a value does so by recursion.
inline constexpr unsigned kJsonDepthMax = 2'500;
[[noreturn]] void throwJsonTooDeep();

/// A jsonb value is a string with this layout, all numbers as the machine has them, nothing aligned:
///   Null              1 byte    the kind
///   Boolean           2         the kind; 0 or 1
///   String            1 + n     the kind; UTF-8, no zero byte
///   Number            1 + n     the kind; an encoded numeric (sql/types/big_numeric.h), never NaN or infinite
///   Array             8         JsonbHeader
///                     4 count   where each element ends, counted from behind this table
///                     n         the elements, each as a value of its own
///   Object            8         JsonbHeader
///                     8 count   where each key ends, then where each value ends, counted from behind this table
///                     n         the keys, then the values
/// A part of a value is a value: it is taken out without being copied. Element and key are found by their number at
/// once, a key by binary search.
/// Invariants:  J1  keys of an object ascend by length, then by bytes; none is there twice
///              J2  depth is 1 more than the greatest of the parts, at most kJsonDepthMax
/// Equal values may differ in bytes: numbers have scales.
struct JsonbHeader {
  JsonKind kind;
  uint8_t zero = 0;
  uint16_t depth = 1;
  uint32_t count = 0;
};
static_assert(sizeof(JsonbHeader) == 8);
static_assert(offsetof(JsonbHeader, depth) == 2 && offsetof(JsonbHeader, count) == 4);
/// Bytes of what an array or an object holds.
inline constexpr size_t kJsonbBytesMax = 0x0fffffff;

/// Reads a value, whose bytes must live as long.
class JsonbView {
 public:
  JsonbView() = default;
  explicit JsonbView(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] JsonKind kind() const { return static_cast<JsonKind>(bytes_.front()); }
  [[nodiscard]] bool isNull() const { return kind() == JsonKind::Null; }
  [[nodiscard]] bool isArray() const { return kind() == JsonKind::Array; }
  [[nodiscard]] bool isObject() const { return kind() == JsonKind::Object; }
  [[nodiscard]] bool isScalar() const { return kind() < JsonKind::Array; }
  /// The text, or the encoded numeric.
  [[nodiscard]] std::string_view payload() const { return bytes_.substr(1); }
  [[nodiscard]] bool boolean() const { return bytes_[1] != 0; }

  /// Elements of an array, pairs of an object.
  [[nodiscard]] size_t size() const { return header().count; }
  [[nodiscard]] unsigned depth() const { return isScalar() ? 0 : header().depth; }
  /// Element of an array.
  [[nodiscard]] JsonbView at(size_t index) const { return JsonbView(part(index, size())); }
  [[nodiscard]] std::string_view key(size_t index) const { return part(index, 2 * size()); }
  [[nodiscard]] JsonbView value(size_t index) const { return JsonbView(part(size() + index, 2 * size())); }
  /// The number of the key in an object.
  [[nodiscard]] std::optional<size_t> findKey(std::string_view key) const;
  [[nodiscard]] std::optional<JsonbView> find(std::string_view key) const;
  /// Element `index` of an array, a negative one counted from the end.
  [[nodiscard]] std::optional<JsonbView> element(int64_t index) const;

 private:
  [[nodiscard]] JsonbHeader header() const {
    JsonbHeader header;
    std::memcpy(&header, bytes_.data(), sizeof(header));
    return header;
  }
  [[nodiscard]] uint32_t end(size_t index) const {
    uint32_t end;
    std::memcpy(&end, bytes_.data() + sizeof(JsonbHeader) + sizeof(end) * index, sizeof(end));
    return end;
  }
  [[nodiscard]] std::string_view part(size_t index, size_t ends) const {
    const uint32_t begin = index == 0 ? 0 : end(index - 1);
    return bytes_.substr(sizeof(JsonbHeader) + sizeof(uint32_t) * ends + begin, end(index) - begin);
  }

  std::string_view bytes_;
};

/// In J1's order.
int compareJsonKeys(std::string_view left, std::string_view right);

/// PostgreSQL's order of jsonb: kinds; sizes; elements, or keys and values, from the first on.
int compareJsonb(JsonbView left, JsonbView right);
/// Equal for equal values.
uint64_t hashJsonb(JsonbView value);
/// Bytes that memcmp orders as compareJsonb does, none a proper prefix of another. Preorder, each value as
///   1 byte    its kind plus 1; then
///   Boolean   1 byte; String: its bytes, a zero byte; Number: BigNumeric::appendOrdered
///   Array     4 bytes its size, big-endian; a byte 1; the elements. A scalar that is no part of another value comes as
///             an array of one element with a byte 0.
///   Object    4 bytes its size; the keys as strings with their values
void appendOrderedJsonb(JsonbView value, std::string& out);
/// Whether everything in `inner` is in `outer`, as PostgreSQL's @> says.
bool containsJsonb(JsonbView outer, JsonbView inner);

}  // namespace gnomon::sql
