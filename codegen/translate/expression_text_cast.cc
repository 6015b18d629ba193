#include "codegen/translate/expression_text_cast.h"

#include "base/sql_error.h"
#include "codegen/runtime/array_functions.h"
#include "codegen/runtime/cast_runtime.h"
#include "codegen/runtime/json_functions.h"
#include "codegen/runtime/string_functions.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_values.h"
#include "sql/catalog/domain_fields.h"

namespace gnomon::codegen {
namespace {

using sql::NumericForm;
using sql::Type;
using sql::TypeKind;

/// The output function's text of a value that is no string.
SqlValue printed(CodeContext& context, const SqlValue& value) {
  ir::Builder& builder = context.builder;
  const Type text = Type::of(TypeKind::Text);
  const auto print = [&](const RuntimeFunction& function) {
    return pairResult(context, text, builder.call(function, {value.lo, context.scratchArena()}));
  };
  const auto isEscape = [&] { return builder.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape); };
  const auto printAny = [&] {
    return pairResult(
        context, text,
        builder.call(RUNTIME_FUNCTION(rt::anyToText),
                     {typeConstant(context, value.type), value.lo,
                      isPairType(value.type) ? value.hi : builder.constI64(0), isEscape(), context.scratchArena()}));
  };
  if (value.type.isArray()) return printAny();
  switch (value.type.kind) {
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Json:
    case TypeKind::JsonPath:
    case TypeKind::Refcursor:
      return retyped(value, text);
    case TypeKind::Boolean:
      return pairResult(context, text, builder.call(RUNTIME_FUNCTION(rt::booleanToText), {value.lo}));
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
      return pairResult(context, text,
                        builder.call(RUNTIME_FUNCTION(rt::integerToText),
                                     {builder.sext(value.lo, ir::Type::I64), context.scratchArena()}));
    case TypeKind::Oid:
    case TypeKind::Xid:
      return print(RUNTIME_FUNCTION(rt::integerToText));
    case TypeKind::Money:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
    case TypeKind::InternalChar:
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
    case TypeKind::Enum:
    case TypeKind::Record:
    case TypeKind::Jsonb:
      return printAny();
    case TypeKind::Real:
      return print(RUNTIME_FUNCTION(rt::realToText));
    case TypeKind::Double:
      return print(RUNTIME_FUNCTION(rt::doubleToText));
    case TypeKind::Date:
      return print(RUNTIME_FUNCTION(rt::dateToText));
    case TypeKind::Timestamp:
      return print(RUNTIME_FUNCTION(rt::timestampToText));
    case TypeKind::TimestampTz:
      return print(RUNTIME_FUNCTION(rt::timestampTzToText));
    case TypeKind::Time:
      return print(RUNTIME_FUNCTION(rt::timeToText));
    case TypeKind::Interval:
      return pairResult(
          context, text,
          builder.call(RUNTIME_FUNCTION(rt::intervalToText), {value.lo, value.hi, context.scratchArena()}));
    case TypeKind::Uuid:
      return print(RUNTIME_FUNCTION(rt::uuidToText));
    case TypeKind::Bytea:
      return pairResult(
          context, text,
          builder.call(RUNTIME_FUNCTION(rt::byteaToText), {value.lo, value.hi, isEscape(), context.scratchArena()}));
    case TypeKind::Numeric:
      break;
    default:
      throwNotSupported("cast of " + value.type.name() + " to text");
  }
  if (value.type.isBig())
    return pairResult(context, text,
                      builder.call(RUNTIME_FUNCTION(rt::numericToText), {value.lo, value.hi, context.scratchArena()}));
  return pairResult(
      context, text,
      builder.call(RUNTIME_FUNCTION(rt::decimalToText),
                   {decimalBits(context, value), builder.constI32(value.type.scale), context.scratchArena()}));
}

SqlValue fitVarchar(CodeContext& context, const SqlValue& text, const Type& target, bool is_explicit) {
  ir::Builder& builder = context.builder;
  const bool is_within =
      text.type.kind == TypeKind::Varchar && text.type.typmod >= 4 && text.type.typmod <= target.typmod;
  if (target.typmod < 4 || is_within) return retyped(text, target);
  return pairResult(context, target,
                    builder.call(RUNTIME_FUNCTION(rt::fitVarchar),
                                 {text.lo, text.hi, builder.constI32(target.typmod), builder.constI1(is_explicit)}));
}

SqlValue fitChar(CodeContext& context, const SqlValue& text, const Type& target, bool is_explicit) {
  ir::Builder& builder = context.builder;
  if (target.typmod < 4) return retyped(text, target);
  return pairResult(
      context, target,
      builder.call(RUNTIME_FUNCTION(rt::fitChar), {text.lo, text.hi, builder.constI32(target.typmod),
                                                   builder.constI1(is_explicit), context.scratchArena()}));
}

SqlValue parseNumeric(CodeContext& context, const SqlValue& text, const Type& target) {
  ir::Builder& builder = context.builder;
  if (target.isBig())
    return pairResult(context, target,
                      builder.call(RUNTIME_FUNCTION(rt::parseNumeric),
                                   {text.lo, text.hi, builder.constI32(target.typmod), context.scratchArena()}));
  const RuntimeFunction& parse = target.form == NumericForm::Small ? RUNTIME_FUNCTION(rt::parseSmallDecimal)
                                                                   : RUNTIME_FUNCTION(rt::parseWideDecimal);
  return {target,
          builder.call(parse, {text.lo, text.hi, builder.constI32(target.precision), builder.constI32(target.scale)}),
          {},
          {}};
}

}  // namespace

