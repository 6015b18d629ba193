#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "base/sql_error.h"
#include "codegen/backend/compiled_module.h"
#include "codegen/ir/text.h"
#include "codegen/ir/verifier.h"
#include "codegen/tests/backend_random_program.h"

namespace gnomon::codegen {
namespace {

struct Run {
  int64_t value = 0;
  std::string error;
  unsigned char memory[kRandomMemoryBytes];

  bool operator==(const Run& other) const {
    return value == other.value && error == other.error && std::memcmp(memory, other.memory, sizeof(memory)) == 0;
  }
};

template <typename Call>
Run runWith(uint64_t seed, Call&& call) {
  Run run;
  std::mt19937_64 random(seed);
  for (unsigned char& byte : run.memory) byte = static_cast<unsigned char>(random());
  const auto a = static_cast<int64_t>(random() % 1000);
  const auto b = static_cast<int64_t>(random());
  const auto c = static_cast<int128>((uint128{random() % 3} << 64) | random());
  const double d = static_cast<double>(static_cast<int64_t>(random())) / 65536;
  try {
    run.value = call(static_cast<void*>(run.memory), a, b, c, d);
  } catch (const SqlError& error) {
    run.error = error.message();
  } catch (const DecimalOverflow& error) {
    run.error = error.what();
  }
  return run;
}

/// The same answer, error and memory from the VM and from machine code; text that round-trips.
void checkSeed(uint64_t seed) {
  ir::Module module = randomModule(seed);
  ASSERT_NO_THROW(ir::verify(module)) << "seed " << seed;
  const std::string text = ir::print(module);
  ir::Module parsed = ir::parse(text);
  ASSERT_EQ(ir::print(parsed), text) << "seed " << seed;
  CompiledModule compiled(std::move(module));
  CompiledModule reparsed(std::move(parsed), {.policy = {.mode = ExecutionMode::Vm}});
  const CompiledFunction& main = *compiled.find("main");
  const CompiledFunction& main_reparsed = *reparsed.find("main");
  std::vector<Run> in_vm_runs;
  for (uint64_t input = 0; input < 4; ++input) {
    const auto in_vm = [](const CompiledFunction& function) {
      return [&function](void* memory, int64_t a, int64_t b, int128 c, double d) {
        return function.callVm<int64_t>(memory, a, b, c, d);
      };
    };
    const Run vm = runWith(input, in_vm(main));
    const Run again = runWith(input, in_vm(main_reparsed));
    ASSERT_TRUE(vm == again) << "seed " << seed << " input " << input << ": parsed text differs";
    in_vm_runs.push_back(vm);
  }
  for (const CodeTier tier : {CodeTier::Quick, CodeTier::Full}) {
    ASSERT_TRUE(compiled.compileLlvm(tier)) << "seed " << seed;
    ASSERT_EQ(compiled.tier(), tier);
    for (uint64_t input = 0; input < in_vm_runs.size(); ++input) {
      const Run& vm = in_vm_runs[input];
      const Run native = runWith(input, [&](void* memory, int64_t a, int64_t b, int128 c, double d) {
        return main.call<int64_t>(memory, a, b, c, d);
      });
      ASSERT_TRUE(vm == native) << "seed " << seed << " input " << input << " tier " << static_cast<int>(tier)
                                << ": VM " << vm.value << " '" << vm.error << "', machine code " << native.value << " '"
                                << native.error << "'\n"
                                << compiled.irText();
    }
  }
}

/// GNOMON_RANDOM_PROGRAMS: how many; GNOMON_RANDOM_SEED: the first seed.
TEST(RandomPrograms, GiveTheSameInTheVmAndAsMachineCode) {
  const char* count_text = std::getenv("GNOMON_RANDOM_PROGRAMS");
  const char* seed_text = std::getenv("GNOMON_RANDOM_SEED");
  const uint64_t count = count_text != nullptr ? std::strtoull(count_text, nullptr, 10) : 150;
  const uint64_t first = seed_text != nullptr ? std::strtoull(seed_text, nullptr, 10) : 1;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    checkSeed(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace gnomon::codegen
