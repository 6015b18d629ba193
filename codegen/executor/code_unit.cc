#include "codegen/executor/code_unit.h"

#include <algorithm>
#include <chrono>

#include "codegen/executor/background_compiler.h"

namespace gnomon::codegen {

namespace {
/// What LLVM takes for a module and for an instruction.
constexpr double kQuickNsBase = 800'000;
constexpr double kQuickNsPerInstruction = 4'000;
constexpr double kFullNsBase = 1'500'000;
constexpr double kFullNsPerInstruction = 40'000;
/// What the VM takes for an instruction, about: rows usually leave a function before its end.
constexpr double kVmNsPerInstruction = 0.5;
/// The part of its time that code of a tier loses against the next.
constexpr double kVmLoss = 0.8;
constexpr double kQuickLoss = 0.1;
/// What a test of a column takes for a row, about.
constexpr double kTestNs = 1;
}  // namespace

CodeUnit::CodeUnit(ir::Module module, BackendOptions options)
    : code(std::make_unique<CompiledModule>(std::move(module), options)),
      function_(code->function(ir::FunctionId{0})),
      is_settled_(code->policy().tierAfter(code->tier()) == code->tier()) {}

/// Statements of a few calls come one after the other: the number of calls between two samples is odd, so that each of
/// theirs has its turn.
unsigned CodeUnit::sampledCalls() {
  constexpr unsigned kCallsPerSample = 17;
  thread_local unsigned calls = 0;
  if (++calls < kCallsPerSample) return 0;
  calls = 0;
  return kCallsPerSample;
}

int64_t CodeUnit::nowNs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

double CodeUnit::costNs(CodeTier tier) const {
  const double instructions = code->instructionCount();
  return tier == CodeTier::Full ? kFullNsBase + kFullNsPerInstruction * instructions
                                : kQuickNsBase + kQuickNsPerInstruction * instructions;
}

double CodeUnit::vmNs(double rows, unsigned workers) const {
  return rows * kVmNsPerInstruction * code->instructionCount() / workers;
}

void CodeUnit::noteTests(double passing_share, size_t test_count) {
  passing_share_ = passing_share;
  const double own_ns = passing_share * vmNs(1, 1);
  own_share_ = own_ns / (own_ns + kTestNs * static_cast<double>(test_count));
}

void CodeUnit::expect(const std::shared_ptr<QueryProgram>& program, double rows, unsigned workers) {
  const CodeTier next = code->policy().firstMachineTier();
  if (code->policy().mode != ExecutionMode::Auto || requested_.load(std::memory_order_relaxed) >= next) return;
  const double saved_ns = vmNs(rows * passing_share_, workers) * kVmLoss;
  if (saved_ns > costNs(next)) request(program, next, saved_ns);
}

void CodeUnit::prepare(double rows, unsigned workers) {
  const CodeTier next = code->policy().firstMachineTier();
  if (code->policy().mode != ExecutionMode::Auto || code->isNative()) return;
  if (vmNs(rows, workers) * kVmLoss > costNs(next)) code->compileLlvm(next);
}

void CodeUnit::account(const std::shared_ptr<QueryProgram>& program, CodeTier tier, int64_t elapsed_ns,
                       double left_ns) {
  const auto elapsed = static_cast<uint64_t>(elapsed_ns);
  const double spent_ns =
      static_cast<double>(spent_ns_[static_cast<size_t>(tier)].fetch_add(elapsed, std::memory_order_relaxed) + elapsed);
  const CodeTier next = code->policy().tierAfter(tier);
  if (next == tier || requested_.load(std::memory_order_relaxed) >= next) return;
  const double loss = own_share_ * (tier == CodeTier::Bytecode ? kVmLoss : kQuickLoss);
  // What was spent is likely to be spent again.
  if (std::max(left_ns, spent_ns) * loss > costNs(next)) request(program, next, left_ns * loss);
}

void CodeUnit::request(const std::shared_ptr<QueryProgram>& program, CodeTier tier, double saved_ns) {
  CodeTier before = requested_.load(std::memory_order_relaxed);
  do {
    if (before >= tier) return;
  } while (!requested_.compare_exchange_weak(before, tier));
  if (code->policy().tierAfter(tier) == tier) is_settled_.store(true, std::memory_order_relaxed);
  BackgroundCompiler::instance().request(program, this, tier, saved_ns);
}

}  // namespace gnomon::codegen
