#include "sql/types/transaction_number.h"

#include <cstdlib>

namespace gnomon::sql {

uint64_t parseTransactionNumber(std::string_view text) {
  return std::strtoull(std::string(text).c_str(), nullptr, 0);
}

std::string encodeTransactionNumber(uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

uint64_t decodeTransactionNumber(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

}  // namespace gnomon::sql
