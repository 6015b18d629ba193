#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "codegen/executor/state.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/runtime/wire_buffer.h"

namespace gnomon::codegen {

/// One worker's encoded result rows on their way to the session. Generated code writes through the WireBuffer and
/// counts rows; of framing FirstRow it leaves the first row's values instead.
class OutputSink final : public RuntimeObject {
 public:
  /// `columns`: of the first row, where that is wanted.
  explicit OutputSink(size_t columns) : first_row_(columns) { shared_.first_row = first_row_.data(); }

  struct Shared {
    rt::WireBuffer wire;
    uint64_t row_count = 0;
    ParameterSlot* first_row = nullptr;
    uint64_t has_first_row = 0;

    /// Takes out the rows, one message each, for which `is_kept` does not hold, which is asked of each in order.
    template <typename IsKept>
    void filter(IsKept&& is_kept) {
      const char* message = wire.begin;
      char* kept_end = wire.begin;
      const uint64_t rows = row_count;
      for (uint64_t row = 0; row < rows; ++row) {
        // The length stands behind the type byte.
        uint32_t length;
        std::memcpy(&length, message + 1, sizeof(length));
        const size_t bytes = 1 + __builtin_bswap32(length);
        if (is_kept(row)) {
          std::memmove(kept_end, message, bytes);
          kept_end += bytes;
        } else {
          --row_count;
        }
        message += bytes;
      }
      wire.cur = kept_end;
    }
  };
  [[nodiscard]] Shared* shared() { return &shared_; }
  [[nodiscard]] std::span<const ParameterSlot> firstRow() const { return first_row_; }
  bool park() override {
    shared_.wire.clear();
    shared_.row_count = shared_.has_first_row = 0;
    return true;
  }

 private:
  Shared shared_;
  std::vector<ParameterSlot> first_row_;
};

}  // namespace gnomon::codegen
