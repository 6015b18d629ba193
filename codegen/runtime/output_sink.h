#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codegen/runtime/runtime_object.h"
#include "codegen/runtime/wire_buffer.h"

namespace gnomon::codegen {

/// One worker's encoded result rows on their way to the session. Generated code writes through the WireBuffer and
/// counts rows.
class OutputSink final : public RuntimeObject {
 public:
  struct Shared {
    rt::WireBuffer wire;
    uint64_t row_count = 0;

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
  bool park() override {
    shared_.wire.clear();
    shared_.row_count = 0;
    return true;
  }

 private:
  Shared shared_;
};

}  // namespace gnomon::codegen
