#pragma once

#include <cstdint>

#include "sql/functions/aggregate_id.h"

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
  // Texts made of several, quoted, or of numbers. A list of texts is one text: of each its bytes, their number before
  // them, or a mark for NULL (sql/types/text_list.h).
  OutputText,           ///< (any): as clients see it
  ListEntry,            ///< (text): a list of one text
  ConcatWithSeparator,  ///< (separator, list)
  Format,               ///< (format, list)
  QuoteIdentifier,
  QuoteLiteral,
  Translate,
  ToHexadecimal,
  // Texts by a collation of ICU (sql/types/icu_collation.h); the second argument is the locale
  CollationKey,  ///< bytes in the order of the collation, the text behind them
  CollatedText,  ///< (key): the text again
  LowerIn,
  UpperIn,
  InitcapIn,
  // Regular expressions: (text, pattern ...)
  RegexMatch,
  RegexMatchCaseless,
  SimilarPattern,  ///< (pattern of SIMILAR TO [, escape]): the regular expression
  RegexSubstring,
  RegexReplace,
  RegexLike,
  RegexCount,
  RegexPosition,
  RegexMatchArray,  ///< the captured parts of the first match, or the match
  RegexSplitArray,
  RegexSubstr,
  // Bits of integers
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  ShiftLeft,
  ShiftRight,
  // Mathematics of double precision
  CubeRoot,
  Degrees,
  Radians,
  Pi,
  Sine,
  Cosine,
  Tangent,
  Cotangent,
  ArcSine,
  ArcCosine,
  ArcTangent,
  ArcTangentOfQuotient,
  SineOfDegrees,
  CosineOfDegrees,
  TangentOfDegrees,
  CotangentOfDegrees,
  ArcSineInDegrees,
  ArcCosineInDegrees,
  ArcTangentInDegrees,
  ArcTangentOfQuotientInDegrees,
  HyperbolicSine,
  HyperbolicCosine,
  HyperbolicTangent,
  InverseHyperbolicSine,
  InverseHyperbolicCosine,
  InverseHyperbolicTangent,
  // Integers and numerics
  IntegralQuotient,
  GreatestCommonDivisor,
  LeastCommonMultiple,
  Factorial,
  WidthBucket,
  ScaleOf,
  MinimumScale,
  TrimScale,
  // Arrays: of Expression::Kind::ArrayCall alone, whose arguments may be NULL
  MakeArray,        ///< (element ...)
  MakeNestedArray,  ///< (array ...): of one dimension more
  ArraySubscript,   ///< (array, subscript ...)
  ArraySlice,       ///< (array, lower, upper, ...): bounds of type void are left out
  /// (array, value, subscript ...): a copy with another element. Of an array as the value its elements are, in a slice:
  /// two bounds a dimension, Void for one that is left out
  ArrayAssign,
  ArrayLength,
  ArrayLower,
  ArrayUpper,
  ArrayDimensions,  ///< their number
  ArrayBounds,      ///< their text
  ArrayCardinality,
  ArrayAppend,
  ArrayPrepend,
  ArrayConcatenate,
  ArrayRemove,
  ArrayReplace,
  ArrayPosition,
  ArrayPositions,
  ArrayToText,
  TextToArray,
  ArrayFill,
  ArrayTrim,
  ArrayContains,
  ArrayContainedBy,
  ArrayOverlaps,
  ArrayBucket,
  ArrayToTextList,     ///< (array): a list of its elements' texts (sql/types/text_list.h)
  ArrayCountNulls,     ///< (array)
  ArrayCountNonNulls,  ///< (array)
  // Records and what users define: of ArrayCall, too
  MakeRecord,       ///< (names, field ...): names as sql/types/record_value.h has them, or NULL
  RecordField,      ///< (record, number from 0, a constant)
  RecordAssign,     ///< (record, number from 0, value): a copy with another field
  RecordIsNull,     ///< (record): it is NULL, or all of its fields are
  RecordIsNotNull,  ///< (record): none of its fields is NULL
  RetypeRecord,     ///< (record): the same fields as a row of another relation
  EnumFirst,        ///< (enum): the first label, whatever the argument
  EnumLast,
  EnumRange,    ///< (enum [, enum]): labels as an array; a NULL bound is none
  CheckDomain,  ///< (value, oid of the domain, a constant; 0: those of the fields of rows in it): the value, tested
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
  NextIdentityValue,  ///< the same of who may insert into the table, whatever he may do with the sequence
  CurrentValue,
  LastValue,
  SetValue,  ///< (sequence, value [, is_called])
  ClockTime,
  TimeOfDay,  ///< the same as a text
  // Chance
  Random,
  SetSeed,
  SetConfig,  ///< (setting, value, is_local)
  Sleep,      ///< (seconds)
  SleepFor,   ///< (interval)
  SleepUntil,
  TransactionNumber,
  TransactionNumberIfAny,
  GenerateUuid,
  // Behind them, the catalog's own (sql/pg_catalog/functions.h): of Expression::Kind::ArrayCall alone
};
inline constexpr auto kFirstCatalogFunction = static_cast<FunctionId>(0x1000);
/// A call of a routine that a user made: of Expression::Kind::ArrayCall alone. The first argument is its oid, the last
/// one, where the statement lists the columns of the records that it returns, a row of these columns.
inline constexpr auto kCallRoutine = static_cast<FunctionId>(0x0fff);
/// Behind these, those over values (sql/functions/value_function.h): of Expression::Kind::ArrayCall alone.
inline constexpr auto kFirstValueFunction = static_cast<FunctionId>(0x2000);
/// And those of JSON (sql/json/json_functions.h): of Expression::Kind::ArrayCall, too.
inline constexpr auto kFirstJsonFunction = static_cast<FunctionId>(0x3000);

