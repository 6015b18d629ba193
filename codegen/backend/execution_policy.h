#pragma once

#include <cstdint>

namespace gnomon::codegen {

/// How a statement's steps run: in the bytecode VM for good, as machine code from the start (the VM where LLVM is
/// refused), or in the VM until machine code has been published.
enum class ExecutionMode : uint8_t { Vm, Llvm, Auto };

/// What a module runs as. Quick machine code takes a few per cent longer to run than full, and a quarter of the time to
/// make: no passes over the IR, and the fast instruction selection and register allocation.
enum class CodeTier : uint8_t { Bytecode, Quick, Full };

/// Which machine code is made: quick first and full once enough time has gone into the quick, or always one of them.
enum class Optimisation : uint8_t { Auto, Quick, Full };

struct ExecutionPolicy {
  ExecutionMode mode = ExecutionMode::Auto;
  Optimisation optimisation = Optimisation::Auto;

  [[nodiscard]] constexpr CodeTier firstMachineTier() const {
    return optimisation == Optimisation::Full ? CodeTier::Full : CodeTier::Quick;
  }
  /// What follows `tier` when it pays; `tier` itself when nothing does.
  [[nodiscard]] constexpr CodeTier tierAfter(CodeTier tier) const {
    if (mode == ExecutionMode::Vm || tier == CodeTier::Full) return tier;
    if (tier == CodeTier::Bytecode) return firstMachineTier();
    return optimisation == Optimisation::Auto ? CodeTier::Full : tier;
  }
  bool operator==(const ExecutionPolicy&) const = default;
};

}  // namespace gnomon::codegen
