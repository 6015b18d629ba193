#pragma once

namespace gnomon::codegen {

/// A structure that one execution owns and generated code reaches through a slot of its global or local state.
class RuntimeObject {
 public:
  RuntimeObject() = default;
  virtual ~RuntimeObject() = default;
  RuntimeObject(const RuntimeObject&) = delete;
  RuntimeObject& operator=(const RuntimeObject&) = delete;
};

}  // namespace gnomon::codegen
