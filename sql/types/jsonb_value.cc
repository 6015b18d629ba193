#include "sql/types/jsonb_value.h"

#include "base/sql_error.h"
#include "sql/types/big_numeric.h"
#include "sql/types/hash.h"

namespace gnomon::sql {
namespace {

int sign(int order) {
  return (order > 0) - (order < 0);
}
int compareSizes(size_t left, size_t right) {
  return (left > right) - (left < right);
}

int compareScalars(JsonbView left, JsonbView right) {
  switch (left.kind()) {
    case JsonKind::String:
      return sign(left.payload().compare(right.payload()));
    case JsonKind::Number:
      return compareEncodedNumerics(left.payload(), right.payload());
    case JsonKind::Boolean:
      return static_cast<int>(left.boolean()) - static_cast<int>(right.boolean());
    default:
      return 0;
  }
}

int compareParts(JsonbView left, JsonbView right) {
  if (left.kind() != right.kind()) return left.kind() < right.kind() ? -1 : 1;
  if (left.isScalar()) return compareScalars(left, right);
  if (const int order = compareSizes(left.size(), right.size()); order != 0) return order;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left.isArray()) {
      if (const int order = compareParts(left.at(i), right.at(i)); order != 0) return order;
      continue;
    }
    if (const int order = sign(left.key(i).compare(right.key(i))); order != 0) return order;
    if (const int order = compareParts(left.value(i), right.value(i)); order != 0) return order;
  }
  return 0;
}

void appendCount(size_t count, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(count >> shift);
}

char tagOf(JsonKind kind) {
  return static_cast<char>(static_cast<uint8_t>(kind) + 1);
}

void appendOrderedPart(JsonbView value, std::string& out) {
  out += tagOf(value.kind());
  switch (value.kind()) {
    case JsonKind::Null:
      return;
    case JsonKind::String:
      out.append(value.payload()).push_back('\0');
      return;
    case JsonKind::Number:
      return BigNumeric::decode(value.payload()).appendOrdered(out);
    case JsonKind::Boolean:
      out += value.boolean() ? '\1' : '\0';
      return;
    case JsonKind::Array:
      appendCount(value.size(), out);
      out += '\1';
      for (size_t i = 0; i < value.size(); ++i) appendOrderedPart(value.at(i), out);
      return;
    case JsonKind::Object:
      appendCount(value.size(), out);
      for (size_t i = 0; i < value.size(); ++i) {
        out.append(value.key(i)).push_back('\0');
        appendOrderedPart(value.value(i), out);
      }
      return;
  }
}

bool equalParts(JsonbView left, JsonbView right) {
  return left.kind() == right.kind() && compareScalars(left, right) == 0;
}

/// Whether some element of the array is that scalar, or contains that array or object.
bool hasElement(JsonbView array, JsonbView wanted) {
  for (size_t i = 0; i < array.size(); ++i) {
    const JsonbView element = array.at(i);
    if (wanted.isScalar() ? equalParts(element, wanted)
                          : element.kind() == wanted.kind() && containsJsonb(element, wanted))
      return true;
  }
  return false;
}

}  // namespace

void throwJsonTooDeep() {
  throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
}

int compareJsonKeys(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  return left.compare(right);
}

std::optional<size_t> JsonbView::findKey(std::string_view wanted) const {
  size_t low = 0;
  size_t high = size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = compareJsonKeys(key(middle), wanted);
    if (order == 0) return middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return std::nullopt;
}

std::optional<JsonbView> JsonbView::find(std::string_view wanted) const {
  const auto index = findKey(wanted);
  return index ? std::optional(value(*index)) : std::nullopt;
}

std::optional<JsonbView> JsonbView::element(int64_t index) const {
  const auto count = static_cast<int64_t>(size());
  if (index < 0) index += count;
  if (index < 0 || index >= count) return std::nullopt;
  return at(static_cast<size_t>(index));
}

int compareJsonb(JsonbView left, JsonbView right) {
  // A scalar alone is in PostgreSQL an array of one element, and before an array of as many.
  if (left.isScalar() && right.isArray()) return right.size() == 0 ? 1 : -1;
  if (left.isArray() && right.isScalar()) return left.size() == 0 ? -1 : 1;
  return compareParts(left, right);
}

uint64_t hashJsonb(JsonbView value) {
  uint64_t hash = mixHash(static_cast<uint64_t>(value.kind()));
  switch (value.kind()) {
    case JsonKind::Null:
      return hash;
    case JsonKind::String:
      return combineHash(hash, hashBytes(value.payload()));
    case JsonKind::Number:
      return combineHash(hash, hashEncodedNumeric(value.payload()));
    case JsonKind::Boolean:
      return combineHash(hash, value.boolean() ? 1 : 0);
    case JsonKind::Array:
      for (size_t i = 0; i < value.size(); ++i) hash = combineHash(hash, hashJsonb(value.at(i)));
      return hash;
    case JsonKind::Object:
      for (size_t i = 0; i < value.size(); ++i)
        hash = combineHash(combineHash(hash, hashBytes(value.key(i))), hashJsonb(value.value(i)));
      return hash;
  }
  return hash;
}

void appendOrderedJsonb(JsonbView value, std::string& out) {
  if (value.isScalar()) {
    out += tagOf(JsonKind::Array);
    appendCount(1, out);
    out += '\0';
  }
  appendOrderedPart(value, out);
}

bool containsJsonb(JsonbView outer, JsonbView inner) {
  if (inner.isScalar()) {
    // A scalar is in an array that has it.
    return outer.isArray() ? hasElement(outer, inner) : outer.isScalar() && equalParts(outer, inner);
  }
  if (outer.kind() != inner.kind()) return false;
  if (inner.isArray()) {
    for (size_t i = 0; i < inner.size(); ++i)
      if (!hasElement(outer, inner.at(i))) return false;
    return true;
  }
  if (outer.size() < inner.size()) return false;
  for (size_t i = 0; i < inner.size(); ++i) {
    const auto found = outer.find(inner.key(i));
    if (!found) return false;
    const JsonbView wanted = inner.value(i);
    if (found->kind() != wanted.kind()) return false;
    if (wanted.isScalar() ? !equalParts(*found, wanted) : !containsJsonb(*found, wanted)) return false;
  }
  return true;
}

}  // namespace gnomon::sql
