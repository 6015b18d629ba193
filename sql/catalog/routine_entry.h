#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/functions/function_registry.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// A function or procedure that a user made. What else belongs to it (schema, owner, comment, lock) stands in its
/// TableEntry.
///
/// Invariants:  F1  the name of its TableEntry is routineKey() of its name and input types: overloads are entries of
///                  their own, and none of them has the name of a table
///              F2  parameters with a default are the last ones among the inputs; VARIADIC is the last input
struct RoutineEntry {
  enum class Form : uint8_t { Function = 1, Procedure = 2 };
  enum class Language : uint8_t { Sql = 1, Plpgsql };
  enum class Parallel : uint8_t { Unsafe, Restricted, Safe };
  struct Parameter {
    enum class Mode : uint8_t { In = 1, Out, InOut, Variadic, Table };
    std::string name;     ///< empty: none
    Type type;            ///< without modifier; of a domain the one below it
    uint32_t domain = 0;  ///< see domainOid()
    Mode mode = Mode::In;
    std::string default_text;  ///< SQL, bound anew at each use; empty: none

    [[nodiscard]] bool isInput() const { return mode == Mode::In || mode == Mode::InOut || mode == Mode::Variadic; }
    [[nodiscard]] bool isOutput() const { return mode == Mode::Out || mode == Mode::InOut || mode == Mode::Table; }
  };

  std::string name;
  Form form = Form::Function;
  Language language = Language::Sql;
  std::vector<Parameter> parameters;
  /// Of several output parameters a record without a definition; of one its type; of a procedure without any void.
  Type result;
  uint32_t result_domain = 0;
  bool returns_set = false;
  bool is_strict = false;  ///< NULL for a NULL among the arguments
  bool is_leakproof = false;
  bool is_security_definer = false;
  Volatility volatility = Volatility::Volatile;
  Parallel parallel = Parallel::Unsafe;
  float cost = 100;
  float rows = 0;    ///< estimated, of a set
  std::string body;  ///< as it was given
  /// What SET says: by name, in force while a call is executed.
  std::vector<std::pair<std::string, std::string>> settings;
  /// Of a polymorphic routine with the types of a call: the routine; null: it is none such.
  std::shared_ptr<const RoutineEntry> generic;

  [[nodiscard]] std::vector<const Parameter*> inputs() const;
  [[nodiscard]] size_t inputCount() const {
    return static_cast<size_t>(std::ranges::count_if(parameters, &Parameter::isInput));
  }
  /// Those that make the result's columns; none: the result is what it says.
  [[nodiscard]] std::vector<const Parameter*> outputs() const;
  [[nodiscard]] bool isVariadic() const;
  /// Whether a parameter, or the result, has a type that only a call has.
  [[nodiscard]] bool isPolymorphic() const;
  /// Whether the session is another one while a call is executed: such a body is no part of other statements.
  [[nodiscard]] bool hasSurroundings() const { return is_security_definer || !settings.empty(); }
  /// Whether both are the same routine, whatever the types of the calls.
  [[nodiscard]] bool isSameAs(const RoutineEntry& other) const {
    return (generic ? generic.get() : this) == (other.generic ? other.generic.get() : &other);
  }
};

/// The oid of a parameter's type, or of its domain.
uint32_t typeOidOf(const RoutineEntry::Parameter& parameter);
/// The name under which the catalog keeps a routine: no name that can be written has a zero byte.
std::string routineKey(std::string_view name, std::span<const uint32_t> input_types);
std::string routineKey(const RoutineEntry& routine);
/// What all keys of routines of the name begin with.
std::string routineKeyPrefix(std::string_view name);

}  // namespace gnomon::sql
