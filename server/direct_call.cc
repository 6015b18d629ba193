#include "server/direct_call.h"

#include "sql/catalog/schema_entry.h"
#include "sql/functions/function_id.h"

namespace gnomon::server {

namespace {

using sql::Expression;

/// The only thing that is computed for the only row; null: there is more to it.
const Expression* onlyValue(const sql::Plan& plan) {
  if (!plan.root || plan.root->kind != sql::Operator::Kind::Output || !plan.shared.empty()) return nullptr;
  const auto& output = static_cast<const sql::Output&>(*plan.root);
  if (output.columns.size() != 1 || output.shownCount() != 1 || output.inputs[0]->kind != sql::Operator::Kind::Map)
    return nullptr;
  const auto& map = static_cast<const sql::Map&>(*output.inputs[0]);
  if (map.computed.size() != 1 || map.computed[0].iu != output.columns[0].iu ||
      map.inputs[0]->kind != sql::Operator::Kind::Values)
    return nullptr;
  const auto& values = static_cast<const sql::Values&>(*map.inputs[0]);
  return values.rows.size() == 1 && values.columns.empty() ? map.computed[0].expression.get() : nullptr;
}

}  // namespace

std::optional<DirectCall> directCallOf(const sql::Plan& plan) {
  const Expression* const call = onlyValue(plan);
  if (call == nullptr || call->kind != Expression::Kind::ArrayCall || call->function != sql::kCallRoutine)
    return std::nullopt;
  if (call->type.kind == sql::TypeKind::Void || call->type.isRecord() || call->type.isArray()) return std::nullopt;
  DirectCall direct{
      .routine = static_cast<uint32_t>(call->children[0]->value.lo), .result = call->type, .arguments = {}};
  if (direct.routine < sql::kFirstUserOid) return std::nullopt;
  for (size_t i = 1; i < call->children.size(); ++i) {
    const Expression& argument = *call->children[i];
    if (argument.kind == Expression::Kind::Parameter)
      direct.arguments.push_back({argument.parameter, {}});
    else if (argument.kind == Expression::Kind::Constant)
      direct.arguments.push_back({std::nullopt, argument.value});
    else
      return std::nullopt;
  }
  return direct;
}

std::span<const sql::Value> DirectCall::values(std::span<const sql::Value> parameters,
                                               std::vector<sql::Value>& memory) const {
  size_t as_they_come = 0;
  while (as_they_come < arguments.size() && arguments[as_they_come].parameter == as_they_come) ++as_they_come;
  if (as_they_come == arguments.size()) return parameters.first(as_they_come);
  memory.reserve(arguments.size());
  for (const Argument& argument : arguments)
    memory.push_back(argument.parameter ? parameters[*argument.parameter] : argument.constant);
  return memory;
}

}  // namespace gnomon::server
