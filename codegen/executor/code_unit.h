#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "codegen/backend/compiled_module.h"

namespace gnomon::codegen {

class QueryProgram;

/// A module of generated code and when it is worth to be made faster.
///
/// The costs of LLVM and of the VM are estimates per instruction, measured; what is left to do comes from the caller.
/// Source: paper 2, section 3.5 (adaptive compilation). Departure: two tiers of machine code.
/// Threads: any.
class CodeUnit {
 public:
  CodeUnit(ir::Module module, BackendOptions options);

  [[nodiscard]] const CompiledFunction& function() const { return function_; }
  /// Whether a call over so many rows should be timed for account(): 0, or how many calls it stands for. Of short ones
  /// few are timed, since reading the clock takes as long as some of them.
  [[nodiscard]] unsigned timedCalls(uint64_t rows) const {
    if (is_settled_.load(std::memory_order_relaxed)) return 0;
    const CodeTier tier = code->tier();
    const CodeTier next = code->policy().tierAfter(tier);
    if (next == tier || next == requested_.load(std::memory_order_relaxed)) return 0;
    return rows > kShortRowsMax ? 1 : sampledCalls();
  }

  /// Calls the function, over so many rows, and accounts for it where that is wanted; of these rows none are left.
  template <typename... Arguments>
  void call(const std::shared_ptr<QueryProgram>& program, uint64_t rows, Arguments... arguments) {
    const unsigned timed_calls = timedCalls(rows);
    if (timed_calls == 0) return function().call<void>(arguments...);
    const CodeTier tier = code->tier();
    const int64_t start_ns = nowNs();
    function().call<void>(arguments...);
    account(program, tier, (nowNs() - start_ns) * timed_calls, 0);
  }
  /// Of a steady clock.
  static int64_t nowNs();

  /// Tests of whole columns, which take the same in every tier, come before the code, which then sees this part of the
  /// rows. Before it is used.
  void noteTests(double passing_share, size_t test_count);
  /// Of the rows of a call those that the code itself sees.
  [[nodiscard]] double passingShare() const { return passing_share_; }

  /// About `rows` calls or rows will pass through each of `workers` threads together: compiles in the background when
  /// the VM would take longer than LLVM.
  void expect(const std::shared_ptr<QueryProgram>& program, double rows, unsigned workers);
  /// As expect(), but returns with the machine code, for steps that cannot change over while they run.
  void prepare(double rows, unsigned workers);
  /// A call took `elapsed_ns` on one thread, which was code of `tier`; if it goes on so, `left_ns` are left.
  void account(const std::shared_ptr<QueryProgram>& program, CodeTier tier, int64_t elapsed_ns, double left_ns);

  const std::unique_ptr<CompiledModule> code;

 private:
  static constexpr uint64_t kShortRowsMax = 16;
  static unsigned sampledCalls();
  [[nodiscard]] double costNs(CodeTier tier) const;
  [[nodiscard]] double vmNs(double rows, unsigned workers) const;
  void request(const std::shared_ptr<QueryProgram>& program, CodeTier tier, double saved_ns);

  const CompiledFunction& function_;
  std::atomic<bool> is_settled_;  ///< nothing faster will be asked for
  double passing_share_ = 1;
  double own_share_ = 1;  ///< of a call's time in the VM that of the code itself
  /// The highest tier that was asked for.
  std::atomic<CodeTier> requested_{CodeTier::Bytecode};
  /// Nanoseconds that all executions have spent in code of a tier.
  std::array<std::atomic<uint64_t>, 3> spent_ns_{};
};

}  // namespace gnomon::codegen
