#include "benchmarks/oltp/workload.h"

#include <arpa/inet.h>

#include <cstring>
#include <stdexcept>

namespace gnomon::oltp {

void Parameters::clear() {
  bytes_.clear();
  offsets_.clear();
  lengths_.clear();
  formats_.clear();
}

void Parameters::begin(int format) {
  offsets_.push_back(bytes_.size());
  formats_.push_back(format);
}

void Parameters::end() {
  lengths_.push_back(static_cast<int>(bytes_.size() - offsets_.back()));
}

void Parameters::putInteger(uint32_t value) {
  const uint32_t ordered = htonl(value);
  bytes_.append(reinterpret_cast<const char*>(&ordered), sizeof(ordered));
}

Parameters& Parameters::integer(int32_t value) {
  begin(1);
  putInteger(static_cast<uint32_t>(value));
  end();
  return *this;
}

Parameters& Parameters::smallint(int16_t value) {
  begin(1);
  const uint16_t ordered = htons(static_cast<uint16_t>(value));
  bytes_.append(reinterpret_cast<const char*>(&ordered), sizeof(ordered));
  end();
  return *this;
}

Parameters& Parameters::integers(std::span<const int32_t> values) {
  begin(1);
  for (const uint32_t word : {1u, 0u, static_cast<uint32_t>(kIntegerOid), static_cast<uint32_t>(values.size()), 1u})
    putInteger(word);  // dimensions, NULLs, type, length, lower bound
  for (const int32_t value : values) {
    putInteger(sizeof(value));
    putInteger(static_cast<uint32_t>(value));
  }
  end();
  return *this;
}

Parameters& Parameters::text(std::string_view value) {
  begin(0);
  bytes_.append(value);
  end();
  bytes_.push_back('\0');
  return *this;
}

Parameters& Parameters::null() {
  offsets_.push_back(kNull);
  formats_.push_back(0);
  lengths_.push_back(0);
  return *this;
}

const char* const* Parameters::values() {
  values_.clear();
  for (const size_t offset : offsets_) values_.push_back(offset == kNull ? nullptr : bytes_.data() + offset);
  return values_.data();
}

int32_t integerOf(const PGresult* result) {
  if (PQntuples(result) != 1 || PQgetlength(result, 0, 0) != 4) throw std::runtime_error("the answer is no integer");
  uint32_t ordered;
  std::memcpy(&ordered, PQgetvalue(result, 0, 0), sizeof(ordered));
  return static_cast<int32_t>(ntohl(ordered));
}

bool booleanOf(const PGresult* result) {
  if (PQntuples(result) != 1 || PQgetlength(result, 0, 0) != 1) throw std::runtime_error("the answer is no boolean");
  return *PQgetvalue(result, 0, 0) != 0;
}

}  // namespace gnomon::oltp
