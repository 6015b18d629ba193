#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_value.h"
#include "sql/functions/function_id.h"
#include "sql/types/jsonb_value.h"
#include "sql/types/text_io.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// One argument of a function of JSON, as registers hold it.
struct JsonArgument {
  Type type;
  bool is_null = true;
  StringValue value;  ///< the two words, of whatever type

  [[nodiscard]] RegisterPair registers() const { return {value.lo(), value.hi()}; }
};

/// One call: the arguments, and the answer that the function gives. Texts and views that it hands out lie in the
/// arguments. Without an answer it is NULL.
class JsonCall {
 public:
  JsonCall(Type result, std::span<const JsonArgument> arguments) : result_(result), arguments_(arguments) {}

  [[nodiscard]] Type result() const { return result_; }
  [[nodiscard]] std::span<const JsonArgument> arguments() const { return arguments_; }
  [[nodiscard]] size_t size() const { return arguments_.size(); }
  [[nodiscard]] Type type(size_t index) const { return arguments_[index].type; }
  [[nodiscard]] bool isNull(size_t index) const { return arguments_[index].is_null; }
  [[nodiscard]] std::string_view text(size_t index) const { return arguments_[index].value.view(); }
  [[nodiscard]] JsonbView jsonb(size_t index) const { return JsonbView(text(index)); }
  [[nodiscard]] int64_t integer(size_t index) const { return static_cast<int64_t>(arguments_[index].value.lo()); }
  [[nodiscard]] bool boolean(size_t index) const { return (arguments_[index].value.lo() & 1) != 0; }
  /// Of a text[]; NULLs among them have no text.
  [[nodiscard]] std::vector<std::pair<bool, std::string>> texts(size_t index) const;

  void giveInteger(int64_t number) { give({static_cast<uint64_t>(number), number < 0 ? ~uint64_t{0} : 0}); }
  void giveBoolean(bool value) { give({value ? uint64_t{1} : 0, 0}); }
  void give(RegisterPair value) {
    answer_ = value;
    kind_ = Answer::Registers;
  }
  void giveBytes(std::string bytes) {
    bytes_ = std::move(bytes);
    kind_ = Answer::Bytes;
  }
  /// A part of an argument's bytes, which is not copied.
  void givePart(size_t index, std::string_view part) {
    const StringValue& whole = arguments_[index].value;
    const auto storage = whole.isInline() ? StringValue::Storage::Persistent : whole.storage();
    const StringValue value = StringValue::refer(part, storage);
    give({value.lo(), value.hi()});
  }

  enum class Answer : uint8_t { Null, Registers, Bytes };
  [[nodiscard]] Answer answer() const { return kind_; }
  [[nodiscard]] RegisterPair registers() const { return answer_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  const Type result_;
  const std::span<const JsonArgument> arguments_;
  Answer kind_ = Answer::Null;
  RegisterPair answer_{};
  std::string bytes_;
};

}  // namespace gnomon::sql
