#pragma once

#include <functional>

namespace gnomon::codegen {

/// left sorts before right. Called very often; in machine code a plain call. Without a function rows have no order.
struct RowComparator {
  using Native = bool (*)(const char*, const char*);
  Native native = nullptr;  ///< null: use `fallback`
  std::function<bool(const char*, const char*)> fallback;
  bool operator()(const char* left, const char* right) const {
    return native ? native(left, right) : fallback(left, right);
  }
  explicit operator bool() const { return native || fallback; }
};

}  // namespace gnomon::codegen
