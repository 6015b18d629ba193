#pragma once

#include <cstdint>
#include <vector>

namespace gnomon::codegen {

/// A structure that one execution owns and generated code reaches through a slot of its global or local state.
class RuntimeObject {
 public:
  RuntimeObject() = default;
  virtual ~RuntimeObject() = default;
  RuntimeObject(const RuntimeObject&) = delete;
  RuntimeObject& operator=(const RuntimeObject&) = delete;
};

/// Rows that one worker saw leave each counted operator.
struct RowCounters final : RuntimeObject {
  explicit RowCounters(size_t operator_count) : rows(operator_count) {}
  std::vector<uint64_t> rows;
};

}  // namespace gnomon::codegen
