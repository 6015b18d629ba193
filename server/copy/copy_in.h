#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/memory_account.h"
#include "codegen/runtime/foreign_keys.h"
#include "codegen/runtime/partition_writer.h"
#include "codegen/runtime/row_triggers.h"
#include "server/copy/copy_file.h"
#include "server/copy/copy_row_parser.h"
#include "server/copy/copy_splitter.h"
#include "server/pgwire/byte_buffer.h"
#include "server/session_context.h"
#include "sql/catalog/row_checker.h"
#include "sql/statement.h"
#include "txn/write_statement.h"

namespace gnomon::server {

/// One COPY FROM: the client's bytes, or a file's, become rows of the table, all of them or none.
///
/// Rules:  I1  memory is bounded by a chunk of input, a batch of rows, and the longest row
///         I2  rows are appended before the input moves, since their strings lie in it
///         I3  nothing is visible before CopyDone has come and every row was accepted
/// Threads: the session's. Failure: SqlError, ConnectionLost; the table is as before.
class CopyIn {
 public:
  /// The session holds the table's lock; `statement` outlives this object.
  CopyIn(SessionContext& session, const sql::CopyFromStatement& statement);

  /// Invites the client to send, takes everything; the number of rows.
  uint64_t run();

 private:
  std::vector<DomainTest> makeDomainTests();
  txn::WriteContext beginWriting();
  std::unique_ptr<codegen::ForeignKeys> makeKeys();
  void invite();
  void requireFreezable() const;
  /// Takes what arrives until there is enough to parse. False: CopyDone came, or the file has ended.
  bool receive();
  bool receiveMessages();
  void parseInput(bool is_last);
  void parseTexts(const char*& cursor, const char* end, bool is_last);
  void parseBinary(const char*& cursor, const char* end, bool is_last);
  void addRow();
  /// `parse`: a row, as CopyRowParser does it.
  template <typename Parse>
  void takeRow(uint64_t line_number, Parse&& parse);
  void placeRow();
  void beginTriggers();
  void insertRow(codegen::WritableRow row, uint32_t leaf);
  [[nodiscard]] bool isPartitioned() const { return partitions_ && partitions_->isPartitioned(); }
  void appendRows();
  void flushRows();

  static constexpr size_t kChunkBytes = 256 << 10;
  static constexpr size_t kBatchRows = 512;
  static constexpr uint64_t kRowsPerBulkAttempt = 16384;

  SessionContext& session_;
  const sql::CopyFromStatement& statement_;
  MemoryAccount memory_;
  Arena strings_;
  CopySplitter splitter_;
  std::optional<CopyBinaryCutter> binary_;          ///< none: another format
  std::optional<InputFile> file_;                   ///< none: the client sends
  const std::unique_ptr<sql::RowChecker> checker_;  ///< null: the table has no checks
  const std::unique_ptr<sql::RowChecker> where_;    ///< null: all rows are wanted
  CopyRowParser parser_;
  txn::TransactionManager::SnapshotGuard snapshot_;
  const txn::WriteContext write_context_;
  txn::WriteStatement write_;
  std::optional<codegen::PartitionWriter> partitions_;  ///< none: the table is neither partitioned nor a partition
  codegen::PartitionWriter::Scratch scratch_;
  std::vector<uint32_t> leaves_;                      ///< of the batch's rows, where the table is partitioned
  const std::unique_ptr<codegen::ForeignKeys> keys_;  ///< null: none ask anything of the rows
  std::optional<codegen::TriggerQueue> queue_;        ///< none: no trigger fires
  std::optional<codegen::RowTriggers> triggers_;      ///< likewise
  uint64_t left_out_count_ = 0;                       ///< rows that triggers have left out
  ByteBuffer input_;
  size_t bytes_wanted_ = kChunkBytes;
  const size_t column_count_;
  std::vector<storage::Datum> values_;
  std::vector<uint8_t> null_flags_;
  size_t batch_rows_ = 0;
  size_t unwanted_rows_ = 0;           ///< since the last batch
  std::vector<uint64_t> batch_lines_;  ///< the input's line of each row
  uint64_t row_count_ = 0;
  uint64_t next_bulk_attempt_ = 0;
  bool header_pending_;
  bool is_at_end_ = false;
};

}  // namespace gnomon::server
