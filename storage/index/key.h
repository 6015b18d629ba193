#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "storage/relation/schema.h"

namespace gnomon::storage {

/// Bytes of a key, ordered as memcmp orders them; a proper prefix comes first.
using KeyView = std::string_view;

/// The longest key: two entries and two fences of this length fit in one index page, so every full page can be split.
inline constexpr size_t kKeyBytesMax = 15 * 1024;

/// A key that owns its bytes; short ones without an allocation.
class EncodedKey {
 public:
  EncodedKey() = default;
  explicit EncodedKey(KeyView bytes) { append(bytes); }
  EncodedKey(const EncodedKey& other) { append(other.view()); }
  EncodedKey& operator=(const EncodedKey& other) {
    if (this != &other) assign(other.view());
    return *this;
  }

  [[nodiscard]] KeyView view() const { return {data(), size_}; }
  [[nodiscard]] size_t size() const { return size_; }

  void clear() { size_ = 0; }
  /// `bytes` lie outside this key.
  void assign(KeyView bytes) {
    clear();
    append(bytes);
  }
  void append(KeyView bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  void append(char byte) { *extend(1) = byte; }
  /// Makes the key `count` bytes longer and returns where they begin; their values are undefined.
  char* extend(size_t count) {
    if (size_ + count > capacity_) [[unlikely]]
      grow(size_ + count);
    char* end = data() + size_;
    size_ += static_cast<uint32_t>(count);
    return end;
  }
  void invertFrom(size_t begin) {
    for (char* byte = data() + begin; byte < data() + size_; ++byte) *byte = static_cast<char>(~*byte);
  }
  void truncate(size_t size) { size_ = static_cast<uint32_t>(size); }

  /// Turns the key into the least one above all keys that begin with it: the exclusive upper bound of a scan by the
  /// first parts of a composite key. False: there is none, the scan has no upper bound.
  [[nodiscard]] bool makePrefixEnd();

 private:
  static constexpr uint32_t kInlineBytes = 48;

  [[nodiscard]] const char* data() const { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] char* data() { return heap_ ? heap_.get() : inline_; }
  void grow(size_t size);

  uint32_t size_ = 0;
  uint32_t capacity_ = kInlineBytes;
  std::unique_ptr<char[]> heap_;
  char inline_[kInlineBytes];
};
static_assert(sizeof(EncodedKey) == 64);

/// One column of a composite key. Nulls go where `nulls_first` says, whatever the direction.
struct KeyPart {
  StoredKind kind;
  bool descending = false;
  bool nulls_first = false;
  bool is_blank_padded = false;  ///< of a String: blanks at its end do not count
  /// Of a String whose bytes are no text: appends a form of them that is ordered as the values are, the same for equal
  /// values, none a proper prefix of another. Null: a text.
  void (*append_ordered)(std::string_view bytes, uint64_t bytes_type, EncodedKey& key) = nullptr;
  uint64_t bytes_type = 0;  ///< what append_ordered has to know of them
};

/// A column's value on its way into a key. `string`: the bytes when the part is a String.
struct KeyValue {
  Datum datum;
  std::string_view string;
  bool is_null = false;
};

inline constexpr char kLeastValueMark = 0x02;
inline constexpr char kAboveValuesMark = static_cast<char>(0xE0);

/// Encodes composite keys so that the order of their bytes is SQL's order of the values.
///
/// Layout of a part: a byte that marks a NULL or a value, then the value; of integers the mark says how many bytes
/// follow, so that small ones are short and the first bytes of a key tell much. All bits of the value, and of the mark
/// of an integer, are inverted when the part is descending:
///   Bool1, Int16..128
///               mark 80h + n, then the last n bytes, big-endian, of one that is not negative and has n significant
///               bytes; mark 7Fh - n, then the last n bytes, of one whose complement has n
///   Float32/64  4/8 bytes: IEEE bits big-endian, all flipped when negative, else the sign bit; -0 is 0, and every NaN
///               is the one above infinity
///   String      bytes, 00 as 00 FF; ends with 00 00, so that prefixes come first (collation C); or what the part's
///               append_ordered makes of them
///   Interval    microseconds with months of 30 days and days of 24 hours, as PostgreSQL compares, as Int128
/// Invariants: K1  no key of all parts is a proper prefix of another
///             K2  the marks of values are from kLeastValueMark on and below kAboveValuesMark; those of NULLs are not
/// Threads: any; the encoder does not change.
class KeyEncoder {
 public:
  explicit KeyEncoder(std::vector<KeyPart> parts)
      : parts_(std::move(parts)), has_only_integers_(std::ranges::all_of(parts_, isShortInteger)) {}

  /// Encodes `values`, one for each part, or fewer for a bound on the first parts. Failure: 54000 when the key exceeds
  /// kKeyBytesMax; `key` is undefined then.
  void encode(std::span<const KeyValue> values, EncodedKey& key) const;
  [[nodiscard]] const std::vector<KeyPart>& parts() const { return parts_; }

 private:
  /// One of at most 64 bits, ascending.
  static bool isShortInteger(const KeyPart& part) {
    return !part.descending && (part.kind == StoredKind::Bool1 || part.kind == StoredKind::Int16 ||
                                part.kind == StoredKind::Int32 || part.kind == StoredKind::Int64);
  }
  void encodeIntegers(std::span<const KeyValue> values, EncodedKey& key) const;

  std::vector<KeyPart> parts_;
  bool has_only_integers_;
};

}  // namespace gnomon::storage
