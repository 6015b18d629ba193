#pragma once

namespace gnomon {

/// 128-bit integers: scaled decimals up to 38 digits.
__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

}  // namespace gnomon
