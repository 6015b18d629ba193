#include "sql/catalog/inverted_keys.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/bind/comparable.h"
#include "sql/catalog/stored_schema.h"
#include "sql/types/array_value.h"
#include "sql/types/big_numeric.h"
#include "sql/types/hash.h"
#include "sql/types/jsonb_value.h"
#include "txn/table_index.h"

namespace gnomon::sql {
namespace {

/// What a hash is of. `Name`: what the operator ? finds. The numbers are in the data files.
enum class Tag : uint64_t { None = 0, Null = 1, Element = 2, Name = 3, String = 4, Number = 5, Boolean = 6 };

uint64_t tagged(Tag tag, std::string_view bytes) {
  return combineHash(static_cast<uint64_t>(tag), hashBytes(bytes));
}

const uint64_t kNoKeys = tagged(Tag::None, {});
const uint64_t kNullElement = tagged(Tag::Null, {});

uint64_t scalarKey(JsonbView value, Tag string) {
  switch (value.kind()) {
    case JsonKind::String:
      return tagged(string, value.payload());
    case JsonKind::Number: {
      std::string ordered;
      BigNumeric::decode(value.payload()).appendOrdered(ordered);
      return tagged(Tag::Number, ordered);
    }
    case JsonKind::Boolean:
      return tagged(Tag::Boolean, value.boolean() ? "t" : "f");
    default:
      return tagged(Tag::Null, {});
  }
}

void appendJsonb(JsonbView value, Tag string, std::vector<uint64_t>& hashes) {
  if (value.isScalar()) {
    hashes.push_back(scalarKey(value, string));
    return;
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.isArray()) {
      appendJsonb(value.at(i), Tag::Name, hashes);
      continue;
    }
    hashes.push_back(tagged(Tag::Name, value.key(i)));
    appendJsonb(value.value(i), Tag::String, hashes);
  }
}

/// `path`: of the keys around the value.
void appendJsonbPaths(JsonbView value, uint64_t path, std::vector<uint64_t>& hashes) {
  if (value.isScalar()) {
    hashes.push_back(combineHash(path, scalarKey(value, Tag::String)));
    return;
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.isArray())
      appendJsonbPaths(value.at(i), path, hashes);
    else
      appendJsonbPaths(value.value(i), combineHash(path, tagged(Tag::Name, value.key(i))), hashes);
  }
}

[[noreturn]] void refuse(Type type, OperatorClass operator_class) {
  if (operator_class == OperatorClass::JsonbPath)
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("operator class \"jsonb_path_ops\" does not accept data type {}", type.name()));
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("data type {} has no default operator class for access method \"gin\"", type.baseName()))
      .hint("You must specify an operator class for the index or define a default operator class for the data type.");
}

Type elementOf(Type type) {
  return type.isArray() ? type.element() : Type::of(TypeKind::Text);
}

}  // namespace

InvertedPart::InvertedPart(Type type, OperatorClass operator_class)
    : kind_(type.isArray()                               ? Kind::Array
            : operator_class == OperatorClass::JsonbPath ? Kind::JsonbPath
                                                         : Kind::Jsonb),
      element_(elementOf(type)),
      encoder_({keyPart(element_, false, false)}) {
  const bool is_path = operator_class == OperatorClass::JsonbPath;
  if (!(type.kind == TypeKind::Jsonb || (type.isArray() && !is_path))) refuse(type, operator_class);
  requireComparison(element_);
}

void InvertedPart::appendElements(const storage::Datum& value, std::vector<uint64_t>& hashes) const {
  const ArrayView array(element_, value.lo, value.hi);
  const storage::KeyPart& part = encoder_.parts()[0];
  storage::EncodedKey key;
  for (size_t i = 0; i < array.size(); ++i) {
    if (array.isNull(i)) {
      hashes.push_back(kNullElement);
      continue;
    }
    const RegisterPair element = array.at(i);
    key.clear();
    if (part.kind != storage::StoredKind::String) {
      const storage::KeyValue datum{{element.lo, element.hi}, {}, false};
      encoder_.encode({&datum, 1}, key);
      hashes.push_back(tagged(Tag::Element, key.view()));
      continue;
    }
    const StringValue string(element.lo, element.hi);
    std::string_view bytes = string.view();
    if (part.append_ordered != nullptr) {
      part.append_ordered(bytes, part.bytes_type, key);
      bytes = key.view();
    }
    if (part.is_blank_padded) bytes = bytes.substr(0, bytes.find_last_not_of(' ') + 1);
    hashes.push_back(tagged(Tag::Element, bytes));
  }
}

