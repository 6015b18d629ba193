#include "server/copy/default_values.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/memory_account.h"
#include "codegen/executor/program.h"
#include "server/pgwire/message_body.h"
#include "server/planner.h"
#include "server/value_rows.h"
#include "sql/types/cast.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

/// SELECT <expression>, without a table.
std::shared_ptr<sql::Plan> planOfExpression(const sql::Expression& expression) {
  auto plan = std::make_shared<sql::Plan>();
  const sql::Iu unit = plan->makeUnit("default", expression.type, true);
  auto values = std::make_unique<sql::Values>();
  values->columns.push_back(unit);
  values->rows.emplace_back().push_back(expression.clone());
  auto output = std::make_unique<sql::Output>();
  output->columns.push_back({"default", unit, 0, 0});
  output->inputs.push_back(std::move(values));
  plan->root = std::move(output);
  return plan;
}

/// What is sent of such a row does not say all that it is.
bool isAnyRow(sql::Type type) {
  return type.isRecord() && type.definition() == 0;
}

std::shared_ptr<codegen::Program> compile(SessionContext& session, const sql::Expression& expression) {
  codegen::OutputFormat format;
  format.column_formats = {1};
  if (isAnyRow(expression.type)) format = valueFormat({{.name = "default", .type = expression.type}});
  format.bytea_output = byteaOutput(session.settings);
  return codegen::compileProgram(planOfExpression(expression), format, {.mode = codegen::ExecutionMode::Vm});
}

sql::Value evaluate(SessionContext& session, std::shared_ptr<codegen::Program> program, const sql::Type& type) {
  MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
  const codegen::ExecutionContext context{.workers = session.server.workers,
                                          .cancel = session.interrupts.cancelToken(),
                                          .memory = memory,
                                          .session = &session.services};
  std::string row;
  codegen::startExecution(std::move(program), {}, context)->run(0, [&row](std::span<const char> messages) {
    row.append(messages.data(), messages.size());
  });
  if (isAnyRow(type)) return HeldFields::valueOf(type, HeldFields(row).next());
  // One DataRow: type, length, number of columns, then the column's length and bytes.
  MessageBody body(row);
  body.takeBytes(1 + sizeof(uint32_t) + sizeof(uint16_t));
  const auto bytes = body.takeNumber<int32_t>();
  if (bytes < 0) return sql::Value::null(type);
  return sql::parseBinary(type, body.takeBytes(static_cast<size_t>(bytes)), 1);
}

/// nextval of a sequence that is known.
bool isPlainNextValue(const sql::Expression& expression) {
  const bool is_next =
      expression.kind == sql::Expression::Kind::Call &&
      (expression.function == sql::FunctionId::NextValue || expression.function == sql::FunctionId::NextIdentityValue);
  return is_next && expression.children[0]->isConstant() && expression.children[0]->type.kind == sql::TypeKind::Bigint;
}

}  // namespace

sql::Value evaluateOnce(SessionContext& session, const sql::Expression& expression) {
  if (expression.isConstant()) return expression.value;
  return evaluate(session, compile(session, expression), expression.type);
}

std::vector<RowDefault> rowDefaults(SessionContext& session, const sql::CopyFromStatement& statement) {
  std::vector<RowDefault> defaults;
  for (uint32_t i = 0; i < statement.defaults.size(); ++i) {
    const sql::Expression* expression = statement.defaults[i].get();
    const bool is_given = std::ranges::find(statement.columns, i) != statement.columns.end();
    if (is_given || !expression || !expression->isVolatile()) continue;
    const sql::Expression& call =
        expression->kind == sql::Expression::Kind::Cast ? *expression->children[0] : *expression;
    const sql::Type type = expression->type;
    if (isPlainNextValue(call) && type.isInteger()) {
      const auto sequence = static_cast<uint32_t>(call.children[0]->value.asInt());
      const bool is_identity = call.function == sql::FunctionId::NextIdentityValue;
      defaults.push_back({i, [&session, sequence, is_identity, type] {
                            const auto bigint = sql::Type::of(sql::TypeKind::Bigint);
                            const int64_t value = session.services.nextValue(sequence, is_identity);
                            return sql::castValue(sql::Value::fromInt(bigint, value), type, false);
                          }});
    } else {
      defaults.push_back(
          {i, [&session, program = compile(session, *expression), type] { return evaluate(session, program, type); }});
    }
  }
  return defaults;
}

std::vector<sql::Value> defaultValues(SessionContext& session, const sql::CopyFromStatement& statement) {
  std::vector<sql::Value> values;
  for (uint32_t i = 0; i < statement.table->columns.size(); ++i) {
    const sql::Expression* expression = i < statement.defaults.size() ? statement.defaults[i].get() : nullptr;
    const bool is_given = std::ranges::find(statement.columns, i) != statement.columns.end();
    values.push_back(is_given || !expression || expression->isVolatile()
                         ? sql::Value::null(statement.table->columns[i].type)
                         : evaluateOnce(session, *expression));
  }
  return values;
}

}  // namespace gnomon::server
