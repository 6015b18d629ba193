#include "server/value_rows.h"

#include <bit>
#include <cstring>
#include <string_view>

#include "codegen/runtime/row_encoder.h"
#include "sql/types/record_value.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

ValueRow textRow(std::string_view message, const std::vector<ResultColumn>& columns) {
  ValueRow row;
  HeldFields fields(message);
  for (const ResultColumn& column : columns) {
    const HeldFields::Field field = fields.next();
    row.push_back(field.bytes == nullptr ? sql::Value::null(column.type)
                                         : sql::parseText(column.type, {field.bytes, field.length}));
  }
  return row;
}

}  // namespace

codegen::OutputFormat valueFormat(const std::vector<ResultColumn>& columns) {
  codegen::OutputFormat format;
  format.column_formats.assign(columns.size(), codegen::rt::kHeldFormat);
  return format;
}

void writeValueRow(MessageWriter& writer, std::span<const sql::Value> row, std::span<const int16_t> formats,
                   sql::ByteaOutput bytea_output) {
  writer.begin('D');
  writer.putNumber(static_cast<int16_t>(row.size()));
  for (size_t i = 0; i < row.size(); ++i) {
    const sql::Value& value = row[i];
    if (value.is_null) {
      writer.putNumber(int32_t{-1});
      continue;
    }
    std::string bytes;
    if (i < formats.size() && formats[i] == 1) {
      sql::appendBinary(value, bytes);
    } else {
      const sql::RegisterPair at = sql::toRegisters(value);
      sql::appendText(value.type, at.lo, at.hi, bytes, bytea_output);
    }
    writer.putNumber(static_cast<int32_t>(bytes.size()));
    writer.putBytes(bytes);
  }
  writer.end();
}

sql::RegisterPair HeldFields::wordsOf(Field field) {
  sql::RegisterPair words{};
  std::memcpy(&words.lo, field.bytes, sizeof(words.lo));
  std::memcpy(&words.hi, field.bytes + sizeof(words.lo), sizeof(words.hi));
  return words;
}

sql::Value HeldFields::valueOf(sql::Type type, Field field) {
  type = sql::heldInRecord(type);
  if (field.bytes == nullptr) return sql::Value::null(type);
  if (type.physical() == sql::Physical::String) return sql::Value::fromString(type, {field.bytes, field.length});
  const sql::RegisterPair words = wordsOf(field);
  return {type, false, words.lo, words.hi, {}};
}

ValueRow valueRow(std::string_view message, const std::vector<ResultColumn>& columns) {
  ValueRow row;
  row.reserve(columns.size());
  HeldFields fields(message);
  for (const ResultColumn& column : columns) row.push_back(HeldFields::valueOf(column.type, fields.next()));
  return row;
}

std::string_view HeldRows::firstOf(std::string_view messages) {
  // The length behind the type counts itself.
  return messages.substr(0, HeldFields::readLength(messages.data() + 1) + 1);
}

std::vector<ValueRow> HeldRows::values(const std::vector<ResultColumn>& columns) const {
  std::vector<ValueRow> rows;
  forEach([&](std::string_view message) {
    rows.push_back(valueRow(message, columns));
    return true;
  });
  return rows;
}

std::vector<ValueRow> ValueRows::take(const std::vector<ResultColumn>& columns) const {
  std::vector<ValueRow> rows;
  rows_.forEach([&](std::string_view message) {
    if (rows.size() == rows_max_) return false;
    rows.push_back(are_texts_ ? textRow(message, columns) : valueRow(message, columns));
    return true;
  });
  return rows;
}

}  // namespace gnomon::server