void InvertedPart::appendFound(const storage::Datum& value, std::vector<uint64_t>& hashes) const {
  if (kind_ == Kind::Array) return appendElements(value, hashes);
  const StringValue string(value.lo, value.hi);
  if (kind_ == Kind::Jsonb)
    appendJsonb(JsonbView(string.view()), Tag::Name, hashes);
  else
    appendJsonbPaths(JsonbView(string.view()), 0, hashes);
}

void InvertedPart::append(const storage::Datum& value, std::vector<uint64_t>& hashes) const {
  const size_t before = hashes.size();
  appendFound(value, hashes);
  if (hashes.size() == before) hashes.push_back(kNoKeys);
}

bool InvertedPart::serves(KeySearch how) const {
  switch (how) {
    case KeySearch::Contains:
      return true;
    case KeySearch::ContainedBy:
    case KeySearch::Overlaps:
    case KeySearch::Equal:
      return kind_ == Kind::Array;
    case KeySearch::HasKey:
    case KeySearch::HasAnyKey:
    case KeySearch::HasAllKeys:
      return kind_ == Kind::Jsonb;
  }
  return false;
}

SoughtKeys InvertedPart::soughtUnguarded(KeySearch how, const storage::Datum& value) const {
  using Rows = SoughtKeys::Rows;
  SoughtKeys keys;
  switch (how) {
    case KeySearch::Contains:
      appendFound(value, keys.hashes);
      keys.rows = keys.hashes.empty() ? Rows::Unknown : Rows::All;
      break;
    case KeySearch::ContainedBy:
      appendFound(value, keys.hashes);
      keys.hashes.push_back(kNoKeys);
      keys.rows = Rows::Any;
      break;
    case KeySearch::Overlaps:
      appendFound(value, keys.hashes);
      keys.rows = keys.hashes.empty() ? Rows::None : Rows::Any;
      break;
    case KeySearch::Equal:
      append(value, keys.hashes);
      keys.rows = Rows::All;
      break;
    case KeySearch::HasKey:
      keys.hashes.push_back(tagged(Tag::Name, StringValue(value.lo, value.hi).view()));
      keys.rows = Rows::All;
      break;
    case KeySearch::HasAnyKey:
    case KeySearch::HasAllKeys: {
      const ArrayView names(Type::of(TypeKind::Text), value.lo, value.hi);
      for (size_t i = 0; i < names.size(); ++i) {
        if (names.isNull(i)) continue;
        const RegisterPair name = names.at(i);
        keys.hashes.push_back(tagged(Tag::Name, StringValue(name.lo, name.hi).view()));
      }
      const bool is_any = how == KeySearch::HasAnyKey;
      keys.rows = is_any ? Rows::Any : Rows::All;
      if (keys.hashes.empty()) keys.rows = is_any ? Rows::None : Rows::Unknown;
      break;
    }
  }
  return keys;
}

SoughtKeys InvertedPart::sought(KeySearch how, const storage::Datum& value) const {
  try {
    return soughtUnguarded(how, value);
  } catch (const SqlError& error) {
    if (!(error.state() == sqlstate::kProgramLimitExceeded)) throw;
    return {SoughtKeys::Rows::Unknown, {}};
  }
}

const InvertedKeys& InvertedKeys::of(const txn::TableIndex& index) {
  CHECK(index.definition().extractor != nullptr, "only an inverted index is searched by keys");
  return static_cast<const InvertedKeys&>(*index.definition().extractor);
}

}  // namespace gnomon::sql
