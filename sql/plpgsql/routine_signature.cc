#include "sql/plpgsql/routine_signature.h"

#include "sql/plpgsql/catalog_types.h"

namespace gnomon::sql::plpgsql {
namespace {

Parameter::Mode modeOf(RoutineEntry::Parameter::Mode mode) {
  switch (mode) {
    case RoutineEntry::Parameter::Mode::Out:
      return Parameter::Mode::Out;
    case RoutineEntry::Parameter::Mode::InOut:
      return Parameter::Mode::InOut;
    case RoutineEntry::Parameter::Mode::Variadic:
      return Parameter::Mode::Variadic;
    case RoutineEntry::Parameter::Mode::Table:
      return Parameter::Mode::Table;
    default:
      return Parameter::Mode::In;
  }
}

}  // namespace

Signature signatureOf(const RoutineEntry& routine) {
  Signature signature;
  const bool is_procedure = routine.form == RoutineEntry::Form::Procedure;
  signature.kind = is_procedure ? Signature::Kind::Procedure : Signature::Kind::Function;
  signature.name = routine.name;
  for (const RoutineEntry::Parameter& parameter : routine.parameters)
    signature.parameters.push_back(
        {parameter.name, variableOf(parameter.type, parameter.domain), modeOf(parameter.mode)});
  signature.returns_set = routine.returns_set;
  if (routine.result.kind == TypeKind::Trigger) {
    signature.kind = Signature::Kind::Trigger;
    return signature;
  }
  signature.returns_void = is_procedure || routine.result.kind == TypeKind::Void;
  if (!signature.returns_void && routine.outputs().empty())
    signature.result = variableOf(routine.result, routine.result_domain);
  if (routine.generic && routine.generic->result.isPolymorphic()) signature.polymorphic_result = signature.result;
  return signature;
}

Signature blockSignature() {
  Signature signature;
  signature.kind = Signature::Kind::InlineBlock;
  signature.name = "inline_code_block";
  signature.returns_void = true;
  return signature;
}

}  // namespace gnomon::sql::plpgsql
