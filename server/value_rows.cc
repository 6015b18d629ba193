#include "server/value_rows.h"

#include <bit>
#include <cstring>
#include <string_view>

#include "codegen/runtime/row_encoder.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

template <typename Number>
Number readNumber(std::string_view bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return std::byteswap(number);
}

/// Of a numeric the form is that of whoever asks.
bool isHeld(const sql::Type& type) {
  return type.kind != sql::TypeKind::Numeric;
}

sql::Value valueOf(sql::Type type, std::string_view bytes) {
  if (!isHeld(type)) return sql::parseBinary(type, bytes, 0);
  if (type.physical() == sql::Physical::String) return sql::Value::fromString(type, bytes);
  sql::Value value{type, false, 0, 0, {}};
  std::memcpy(&value.lo, bytes.data(), sizeof(value.lo));
  std::memcpy(&value.hi, bytes.data() + sizeof(value.lo), sizeof(value.hi));
  return value;
}

ValueRow rowOf(std::string_view bytes, const std::vector<ResultColumn>& columns, bool are_texts) {
  ValueRow row;
  bytes.remove_prefix(sizeof(uint16_t));
  for (const ResultColumn& column : columns) {
    const auto length = static_cast<int32_t>(readNumber<uint32_t>(bytes));
    bytes.remove_prefix(sizeof(uint32_t));
    if (length < 0) {
      row.push_back(sql::Value::null(column.type));
      continue;
    }
    const std::string_view value = bytes.substr(0, static_cast<size_t>(length));
    row.push_back(are_texts ? sql::parseText(column.type, value) : valueOf(column.type, value));
    bytes.remove_prefix(static_cast<size_t>(length));
  }
  return row;
}

}  // namespace

codegen::OutputFormat valueFormat(const std::vector<ResultColumn>& columns) {
  codegen::OutputFormat format;
  for (const ResultColumn& column : columns)
    format.column_formats.push_back(isHeld(column.type) ? codegen::rt::kHeldFormat : int16_t{1});
  return format;
}

void writeValueRow(MessageWriter& writer, const ValueRow& row, std::span<const int16_t> formats,
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

std::vector<ValueRow> ValueRows::take(const std::vector<ResultColumn>& columns) const {
  std::vector<ValueRow> rows;
  for (std::string_view rest = messages_; !rest.empty() && rows.size() < rows_max_;) {
    constexpr size_t kHeaderBytes = 5;
    const size_t length = readNumber<uint32_t>(rest.substr(1)) + 1;
    rows.push_back(rowOf(rest.substr(kHeaderBytes, length - kHeaderBytes), columns, are_texts_));
    rest.remove_prefix(length);
  }
  return rows;
}

}  // namespace gnomon::server
