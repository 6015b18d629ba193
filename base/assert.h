#pragma once

/// Assertions. Each names the invariant it guards, so that a message leads to the comment that states it.
///   ASSERT(condition, "S2")  debug builds only
///   CHECK(condition, "S2")   always on; for what is cheap
/// A broken invariant ends the process: carrying on would risk the data.
namespace gnomon {
[[noreturn]] void failCheck(const char* condition, const char* invariant, const char* file, int line);
}  // namespace gnomon

#define CHECK(condition, invariant)                            \
  (__builtin_expect(static_cast<bool>(condition), 1) ? (void)0 \
                                                     : ::gnomon::failCheck(#condition, invariant, __FILE__, __LINE__))

#ifdef GNOMON_DEBUG
#define ASSERT(condition, invariant) CHECK(condition, invariant)
#else
#define ASSERT(condition, invariant) ((void)sizeof(!(condition)))
#endif
