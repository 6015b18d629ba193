#include "server/query_run.h"

#include <algorithm>

#include "base/metrics.h"
#include "codegen/ir/trap.h"
#include "sql/types/cast.h"

namespace gnomon::server {

QueryRun::QueryRun(SessionContext& session, StatementSource source, codegen::OutputFormat format,
                   codegen::Parameters parameters, std::shared_ptr<sql::BoundStatement> fresh)
    : session_(session),
      source_(std::move(source)),
      format_(std::move(format)),
      parameters_(std::move(parameters)),
      text_received_us_(session.text_received_us) {
  start(false, std::move(fresh));
}

void QueryRun::start(bool unlimited_numerics, std::shared_ptr<sql::BoundStatement> fresh) {
  execution_.reset();
  unlimited_numerics_ = unlimited_numerics;
  compileAndLock(unlimited_numerics, std::move(fresh));
  const auto limit = static_cast<uint64_t>(session_.settings.integer(SettingId::QueryMemory));
  memory_ = std::make_unique<MemoryAccount>(limit);
  const codegen::ExecutionContext context{session_.server.workers, session_.interrupts.cancelToken(), *memory_,
                                          snapshot_.snapshot(), this};
  execution_ = codegen::startExecution(compiled_->program, typedParameters(), context);
}

codegen::Parameters QueryRun::typedParameters() const {
  const auto& types = compiled_->bound->parameters;
  if (!parameters_ || std::ranges::equal(*parameters_, types, {}, &sql::Value::type)) return parameters_;
  std::vector<sql::Value> parameters;
  for (size_t i = 0; i < types.size(); ++i) {
    const sql::Value& given = (*parameters_)[i];
    parameters.push_back(given.type == types[i] ? given : sql::castValue(given, types[i], false));
  }
  return std::make_shared<const std::vector<sql::Value>>(std::move(parameters));
}

void QueryRun::compileAndLock(bool unlimited_numerics, std::shared_ptr<sql::BoundStatement> fresh) {
  snapshot_.release();
  locks_.release();
  Planner planner(session_);
  locks_ = planner.lockTables([&](bool again) -> const sql::BoundStatement& {
    if (again) planner.forget(source_, format_, unlimited_numerics);
    compiled_ = planner.compile(source_, format_, unlimited_numerics, std::move(fresh));
    fresh = nullptr;
    return *compiled_->bound;
  });
  // Behind the last change of the writer whose lock this statement waited for.
  snapshot_ = session_.server.transactions.takeSnapshot();
}

void QueryRun::noteFirstMorsel() {
  const int64_t first_us = execution_->firstMorselTimeUs();
  if (first_morsel_noted_ || first_us == 0) return;
  first_morsel_noted_ = true;
  const int64_t spent_us = std::max<int64_t>(first_us - text_received_us_, 0);
  session_.settings.setInternal(SettingId::LastStatementCompileUs, std::to_string(spent_us));
  Metrics::instance().histogram(HistogramId::CompileUs).record(static_cast<uint64_t>(spent_us));
}

bool QueryRun::runOnce(uint64_t row_limit) {
  const uint64_t before = execution_->rowCount();
  const auto state = execution_->run(row_limit, [this](std::span<const char> messages) {
    session_.interrupts.poll();
    session_.writer.write(messages);
  });
  row_count_ = execution_->rowCount() - before;
  return state == codegen::Execution::State::Finished;
}

bool QueryRun::run(uint64_t row_limit) {
  const MessageWriter::Mark mark = session_.writer.mark();
  bool is_finished = false;
  try {
    is_finished = runOnce(row_limit);
  } catch (const codegen::DecimalOverflow&) {
    if (was_run_ || unlimited_numerics_ || !session_.writer.canReturnTo(mark))
      throw SqlError(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
    session_.writer.returnTo(mark);
    start(true, nullptr);
    is_finished = runOnce(row_limit);
  }
  was_run_ = true;
  noteFirstMorsel();
  if (is_finished) {
    operator_rows_ = execution_->operatorRows();
    execution_.reset();
    locks_.release();
    snapshot_.release();
  }
  return is_finished;
}

}  // namespace gnomon::server
