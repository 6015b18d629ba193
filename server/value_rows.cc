#include "server/value_rows.h"

#include <bit>
#include <cstring>
#include <string_view>

#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

template <typename Number>
Number readNumber(std::string_view bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return std::byteswap(number);
}

ValueRow rowOf(std::string_view bytes, const std::vector<ResultColumn>& columns) {
  ValueRow row;
  bytes.remove_prefix(sizeof(uint16_t));
  for (const ResultColumn& column : columns) {
    const auto length = static_cast<int32_t>(readNumber<uint32_t>(bytes));
    bytes.remove_prefix(sizeof(uint32_t));
    if (length < 0) {
      row.push_back(sql::Value::null(column.type));
      continue;
    }
    row.push_back(sql::parseBinary(column.type, bytes.substr(0, static_cast<size_t>(length)), 0));
    bytes.remove_prefix(static_cast<size_t>(length));
  }
  return row;
}

}  // namespace

std::vector<ValueRow> ValueRows::take(const std::vector<ResultColumn>& columns) const {
  std::vector<ValueRow> rows;
  for (std::string_view rest = messages_; !rest.empty() && rows.size() < rows_max_;) {
    constexpr size_t kHeaderBytes = 5;
    const size_t length = readNumber<uint32_t>(rest.substr(1)) + 1;
    rows.push_back(rowOf(rest.substr(kHeaderBytes, length - kHeaderBytes), columns));
    rest.remove_prefix(length);
  }
  return rows;
}

}  // namespace gnomon::server
