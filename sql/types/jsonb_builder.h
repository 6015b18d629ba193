#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/types/big_numeric.h"
#include "sql/types/jsonb_value.h"

namespace gnomon::sql {

/// Makes a jsonb value of its parts, told in the order in which they are written. Of keys of an object that are the
/// same the last one counts. Failure: 54000 for what is too large, 54001 for what is nested too deeply.
class JsonbBuilder {
 public:
  void beginArray();
  void endArray();
  void beginObject();
  void key(std::string_view key);
  void endObject();

  void null();
  void boolean(bool value);
  void string(std::string_view text);
  void number(const BigNumeric& number);
  /// A value as it is.
  void value(JsonbView value);

  [[nodiscard]] std::string finish() { return std::exchange(root_, {}); }

 private:
  struct Frame {
    std::string keys = {};
    std::vector<uint32_t> key_ends = {};
    std::string values = {};
    std::vector<uint32_t> value_ends = {};
    unsigned depth = 0;  ///< of the deepest value
  };

  /// Where the next value's bytes go, and what is to be said when they are there.
  std::string& out() { return frames_.empty() ? root_ : frames_.back().values; }
  void added(unsigned depth);
  void begin();

  std::vector<Frame> frames_;
  std::string root_;
};

/// A value that is a string, a number.
std::string jsonbString(std::string_view text);
std::string jsonbNumber(const BigNumeric& number);

}  // namespace gnomon::sql
