#pragma once

#include <cstdint>

namespace gnomon::sql {

/// What a call computes. One id covers every argument type of the same operation: the argument types say which one.
/// Names, signatures and result types stand in function_registry.cc; codegen says how each is emitted.
enum class FunctionId : uint16_t {
  // Arithmetic: numbers of one kind on both sides; date and interval combinations as PostgreSQL has them.
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Power,
  Negate,
  Absolute,
  // Comparison: both arguments of one kind (numerics may differ in form and scale; text, varchar and unknown mix).
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // Mathematics
  Ceil,
  Floor,
  Round,
  Truncate,
  Sign,
  SquareRoot,
  Exponential,
  NaturalLogarithm,
  Logarithm,
  // Strings
  Concat,
  Like,   ///< (text, pattern [, escape])
  ILike,  ///< (text, pattern [, escape])
  Length,
  OctetLength,
  Lower,
  Upper,
  Substring,
  Position,  ///< (text, part): strpos's order
  TrimBoth,
  TrimLeft,
  TrimRight,
  Replace,
  Left,
  Right,
  PadLeft,
  PadRight,
  Repeat,
  Reverse,
  StartsWith,
  SplitPart,
  Ascii,
  Character,
  Initcap,
  // Strings and bytea
  Overlay,  ///< (string, new part, start [, count])
  BitLength,
  Md5,
  // Bytea
  GetByte,
  SetByte,
  GetBit,
  SetBit,
  BitCount,
  Encode,
  Decode,
  Sha224,
  Sha256,
  Sha384,
  Sha512,
  Convert,  ///< (bytes, source encoding, destination encoding)
  ConvertFrom,
  ConvertTo,
  EncodedLength,  ///< (bytes, encoding): characters
  // Dates: the field is the first argument, a constant text
  Extract,
  DatePart,
  DateTruncate,
  Age,
  MakeDate,
  MakeTime,
  ToTimestamp,  ///< of seconds since 1970
  Timezone,     ///< AT TIME ZONE: (zone, timestamp with or without time zone)
  JustifyDays,
  JustifyHours,
  JustifyInterval,
  IsFinite,
  // What is asked of the session that executes the statement, or of others
  BackendPid,
  TransactionTime,
  StatementTime,
  CancelBackend,
  TerminateBackend,  ///< (process [, milliseconds to wait until it has ended])
  // Advisory locks: (bigint) or (integer, integer). ...Session... lasts until it is given back.
  LockSession,
  LockSessionShared,
  LockTransaction,
  LockTransactionShared,
  TryLockSession,
  TryLockSessionShared,
  TryLockTransaction,
  TryLockTransactionShared,
  Unlock,
  UnlockShared,
  UnlockAll,
  // Sequences, by oid (bigint) or name (text)
  NextValue,
  CurrentValue,
  LastValue,
  SetValue,  ///< (sequence, value [, is_called])
  ClockTime,
  TimeOfDay,  ///< the same as a text
};

/// Whether it is asked of the session, which generated code reaches while it runs a statement, and nowhere else.
constexpr bool isSessionFunction(FunctionId function) {
  return function >= FunctionId::BackendPid && function <= FunctionId::TimeOfDay;
}
/// Whether each call may do something, or answer otherwise: it is neither left out nor shared.
constexpr bool isVolatileFunction(FunctionId function) {
  return function >= FunctionId::CancelBackend && function <= FunctionId::TimeOfDay;
}

enum class AggregateId : uint8_t { CountRows, Count, Sum, Average, Minimum, Maximum };

}  // namespace gnomon::sql
