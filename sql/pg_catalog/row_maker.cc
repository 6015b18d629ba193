#include "sql/pg_catalog/row_maker.h"

#include <algorithm>
#include <bit>
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_session.h"

#include "base/assert.h"
#include "sql/types/array_value.h"

namespace gnomon::sql::pg_catalog {
namespace {

Value emptyValue(Type type) {
  if (type.isArray()) return Value::fromString(type, ArrayBuilder(type.element()).finish());
  if (type.isVector()) return Value::fromString(type, ArrayBuilder(type.vectorArray().element()).finish(0));
  return type.physical() == Physical::String ? Value::fromString(type, {}) : Value::fromInt(type, 0);
}

}  // namespace

Value Field::as(Type type) const {
  switch (kind_) {
    case Kind::Null:
      return Value::null(type);
    case Kind::Number:
      // Microseconds, without days and months.
      if (type.kind == TypeKind::Interval) return {type, false, static_cast<uint64_t>(number_), 0, {}};
      if (type.isFloat()) return {type, false, std::bit_cast<uint64_t>(static_cast<double>(number_)), 0, {}};
      return Value::fromInt(type, number_);
    case Kind::Fraction:
      return {type, false, std::bit_cast<uint64_t>(fraction_), 0, {}};
    case Kind::Text:
      break;
  }
  return Value::fromString(type, text_);
}

Type typeOfColumn(const std::vector<ColumnEntry>& columns, std::string_view name) {
  return std::ranges::find(columns, name, &ColumnEntry::name)->type;
}

std::string arrayOfNumbers(Type column, std::span<const int64_t> numbers) {
  ArrayBuilder builder(column.isVector() ? column.vectorArray().element() : column.element());
  for (const int64_t number : numbers) builder.add(static_cast<uint64_t>(number), 0);
  return builder.finish(column.isVector() ? 0 : 1);
}

std::string arrayOfTexts(Type column, std::span<const std::string> texts) {
  ArrayBuilder builder(column.element());
  for (const std::string& text : texts) builder.add(Value::fromString(column.element(), text));
  return builder.finish();
}

Field aclField(Type column, const AclPtr& acl) {
  if (!acl) return nullptr;
  return arrayOfTexts(column, aclTexts(requiredCatalogSession().catalog, *acl));
}

RowMaker::RowMaker(const std::vector<ColumnEntry>& columns, std::span<const std::string_view> names)
    : columns_(columns) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(columns, name, &ColumnEntry::name);
    CHECK(found != columns.end(), "the relation has the columns that its rows are made of");
    given_.push_back(static_cast<size_t>(found - columns.begin()));
  }
  for (const ColumnEntry& column : columns)
    others_.push_back(column.not_null ? emptyValue(column.type) : Value::null(column.type));
}

void RowMaker::add(std::span<const Field> fields) {
  CHECK(fields.size() == given_.size(), "a row has a field for each name");
  std::vector<Value>& row = rows_.emplace_back(others_);
  for (size_t i = 0; i < fields.size(); ++i) row[given_[i]] = fields[i].as(columns_[given_[i]].type);
}

}  // namespace gnomon::sql::pg_catalog