constexpr bool isCatalogFunction(FunctionId function) {
  return function >= kFirstCatalogFunction && function < kFirstValueFunction;
}
constexpr bool isValueFunction(FunctionId function) {
  return function >= kFirstValueFunction && function < kFirstJsonFunction;
}
constexpr bool isJsonFunction(FunctionId function) {
  return function >= kFirstJsonFunction;
}

constexpr bool isTextFunction(FunctionId function) {
  return function >= FunctionId::OutputText && function <= FunctionId::InitcapIn;
}
constexpr bool isRegexFunction(FunctionId function) {
  return function >= FunctionId::RegexMatch && function <= FunctionId::RegexSubstr;
}
constexpr bool isBitFunction(FunctionId function) {
  return function >= FunctionId::BitAnd && function <= FunctionId::ShiftRight;
}
/// Of the later groups above: bits, double precision, integers and numerics.
constexpr bool isNumberFunction(FunctionId function) {
  return function >= FunctionId::BitAnd && function <= FunctionId::TrimScale;
}
/// Whether it is asked of the session, which generated code reaches while it runs a statement, and nowhere else.
constexpr bool isSessionFunction(FunctionId function) {
  return function >= FunctionId::BackendPid && function <= FunctionId::GenerateUuid;
}
/// Whether each call may do something, or answer otherwise: it is neither left out nor shared.
constexpr bool isVolatileFunction(FunctionId function) {
  return function >= FunctionId::CancelBackend && function <= FunctionId::GenerateUuid;
}
/// Whether somebody could tell afterwards that it was called.
constexpr bool hasEffect(FunctionId function) {
  using enum FunctionId;
  const bool only_answers = function == CurrentValue || function == LastValue || function == ClockTime ||
                            function == TimeOfDay || function == Random || function == TransactionNumberIfAny ||
                            function == GenerateUuid;
  return isVolatileFunction(function) && !only_answers;
}

}  // namespace gnomon::sql
