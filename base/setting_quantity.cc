#include "base/setting_quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "base/white_space.h"

namespace gnomon {
namespace {

struct UnitScale {
  std::string_view name;
  int64_t factor;
};
constexpr UnitScale kByteUnits[] = {
    {"TB", int64_t{1} << 40}, {"GB", int64_t{1} << 30}, {"MB", int64_t{1} << 20}, {"kB", int64_t{1} << 10}, {"B", 1}};
constexpr int64_t kSecondUs = 1'000'000;
constexpr UnitScale kTimeUnits[] = {{"d", 86400 * kSecondUs},
                                    {"h", 3600 * kSecondUs},
                                    {"min", 60 * kSecondUs},
                                    {"s", kSecondUs},
                                    {"ms", 1000},
                                    {"us", 1}};

std::span<const UnitScale> unitsOf(SettingUnit unit) {
  if (unit == SettingUnit::None) return {};
  if (unit == SettingUnit::Bytes || unit == SettingUnit::Kilobytes) return kByteUnits;
  return kTimeUnits;
}

/// Of the finest unit in unitsOf().
int64_t factorOf(SettingUnit unit) {
  if (unit == SettingUnit::Kilobytes) return 1024;
  return unit == SettingUnit::Milliseconds ? 1000 : 1;
}

}  // namespace

std::string_view unitName(SettingUnit unit) {
  switch (unit) {
    case SettingUnit::None:
      return "";
    case SettingUnit::Bytes:
      return "B";
    case SettingUnit::Kilobytes:
      return "kB";
    case SettingUnit::Milliseconds:
      return "ms";
    case SettingUnit::Microseconds:
      return "us";
  }
  return "";
}

bool parseQuantity(std::string_view text, SettingUnit unit, int64_t& value) {
  text = trimmed(text);
  const size_t digits = std::min(text.find_first_not_of("+-0123456789."), text.size());
  std::string_view number = text.substr(0, digits);
  const std::string_view suffix = trimmed(text.substr(digits));
  if (number.starts_with('+')) number.remove_prefix(1);
  if (number.empty()) return false;
  int64_t factor = factorOf(unit);
  if (!suffix.empty()) {
    const auto units = unitsOf(unit);
    const auto found = std::ranges::find(units, suffix, &UnitScale::name);
    if (found == units.end()) return false;
    factor = found->factor;
  }
  const char* end = number.data() + number.size();
  int64_t whole = 0;
  if (const auto result = std::from_chars(number.data(), end, whole); result.ec == std::errc() && result.ptr == end) {
    int64_t finest = 0;
    if (__builtin_mul_overflow(whole, factor, &finest)) return false;
    const int64_t base = factorOf(unit);
    value = (finest >= 0 ? finest + base / 2 : finest - base / 2) / base;
    return true;
  }
  double fraction = 0;
  const auto result = std::from_chars(number.data(), end, fraction);
  if (result.ec != std::errc() || result.ptr != end) return false;
  fraction = std::nearbyint(fraction * static_cast<double>(factor) / static_cast<double>(factorOf(unit)));
  constexpr double kLimit = 9e18;
  if (!(std::fabs(fraction) < kLimit)) return false;
  value = static_cast<int64_t>(fraction);
  return true;
}

std::string printQuantity(int64_t value, SettingUnit unit) {
  if (value <= 0 || unit == SettingUnit::None) return std::to_string(value);
  int64_t finest = 0;
  if (!__builtin_mul_overflow(value, factorOf(unit), &finest)) {
    for (const UnitScale& scale : unitsOf(unit))
      if (finest % scale.factor == 0) return fmt::format("{}{}", finest / scale.factor, scale.name);
  }
  return fmt::format("{}{}", value, unitName(unit));
}

}  // namespace gnomon
