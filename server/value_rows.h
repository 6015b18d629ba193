#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/result_columns.h"
#include "server/row_sink.h"
#include "sql/types/value.h"

namespace gnomon::server {

using ValueRow = std::vector<sql::Value>;

/// Takes rows of binary DataRow messages as values. Threads: one.
class ValueRows final : public RowSink {
 public:
  /// At most `rows_max` of them are kept.
  explicit ValueRows(size_t rows_max) : rows_max_(rows_max) {}

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
  std::string messages_;
};

}  // namespace gnomon::server
