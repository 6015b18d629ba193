#pragma once

#include <cstddef>
#include <cstdint>

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
