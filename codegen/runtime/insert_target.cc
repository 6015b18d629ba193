#include "codegen/runtime/insert_target.h"

#include <fmt/format.h>

#include "sql/types/failing_row.h"

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
  target_.append(values_.data(), nulls_.data(), rows_);
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
  const sql::TableEntry& table = buffer->target().table();
  const InsertBuffer::Row& row = buffer->currentRow();
  std::string text;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (i) text += ", ";
    if (row.nulls[i]) {
      text += "null";
    } else {
      sql::appendFailingValue(table.columns[i].type, row.values[i].lo, row.values[i].hi, output, text);
    }
  }
  throw SqlError(sqlstate::kNotNullViolation,
                 fmt::format("null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                             table.columns[column].name, table.name))
      .detail("Failing row contains (" + text + ").")
      .table(table.name)
      .column(table.columns[column].name);
}

}  // namespace gnomon::codegen
