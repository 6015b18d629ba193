#include "server/call_inputs.h"

#include "server/copy/default_values.h"
#include "sql/optimise/simplify.h"
#include "sql/types/cast.h"

namespace gnomon::server {
namespace {

void putValues(sql::ExpressionPtr& expression, std::span<const sql::Value> parameters) {
  if (expression->kind == sql::Expression::Kind::Parameter) {
    const sql::Value& given = parameters[expression->parameter];
    expression = sql::Expression::constant(
        given.type == expression->type ? given : sql::castValue(given, expression->type, false));
    return;
  }
  for (sql::ExpressionPtr& child : expression->children) putValues(child, parameters);
}

}  // namespace

std::vector<sql::Value> inputsOf(SessionContext& session, const sql::CallStatement& call,
                                 std::span<const sql::Value> parameters) {
  std::vector<sql::Value> inputs;
  for (const sql::ExpressionPtr& input : call.inputs) inputs.push_back(evaluateWith(session, *input, parameters));
  return inputs;
}

sql::Value evaluateWith(SessionContext& session, const sql::Expression& given, std::span<const sql::Value> parameters) {
  sql::ExpressionPtr expression = given.clone();
  putValues(expression, parameters);
  expression = sql::simplifyExpression(std::move(expression));
  return expression->isConstant() ? expression->value : evaluateOnce(session, *expression);
}

}  // namespace gnomon::server
