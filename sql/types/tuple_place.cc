#include "sql/types/tuple_place.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

/// A number up to the character that ends it; false: there is none, or it is larger than 64 bits.
bool readNumber(const char* text, char end, uint64_t& number) {
  char* stop = nullptr;
  errno = 0;
  number = std::strtoul(text, &stop, 10);
  return errno == 0 && *stop == end;
}

}  // namespace

TuplePlace TuplePlace::parse(std::string_view text) {
  const std::string whole(text);
  // What stands before the parenthesis and behind the other one is passed over, as PostgreSQL does.
  const size_t close = whole.find(')');
  const size_t open = whole.find_first_of("(,");
  const size_t comma = open == std::string::npos ? open : whole.find(',', open + 1);
  uint64_t block = 0, offset = 0;
  const bool is_place = comma != std::string::npos && comma < close &&
                        readNumber(whole.c_str() + open + 1, ',', block) &&
                        readNumber(whole.c_str() + comma + 1, ')', offset) && offset <= UINT16_MAX;
  // A negative number of 32 bits is the block with the same bits.
  const bool is_block = block <= UINT32_MAX || static_cast<int64_t>(block) == static_cast<int32_t>(block);
  if (!is_place || !is_block)
    throw SqlError(sqlstate::kInvalidTextRepresentation,
                   fmt::format("invalid input syntax for type tid: \"{}\"", text));
  return {static_cast<uint32_t>(block), static_cast<uint16_t>(offset)};
}

TuplePlace TuplePlace::ofTuple(uint64_t id) {
  const uint64_t block = id / UINT16_MAX;
  if (block > UINT32_MAX) throw SqlError(sqlstate::kProgramLimitExceeded, fmt::format("tuple {} has no ctid", id));
  return {static_cast<uint32_t>(block), static_cast<uint16_t>(id % UINT16_MAX + 1)};
}

TuplePlace TuplePlace::decode(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return {static_cast<uint32_t>(number >> 16), static_cast<uint16_t>(number)};
}

std::string TuplePlace::encoded() const {
  std::string bytes;
  const uint64_t number = uint64_t{block} << 16 | offset;
  for (int shift = 40; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

std::string TuplePlace::text() const {
  return fmt::format("({},{})", block, offset);
}

}  // namespace gnomon::sql
