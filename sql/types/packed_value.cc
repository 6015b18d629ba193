#include "sql/types/packed_value.h"

#include <bit>
#include <cstring>

namespace gnomon::sql {
namespace {

static_assert(std::endian::native == std::endian::little, "values are loaded by their low bytes");

template <typename Number>
Number load(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

}  // namespace

size_t packedWidth(Type type) {
  switch (type.physical()) {
    case Physical::Bool:
      return 1;
    case Physical::Int16:
      return 2;
    case Physical::Int32:
    case Physical::Float32:
      return 4;
    case Physical::Int64:
    case Physical::Float64:
      return 8;
    case Physical::Int128:
    case Physical::Interval:
      return 16;
    case Physical::String:
      break;
  }
  return 0;
}

RegisterPair loadPacked(Type type, const char* bytes) {
  switch (type.physical()) {
    case Physical::Bool:
      return {load<uint8_t>(bytes), 0};
    case Physical::Int16:
      return {static_cast<uint64_t>(int64_t{load<int16_t>(bytes)}), 0};
    case Physical::Int32:
      return {static_cast<uint64_t>(int64_t{load<int32_t>(bytes)}), 0};
    case Physical::Float32:
      return {std::bit_cast<uint64_t>(static_cast<double>(load<float>(bytes))), 0};
    case Physical::Int128:
    case Physical::Interval:
      return {load<uint64_t>(bytes), load<uint64_t>(bytes + 8)};
    default:
      return {load<uint64_t>(bytes), 0};
  }
}

void appendPacked(Type type, RegisterPair value, std::string& out) {
  if (type.physical() == Physical::Float32) {
    const auto number = static_cast<float>(std::bit_cast<double>(value.lo));
    out.append(reinterpret_cast<const char*>(&number), sizeof(number));
    return;
  }
  const uint64_t words[] = {value.lo, value.hi};
  out.append(reinterpret_cast<const char*>(words), packedWidth(type));
}

}  // namespace gnomon::sql
