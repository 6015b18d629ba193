#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_account.h"
#include "server/result_columns.h"
#include "server/row_sink.h"

namespace gnomon::server {

/// Rows of a cursor, as the messages that they were encoded to. Threads: the session's.
class KeptRows final : public RowSink {
 public:
  /// Failure: 53200 past the limit.
  explicit KeptRows(uint64_t memory_bytes_max) : memory_(memory_bytes_max) {}

  [[nodiscard]] size_t count() const { return ends_.size(); }
  [[nodiscard]] size_t bytes() const { return bytes_.size(); }
  /// A DataRow.
  [[nodiscard]] std::string_view row(size_t index) const {
    const size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(bytes_).substr(begin, ends_[index] - begin);
  }
  void clear();

  void begin() override { begun_at_ = ends_.size(); }
  void write(std::span<const char> messages) override;
  bool takeBack() override;

 private:
  void truncate(size_t rows);

  MemoryAccount memory_;
  std::string bytes_;
  std::vector<size_t> ends_;
  uint64_t charged_bytes_ = 0;
  size_t begun_at_ = 0;
};

/// Rows with columns at their end that are not shown, binary numbers of 8 bytes: handed on without them.
class ShownRows final : public RowSink {
 public:
  /// `hidden`: their values in the last row, as many as there are columns. Both outlive this object.
  ShownRows(RowSink& target, std::span<uint64_t> hidden) : target_(target), hidden_(hidden) {}

  void begin() override { target_.begin(); }
  void write(std::span<const char> messages) override;
  bool takeBack() override { return target_.takeBack(); }

 private:
  RowSink& target_;
  std::span<uint64_t> hidden_;
  std::string shown_;
};

/// Rows in one format, handed on in another.
class RecodedRows final : public RowSink {
 public:
  /// `columns`: of the rows; `from`, `to`: formats, one per column. All of them outlive this object.
  RecodedRows(RowSink& target, std::span<const ResultColumn> columns, std::span<const int16_t> from,
              std::span<const int16_t> to)
      : target_(target), columns_(columns), from_(from), to_(to) {}

  void begin() override { target_.begin(); }
  void write(std::span<const char> messages) override;
  bool takeBack() override { return target_.takeBack(); }

 private:
  void recode(std::string_view row);

  RowSink& target_;
  std::span<const ResultColumn> columns_;
  std::span<const int16_t> from_, to_;
  std::string recoded_;
};

}  // namespace gnomon::server
