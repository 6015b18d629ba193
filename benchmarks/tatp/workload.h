#pragma once

#include "benchmarks/oltp/workload.h"
#include "benchmarks/tatp/inputs.h"

namespace gnomon::tatp {

/// TATP's seven transactions: each one call of a function of routines.sql, or its statements themselves, prepared.
class TatpWorkload : public oltp::Workload {
 public:
  TatpWorkload(int32_t subscribers, bool uniform, bool as_statements, uint64_t seed)
      : subscribers_(subscribers), uniform_(uniform), as_statements_(as_statements), seed_(seed) {}
  std::span<const std::string_view> kinds() const override;
  std::span<const oltp::Statement> statements() const override;
  std::unique_ptr<oltp::Generator> generator(uint32_t number, uint32_t clients) const override;
  bool fruitful(const oltp::Transaction& transaction, const PGresult* last) const override;
  bool expectsError(uint16_t kind, std::string_view sqlstate) const override;

 private:
  int32_t subscribers_;
  bool uniform_, as_statements_;
  uint64_t seed_;
};

}  // namespace gnomon::tatp
