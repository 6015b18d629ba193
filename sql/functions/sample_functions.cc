#include "sql/functions/sample_functions.h"

#include <bit>
#include <cmath>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

using Arguments = std::span<const Value>;

/// Ids that SYSTEM takes or leaves together, as a power of two.
constexpr int kBlockShift = 7;
constexpr double kRange = 4294967296.0;

/// Source: the finaliser of splitmix64.
uint64_t mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

bool isTaken(uint64_t id, const Value& cutoff, const Value& seed) {
  const uint64_t hash = mixed(mixed(id + 0x9e3779b97f4a7c15) ^ static_cast<uint64_t>(seed.asInt()));
  return static_cast<int64_t>(hash >> 32) < cutoff.asInt();
}

Value cutoffOf(Arguments arguments, Type result) {
  static const SqlState kInvalidArgument("2202H");
  if (arguments[0].is_null) throw SqlError(kInvalidArgument, "TABLESAMPLE parameter cannot be null");
  const auto percent = std::bit_cast<double>(arguments[0].lo);
  if (!(percent >= 0 && percent <= 100))
    throw SqlError(kInvalidArgument, "sample percentage must be between 0 and 100");
  return Value::fromInt(result, static_cast<int64_t>(std::rint(kRange * percent / 100)));
}

Value seedOf(Arguments arguments, Type result) {
  if (arguments[0].is_null) throw SqlError(SqlState("2202G"), "TABLESAMPLE REPEATABLE parameter cannot be null");
  return Value::fromInt(result, static_cast<int64_t>(mixed(arguments[0].lo + 1)));
}

Value isInBernoulli(Arguments arguments, Type result) {
  return Value::fromInt(result, isTaken(arguments[0].lo, arguments[1], arguments[2]) ? 1 : 0);
}

Value isInSystem(Arguments arguments, Type result) {
  return Value::fromInt(result, isTaken(arguments[0].lo >> kBlockShift, arguments[1], arguments[2]) ? 1 : 0);
}

}  // namespace

void addSampleFunctions(std::vector<ValueFunction>& functions) {
  using enum TypeKind;
  functions.push_back({"$sample_cutoff", {Double}, Bigint, cutoffOf, Volatility::Immutable, false});
  functions.push_back({"$sample_seed", {Double}, Bigint, seedOf, Volatility::Immutable, false});
  functions.push_back({"$bernoulli", {Bigint, Bigint, Bigint}, Boolean, isInBernoulli});
  functions.push_back({"$system", {Bigint, Bigint, Bigint}, Boolean, isInSystem});
}

}  // namespace gnomon::sql
