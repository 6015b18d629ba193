#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The numbers of transactions, xid of 32 bits and xid8 of 64. An xid8 is held as 8 bytes, big-endian.
namespace gnomon::sql {

/// As C reads numbers: decimal, octal behind 0, hexadecimal behind 0x; what comes behind the digits is passed over, and
/// without digits it is 0. Too large a number is the largest.
uint64_t parseTransactionNumber(std::string_view text);

std::string encodeTransactionNumber(uint64_t number);
uint64_t decodeTransactionNumber(std::string_view bytes);

}  // namespace gnomon::sql
