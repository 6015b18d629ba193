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

namespace {

/// Null: there are none.
std::unique_ptr<sql::RowChecker> compile(SessionContext& session, const sql::CheckForms& checks,
                                         MemoryAccount& memory) {
  if (!checks.usual) return nullptr;
  return codegen::compileChecks(checks, executionPolicy(session.settings), byteaOutput(session.settings), memory,
                                &session.services);
}

/// Otherwise triggers may change rows, which are tested behind them.
bool isTested(const sql::CopyFromStatement& statement) {
  return !statement.triggers || !statement.triggers->has_before_rows;
}

}  // namespace

CopyIn::CopyIn(SessionContext& session, const sql::CopyFromStatement& statement)
    : session_(session),
      statement_(statement),
      memory_(static_cast<uint64_t>(session.settings.integer(SettingId::QueryMemory))),
      strings_(&memory_),
      splitter_(statement.options, statement.columns.size()),
      checker_(isTested(statement) ? compile(session, statement.checks, memory_) : nullptr),
      where_(compile(session, statement.where, memory_)),
      parser_(statement, defaultValues(session, statement), rowDefaults(session, statement),
              byteaOutput(session.settings), strings_, checker_.get(), where_.get(), makeDomainTests(),
              session.services),
      write_context_(beginWriting()),
      write_(*statement.table->storage, write_context_),
      keys_(makeKeys()),
      column_count_(statement.table->columns.size()),
      values_(kBatchRows * column_count_),
      null_flags_(kBatchRows * column_count_),
      batch_lines_(kBatchRows),
      header_pending_(statement.options.header) {
  if (statement.options.format == sql::CopyOptions::Format::Binary) binary_.emplace(statement.columns.size());
  if (statement.table->partitioning || statement.table->partition)
    partitions_.emplace(codegen::PartitionWriter::Settings{
        statement.table,
        statement.ancestors,
        statement.table->partitioning ? statement.keys : nullptr,
        write_context_,
        {executionPolicy(session.settings), byteaOutput(session.settings), nullptr, &session.services},
        memory_});
  beginTriggers();
  if (!statement.file.empty()) file_.emplace(statement.file, session.settings.text(SettingId::DataDirectory));
}

std::vector<DomainTest> CopyIn::makeDomainTests() {
  std::vector<DomainTest> tests;
  tests.reserve(statement_.domains.size());
  for (const auto& [column, rules] : statement_.domains) tests.emplace_back(session_, column, rules, memory_);
  return tests;
}

txn::WriteContext CopyIn::beginWriting() {
  if (!statement_.table->is_temporary) session_.transaction.requireMayWrite("COPY FROM");
  session_.transaction.beginWriting();
  return session_.transaction.writeContext(session_.transaction.takeSnapshot(snapshot_), nullptr);
}

void CopyIn::beginTriggers() {
  if (!statement_.triggers) return;
  queue_.emplace(session_.services.triggers(), memory_);
  const codegen::ForeignKeySettings settings{executionPolicy(session_.settings), byteaOutput(session_.settings),
                                             &*queue_, &session_.services};
  triggers_.emplace(statement_.triggers, settings, memory_);
}

/// Between its triggers.
void CopyIn::insertRow(codegen::WritableRow row, uint32_t leaf) {
  const sql::TablePtr& table = isPartitioned() ? partitions_->leaves()[leaf] : statement_.table;
  if (!triggers_->beforeInsert(table, row)) {
    ++left_out_count_;
    return;
  }
  triggers_->complete(table, row);
  if (isPartitioned()) {
    partitions_->requireLeaf(leaf, row.values, row.null_flags, scratch_);
    partitions_->requireOwn(leaf, row.values, row.null_flags);
  } else if (partitions_) {
    partitions_->requirePlace(row.values, row.null_flags, scratch_);
  }
  txn::WriteStatement& statement = isPartitioned() ? partitions_->statement(leaf) : write_;
  codegen::ForeignKeys* const keys = isPartitioned() ? partitions_->keys(leaf) : keys_.get();
  const txn::TupleId id = statement.append(row.values, row.null_flags);
  if (keys != nullptr) keys->noteAppended(id, row.values, row.null_flags, 1);
  triggers_->afterInsert(table, row.image());
}

std::unique_ptr<codegen::ForeignKeys> CopyIn::makeKeys() {
  if (!statement_.keys || statement_.table->partitioning) return nullptr;
  const codegen::ForeignKeySettings settings{executionPolicy(session_.settings), byteaOutput(session_.settings),
                                             nullptr, &session_.services};
  return std::make_unique<codegen::ForeignKeys>(statement_.keys, write_context_, write_, settings, memory_);
}

void CopyIn::invite() {
  MessageWriter& writer = session_.writer;
  writer.begin('G');
  writer.putNumber(static_cast<int8_t>(binary_ ? 1 : 0));
  writer.putNumber(static_cast<int16_t>(statement_.columns.size()));
  for (size_t i = 0; i < statement_.columns.size(); ++i) writer.putNumber(static_cast<int16_t>(binary_ ? 1 : 0));
  writer.end();
  writer.flush();
}

/// FREEZE says that nobody else can have seen the table as it is. Failure: 0A000, 55000.
void CopyIn::requireFreezable() const {
  if (!statement_.options.freezes) return;
  if (statement_.table->partitioning)
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot perform COPY FREEZE on a partitioned table");
  if (!session_.transaction.hasMade(*statement_.table))
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   "cannot perform COPY FREEZE because the table was not created or truncated in the current "
                   "subtransaction");
}

