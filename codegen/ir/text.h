#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "codegen/ir/function.h"

namespace gnomon::codegen::ir {

/// The text form. Values and blocks are numbered in order of appearance, so printing a parsed text gives the text
/// again.
[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] std::string print(const Module& module, const Function& function);

/// The text is not IR; the message begins with the line number.
class IrSyntaxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads what print() writes. Runtime functions are found by name in the registry. The result is not verified. Throws
/// IrSyntaxError.
[[nodiscard]] Module parse(std::string_view text);

}  // namespace gnomon::codegen::ir
