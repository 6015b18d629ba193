#include "wal/log_format.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL  // most pieces are short: a call would take as long as the rest
#include <xxhash.h>

#include <charconv>

namespace gnomon::wal {

namespace {

constexpr size_t kLogDigits = 2;
constexpr size_t kNumberDigits = 16;
constexpr std::string_view kSuffix = ".log";
constexpr std::string_view kSparePrefix = "spare-";

std::optional<uint64_t> parseHex(std::string_view text, size_t digits) {
  uint64_t value = 0;
  if (text.size() != digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Every bit of the result depends on every bit of `value` (the finaliser of SplitMix64).
uint64_t mix(uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

}  // namespace

uint64_t SegmentHeader::computeChecksum() const {
  constexpr size_t kStart = offsetof(SegmentHeader, format_version);
  return XXH3_64bits(reinterpret_cast<const std::byte*>(this) + kStart, sizeof(*this) - kStart);
}

uint64_t pieceChecksum(const std::byte* piece, uint32_t bytes, uint64_t salt, LogPosition position) {
  constexpr size_t kStart = offsetof(PieceHeader, bytes);
  // Mixed in afterwards: XXH3 with a seed prepares 192 bytes of secret for each long input.
  return XXH3_64bits(piece + kStart, bytes - kStart) ^ mix(salt + position.value);
}

std::string SegmentName::text() const {
  return fmt::format("{:02x}-{:016x}{}", log.value, segment, kSuffix);
}

std::optional<SegmentName> SegmentName::parse(const std::string& file_name) {
  const std::string_view name = file_name;
  if (name.size() != kLogDigits + 1 + kNumberDigits + kSuffix.size()) return std::nullopt;
  if (name[kLogDigits] != '-' || !name.ends_with(kSuffix)) return std::nullopt;
  const auto log = parseHex(name.substr(0, kLogDigits), kLogDigits);
  const auto segment = parseHex(name.substr(kLogDigits + 1, kNumberDigits), kNumberDigits);
  if (!log || *log >= kLogCountMax || !segment) return std::nullopt;
  return SegmentName{LogNumber{static_cast<uint16_t>(*log)}, *segment};
}

std::string spareName(uint64_t number) {
  return fmt::format("{}{:016x}", kSparePrefix, number);
}

std::optional<uint64_t> parseSpareName(const std::string& file_name) {
  const std::string_view name = file_name;
  if (!name.starts_with(kSparePrefix)) return std::nullopt;
  return parseHex(name.substr(kSparePrefix.size()), kNumberDigits);
}

}  // namespace gnomon::wal
