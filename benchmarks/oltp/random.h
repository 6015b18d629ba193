#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace gnomon::oltp {

/// Pseudo-random numbers of one client or one part of a load: xoshiro256**, seeded by splitmix64, so that equal seeds
/// give equal inputs everywhere. Threads: one.
class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      uint64_t mixed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
      word = mixed ^ (mixed >> 31);
    }
  }
  uint64_t next() {
    const uint64_t result = rotated(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotated(state_[3], 45);
    return result;
  }
  /// From `least` to `most`, both included.
  int32_t uniform(int32_t least, int32_t most) {
    const uint64_t span = static_cast<uint64_t>(int64_t{most} - least) + 1;
    return static_cast<int32_t>(least + static_cast<int64_t>(((next() >> 32) * span) >> 32));
  }
  bool chance(int32_t percent) { return uniform(1, 100) <= percent; }
  /// A text of `least` to `most` letters and digits.
  std::string letters(int32_t least, int32_t most) {
    static constexpr char kLetters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return drawn(least, most, kLetters, sizeof(kLetters) - 1);
  }
  /// A text of `count` digits.
  std::string digits(int32_t count) { return drawn(count, count, "0123456789", 10); }
  template <typename Sequence>
  void shuffle(Sequence& sequence) {
    for (size_t left = sequence.size(); left > 1; --left)
      std::swap(sequence[left - 1], sequence[static_cast<size_t>(uniform(0, static_cast<int32_t>(left) - 1))]);
  }

 private:
  static uint64_t rotated(uint64_t value, int bits) { return (value << bits) | (value >> (64 - bits)); }
  std::string drawn(int32_t least, int32_t most, const char* alphabet, int32_t size) {
    std::string text(static_cast<size_t>(uniform(least, most)), ' ');
    for (char& letter : text) letter = alphabet[uniform(0, size - 1)];
    return text;
  }

  std::array<uint64_t, 4> state_;
};

/// Draws from cards that are dealt until none is left and then shuffled again, so that shares are exact over each deal.
/// `counts[kind]`: cards of a kind.
class Deck {
 public:
  template <typename Counts>
  explicit Deck(const Counts& counts) {
    for (uint16_t kind = 0; kind < counts.size(); ++kind)
      for (int card = 0; card < counts[kind]; ++card) cards_.push_back(static_cast<char>(kind));
    at_ = cards_.size();
  }
  uint16_t draw(Random& random) {
    if (at_ == cards_.size()) {
      random.shuffle(cards_);
      at_ = 0;
    }
    return static_cast<uint16_t>(cards_[at_++]);
  }

 private:
  std::string cards_;
  size_t at_;
};

}  // namespace gnomon::oltp
