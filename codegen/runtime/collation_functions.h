#pragma once

#include <cstdint>

#include "codegen/runtime/register_value.h"

namespace gnomon::codegen::rt {

/// Texts in a locale of ICU: sql/types/icu_collation.h.
StringValue collationKey(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena);
StringValue collatedText(uint64_t lo, uint64_t hi, Arena* arena);
StringValue lowerIn(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena);
StringValue upperIn(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena);
StringValue initcapIn(uint64_t lo, uint64_t hi, uint64_t locale_lo, uint64_t locale_hi, Arena* arena);

}  // namespace gnomon::codegen::rt
