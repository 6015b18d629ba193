#include "sql/functions/catalog_values.h"

#include "sql/catalog/partitioning.h"
#include "sql/types/array_value.h"
#include "sql/types/text_io.h"
#include "sql/types/transaction_number.h"
#include "sql/types/tuple_place.h"

namespace gnomon::sql {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

/// "name=value" of each element; what has no value is a name.
template <bool is_name>
Value optionParts(Arguments arguments, Type result) {
  const RegisterPair registers = toRegisters(arguments[0]);
  const ArrayView options(result.element(), StringValue(registers.lo, registers.hi));
  ArrayBuilder parts(result.element());
  for (size_t i = 0; i < options.size(); ++i) {
    const RegisterPair text = options.at(i);
    const StringValue option(text.lo, text.hi);
    const std::string_view whole = option.view();
    const size_t sign = whole.find('=');
    if (!is_name && sign == std::string_view::npos)
      parts.add(Value::null(result.element()));
    else
      parts.add(Value::fromString(result.element(), is_name ? whole.substr(0, sign) : whole.substr(sign + 1)));
  }
  return Value::fromString(result, parts.finish());
}

/// As PostgreSQL counts: values of one length have that; others have 4 bytes before what they are held as, but a
/// literal without a type has a zero behind it.
Value bytesOf(Arguments arguments, Type result) {
  const Value& value = arguments[0];
  const int16_t length = value.type.wireLength();
  if (length > 0) return Value::fromInt(result, length);
  const auto size = static_cast<int64_t>(value.bytes.size());
  return Value::fromInt(result, value.type.kind == Unknown ? size + 1 : size + 4);
}

Value transactionNumber(Arguments arguments, Type result) {
  return Value::fromString(result, encodeTransactionNumber(arguments[0].lo));
}

/// How many transactions have begun since the one of a number; of the numbers that PostgreSQL keeps for itself the
/// greatest age.
Value transactionAge(Arguments arguments, Type result) {
  constexpr uint32_t kFirstNormal = 3;
  const auto number = static_cast<uint32_t>(arguments[0].lo), now = static_cast<uint32_t>(arguments[1].lo);
  return Value::fromInt(result, number < kFirstNormal ? INT32_MAX : static_cast<int32_t>(now - number));
}

/// Of a tuple id, which in partitioned tables has the number of the partition above it.
Value tuplePlace(Arguments arguments, Type result) {
  return Value::fromString(result, TuplePlace::ofTuple(arguments[0].lo & Partitioning::kTupleMask).encoded());
}

}  // namespace

void addCatalogValues(std::vector<ValueFunction>& functions) {
  functions.push_back({"$pg_options_to_table.option_name", {arrayOf(Text)}, arrayOf(Text), optionParts<true>});
  functions.push_back({"$pg_options_to_table.option_value", {arrayOf(Text)}, arrayOf(Text), optionParts<false>});
  functions.push_back({"$pg_column_size", {Unknown}, Integer, bytesOf});
  functions.push_back({"$tuple_place", {Bigint}, Tid, tuplePlace});
  functions.push_back({"$xid8", {Bigint}, Xid8, transactionNumber});
  functions.push_back({"$xid_age", {Xid, Bigint}, Integer, transactionAge});
}

}  // namespace gnomon::sql
