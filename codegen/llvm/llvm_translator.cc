#include "codegen/llvm/llvm_translator.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include <array>
#include <vector>

#include "codegen/ir/control_flow.h"
#include "codegen/ir/hash.h"
#include "codegen/llvm/slow_paths.h"

namespace gnomon::codegen::jit {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Type;

constexpr uint32_t kNone = ir::Value::kNone;

class FunctionTranslator {
 public:
  FunctionTranslator(const ir::Module& module, const ir::Function& from, llvm::Function& to,
                     const std::vector<llvm::Function*>& functions)
      : module_(module),
        from_(from),
        to_(to),
        functions_(functions),
        context_(to.getContext()),
        flow_(from),
        values_(from.valueCount(), nullptr),
        first_block_(from.blockCount(), nullptr),
        last_block_(from.blockCount(), nullptr),
        builder_(context_) {}

  void run() {
    for (const uint32_t block : flow_.order())
      first_block_[block] = llvm::BasicBlock::Create(context_, from_.block(block).name, &to_);
    for (uint32_t i = 0; i < from_.parameters().size(); ++i) values_[i] = to_.getArg(i);
    for (const uint32_t block : flow_.order()) {
      builder_.SetInsertPoint(first_block_[block]);
      for (uint32_t phi = from_.block(block).first_phi; phi != kNone; phi = from_.at(phi).next)
        values_[phi] = builder_.CreatePHI(typeOf(from_.at(phi).type), from_.at(phi).list_count);
      for (uint32_t at = from_.block(block).first; at != kNone; at = from_.at(at).next)
        values_[at] = emit(from_.at(at));
      last_block_[block] = builder_.GetInsertBlock();
    }
    fillPhis();
  }

  static llvm::Type* typeOf(llvm::LLVMContext& context, Type type) {
    switch (type) {
      case Type::Void:
        return llvm::Type::getVoidTy(context);
      case Type::F64:
        return llvm::Type::getDoubleTy(context);
      case Type::Ptr:
        return llvm::PointerType::get(context, 0);
      default:
        return llvm::Type::getIntNTy(context, ir::bitsOf(type));
    }
  }

 private:
  llvm::Type* typeOf(Type type) { return typeOf(context_, type); }

  void fillPhis() {
    for (const uint32_t block : flow_.order()) {
      for (uint32_t phi = from_.block(block).first_phi; phi != kNone; phi = from_.at(phi).next) {
        auto* target = llvm::cast<llvm::PHINode>(values_[phi]);
        for (uint32_t i = from_.at(phi).list_first; i != kNone; i = from_.incoming(i).next) {
          const ir::Incoming& edge = from_.incoming(i);
          if (!flow_.isReachable(edge.block)) continue;
          // LLVM wants an entry per edge, and a switch may have several to one block.
          from_.forEachSuccessor(edge.block, [&](uint32_t successor) {
            if (successor == block) target->addIncoming(value(edge.value), last_block_[edge.block]);
          });
        }
      }
    }
  }

