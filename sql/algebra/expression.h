#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sql/functions/function_id.h"
#include "sql/types/type.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// A column of an intermediate result ("information unit"): the operators above refer to it by address.
/// Ownership: the Plan's IuPool; lives as long as the plan. Of one that a Let binds: the Let and its copies.
struct InformationUnit {
  uint32_t id = 0;
  std::string name;
  Type type;
  bool nullable = true;
};
using Iu = const InformationUnit*;

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// A bound scalar expression: types resolved, coercions explicit, names replaced by information units.
///
/// Shape by kind:
///   Constant      value
///   Column        iu
///   Parameter     parameter (from 0); its value arrives with each execution
///   Call          function, children = arguments, all of a signature's kinds; strict: NULL in, NULL out
///   Cast          children[0] to `type`; is_explicit says whether varchar(n)/char(n) truncate silently
///   And, Or       children, two or more, three-valued
///   Not           children[0]
///   IsNull, IsNotNull, IsTrue, IsNotTrue, IsFalse, IsNotFalse   children[0]; never NULL
///   IsDistinct, IsNotDistinct                 children[0], children[1]; never NULL
///   Case          children = when, then, when, then, ..., else (always present, perhaps a NULL constant)
///   Coalesce, Greatest, Least                 children
///   InList        children[0] IN (children[1..]); all of comparable kinds; NOT IN is Not(InList)
///   ArrayCall     function, of those of arrays and of the catalog; children = arguments. NULLs are arguments as
///                 others; it may be NULL
///   AnyOf, AllOf  children[0] function element, for some or for all elements of the array children[1], three-valued;
///                 the function returns a boolean and takes the element's type
///   Let           children[1], within which `iu` is children[0], computed once; no operator produces `iu`
struct Expression {
  enum class Kind : uint8_t {
    Constant,
    Column,
    Parameter,
    Call,
    Cast,
    And,
    Or,
    Not,
    IsNull,
    IsNotNull,
    IsTrue,
    IsNotTrue,
    IsFalse,
    IsNotFalse,
    IsDistinct,
    IsNotDistinct,
    Case,
    Coalesce,
    Greatest,
    Least,
    InList,
    ArrayCall,
    AnyOf,
    AllOf,
    Let,
  };

  Kind kind = Kind::Constant;
  bool is_explicit = true;
  bool is_collate = false;  ///< a Cast that is a COLLATE clause: of the value nothing but its collation changes
  FunctionId function{};
  Type type;
  bool nullable = true;   ///< false: the value is never NULL
  int32_t position = -1;  ///< byte offset in the statement's text, -1: none
  uint32_t parameter = 0;
  Iu iu = nullptr;
  std::shared_ptr<const InformationUnit> bound;  ///< of Let: owns `iu`
  Value value;
  std::vector<ExpressionPtr> children;

  Expression() = default;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression();  ///< iterates: a chain of any depth is freed in constant stack

  static ExpressionPtr constant(Value value);
  static ExpressionPtr column(Iu iu);
  static ExpressionPtr call(FunctionId function, Type type, std::vector<ExpressionPtr> arguments);
  static ExpressionPtr arrayCall(FunctionId function, Type type, std::vector<ExpressionPtr> arguments);
  static ExpressionPtr cast(ExpressionPtr input, Type type, bool is_explicit);
  static ExpressionPtr logic(Kind kind, std::vector<ExpressionPtr> children);  ///< And, Or, Not, Is...
  static ExpressionPtr let(std::shared_ptr<const InformationUnit> unit, ExpressionPtr value, ExpressionPtr body);
  [[nodiscard]] ExpressionPtr clone() const;
  /// Same computation over the same units; positions are ignored, and which units a Let binds.
  [[nodiscard]] bool equals(const Expression& other) const;
  /// SQL-like text for EXPLAIN and error messages.
  [[nodiscard]] std::string toString() const;
  /// Adds the units this expression reads, without those that it binds.
  void collectUnits(std::vector<Iu>& units) const;
  /// Whether a call in it may do something, or answer otherwise each time.
  [[nodiscard]] bool isVolatile() const;
  /// Whether somebody could tell afterwards that it was computed.
  [[nodiscard]] bool hasEffect() const;
  /// No parameter, no column: the value can be had at bind time.
  [[nodiscard]] bool isConstant() const { return kind == Kind::Constant; }
};

}  // namespace gnomon::sql
