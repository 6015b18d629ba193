#include "storage/recovery_progress.h"

#include <fmt/format.h>

namespace gnomon::storage {

namespace {

double secondsOf(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

void RecoveryProgress::begin(const char* name) {
  phases_.push_back({name, Clock::now()});
  said_ = phases_.back().begin;
}

bool RecoveryProgress::isDue() {
  const Clock::time_point now = Clock::now();
  if (now - said_ < kInterval) return false;
  said_ = now;
  return true;
}

std::string RecoveryProgress::lineBegin() const {
  return fmt::format("{} in progress, elapsed time {:.1f} s", phases_.back().name,
                     secondsOf(Clock::now() - phases_.back().begin));
}

std::string RecoveryProgress::durations() {
  phases_.push_back({nullptr, Clock::now()});
  std::string text = fmt::format("{:.2f} s:", secondsOf(phases_.back().begin - phases_.front().begin));
  for (size_t i = 0; i + 1 < phases_.size(); ++i)
    text += fmt::format("{} {} {:.2f} s", i == 0 ? "" : ",", phases_[i].name,
                        secondsOf(phases_[i + 1].begin - phases_[i].begin));
  phases_.clear();
  return text;
}

std::string megabytes(uint64_t bytes) {
  constexpr uint64_t kMegabyte = uint64_t{1} << 20;
  return fmt::format("{} MB", (bytes + kMegabyte / 2) / kMegabyte);
}

}  // namespace gnomon::storage