SqlValue convertToText(CodeContext& context, const SqlValue& value, const Type& target, bool is_explicit) {
  if (target.kind == TypeKind::InternalChar && value.type.kind == TypeKind::Integer)
    return pairResult(context, target, context.builder.call(RUNTIME_FUNCTION(rt::integerToInternalChar), {value.lo}));
  const bool is_byte = value.type.kind == TypeKind::InternalChar && target.kind != TypeKind::InternalChar;
  SqlValue text = value.type.isString() && !is_byte ? value : printed(context, value);
  if (target.kind == TypeKind::Char) return fitChar(context, text, target, is_explicit);
  if (value.type.kind == TypeKind::Char)
    text = pairResult(context, Type::of(TypeKind::Text),
                      context.builder.call(RUNTIME_FUNCTION(rt::charToText), {text.lo, text.hi}));
  if (target.kind == TypeKind::Varchar) return fitVarchar(context, text, target, is_explicit);
  const bool is_cut = value.type.kind != target.kind;
  if (target.kind == TypeKind::Name && is_cut)
    return pairResult(context, target, context.builder.call(RUNTIME_FUNCTION(rt::fitName), {text.lo, text.hi}));
  if (target.kind == TypeKind::InternalChar && is_cut)
    return pairResult(context, target, context.builder.call(RUNTIME_FUNCTION(rt::fitInternalChar), {text.lo, text.hi}));
  return retyped(text, target);
}

SqlValue convertFromText(CodeContext& context, const SqlValue& text, const Type& target) {
  ir::Builder& builder = context.builder;
  const auto scalar = [&](const RuntimeFunction& parse) -> SqlValue {
    return {target, builder.call(parse, {text.lo, text.hi}), {}, {}};
  };
  const ir::Value modifier = builder.constI32(target.typmod);
  if (target.isOid())
    return {target,
            builder.call(RUNTIME_FUNCTION(rt::parseObject), {typeConstant(context, target), text.lo, text.hi}),
            {},
            {}};
  if (target.isVector())
    return pairResult(context, target,
                      builder.call(RUNTIME_FUNCTION(rt::parseVector),
                                   {typeConstant(context, target), text.lo, text.hi, context.scratchArena()}));
  if (target.kind == TypeKind::Integer && text.type.kind == TypeKind::InternalChar)
    return scalar(RUNTIME_FUNCTION(rt::internalCharToInteger));
  // The session tests values of domains.
  if (sql::hasDomainFields(target)) context.resources.asks_session = true;
  if (target.isComposed())
    return pairResult(context, target,
                      builder.call(RUNTIME_FUNCTION(rt::parseComposed),
                                   {typeConstant(context, target), text.lo, text.hi, context.scratchArena()}));
  if (target.isEnum())
    return {target,
            builder.call(RUNTIME_FUNCTION(rt::parseEnum), {builder.constI32(target.typmod), text.lo, text.hi}),
            {},
            {}};
  switch (target.kind) {
    case TypeKind::Boolean:
      return scalar(RUNTIME_FUNCTION(rt::parseBoolean));
    case TypeKind::Smallint:
      return scalar(RUNTIME_FUNCTION(rt::parseSmallint));
    case TypeKind::Integer:
      return scalar(RUNTIME_FUNCTION(rt::parseInteger));
    case TypeKind::Bigint:
      return scalar(RUNTIME_FUNCTION(rt::parseBigint));
    case TypeKind::Money:
      return scalar(RUNTIME_FUNCTION(rt::parseMoney));
    case TypeKind::Real:
      return scalar(RUNTIME_FUNCTION(rt::parseReal));
    case TypeKind::Double:
      return scalar(RUNTIME_FUNCTION(rt::parseDouble));
    case TypeKind::Date:
      return scalar(RUNTIME_FUNCTION(rt::parseDate));
    case TypeKind::Uuid:
      return scalar(RUNTIME_FUNCTION(rt::parseUuid));
    case TypeKind::Numeric:
      return parseNumeric(context, text, target);
    case TypeKind::Timestamp:
      return {target, builder.call(RUNTIME_FUNCTION(rt::parseTimestamp), {text.lo, text.hi, modifier}), {}, {}};
    case TypeKind::TimestampTz:
      return {target, builder.call(RUNTIME_FUNCTION(rt::parseTimestampTz), {text.lo, text.hi, modifier}), {}, {}};
    case TypeKind::Time:
      return {target, builder.call(RUNTIME_FUNCTION(rt::parseTime), {text.lo, text.hi, modifier}), {}, {}};
    case TypeKind::Interval:
      return pairResult(context, target,
                        builder.call(RUNTIME_FUNCTION(rt::parseInterval), {text.lo, text.hi, modifier}));
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
    case TypeKind::Json:
    case TypeKind::Jsonb:
    case TypeKind::JsonPath:
      return pairResult(context, target,
                        builder.call(RUNTIME_FUNCTION(rt::parseAny),
                                     {typeConstant(context, target), text.lo, text.hi, context.scratchArena()}));
    case TypeKind::Refcursor:
      return retyped(text, target);
    case TypeKind::Bytea:
      return pairResult(context, target,
                        builder.call(RUNTIME_FUNCTION(rt::parseBytea), {text.lo, text.hi, context.scratchArena()}));
    default:
      throwNotSupported("cast of text to " + target.name());
  }
}

}  // namespace gnomon::codegen
