#include "benchmarks/tatp/inputs.h"

#include <fmt/format.h>

namespace gnomon::tatp {

std::string subscriberNumber(int32_t subscriber) {
  return fmt::format("{:015}", subscriber);
}

Inputs::Inputs(uint64_t seed, int32_t subscribers, bool uniform)
    : random_(seed), deck_(kCards), subscribers_(subscribers), mask_(0) {
  if (!uniform) mask_ = subscribers <= 1'000'000 ? 65'535 : subscribers <= 10'000'000 ? 1'048'575 : 2'097'151;
}

int32_t Inputs::subscriber() {
  const int32_t drawn = random_.uniform(1, subscribers_);
  return mask_ == 0 ? drawn : (random_.uniform(0, mask_) | drawn) % subscribers_ + 1;
}

}  // namespace gnomon::tatp
