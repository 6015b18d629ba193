#include "server/copy/copy_in.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/metrics.h"
#include "codegen/executor/check_evaluator.h"
#include "server/copy/default_values.h"
#include "server/pgwire/message_body.h"
#include "server/planner.h"
#include "sql/types/text.h"
#include "txn/table.h"

namespace gnomon::server {

CopyIn::CopyIn(SessionContext& session, const sql::CopyFromStatement& statement)
    : session_(session),
      statement_(statement),
      memory_(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory))),
      strings_(&memory_),
      splitter_(statement.options, statement.columns.size()),
      checker_(statement.checks.usual ? codegen::compileChecks(statement.checks, executionPolicy(session.settings),
                                                               byteaOutput(session.settings), memory_)
                                      : nullptr),
      parser_(statement, defaultValues(session, statement), rowDefaults(session, statement),
              byteaOutput(session.settings), strings_, checker_.get()),
      write_context_(beginWriting()),
      write_(*statement.table->storage, write_context_),
      keys_(makeKeys()),
      column_count_(statement.table->columns.size()),
      values_(kBatchRows * column_count_),
      null_flags_(kBatchRows * column_count_),
      batch_lines_(kBatchRows),
      header_pending_(statement.options.header) {}

txn::WriteContext CopyIn::beginWriting() {
  session_.transaction.requireMayWrite("COPY FROM");
  session_.transaction.beginWriting();
  return session_.transaction.writeContext(session_.transaction.takeSnapshot(snapshot_), nullptr);
}

std::unique_ptr<codegen::ForeignKeys> CopyIn::makeKeys() {
  if (!statement_.keys) return nullptr;
  const codegen::ForeignKeySettings settings{executionPolicy(session_.settings), byteaOutput(session_.settings)};
  return std::make_unique<codegen::ForeignKeys>(statement_.keys, write_context_, write_, settings, memory_);
}

uint64_t CopyIn::run() {
  MessageWriter& writer = session_.writer;
  writer.begin('G');
  writer.putNumber(int8_t{0});
  writer.putNumber(static_cast<int16_t>(statement_.columns.size()));
  for (size_t i = 0; i < statement_.columns.size(); ++i) writer.putNumber(int16_t{0});
  writer.end();
  writer.flush();
  while (receive()) {
    session_.interrupts.poll();
    parseInput(false);
  }
  parseInput(true);
  flushRows();
  session_.interrupts.poll();
  if (keys_)
    keys_->finish();
  else
    write_.finish();
  Metrics::instance().add(CounterId::RowsCopiedIn, row_count_);
  return row_count_;
}

bool CopyIn::receive() {
  size_t received = 0;
  while (received < bytes_wanted_) {
    const size_t before = input_.size();
    const bool is_more = session_.reader.readCopyData(input_, bytes_wanted_ - received);
    received += input_.size() - before;
    if (is_more) continue;
    const Message message = session_.reader.next();
    switch (message.type) {
      case 'c':
        return false;
      case 'f': {
        const std::string_view reason = MessageBody(message.body).takeString();
        throw SqlError(sqlstate::kQueryCanceled, fmt::format("COPY from stdin failed: {}", reason))
            .context(parser_.lineContext(splitter_.lineNumber() + 1));
      }
      case 'H':
      case 'S':
        break;
      case 'X':
        throw ConnectionLost();
      default:
        throw LostSynchronization(fmt::format("unexpected message type 0x{:02X} during COPY from stdin",
                                              static_cast<unsigned>(static_cast<unsigned char>(message.type))));
    }
  }
  return true;
}

void CopyIn::parseInput(bool is_last) {
  if (is_at_end_) {
    input_.clear();
    return;
  }
  input_.reserve(CopySplitter::kPaddingBytes);
  splitter_.inputChanged();
  const char* cursor = input_.data();
  const char* end = cursor + input_.size();
  CopySplitter::Outcome outcome;
  try {
    while ((outcome = splitter_.next(cursor, end, is_last)) == CopySplitter::Outcome::Row) addRow();
  } catch (SqlError& error) {
    if (error.context().empty()) error.context(parser_.lineContext(splitter_.lineNumber()));
    throw;
  }
  flushRows();
  is_at_end_ = outcome == CopySplitter::Outcome::End;
  input_.removeFront(static_cast<size_t>(cursor - input_.data()));
  // A row that is not whole is cut again from its beginning: only when there is twice as much of it.
  bytes_wanted_ = std::max(kChunkBytes, input_.size());
}

void CopyIn::addRow() {
  if (header_pending_) {
    header_pending_ = false;
    if (statement_.options.header_match) parser_.checkHeader(splitter_);
    return;
  }
  const size_t offset = batch_rows_ * column_count_;
  parser_.parse(splitter_, values_.data() + offset, null_flags_.data() + offset);
  batch_lines_[batch_rows_] = splitter_.lineNumber();
  if (++batch_rows_ == kBatchRows) flushRows();
}

void CopyIn::flushRows() {
  try {
    if (batch_rows_ > 0) {
      const txn::TupleId first = write_.appendBatch(values_.data(), null_flags_.data(), batch_rows_);
      if (keys_) keys_->noteAppended(first, values_.data(), null_flags_.data(), batch_rows_);
    }
  } catch (SqlError& error) {
    if (error.state() == sqlstate::kUniqueViolation)
      error.context(parser_.lineContext(batch_lines_[write_.failedRow()]));
    throw;
  }
  row_count_ += batch_rows_;
  if (row_count_ >= next_bulk_attempt_) {
    session_.transaction.tryBulk(row_count_);
    next_bulk_attempt_ = row_count_ + kRowsPerBulkAttempt;
  }
  batch_rows_ = 0;
  strings_.clear();
}

}  // namespace gnomon::server
