#include "codegen/executor/routine_code.h"

namespace gnomon::codegen {

void RoutineCode::noteRounds(uint64_t rounds) {
  static constexpr uint64_t kRoundsMin = 256;
  // Machine code that has run for so much longer than it took to become worth while gets LLVM's passes, too.
  static constexpr uint64_t kFullFactor = 256;
  // Rounds of short loops are not told: a call stands for more than one pass over the code.
  static constexpr double kRoundsPerCall = 4;
  rounds_ += rounds;
  if (rounds_ < kRoundsMin || rounds_ < 2 * looked_at_) return;
  looked_at_ = rounds_;
  CompiledModule& code = *unit_.code;
  if (code.policy().mode != ExecutionMode::Auto) return;
  if (!code.isNative()) return unit_.prepare(kRoundsPerCall * static_cast<double>(rounds_), 1);
  const CodeTier next = code.policy().tierAfter(code.tier());
  if (next != code.tier() && rounds_ > kRoundsMin * kFullFactor) code.compileLlvm(next);
}

}  // namespace gnomon::codegen
