#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/privilege.h"
#include "sql/catalog/virtual_relation.h"

namespace gnomon::sql::pg_catalog {

/// A value on its way into a column, whose type it gets there.
class Field {
 public:
  Field(std::nullptr_t) {}                                                // NOLINT(google-explicit-constructor)
  Field(bool flag) : kind_(Kind::Number), number_(flag ? 1 : 0) {}        // NOLINT(google-explicit-constructor)
  Field(char letter) : kind_(Kind::Text), text_(1, letter) {}             // NOLINT(google-explicit-constructor)
  Field(const char* text) : kind_(Kind::Text), text_(text) {}             // NOLINT(google-explicit-constructor)
  Field(std::string_view text) : kind_(Kind::Text), text_(text) {}        // NOLINT(google-explicit-constructor)
  Field(std::string text) : kind_(Kind::Text), text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  template <std::integral Number>
  Field(Number number) : kind_(Kind::Number), number_(static_cast<int64_t>(number)) {}  // NOLINT
  Field(double number) : kind_(Kind::Fraction), fraction_(number) {}                    // NOLINT

  [[nodiscard]] Value as(Type type) const;

 private:
  enum class Kind : uint8_t { Null, Number, Fraction, Text };
  Kind kind_ = Kind::Null;
  int64_t number_ = 0;
  double fraction_ = 0;
  std::string text_;
};

/// The type of a column that is there.
Type typeOfColumn(const std::vector<ColumnEntry>& columns, std::string_view name);

/// The encoded array of a column of such a type, or of a vector. Elements in order.
std::string arrayOfNumbers(Type column, std::span<const int64_t> numbers);
std::string arrayOfTexts(Type column, std::span<const std::string> texts);

/// An ACL for such a column; NULL where it has none of its own.
Field aclField(Type column, const AclPtr& acl);

/// Makes rows of which some columns are given; the others are NULL where they may be, else 0, false or empty.
class RowMaker {
 public:
  /// `names`: of the columns that are given, each there.
  RowMaker(const std::vector<ColumnEntry>& columns, std::span<const std::string_view> names);
  RowMaker(const std::vector<ColumnEntry>& columns, std::initializer_list<std::string_view> names)
      : RowMaker(columns, std::span(names.begin(), names.size())) {}

  /// One for each name, in their order. Arrays and vectors come encoded.
  void add(std::span<const Field> fields);
  void add(std::initializer_list<Field> fields) { add(std::span(fields.begin(), fields.size())); }
  [[nodiscard]] VirtualRows take() { return std::move(rows_); }

 private:
  const std::vector<ColumnEntry>& columns_;
  std::vector<size_t> given_;
  std::vector<Value> others_;
  VirtualRows rows_;
};

}  // namespace gnomon::sql::pg_catalog