uint64_t CopyIn::run() {
  if (!file_) invite();
  requireFreezable();
  if (triggers_) triggers_->begin();
  while (receive()) {
    session_.interrupts.poll();
    parseInput(false);
  }
  parseInput(true);
  flushRows();
  session_.interrupts.poll();
  if (triggers_) triggers_->end();
  if (partitions_) partitions_->finish();
  if (keys_)
    keys_->finish();
  else
    write_.finish();
  if (queue_) queue_->run();
  row_count_ -= left_out_count_;
  Metrics::instance().add(CounterId::RowsCopiedIn, row_count_);
  return row_count_;
}

bool CopyIn::receive() {
  if (!file_) return receiveMessages();
  const size_t taken = file_->read(input_.reserve(bytes_wanted_), bytes_wanted_);
  input_.extend(taken);
  return taken > 0;
}

bool CopyIn::receiveMessages() {
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
  binary_ ? parseBinary(cursor, end, is_last) : parseTexts(cursor, end, is_last);
  flushRows();
  input_.removeFront(static_cast<size_t>(cursor - input_.data()));
  // A row that is not whole is cut again from its beginning: only when there is twice as much of it.
  bytes_wanted_ = std::max(kChunkBytes, input_.size());
}

void CopyIn::parseTexts(const char*& cursor, const char* end, bool is_last) {
  CopySplitter::Outcome outcome;
  try {
    while ((outcome = splitter_.next(cursor, end, is_last)) == CopySplitter::Outcome::Row) addRow();
  } catch (SqlError& error) {
    if (error.context().empty()) error.context(parser_.lineContext(splitter_.lineNumber()));
    throw;
  }
  is_at_end_ = outcome == CopySplitter::Outcome::End;
}

void CopyIn::parseBinary(const char*& cursor, const char* end, bool is_last) {
  try {
    while (binary_->next(cursor, end, is_last) == CopySplitter::Outcome::Row)
      takeRow(binary_->rowNumber(), [this](storage::Datum* values, uint8_t* null_flags) {
        return parser_.parse(*binary_, values, null_flags);
      });
  } catch (SqlError& error) {
    const bool is_row = binary_->rowNumber() > 0;
    if (is_row && error.context().empty())
      error.context(parser_.binaryContext(binary_->rowNumber(), binary_->brokenColumn()));
    throw;
  }
}

void CopyIn::addRow() {
  if (header_pending_) {
    header_pending_ = false;
    if (statement_.options.header_match) parser_.checkHeader(splitter_);
    return;
  }
  takeRow(splitter_.lineNumber(),
          [this](storage::Datum* values, uint8_t* null_flags) { return parser_.parse(splitter_, values, null_flags); });
}

template <typename Parse>
void CopyIn::takeRow(uint64_t line_number, Parse&& parse) {
  const size_t offset = batch_rows_ * column_count_;
  if (!parse(values_.data() + offset, null_flags_.data() + offset)) {
    // What they left in the arena goes with a batch.
    if (++unwanted_rows_ == kBatchRows) flushRows();
    return;
  }
  batch_lines_[batch_rows_] = line_number;
  if (partitions_) placeRow();
  const bool is_alone = triggers_ && triggers_->hasRows();
  if (++batch_rows_ == kBatchRows || is_alone) flushRows();
}

/// The row that was parsed last.
void CopyIn::placeRow() {
  const storage::Datum* const values = values_.data() + batch_rows_ * column_count_;
  const uint8_t* const null_flags = null_flags_.data() + batch_rows_ * column_count_;
  try {
    if (partitions_->isPartitioned())
      leaves_.push_back(partitions_->route(values, null_flags, scratch_));
    else if (!triggers_ || !triggers_->hasRows())
      partitions_->requirePlace(values, null_flags, scratch_);
  } catch (SqlError& error) {
    if (!binary_) error.context(parser_.lineContext(splitter_.lineNumber(), splitter_.line()));
    throw;
  }
}

void CopyIn::appendRows() {
  if (batch_rows_ == 0) return;
  if (triggers_ && triggers_->hasRows()) {
    for (size_t i = 0; i < batch_rows_; ++i)
      insertRow({values_.data() + i * column_count_, null_flags_.data() + i * column_count_},
                leaves_.empty() ? 0 : leaves_[i]);
    leaves_.clear();
    return;
  }
  if (partitions_ && partitions_->isPartitioned()) {
    partitions_->append(values_.data(), null_flags_.data(), leaves_);
    leaves_.clear();
    return;
  }
  const txn::TupleId first = write_.appendBatch(values_.data(), null_flags_.data(), batch_rows_);
  if (keys_) keys_->noteAppended(first, values_.data(), null_flags_.data(), batch_rows_);
}

void CopyIn::flushRows() {
  try {
    appendRows();
  } catch (SqlError& error) {
    if (triggers_ && triggers_->hasRows())
      throw error.addContext(parser_.lineContext(batch_lines_[0], binary_ ? std::string_view() : splitter_.line()));
    const bool is_of_leaf = isPartitioned();
    const size_t failed = is_of_leaf ? partitions_->failedRow() : write_.failedRow();
    if (error.state() == sqlstate::kUniqueViolation || (is_of_leaf && error.context().empty()))
      error.context(parser_.lineContext(batch_lines_[failed]));
    throw;
  }
  row_count_ += batch_rows_;
  if (!triggers_ && row_count_ >= next_bulk_attempt_) {
    session_.transaction.tryBulk(row_count_);
    next_bulk_attempt_ = row_count_ + kRowsPerBulkAttempt;
  }
  batch_rows_ = unwanted_rows_ = 0;
  strings_.clear();
}

}  // namespace gnomon::server
