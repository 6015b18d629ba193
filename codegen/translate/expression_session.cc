#include "codegen/translate/expression_session.h"

#include <vector>

#include "codegen/runtime/session_functions.h"
#include "codegen/translate/expression_values.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using Arguments = std::span<const SqlValue>;

bool isShared(FunctionId function) {
  switch (function) {
    case FunctionId::LockSessionShared:
    case FunctionId::LockTransactionShared:
    case FunctionId::TryLockSessionShared:
    case FunctionId::TryLockTransactionShared:
    case FunctionId::UnlockShared:
      return true;
    default:
      return false;
  }
}

bool isOfSession(FunctionId function) {
  switch (function) {
    case FunctionId::LockTransaction:
    case FunctionId::LockTransactionShared:
    case FunctionId::TryLockTransaction:
    case FunctionId::TryLockTransactionShared:
      return false;
    default:
      return true;
  }
}

/// The number of an advisory lock: of two, the first is in the upper half.
ir::Value keyNumber(ir::Builder& builder, Arguments arguments) {
  if (arguments.size() == 1) return arguments[0].lo;
  const ir::Value upper = builder.shl(builder.zext(arguments[0].lo, ir::Type::I64), builder.constI64(32));
  return builder.bitOr(upper, builder.zext(arguments[1].lo, ir::Type::I64));
}

/// An empty string: the value of a function that has none.
SqlValue voidValue(ir::Builder& builder, const sql::Type& type) {
  return {type, builder.constI64(0), builder.constI64(0), {}};
}

SqlValue emitAdvisory(CodeContext& context, FunctionId function, const sql::Type& type, Arguments arguments,
                      ir::Value session) {
  ir::Builder& builder = context.builder;
  const ir::Value is_pair = builder.constI1(arguments.size() == 2);
  const ir::Value is_shared = builder.constI1(isShared(function));
  const ir::Value number = keyNumber(builder, arguments);
  if (function == FunctionId::Unlock || function == FunctionId::UnlockShared)
    return {type, builder.call(RUNTIME_FUNCTION(rt::advisoryUnlock), {session, number, is_pair, is_shared}), {}, {}};
  const std::vector<ir::Value> values{session, number, is_pair, is_shared, builder.constI1(isOfSession(function))};
  if (function >= FunctionId::TryLockSession)
    return {type, builder.call(RUNTIME_FUNCTION(rt::advisoryTryLock), values), {}, {}};
  builder.call(RUNTIME_FUNCTION(rt::advisoryLock), values);
  return voidValue(builder, type);
}

SqlValue emitSequence(CodeContext& context, FunctionId function, const sql::Type& type, Arguments arguments,
                      ir::Value session) {
  ir::Builder& builder = context.builder;
  if (function == FunctionId::LastValue)
    return {type, builder.call(RUNTIME_FUNCTION(rt::lastValue), {session}), {}, {}};
  const SqlValue& named = arguments[0];
  const ir::Value sequence =
      named.type.isString() ? builder.call(RUNTIME_FUNCTION(rt::sequenceOf), {session, named.lo, named.hi}) : named.lo;
  if (function == FunctionId::NextValue || function == FunctionId::NextIdentityValue) {
    const ir::Value is_identity = builder.constI1(function == FunctionId::NextIdentityValue);
    return {type, builder.call(RUNTIME_FUNCTION(rt::nextValue), {session, sequence, is_identity}), {}, {}};
  }
  if (function == FunctionId::CurrentValue)
    return {type, builder.call(RUNTIME_FUNCTION(rt::currentValue), {session, sequence}), {}, {}};
  const ir::Value is_called = arguments.size() == 3 ? arguments[2].lo : builder.constI1(true);
  return {type, builder.call(RUNTIME_FUNCTION(rt::setValue), {session, sequence, arguments[1].lo, is_called}), {}, {}};
}

}  // namespace

