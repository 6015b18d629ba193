#pragma once

#include <functional>
#include <string_view>

#include "sql/bind/expression_binder.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Failure: 0A000 where DEFAULT is given for a part of a column.
void refuseDefault(const ast::TargetParts& parts, int32_t position);

/// Puts a value in the place of a part of a column, however deep that is. Of parts on the way that are NULL all else is
/// NULL. Several such assignments to one column follow each other: what they are put into is what was made before.
///
/// Source: PostgreSQL's transformAssignmentIndirection and its executor of FieldStore.
class PartAssignment {
 public:
  /// There is at least one part. The binder, the parts and the column live longer.
  PartAssignment(ExpressionBinder& binder, const ast::TargetParts& parts, const ast::ColumnName& column)
      : binder_(binder), parts_(parts), column_(column) {}

  /// The type of the part. Failure: 42804, 42703, 0A000.
  [[nodiscard]] Type type(Type column);
  /// A value for the part as one of its type. Failure: 42804.
  ExpressionPtr convert(ExpressionPtr value, Type column);
  /// The column with the value in it, not yet as one of the column's domain (domainOid()). Failure: as those.
  ExpressionPtr bind(ExpressionPtr before, ExpressionPtr value, uint32_t domain);

 private:
  /// What a value is made a part of.
  struct Container {
    std::string_view name;
    uint32_t domain = 0;
  };
  /// What is there for the innermost part, of which container the name is shown in errors.
  struct Innermost {
    Type type;
    std::string_view name;
    bool is_element = false;
  };
  using Give = std::function<ExpressionPtr(const Innermost&)>;

  ExpressionPtr converted(ExpressionPtr value, const Innermost& wanted);
  ExpressionPtr assign(ExpressionPtr before, size_t step, Container container, const Give& give);
  ExpressionPtr assignField(ExpressionPtr before, size_t step, Container container, const Give& give);
  ExpressionPtr assignElement(ExpressionPtr before, size_t step, Container container, const Give& give);
  ExpressionPtr fieldBefore(const Expression& record, size_t index, Type type);
  ExpressionPtr elementBefore(const Expression& assigned, const Expression& array);

  ExpressionBinder& binder_;
  const ast::TargetParts& parts_;
  const ast::ColumnName& column_;
};

}  // namespace gnomon::sql
