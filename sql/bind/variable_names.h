#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Names beside those of columns that the statements of a routine in PL/pgSQL may use: its variables, whose values are
/// parameters of the statement. Queries of views that it reads do not see them.
///
/// Threads: the binder's. `parameters`: the types of the statement's parameters so far, which grow.
class VariableNames {
 public:
  /// What a name means that a column has, too.
  enum class Conflict : uint8_t { Error, UseVariable, UseColumn };
  virtual ~VariableNames() = default;

  [[nodiscard]] virtual Conflict conflict() const = 0;
  /// Whether find() has something for the names.
  [[nodiscard]] virtual bool knows(std::span<const std::string> names) const = 0;
  /// What a name, or several with dots between them, stand for; null: nothing. Failure: 42703 for a field that a
  /// record has not, 55000 for one that has no fields yet.
  virtual ExpressionPtr find(std::span<const std::string> names, std::vector<Type>& parameters) const = 0;
  /// The number, from 1, of the variable of type refcursor with this name; 0: there is none.
  [[nodiscard]] virtual uint32_t cursorNumber(const std::string& /*name*/) const { return 0; }
  /// What $1, $2 and so on stand for; null: nothing.
  virtual ExpressionPtr find(uint32_t number, std::vector<Type>& parameters) const = 0;
};

}  // namespace gnomon::sql
