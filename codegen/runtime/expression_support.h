#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/int128.h"
#include "codegen/runtime/register_value.h"

/// Runtime functions and compile-time built sets that only the emission of expressions calls.
namespace gnomon::codegen::rt {

/// The integers of an IN list, built once per program. Open addressing, at most half full. Threads: any, read only.
class IntegerSet {
 public:
  explicit IntegerSet(const std::vector<int64_t>& members);
  [[nodiscard]] bool contains(int64_t value) const;

 private:
  static constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;
  std::vector<int64_t> slots_;
  std::vector<bool> used_;
  unsigned shift_;
};

/// The 128-bit integers of an IN list, sorted.
class WideSet {
 public:
  explicit WideSet(std::vector<int128> members);
  [[nodiscard]] bool contains(int128 value) const;

 private:
  std::vector<int128> members_;
};

/// The strings of an IN list. With `ignores_blanks` members and texts are compared without trailing blanks (char(n)).
class StringSet {
 public:
  StringSet(const std::vector<std::string>& members, bool ignores_blanks);
  [[nodiscard]] bool contains(std::string_view text) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> members_;
  bool ignores_blanks_;
};

bool containsInteger(const IntegerSet* set, int64_t value);
bool containsWide(const WideSet* set, int128 value);
bool containsString(const StringSet* set, uint64_t lo, uint64_t hi);

/// Fields of a finite date, the year as PostgreSQL counts it (no year 0: 1 BC is -1).
int64_t yearOfDate(int32_t date);
int64_t monthOfDate(int32_t date);
int64_t dayOfDate(int32_t date);

/// The nearest float; by way of a double it would be rounded twice.
double bigintToReal(int64_t value);

/// The string with its bytes in `arena`, storage Temporary: what rows of an execution keep.
StringValue copyIntoArena(uint64_t lo, uint64_t hi, Arena* arena);

}  // namespace gnomon::codegen::rt
