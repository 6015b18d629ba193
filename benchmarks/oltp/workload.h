#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/oltp/connection.h"

namespace gnomon::oltp {

inline constexpr Oid kIntegerOid = 23;
inline constexpr Oid kIntegersOid = 1007;
inline constexpr Oid kSmallintOid = 21;
inline constexpr Oid kVarcharOid = 1043;
inline constexpr Oid kNumericOid = 1700;

/// The parameters of one execution as libpq wants them: integers and arrays in binary, texts and numbers as text.
class Parameters {
 public:
  void clear();
  Parameters& integer(int32_t value);
  Parameters& smallint(int16_t value);
  Parameters& integers(std::span<const int32_t> values);
  Parameters& text(std::string_view value);
  Parameters& null();
  int count() const { return static_cast<int>(lengths_.size()); }
  /// Valid until the next change.
  const char* const* values();
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  void begin(int format);
  void end();
  void putInteger(uint32_t value);

  static constexpr size_t kNull = ~size_t{0};
  std::string bytes_;
  std::vector<size_t> offsets_;
  std::vector<int> lengths_, formats_;
  std::vector<const char*> values_;
};

/// A statement of a transaction: the number of a prepared statement, and its parameters.
struct Step {
  uint16_t statement;
  Parameters parameters;
};

/// What a client sends up to a Sync, and what becomes one transaction by that: mostly a single call of a function.
struct Transaction {
  uint16_t kind = 0;
  uint16_t step_count = 0;
  std::vector<Step> steps;  // only the first step_count count; the others keep their memory

  void begin(uint16_t of_kind) {
    kind = of_kind;
    step_count = 0;
  }
  Parameters& add(uint16_t statement) {
    if (step_count == steps.size()) steps.emplace_back();
    Step& step = steps[step_count++];
    step.statement = statement;
    step.parameters.clear();
    return step.parameters;
  }
};

/// Draws one client's transactions. Threads: one.
class Generator {
 public:
  virtual ~Generator() = default;
  virtual void next(Transaction& into) = 0;
};

/// What a benchmark is made of. Threads: any, once made.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Names of the kinds of transactions.
  virtual std::span<const std::string_view> kinds() const = 0;
  virtual std::span<const Statement> statements() const = 0;
  /// Of client `number` of `clients`, from 0.
  virtual std::unique_ptr<Generator> generator(uint32_t number, uint32_t clients) const = 0;
  /// Whether a committed transaction has done what it was to do, by the result of its last statement.
  virtual bool fruitful(const Transaction& transaction, const PGresult* last) const = 0;
  /// Whether the specification has transactions of this kind end with this error.
  virtual bool expectsError(uint16_t kind, std::string_view sqlstate) const = 0;
};

/// Of a result in binary format, row 0, column 0.
int32_t integerOf(const PGresult* result);
bool booleanOf(const PGresult* result);

}  // namespace gnomon::oltp
