#include "server/copy/default_values.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/memory_account.h"
#include "codegen/executor/program.h"
#include "server/pgwire/message_body.h"
#include "server/planner.h"
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

}  // namespace

sql::Value evaluateOnce(SessionContext& session, const sql::Expression& expression) {
  if (expression.isConstant()) return expression.value;
  codegen::OutputFormat format;
  format.column_formats = {1};
  format.bytea_output = byteaOutput(session.settings);
  auto program = codegen::compileProgram(planOfExpression(expression), format, {.mode = codegen::ExecutionMode::Vm});
  MemoryAccount memory(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory)));
  const codegen::ExecutionContext context{session.server.workers, session.interrupts.cancelToken(), memory};
  std::string row;
  codegen::startExecution(std::move(program), nullptr, context)->run(0, [&row](std::span<const char> messages) {
    row.append(messages.data(), messages.size());
  });
  // One DataRow: type, length, number of columns, then the column's length and bytes.
  MessageBody body(row);
  body.takeBytes(1 + sizeof(uint32_t) + sizeof(uint16_t));
  const auto bytes = body.takeNumber<int32_t>();
  if (bytes < 0) return sql::Value::null(expression.type);
  return sql::parseBinary(expression.type, body.takeBytes(static_cast<size_t>(bytes)), 1);
}

std::vector<sql::Value> defaultValues(SessionContext& session, const sql::CopyFromStatement& statement) {
  std::vector<sql::Value> values;
  for (uint32_t i = 0; i < statement.table->columns.size(); ++i) {
    const sql::Expression* expression = i < statement.defaults.size() ? statement.defaults[i].get() : nullptr;
    const bool is_given = std::ranges::find(statement.columns, i) != statement.columns.end();
    values.push_back(is_given || !expression ? sql::Value::null(statement.table->columns[i].type)
                                             : evaluateOnce(session, *expression));
  }
  return values;
}

}  // namespace gnomon::server
