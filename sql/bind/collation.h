#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sql/algebra/expression.h"
#include "sql/types/type.h"

/// Which collation orders texts. Plans know the order of bytes alone: a text that another one orders is compared by its
/// key (FunctionId::CollationKey), whose bytes have that order.
namespace gnomon::sql {

/// Type::collation of the collation with this name, with its schema before it if that is said. Failure: 42704.
uint16_t resolveCollation(std::span<const std::string> names, int32_t position = -1);

/// Whether values of the type, or of an array's elements, are ordered by a collation.
bool isCollatable(Type type);
/// Failure: 42804.
void requireCollatable(Type type, int32_t position);

/// The collation of an expression as its parts make it.
struct DerivedCollation {
  uint16_t collation = 0;    ///< as Type::collation
  bool is_explicit = false;  ///< a COLLATE clause says it
};
/// Failure: 42P21 when two COLLATE clauses disagree.
DerivedCollation derivedCollation(const Expression& expression);
DerivedCollation derivedCollation(std::span<const ExpressionPtr> expressions);
/// Of a column of this name that a query's column makes. Failure: 42P22.
uint16_t declaredCollation(const std::string& column, Type type);
/// Of two parts: of implicit ones the one that is not the default, and none of two such. Failure: 42P21.
void mergeCollation(DerivedCollation& result, const DerivedCollation& other);
/// Raises 42P21 for columns of a set operation, the second of which is the expression.
[[noreturn]] void raiseImplicitMismatch(uint16_t left, uint16_t right, const Expression& second);
/// Of expressions that are compared. Failure: 42P21, 42P22.
uint16_t comparisonCollation(std::span<const ExpressionPtr> expressions);

/// What rows are sorted by instead of the value; the value itself where its bytes have the order. Failure: 42P22; 0A000
/// for arrays that ICU orders.
ExpressionPtr orderKey(ExpressionPtr value);
/// The same by a collation that is known.
ExpressionPtr orderKey(ExpressionPtr value, uint16_t collation);
/// What a part of an index is made of, if that is its key.
struct WrittenPart {
  const Expression* value;
  Type type;
};
WrittenPart writtenPart(const Expression& part);
/// The expression without keys and locales, as it was before it was bound: for showing it.
ExpressionPtr withoutKeys(const Expression& expression);
/// The text, of this type, from its key.
ExpressionPtr textOfKey(ExpressionPtr key, Type type);
/// The value without COLLATE clauses around it, which say nothing of what it is.
ExpressionPtr withoutCollate(ExpressionPtr value);

}  // namespace gnomon::sql
