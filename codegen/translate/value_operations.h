#pragma once

#include "codegen/translate/code_context.h"
#include "sql/types/value.h"

namespace gnomon::codegen {

/// Operations on values of one type (numerics: one form and scale) that joins, aggregations and sorts need. Arguments
/// are not NULL unless said otherwise; what is emitted for a NULL's zero value must be harmless.

/// I1: a = b as SQL's equality: NaN equals NaN, -0 equals 0, char(n) ignores trailing blanks, Big ignores display
/// scale.
ir::Value equalValues(CodeContext& context, const SqlValue& a, const SqlValue& b);
/// I1: equal, or both NULL.
ir::Value notDistinctValues(CodeContext& context, const SqlValue& a, const SqlValue& b);
/// I32: below 0, 0, above 0 in SQL's order (collation C, NaN above all numbers).
ir::Value compareValues(CodeContext& context, const SqlValue& a, const SqlValue& b);
/// I64: adds the value to a hash; equal values give equal hashes; NULL gives a hash of its own (values may be NULL).
ir::Value hashValue(CodeContext& context, ir::Value seed, const SqlValue& value);
/// A char(n) value as varchar(n): values of one n are padded alike, so their bytes alone decide equality.
inline SqlValue comparableBytes(SqlValue value) {
  if (value.type.kind == sql::TypeKind::Char && value.type.typmod >= 0) value.type.kind = sql::TypeKind::Varchar;
  return value;
}
/// The bytes a string of the type can have at most, when its n bounds them (a character takes up to 4 in UTF-8).
inline uint32_t stringBytesMax(const sql::Type& type) {
  constexpr int32_t kHeader = 4;
  const bool is_bounded = (type.kind == sql::TypeKind::Char || type.kind == sql::TypeKind::Varchar) && type.typmod >= 4;
  return is_bounded ? static_cast<uint32_t>(type.typmod - kHeader) * 4 : UINT32_MAX;
}
/// Every string of the type lies inside its 16 bytes.
inline bool fitsInline(const sql::Type& type) {
  return stringBytesMax(type) <= StringValue::kInlineBytesMax;
}
/// A constant of the type.
SqlValue constantValue(CodeContext& context, const sql::Value& value);
/// A parameter's value, nullable.
SqlValue parameterValue(CodeContext& context, const sql::Type& type, uint32_t number);
/// The value with its string bytes copied into the arena unless they are persistent or temporary already (or inline).
SqlValue copyValue(CodeContext& context, const SqlValue& value, ir::Value arena);
/// Picks one of two values of one type and nullability.
SqlValue selectValue(CodeContext& context, ir::Value condition, const SqlValue& if_true, const SqlValue& if_false);

/// Loads and stores in materialised rows: the physical size's bytes at pointer + offset; NULLs are not handled here.
uint32_t materialisedBytes(const sql::Type& type);  ///< 1, 2, 4, 8 or 16; also the alignment
SqlValue loadValue(CodeContext& context, const sql::Type& type, ir::Value pointer, int64_t offset);
void storeValue(CodeContext& context, const SqlValue& value, ir::Value pointer, int64_t offset);
/// The value in two words, as txn::Datum holds it; hi is zero where one is enough.
struct DatumWords {
  ir::Value lo, hi;
};
DatumWords datumWords(CodeContext& context, const SqlValue& value);
/// Stores a value as a txn::Datum, which holds everything in two words, and its null flag.
void storeDatum(CodeContext& context, const SqlValue& value, ir::Value pointer, int64_t offset);
void storeNullFlag(CodeContext& context, const SqlValue& value, ir::Value pointer, int64_t offset);

}  // namespace gnomon::codegen
