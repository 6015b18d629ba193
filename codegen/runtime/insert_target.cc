#include "codegen/runtime/insert_target.h"

#include "sql/catalog/violation.h"

namespace gnomon::codegen {

InsertBuffer::Row* InsertBuffer::nextRow() {
  values_.resize((rows_ + 1) * columns_);
  nulls_.resize((rows_ + 1) * columns_);
  current_ = {values_.data() + rows_ * columns_, nulls_.data() + rows_ * columns_};
  ++rows_;
  return &current_;
}

void InsertBuffer::flush() {
  if (rows_ == 0) return;
  target_.append(values_.data(), nulls_.data(), rows_, local_);
  rows_ = 0;
  strings_.clear();
}

InsertBuffer::Row* rt::insertNextRow(InsertBuffer* buffer) {
  return buffer->nextRow();
}
Arena* rt::insertArena(InsertBuffer* buffer) {
  return &buffer->strings();
}

void rt::insertNullViolation(InsertBuffer* buffer, uint32_t column, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const InsertBuffer::Row& row = buffer->currentRow();
  throw sql::notNullViolation(buffer->target().table(), column, row.values, row.nulls, output);
}

void rt::insertCheckViolation(InsertBuffer* buffer, uint32_t check, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const InsertBuffer::Row& row = buffer->currentRow();
  throw sql::checkViolation(buffer->target().table(), check, row.values, row.nulls, output);
}

}  // namespace gnomon::codegen
