#pragma once

#include "benchmarks/oltp/workload.h"
#include "benchmarks/tpcc/inputs.h"

namespace gnomon::tpcc {

/// The five transactions of TPC-C, each one call of a function of routines.sql.
class TpccWorkload : public oltp::Workload {
 public:
  /// `bound`: clients have warehouses of their own, as terminals do, as far as there are enough; otherwise each
  /// transaction is at home in any warehouse.
  TpccWorkload(int32_t warehouses, bool bound, uint64_t seed) : warehouses_(warehouses), bound_(bound), seed_(seed) {}
  std::span<const std::string_view> kinds() const override;
  std::span<const oltp::Statement> statements() const override;
  std::unique_ptr<oltp::Generator> generator(uint32_t number, uint32_t clients) const override;
  /// Deliveries bring ten orders on their way; fewer, where districts had none.
  bool fruitful(const oltp::Transaction& transaction, const PGresult* last) const override;
  bool expectsError(uint16_t kind, std::string_view sqlstate) const override;

 private:
  int32_t warehouses_;
  bool bound_;
  uint64_t seed_;
};

}  // namespace gnomon::tpcc