  llvm::Value* value(uint32_t index) {
    if (values_[index] == nullptr) values_[index] = constant(from_.at(index));
    return values_[index];
  }
  llvm::Value* constant(const Instruction& i) {
    switch (i.type) {
      case Type::F64:
        return llvm::ConstantFP::get(context_,
                                     llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, i.immediate)));
      case Type::Ptr:
        return pointer(i.immediate);
      case Type::I128:
        return llvm::ConstantInt::get(context_, llvm::APInt(128, {i.immediate, i.high}));
      default:
        return llvm::ConstantInt::get(typeOf(i.type), i.immediate, true);
    }
  }
  llvm::Constant* pointer(uint64_t address) {
    if (address == 0) return llvm::ConstantPointerNull::get(llvm::PointerType::get(context_, 0));
    return llvm::ConstantExpr::getIntToPtr(builder_.getInt64(address), llvm::PointerType::get(context_, 0));
  }

  /// A C++ function of this process whose arguments need no extension.
  template <typename R, typename... A>
  llvm::Value* callHost(R (*function)(A...), Type result, std::initializer_list<llvm::Value*> arguments) {
    std::vector<llvm::Type*> types;
    for (llvm::Value* argument : arguments) types.push_back(argument->getType());
    auto* signature = llvm::FunctionType::get(typeOf(result), types, false);
    return builder_.CreateCall(signature, pointer(reinterpret_cast<uint64_t>(function)),
                               std::vector<llvm::Value*>(arguments));
  }

  llvm::Value* emit(const Instruction& i) {
    switch (ir::shapeOf(i.opcode)) {
      case ir::Shape::Unary:
        return unary(i);
      case ir::Shape::Binary:
      case ir::Shape::Shift:
        return binary(i);
      case ir::Shape::Trap:
        return trap(i);
      case ir::Shape::Compare:
        return compare(i);
      case ir::Shape::Select:
        return builder_.CreateSelect(value(i.a), value(i.b), value(i.c));
      case ir::Shape::Convert:
        return convert(i);
      case ir::Shape::Load:
        return load(i);
      case ir::Shape::Store:
        return store(i);
      case ir::Shape::PtrAdd:
        return builder_.CreateGEP(builder_.getInt8Ty(), value(i.a), value(i.b));
      case ir::Shape::PtrIndex: {
        llvm::Value* scaled = builder_.CreateMul(value(i.b), builder_.getInt64(i.high));
        llvm::Value* base = builder_.CreateGEP(builder_.getInt8Ty(), value(i.a), scaled);
        return offset(base, i.offset());
      }
      case ir::Shape::Alloca: {
        auto* type = llvm::ArrayType::get(builder_.getInt8Ty(), i.immediate);
        llvm::AllocaInst* memory = builder_.CreateAlloca(type);
        memory->setAlignment(llvm::Align(16));
        return memory;
      }
      case ir::Shape::Call:
        return i.opcode == Opcode::Call ? callFunction(i) : callRuntime(i);
      default:
        return terminator(i);
    }
  }

  llvm::Value* unary(const Instruction& i) {
    llvm::Value* a = value(i.a);
    switch (i.opcode) {
      case Opcode::FNeg:
        return builder_.CreateFNeg(a);
      case Opcode::RoundToFloat:
        return builder_.CreateFPExt(builder_.CreateFPTrunc(a, builder_.getFloatTy()), builder_.getDoubleTy());
      case Opcode::PopCount:
        return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
      case Opcode::CountTrailingZeros:
        return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, a, builder_.getFalse());
      case Opcode::Lo64:
        return builder_.CreateTrunc(a, builder_.getInt64Ty());
      default:
        return builder_.CreateTrunc(builder_.CreateLShr(a, 64), builder_.getInt64Ty());
    }
  }

  llvm::Value* binary(const Instruction& i) {
    llvm::Value* a = value(i.a);
    llvm::Value* b = value(i.b);
    switch (i.opcode) {
      case Opcode::Add:
        return builder_.CreateAdd(a, b);
      case Opcode::Sub:
        return builder_.CreateSub(a, b);
      case Opcode::Mul:
        return builder_.CreateMul(a, b);
      case Opcode::SDiv:
      case Opcode::SRem:
      case Opcode::UDiv:
      case Opcode::URem:
        return divide(i.opcode, i.type, a, b);
      case Opcode::And:
        return builder_.CreateAnd(a, b);
      case Opcode::Or:
        return builder_.CreateOr(a, b);
      case Opcode::Xor:
        return builder_.CreateXor(a, b);
      case Opcode::Shl:
        return builder_.CreateShl(a, shiftAmount(b, i.type));
      case Opcode::LShr:
        return builder_.CreateLShr(a, shiftAmount(b, i.type));
      case Opcode::AShr:
        return builder_.CreateAShr(a, shiftAmount(b, i.type));
      case Opcode::RotL:
        return builder_.CreateIntrinsic(llvm::Intrinsic::fshl, {a->getType()}, {a, a, b});
      case Opcode::FAdd:
        return builder_.CreateFAdd(a, b);
      case Opcode::FSub:
        return builder_.CreateFSub(a, b);
      case Opcode::FMul:
        return builder_.CreateFMul(a, b);
      case Opcode::FDiv:
        return builder_.CreateFDiv(a, b);
      case Opcode::Crc32:
        return crc32(a, b);
      case Opcode::Hash64:
        return hash64(a, b);
      case Opcode::MulWide:
        return builder_.CreateMul(widen(a), widen(b));
      default: {
        llvm::Value* high = builder_.CreateShl(builder_.CreateZExt(b, builder_.getInt128Ty()), 64);
        return builder_.CreateOr(builder_.CreateZExt(a, builder_.getInt128Ty()), high);
      }
    }
  }

  llvm::Value* widen(llvm::Value* a) { return builder_.CreateSExt(a, builder_.getInt128Ty()); }
  llvm::Value* shiftAmount(llvm::Value* amount, Type type) {
    return builder_.CreateAnd(amount, llvm::ConstantInt::get(typeOf(type), ir::bitsOf(type) - 1));
  }
  llvm::Value* crc32(llvm::Value* seed, llvm::Value* data) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse42_crc32_64_64, {}, {seed, data});
  }
  llvm::Value* hash64(llvm::Value* seed, llvm::Value* data) {
    llvm::Value* rotated =
        builder_.CreateIntrinsic(llvm::Intrinsic::fshl, {data->getType()}, {data, data, builder_.getInt64(32)});
    llvm::Value* low = crc32(seed, data);
    llvm::Value* high = crc32(builder_.CreateLShr(seed, 32), rotated);
    llvm::Value* both = builder_.CreateOr(low, builder_.CreateShl(high, 32));
    return builder_.CreateMul(both, builder_.getInt64(kHashMultiplier));
  }

  llvm::Value* divide(Opcode opcode, Type type, llvm::Value* a, llvm::Value* b) {
    const bool is_wide = type == Type::I128;
    switch (opcode) {
      case Opcode::SDiv:
        return is_wide ? callHost(&divideSigned, type, {a, b}) : builder_.CreateSDiv(a, b);
      case Opcode::SRem:
        return is_wide ? callHost(&remainderSigned, type, {a, b}) : builder_.CreateSRem(a, b);
      case Opcode::UDiv:
        return is_wide ? callHost(&divideUnsigned, type, {a, b}) : builder_.CreateUDiv(a, b);
      default:
        return is_wide ? callHost(&remainderUnsigned, type, {a, b}) : builder_.CreateURem(a, b);
    }
  }

  /// One block per function and code that raises, out of the way.
  llvm::BasicBlock* raiseBlock(TrapCode code) {
    llvm::BasicBlock*& block = raise_blocks_[static_cast<size_t>(code)];
    if (block != nullptr) return block;
    block = llvm::BasicBlock::Create(context_, "", &to_);
    const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(block);
    auto* signature = llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getInt8Ty()}, false);
    llvm::CallInst* call = builder_.CreateCall(signature, pointer(reinterpret_cast<uint64_t>(&raiseTrap)),
                                               {builder_.getInt8(static_cast<uint8_t>(code))});
    call->addParamAttr(0, llvm::Attribute::ZExt);
    call->setDoesNotReturn();
    builder_.CreateUnreachable();
    return block;
  }
  void raiseIf(llvm::Value* condition, TrapCode code) {
    llvm::BasicBlock* next = llvm::BasicBlock::Create(context_, "", &to_);
    builder_.CreateCondBr(condition, raiseBlock(code), next, llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    builder_.SetInsertPoint(next);
  }

  llvm::Value* trap(const Instruction& i) {
    llvm::Value* a = value(i.a);
    llvm::Value* b = value(i.b);
    const auto code = static_cast<TrapCode>(i.detail);
    switch (i.opcode) {
      case Opcode::AddTrap:
        return overflowing(llvm::Intrinsic::sadd_with_overflow, a, b, code);
      case Opcode::SubTrap:
        return overflowing(llvm::Intrinsic::ssub_with_overflow, a, b, code);
      case Opcode::MulTrap:
        if (i.type == Type::I128) return multiplyWide(a, b, code);
        return overflowing(llvm::Intrinsic::smul_with_overflow, a, b, code);
      default:
        break;
    }
    raiseIf(builder_.CreateIsNull(b), TrapCode::DivisionByZero);
    llvm::Value* is_minus_one = builder_.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(b->getType()));
    if (i.opcode == Opcode::SRemTrap) {
      // x % -1 is x % 1.
      llvm::Value* divisor = builder_.CreateSelect(is_minus_one, llvm::ConstantInt::get(b->getType(), 1), b);
      return divide(Opcode::SRem, i.type, a, divisor);
    }
    const llvm::APInt minimum = llvm::APInt::getSignedMinValue(ir::bitsOf(i.type));
    llvm::Value* is_minimum = builder_.CreateICmpEQ(a, llvm::ConstantInt::get(context_, minimum));
    raiseIf(builder_.CreateAnd(is_minus_one, is_minimum), code);
    return divide(Opcode::SDiv, i.type, a, b);
  }

  llvm::Value* overflowing(llvm::Intrinsic::ID intrinsic, llvm::Value* a, llvm::Value* b, TrapCode code) {
    llvm::Value* both = builder_.CreateBinaryIntrinsic(intrinsic, a, b);
    llvm::Value* result = builder_.CreateExtractValue(both, 0);
    raiseIf(builder_.CreateExtractValue(both, 1), code);
    return result;
  }

  /// One widening multiplication when both sides fit 64 bits.
  llvm::Value* multiplyWide(llvm::Value* a, llvm::Value* b, TrapCode code) {
    llvm::Value* low_a = widen(builder_.CreateTrunc(a, builder_.getInt64Ty()));
    llvm::Value* low_b = widen(builder_.CreateTrunc(b, builder_.getInt64Ty()));
    llvm::Value* fits = builder_.CreateAnd(builder_.CreateICmpEQ(a, low_a), builder_.CreateICmpEQ(b, low_b));
    auto* quick = llvm::BasicBlock::Create(context_, "", &to_);
    auto* slow = llvm::BasicBlock::Create(context_, "", &to_);
    auto* next = llvm::BasicBlock::Create(context_, "", &to_);
    builder_.CreateCondBr(fits, quick, slow, llvm::MDBuilder(context_).createLikelyBranchWeights());
    builder_.SetInsertPoint(quick);
    llvm::Value* quick_result = builder_.CreateMul(low_a, low_b);
    builder_.CreateBr(next);
    builder_.SetInsertPoint(slow);
    llvm::Value* code_value = builder_.getInt8(static_cast<uint8_t>(code));
    auto* slow_result = llvm::cast<llvm::CallInst>(callHost(&multiplyOrTrap, Type::I128, {a, b, code_value}));
    slow_result->addParamAttr(2, llvm::Attribute::ZExt);
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
    llvm::PHINode* result = builder_.CreatePHI(builder_.getInt128Ty(), 2);
    result->addIncoming(quick_result, quick);
    result->addIncoming(slow_result, slow);
    return result;
  }

  llvm::Value* compare(const Instruction& i) {
    using Predicate = llvm::CmpInst::Predicate;
    if (i.opcode == Opcode::FCmp) {
      constexpr Predicate table[] = {Predicate::FCMP_OEQ, Predicate::FCMP_ONE, Predicate::FCMP_OLT, Predicate::FCMP_OLE,
                                     Predicate::FCMP_OGT, Predicate::FCMP_OGE, Predicate::FCMP_UNO};
      return builder_.CreateFCmp(table[i.detail], value(i.a), value(i.b));
    }
    constexpr Predicate table[] = {Predicate::ICMP_EQ,  Predicate::ICMP_NE,  Predicate::ICMP_SLT, Predicate::ICMP_SLE,
                                   Predicate::ICMP_SGT, Predicate::ICMP_SGE, Predicate::ICMP_ULT, Predicate::ICMP_ULE,
                                   Predicate::ICMP_UGT, Predicate::ICMP_UGE};
    Predicate predicate = table[i.detail];
    // A truth value compares as 0 and 1; to LLVM a signed i1 is 0 and -1.
    if (i.operand_type == Type::I1 && llvm::CmpInst::isSigned(predicate))
      predicate = llvm::ICmpInst::getUnsignedPredicate(predicate);
    return builder_.CreateICmp(predicate, value(i.a), value(i.b));
  }

  llvm::Value* convert(const Instruction& i) {
    llvm::Value* a = value(i.a);
    llvm::Type* to = typeOf(i.type);
    switch (i.opcode) {
      case Opcode::SExt:
        return builder_.CreateSExt(a, to);
      case Opcode::ZExt:
        return builder_.CreateZExt(a, to);
      case Opcode::Trunc:
        return builder_.CreateTrunc(a, to);
      case Opcode::SIToFP:
        if (i.operand_type == Type::I128) return callHost(&toDouble, Type::F64, {a});
        return builder_.CreateSIToFP(a, to);
      case Opcode::FPToSI:
        if (i.type == Type::I128) return callHost(&fromDouble, Type::I128, {a});
        return builder_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {to, a->getType()}, {a});
      default:
        if (i.type == Type::Ptr) return builder_.CreateIntToPtr(a, to);
        if (i.operand_type == Type::Ptr) return builder_.CreatePtrToInt(a, to);
        return builder_.CreateBitCast(a, to);
    }
  }

  llvm::Value* offset(llvm::Value* base, int64_t bytes) {
    if (bytes == 0) return base;
    return builder_.CreateGEP(builder_.getInt8Ty(), base, builder_.getInt64(static_cast<uint64_t>(bytes)));
  }

  llvm::Value* load(const Instruction& i) {
    llvm::Value* address = offset(value(i.a), i.offset());
    if (i.opcode == Opcode::LoadF32)
      return builder_.CreateFPExt(builder_.CreateAlignedLoad(builder_.getFloatTy(), address, llvm::Align(1)),
                                  builder_.getDoubleTy());
    if (i.opcode == Opcode::LoadAtomic) {
      llvm::LoadInst* load = builder_.CreateAlignedLoad(builder_.getInt8Ty(), address, llvm::Align(1));
      load->setAtomic(llvm::AtomicOrdering::Monotonic);
      return load;
    }
    if (i.type == Type::I1)
      return builder_.CreateTrunc(builder_.CreateAlignedLoad(builder_.getInt8Ty(), address, llvm::Align(1)),
                                  builder_.getInt1Ty());
    return builder_.CreateAlignedLoad(typeOf(i.type), address, llvm::Align(1));
  }

  llvm::Value* store(const Instruction& i) {
    llvm::Value* stored = value(i.a);
    if (i.opcode == Opcode::StoreF32)
      stored = builder_.CreateFPTrunc(stored, builder_.getFloatTy());
    else if (i.operand_type == Type::I1)
      stored = builder_.CreateZExt(stored, builder_.getInt8Ty());
    return builder_.CreateAlignedStore(stored, offset(value(i.b), i.offset()), llvm::Align(1));
  }

  llvm::Value* callFunction(const Instruction& i) {
    std::vector<llvm::Value*> arguments;
    for (const uint32_t argument : from_.arguments(i)) arguments.push_back(value(argument));
    llvm::Function* callee = functions_[i.immediate];
    llvm::CallInst* call = builder_.CreateCall(callee, arguments);
    call->setAttributes(callee->getAttributes());
    return call;
  }

  llvm::Value* callRuntime(const Instruction& i) {
    const RuntimeFunction& callee = i.runtimeFunction();
    std::vector<llvm::Value*> arguments;
    std::vector<llvm::Type*> types;
    for (const uint32_t argument : from_.arguments(i)) {
      arguments.push_back(value(argument));
      types.push_back(arguments.back()->getType());
    }
    auto* signature = llvm::FunctionType::get(typeOf(i.type), types, false);
    llvm::CallInst* call =
        builder_.CreateCall(signature, pointer(reinterpret_cast<uint64_t>(callee.address)), arguments);
    for (unsigned k = 0; k < arguments.size(); ++k) {
      const auto& parameter = callee.parameters[k];
      // C++ callees rely on narrow arguments being extended by the caller.
      if (parameter.type >= Type::I1 && parameter.type <= Type::I16)
        call->addParamAttr(k, parameter.is_signed ? llvm::Attribute::SExt : llvm::Attribute::ZExt);
    }
    if (callee.effect == RuntimeEffect::Pure) {
      call->setDoesNotAccessMemory();
      call->setDoesNotThrow();
      call->addFnAttr(llvm::Attribute::WillReturn);
    }
    return call;
  }

  llvm::Value* terminator(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::Br:
        return builder_.CreateBr(first_block_[i.a]);
      case Opcode::CondBr: {
        llvm::MDNode* weights = nullptr;
        const auto weight = static_cast<ir::BranchWeight>(i.detail);
        if (weight == ir::BranchWeight::Likely) weights = llvm::MDBuilder(context_).createLikelyBranchWeights();
        if (weight == ir::BranchWeight::Unlikely) weights = llvm::MDBuilder(context_).createUnlikelyBranchWeights();
        llvm::BranchInst* branch = builder_.CreateCondBr(value(i.a), first_block_[i.b], first_block_[i.c], weights);
        // Conditions that were joined were joined on purpose: without this mark LLVM makes a branch of each again.
        const Opcode condition = from_.at(i.a).opcode;
        if (condition == Opcode::And || condition == Opcode::Or)
          branch->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDBuilder(context_).createUnpredictable());
        return branch;
      }
      case Opcode::Switch: {
        const auto cases = from_.cases(i);
        auto* type = llvm::cast<llvm::IntegerType>(typeOf(i.operand_type));
        llvm::SwitchInst* branch = builder_.CreateSwitch(value(i.a), first_block_[i.b], i.list_count);
        for (const ir::SwitchCase& one : cases)
          branch->addCase(llvm::ConstantInt::get(type, static_cast<uint64_t>(one.value), true),
                          first_block_[one.block]);
        return branch;
      }
      case Opcode::Ret:
        return i.a == kNone ? builder_.CreateRetVoid() : builder_.CreateRet(value(i.a));
      default:
        return builder_.CreateUnreachable();
    }
  }

  [[maybe_unused]] const ir::Module& module_;
  const ir::Function& from_;
  llvm::Function& to_;
  const std::vector<llvm::Function*>& functions_;
  llvm::LLVMContext& context_;
  ir::ControlFlow flow_;
  std::vector<llvm::Value*> values_;
  std::vector<llvm::BasicBlock*> first_block_, last_block_;
  std::array<llvm::BasicBlock*, static_cast<size_t>(TrapCode::Count)> raise_blocks_{};
  llvm::IRBuilder<> builder_;
};

