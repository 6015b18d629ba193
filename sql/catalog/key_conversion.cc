#include "sql/catalog/key_conversion.h"

#include <string_view>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/catalog/stored_schema.h"
#include "sql/types/cast.h"
#include "sql/types/text_io.h"
#include "storage/index/key.h"

namespace gnomon::sql {
namespace {

bool isText(TypeKind kind) {
  return kind == TypeKind::Text || kind == TypeKind::Varchar;
}
bool isTime(TypeKind kind) {
  return kind == TypeKind::Date || kind == TypeKind::Timestamp;
}

/// Both hold a value by the same bits, and compare them alike.
bool isHeldAlike(Type left, Type right) {
  if (left.kind == TypeKind::Numeric && right.kind == TypeKind::Numeric)
    return left.form == right.form && (left.isBig() || left.scale == right.scale);
  return left.kind == right.kind || (isText(left.kind) && isText(right.kind)) || (left.isFloat() && right.isFloat());
}

bool fits(TypeKind kind, int64_t value) {
  if (kind == TypeKind::Smallint) return value >= INT16_MIN && value <= INT16_MAX;
  if (kind == TypeKind::Integer) return value >= INT32_MIN && value <= INT32_MAX;
  return true;
}

storage::Datum toDatum(const Value& value, Arena& memory) {
  const RegisterPair pair = toRegisters(value);
  if (storedKind(value.type) != storage::StoredKind::String) return {pair.lo, pair.hi};
  const StringValue copy =
      StringValue::refer(memory.copy(StringValue(pair.lo, pair.hi).view()), StringValue::Storage::Temporary);
  return {copy.lo(), copy.hi()};
}

/// The bytes that an index has for the value: the same for equal values.
void appendKey(const Value& value, storage::EncodedKey& key) {
  const RegisterPair pair = toRegisters(value);
  storage::KeyValue part{{pair.lo, pair.hi}, {}, false};
  const StringValue string(pair.lo, pair.hi);
  if (storedKind(value.type) == storage::StoredKind::String) part.string = string.view();
  storage::KeyEncoder({keyPart(value.type, false, false)}).encode({&part, 1}, key);
}

bool isEqual(const Value& left, const Value& right) {
  storage::EncodedKey left_key;
  storage::EncodedKey right_key;
  appendKey(left, left_key);
  appendKey(right, right_key);
  return left_key.view() == right_key.view();
}

}  // namespace

KeyTypes compareKeyTypes(Type child, Type parent) {
  if (child.kind == parent.kind || (isText(child.kind) && isText(parent.kind))) return KeyTypes::Comparable;
  if (child.isInteger() && (parent.isInteger() || parent.kind == TypeKind::Numeric)) return KeyTypes::Comparable;
  if (child.isFloat() && parent.isFloat()) return KeyTypes::Comparable;
  if (isTime(child.kind) && isTime(parent.kind)) return KeyTypes::Comparable;
  return castContext(child.kind, parent.kind) == CastContext::Implicit ? KeyTypes::Unsupported : KeyTypes::Incomparable;
}

KeyConversion::KeyConversion(Type from, Type to)
    : from_(from),
      to_(to),
      kind_(isHeldAlike(from, to)                ? Kind::Same
            : from.isInteger() && to.isInteger() ? Kind::Integer
                                                 : Kind::Cast) {}

bool KeyConversion::convert(const storage::Datum& from, storage::Datum& to, Arena& memory) const {
  if (kind_ == Kind::Same) {
    to = from;
    // A real holds few of the values of a double.
    if (from_.kind != TypeKind::Double || to_.kind != TypeKind::Real) return true;
  }
  if (kind_ == Kind::Integer) {
    to = from;
    return fits(to_.kind, static_cast<int64_t>(from.lo));
  }
  const Value value = fromRegisters(from_, from.lo, from.hi);
  try {
    const Value converted = castValue(value, to_, false);
    if (!isEqual(castValue(converted, from_, false), value)) return false;
    to = toDatum(converted, memory);
    return true;
  } catch (const SqlError& error) {
    // Out of the type's range.
    if (!std::string_view(error.state().text()).starts_with("22")) throw;
    return false;
  }
}

storage::Datum KeyConversion::assign(const storage::Datum& from, Arena& memory) const {
  if (from_ == to_) return from;
  return toDatum(castValue(fromRegisters(from_, from.lo, from.hi), to_, false), memory);
}

}  // namespace gnomon::sql
