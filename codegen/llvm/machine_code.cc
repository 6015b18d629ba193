#include "codegen/llvm/machine_code.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/JITLink/EHFrameSupport.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "codegen/llvm/frame_registry.h"
#include "codegen/llvm/llvm_translator.h"

namespace gnomon::codegen::jit {
namespace {

[[noreturn]] void fail(llvm::Error error) {
  throw std::runtime_error("LLVM: " + llvm::toString(std::move(error)));
}

template <typename T>
T require(llvm::Expected<T> expected) {
  if (!expected) fail(expected.takeError());
  return std::move(*expected);
}

/// Tells of a module's frames, when it has been linked and before it goes.
class FrameRegistrar final : public llvm::jitlink::EHFrameRegistrar {
 public:
  llvm::Error registerEHFrames(llvm::orc::ExecutorAddrRange section) override {
    addFrames(bytesOf(section));
    return llvm::Error::success();
  }
  llvm::Error deregisterEHFrames(llvm::orc::ExecutorAddrRange section) override {
    removeFrames(bytesOf(section));
    return llvm::Error::success();
  }

 private:
  static std::span<const std::byte> bytesOf(llvm::orc::ExecutorAddrRange section) {
    return {section.Start.toPtr<const std::byte*>(), section.size()};
  }
};

llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> makeLinkingLayer(llvm::orc::ExecutionSession& session,
                                                                         const llvm::Triple&) {
  auto layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
  layer->addPlugin(std::make_unique<llvm::orc::EHFrameRegistrationPlugin>(session, std::make_unique<FrameRegistrar>()));
  return layer;
}

/// The JIT of the process. LLVM compiles nothing in it: it links the objects that compile() makes.
llvm::orc::LLJIT& linker() {
  // Not destroyed: code may run until the process ends.
  static llvm::orc::LLJIT* instance = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return require(llvm::orc::LLJITBuilder().setObjectLinkingLayerCreator(makeLinkingLayer).create()).release();
  }();
  return *instance;
}

std::unique_ptr<llvm::TargetMachine> makeTargetMachine(llvm::CodeGenOptLevel level) {
  linker();
  auto builder = require(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(level);
  return require(builder.createTargetMachine());
}

/// Tuned to the host; one per thread and tier, since it is not thread-safe and takes long to make.
llvm::TargetMachine& targetMachine(CodeTier tier) {
  if (tier == CodeTier::Quick) {
    thread_local const auto quick = makeTargetMachine(llvm::CodeGenOptLevel::None);
    return *quick;
  }
  thread_local const auto full = makeTargetMachine(llvm::CodeGenOptLevel::Default);
  return *full;
}

/// For full machine code. Short on purpose: the translators emit tidy code already, what is left is redundancy between
/// their pieces; quick code goes without, since removing it takes longer than it brings.
void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager loop_passes;
  loop_passes.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loop_passes), /*UseMemorySSA=*/true));
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

std::unique_ptr<llvm::Module> prepare(const ir::Module& module, llvm::LLVMContext& context, CodeTier tier,
                                      const std::string& prefix) {
  llvm::TargetMachine& machine = targetMachine(tier);
  auto result = toLlvm(module, context, prefix);
  result->setDataLayout(machine.createDataLayout());
  result->setTargetTriple(machine.getTargetTriple().str());
  for (llvm::Function& function : *result) {
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
  if (tier == CodeTier::Full) optimise(*result, machine);
  return result;
}

void emitFile(llvm::Module& module, llvm::TargetMachine& machine, llvm::raw_pwrite_stream& stream,
              llvm::CodeGenFileType type) {
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    throw std::runtime_error("LLVM: the target emits no machine code");
  passes.run(module);
}

/// Lines of "address size name", as perf expects them.
void writePerfMap(const ir::Module& module, const std::vector<const void*>& addresses) {
  static const bool is_wanted = std::getenv("GNOMON_PERF_MAP") != nullptr;
  if (!is_wanted) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return;
  for (uint32_t i = 0; i < addresses.size(); ++i) {
    const auto start = reinterpret_cast<uint64_t>(addresses[i]);
    // Functions of one object follow each other; the last one gets a page.
    uint64_t end = start + 4096;
    for (const void* other : addresses) {
      const auto candidate = reinterpret_cast<uint64_t>(other);
      if (candidate > start && candidate < end) end = candidate;
    }
    std::fprintf(file, "%lx %lx gnomon:%s\n", start, end - start, module.function(ir::FunctionId{i}).name().c_str());
  }
  std::fclose(file);
}

}  // namespace

struct MachineCode::Tracker {
  llvm::orc::ResourceTrackerSP tracker;
};

MachineCode::MachineCode() : tracker_(std::make_unique<Tracker>()) {}

MachineCode::~MachineCode() {
  if (tracker_->tracker != nullptr) llvm::consumeError(tracker_->tracker->remove());
}

std::unique_ptr<MachineCode> MachineCode::compile(const ir::Module& module, CodeTier tier) {
  static std::atomic<uint64_t> next_number{0};
  const std::string prefix = "gnomon_" + std::to_string(next_number.fetch_add(1)) + "_";
  llvm::SmallVector<char, 0> object;
  {
    llvm::LLVMContext context;
    const auto translated = prepare(module, context, tier, prefix);
    llvm::raw_svector_ostream stream(object);
    emitFile(*translated, targetMachine(tier), stream, llvm::CodeGenFileType::ObjectFile);
  }
  llvm::orc::LLJIT& jit = linker();
  std::unique_ptr<MachineCode> result(new MachineCode);
  result->tracker_->tracker = jit.getMainJITDylib().createResourceTracker();
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), prefix,
                                                                /*RequiresNullTerminator=*/false);
  if (auto error = jit.addObjectFile(result->tracker_->tracker, std::move(buffer))) fail(std::move(error));
  for (uint32_t i = 0; i < module.functionCount(); ++i)
    result->addresses_.push_back(require(jit.lookup(prefix + std::to_string(i))).toPtr<const void*>());
  writePerfMap(module, result->addresses_);
  return result;
}

std::string llvmText(const ir::Module& module) {
  llvm::LLVMContext context;
  const auto translated = prepare(module, context, CodeTier::Full, "f");
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated->print(stream, nullptr);
  return text;
}

std::string assemblyText(const ir::Module& module) {
  llvm::LLVMContext context;
  const auto translated = prepare(module, context, CodeTier::Full, "f");
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  emitFile(*translated, targetMachine(CodeTier::Full), stream, llvm::CodeGenFileType::AssemblyFile);
  return {text.data(), text.size()};
}

}  // namespace gnomon::codegen::jit