llvm::Function* declare(const ir::Function& from, llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> types;
  for (const Type type : from.parameters()) types.push_back(FunctionTranslator::typeOf(context, type));
  auto* signature = llvm::FunctionType::get(FunctionTranslator::typeOf(context, from.result()), types, false);
  auto* function = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, name, module);
  // Exceptions of runtime functions pass through.
  function->setUWTableKind(llvm::UWTableKind::Async);
  if (from.result() == Type::I1) function->addRetAttr(llvm::Attribute::ZExt);
  if (from.result() == Type::I8 || from.result() == Type::I16) function->addRetAttr(llvm::Attribute::SExt);
  return function;
}

}  // namespace

std::unique_ptr<llvm::Module> toLlvm(const ir::Module& module, llvm::LLVMContext& context, const std::string& prefix) {
  auto result = std::make_unique<llvm::Module>(module.name(), context);
  std::vector<llvm::Function*> functions;
  for (uint32_t i = 0; i < module.functionCount(); ++i)
    functions.push_back(declare(module.function(ir::FunctionId{i}), *result, prefix + std::to_string(i)));
  for (uint32_t i = 0; i < module.functionCount(); ++i)
    FunctionTranslator(module, module.function(ir::FunctionId{i}), *functions[i], functions).run();
  return result;
}

}  // namespace gnomon::codegen::jit
