#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/executor/program.h"
#include "server/result_columns.h"
#include "server/row_sink.h"
#include "sql/types/value.h"

namespace gnomon::server {

using ValueRow = std::vector<sql::Value>;

/// The format in which ValueRows takes rows of these columns.
codegen::OutputFormat valueFormat(const std::vector<ResultColumn>& columns);

/// Takes rows of DataRow messages as values. Threads: one.
class ValueRows final : public RowSink {
 public:
  /// At most `rows_max` of them are kept. `are_texts`: in the protocol's text format instead of valueFormat().
  explicit ValueRows(size_t rows_max, bool are_texts = false) : rows_max_(rows_max), are_texts_(are_texts) {}

  void begin() override { messages_.clear(); }
  void write(std::span<const char> messages) override {
    if (rows_max_ > 0) messages_.append(messages.data(), messages.size());
  }
  bool takeBack() override {
    messages_.clear();
    return true;
  }
  /// After the run, whose output is of these types.
  [[nodiscard]] std::vector<ValueRow> take(const std::vector<ResultColumn>& columns) const;

 private:
  const size_t rows_max_;
  const bool are_texts_;  ///< in the protocol's text format instead of valueFormat()
  std::string messages_;
};

/// Writes a DataRow. `formats`: text or binary, one per value, or empty: all text.
void writeValueRow(MessageWriter& writer, const ValueRow& row, std::span<const int16_t> formats,
                   sql::ByteaOutput bytea_output);

}  // namespace gnomon::server
