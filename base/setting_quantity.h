#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon {

/// What a number counts. Values are held in this unit; SET takes and SHOW prints PostgreSQL's larger units too.
enum class SettingUnit : uint8_t { None, Bytes, Kilobytes, Milliseconds, Microseconds };

/// As PostgreSQL calls it; empty for none.
std::string_view unitName(SettingUnit unit);

/// A number with an optional unit ("8GB", "100 ms", "1.5h") in `unit`. False: not a number of that unit or out of
/// range.
bool parseQuantity(std::string_view text, SettingUnit unit, int64_t& value);

/// "8GB", "100ms", "1000B"; the largest unit that divides the value.
std::string printQuantity(int64_t value, SettingUnit unit);

}  // namespace gnomon
