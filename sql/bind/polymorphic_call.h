#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/types/polymorphic.h"

namespace gnomon::sql {

/// What the polymorphic types of a routine stand for in a call, by the types of its arguments.
class PolymorphicCall {
 public:
  /// An argument for a parameter of the type; of parameters that are not polymorphic nothing is learnt.
  void add(Type declared, Type actual);
  /// Whether the arguments fit each other.
  [[nodiscard]] bool fits() const;
  /// The type that the declared one is here; one that is not polymorphic is itself. Failure: 42804 where nothing says
  /// it, or arguments do not fit each other; 42704 for arrays of arrays.
  [[nodiscard]] Type resolve(Type declared) const;

 private:
  struct Given {
    Type declared, actual;
  };
  [[nodiscard]] std::optional<Type> element() const;
  [[nodiscard]] std::optional<Type> compatible() const;

  std::vector<Given> given_;  ///< of known types
  bool wants_enum_ = false;
};

/// The routine with the types of a call. `call` knows of all its arguments. Failure: as PolymorphicCall::resolve().
TablePtr concreteRoutine(const TablePtr& entry, const PolymorphicCall& call);
/// The same by the types of all its inputs. One that takes any row takes those of the input's type.
TablePtr concreteRoutine(const TablePtr& entry, std::span<const Type> inputs);
/// Whether an input of the type may be any row: record.
bool takesAnyRow(Type declared);
/// The routine as its body is looked at before anybody calls it: everything is an integer, as in PostgreSQL.
RoutineEntry withIntegers(const RoutineEntry& routine);
/// What is wrong with a result of the type, with these inputs; empty: nothing.
std::string undeterminedResult(Type result, std::span<const RoutineEntry::Parameter* const> inputs);

}  // namespace gnomon::sql