SqlValue emitSessionFunction(CodeContext& context, FunctionId function, const sql::Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  if (sql::isVolatileFunction(function)) context.resources.asks_session = true;
  const ir::Value session = builder.load(ir::Type::Ptr, context.global, offsetof(GlobalState, session));
  switch (function) {
    case FunctionId::BackendPid:
      return {type, builder.call(RUNTIME_FUNCTION(rt::backendPid), {session}), {}, {}};
    case FunctionId::CancelBackend:
      return {type, builder.call(RUNTIME_FUNCTION(rt::cancelBackend), {session, arguments[0].lo}), {}, {}};
    case FunctionId::TerminateBackend: {
      const ir::Value timeout = arguments.size() == 2 ? arguments[1].lo : builder.constI64(0);
      return {type, builder.call(RUNTIME_FUNCTION(rt::terminateBackend), {session, arguments[0].lo, timeout}), {}, {}};
    }
    case FunctionId::TransactionTime:
      return {type, builder.call(RUNTIME_FUNCTION(rt::transactionTime), {session}), {}, {}};
    case FunctionId::StatementTime:
      return {type, builder.call(RUNTIME_FUNCTION(rt::statementTime), {session}), {}, {}};
    case FunctionId::ClockTime:
      return {type, builder.call(RUNTIME_FUNCTION(rt::clockTime), {}), {}, {}};
    case FunctionId::TimeOfDay:
      return pairResult(context, type, builder.call(RUNTIME_FUNCTION(rt::timeOfDay), {context.scratchArena()}));
    case FunctionId::UnlockAll:
      builder.call(RUNTIME_FUNCTION(rt::advisoryUnlockAll), {session});
      return voidValue(builder, type);
    case FunctionId::NextValue:
    case FunctionId::NextIdentityValue:
    case FunctionId::CurrentValue:
    case FunctionId::LastValue:
    case FunctionId::SetValue:
      return emitSequence(context, function, type, arguments, session);
    case FunctionId::Random:
      return {type, builder.call(RUNTIME_FUNCTION(rt::randomNumber), {session}), {}, {}};
    case FunctionId::GenerateUuid:
      return {type, builder.call(RUNTIME_FUNCTION(rt::generateUuid), {}), {}, {}};
    case FunctionId::SetConfig:
      return pairResult(
          context, type,
          builder.call(RUNTIME_FUNCTION(rt::setConfig), {session, arguments[0].lo, arguments[0].hi, arguments[1].lo,
                                                         arguments[1].hi, arguments[2].lo, context.scratchArena()}));
    case FunctionId::Sleep:
      builder.call(RUNTIME_FUNCTION(rt::sleep), {session, arguments[0].lo});
      return voidValue(builder, type);
    case FunctionId::SleepFor:
      builder.call(RUNTIME_FUNCTION(rt::sleepFor), {session, arguments[0].lo, arguments[0].hi});
      return voidValue(builder, type);
    case FunctionId::SleepUntil:
      builder.call(RUNTIME_FUNCTION(rt::sleepUntil), {session, arguments[0].lo});
      return voidValue(builder, type);
    case FunctionId::TransactionNumber:
    case FunctionId::TransactionNumberIfAny: {
      const bool is_wanted = function == FunctionId::TransactionNumber;
      const ir::Value number =
          builder.call(RUNTIME_FUNCTION(rt::transactionNumber), {session, builder.constI1(is_wanted)});
      if (is_wanted) return {type, number, {}, {}};
      const ir::Value is_null = builder.eq(number, builder.constI64(rt::kNoTransaction));
      return {type, builder.select(is_null, builder.constI64(0), number), {}, is_null};
    }
    case FunctionId::SetSeed:
      builder.call(RUNTIME_FUNCTION(rt::setRandomSeed), {session, arguments[0].lo});
      return voidValue(builder, type);
    default:
      return emitAdvisory(context, function, type, arguments, session);
  }
}

}  // namespace gnomon::codegen
