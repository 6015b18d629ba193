#pragma once

#include <string_view>

namespace gnomon::codegen::ir {

/// Words of the text form, indexed by the enumerations of opcode.h.
inline constexpr std::string_view kIntPredicateNames[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                          "sge", "ult", "ule", "ugt", "uge"};
inline constexpr std::string_view kFloatPredicateNames[] = {"oeq", "one", "olt", "ole", "ogt", "oge", "uno"};
inline constexpr std::string_view kWeightNames[] = {"", " likely", " unlikely"};

}  // namespace gnomon::codegen::ir
