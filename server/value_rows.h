#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/executor/program.h"
#include "server/result_columns.h"
#include "server/row_sink.h"
#include "sql/types/text_io.h"
#include "sql/types/value.h"

namespace gnomon::server {

using ValueRow = std::vector<sql::Value>;

/// The format in which HeldRows and ValueRows take rows of these columns: values as records hold them.
codegen::OutputFormat valueFormat(const std::vector<ResultColumn>& columns);

/// The fields of a row of valueFormat(), one after another.
class HeldFields {
 public:
  /// `message`: from HeldRows.
  explicit HeldFields(std::string_view message) : rest_(message.substr(kHeaderBytes)) {}

  /// The next one's bytes: a string's, or two words; null: NULL.
  struct Field {
    const char* bytes;
    size_t length;
  };
  Field next() {
    const auto length = static_cast<int32_t>(readLength(rest_.data()));
    const char* const bytes = rest_.data() + sizeof(uint32_t);
    rest_.remove_prefix(sizeof(uint32_t));
    if (length < 0) return {nullptr, 0};
    rest_.remove_prefix(static_cast<size_t>(length));
    return {bytes, static_cast<size_t>(length)};
  }
  [[nodiscard]] static sql::RegisterPair wordsOf(Field field);
  /// As messages have lengths.
  static uint32_t readLength(const char* bytes) {
    uint32_t number;
    std::memcpy(&number, bytes, sizeof(number));
    return std::byteswap(number);
  }
  [[nodiscard]] static sql::Value valueOf(sql::Type type, Field field);

 private:
  static constexpr size_t kHeaderBytes = 7;  ///< the type, the length, the number of fields
  std::string_view rest_;
};

/// Rows of DataRow messages as they came.
class HeldRows {
 public:
  HeldRows() = default;
  /// `memory`: used again.
  explicit HeldRows(std::string memory) : messages_(std::move(memory)) { messages_.clear(); }

  void clear() { messages_.clear(); }
  void add(std::span<const char> messages) { messages_.append(messages.data(), messages.size()); }
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] bool hasSeveral() const { return !empty() && first().size() < messages_.size(); }
  [[nodiscard]] std::string_view first() const { return firstOf(messages_); }
  /// Calls `each` with every row's message until it returns false; false then.
  template <typename Each>
  bool forEach(Each&& each) const {
    for (std::string_view rest = messages_; !rest.empty();) {
      const std::string_view message = firstOf(rest);
      if (!each(message)) return false;
      rest.remove_prefix(message.size());
    }
    return true;
  }
  [[nodiscard]] std::vector<ValueRow> values(const std::vector<ResultColumn>& columns) const;
  [[nodiscard]] std::string takeMemory() { return std::move(messages_); }

 private:
  static std::string_view firstOf(std::string_view messages);

  std::string messages_;
};

/// Fills HeldRows. Threads: one.
class HeldRowsSink final : public RowSink {
 public:
  /// `rows` outlive the sink.
  explicit HeldRowsSink(HeldRows& rows) : rows_(rows) {}
  void begin() override { rows_.clear(); }
  void write(std::span<const char> messages) override { rows_.add(messages); }
  bool takeBack() override {
    rows_.clear();
    return true;
  }

 private:
  HeldRows& rows_;
};

/// One row of valueFormat() as values.
ValueRow valueRow(std::string_view message, const std::vector<ResultColumn>& columns);

/// Takes rows of DataRow messages as values. Threads: one.
class ValueRows final : public RowSink {
 public:
  /// At most `rows_max` of them are kept. `are_texts`: in the protocol's text format instead of valueFormat().
  explicit ValueRows(size_t rows_max, bool are_texts = false) : rows_max_(rows_max), are_texts_(are_texts) {}

  void begin() override { rows_.clear(); }
  void write(std::span<const char> messages) override {
    if (rows_max_ > 0) rows_.add(messages);
  }
  bool takeBack() override {
    rows_.clear();
    return true;
  }
  /// After the run, whose output is of these types.
  [[nodiscard]] std::vector<ValueRow> take(const std::vector<ResultColumn>& columns) const;

 private:
  const size_t rows_max_;
  const bool are_texts_;  ///< in the protocol's text format instead of valueFormat()
  HeldRows rows_;
};

/// Writes a DataRow. `formats`: text or binary, one per value, or empty: all text.
void writeValueRow(MessageWriter& writer, std::span<const sql::Value> row, std::span<const int16_t> formats,
                   sql::ByteaOutput bytea_output);

}  // namespace gnomon::server
