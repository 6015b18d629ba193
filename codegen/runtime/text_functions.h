#pragma once

#include <cstdint>

#include "codegen/runtime/register_value.h"

namespace gnomon::codegen::rt {

/// A list of one text (sql/types/text_list.h).
StringValue listEntry(uint64_t lo, uint64_t hi, Arena* arena);
/// The texts of the list that are not NULL, the separator between them. Failure: 54000.
StringValue concatWithSeparator(uint64_t separator_lo, uint64_t separator_hi, uint64_t list_lo, uint64_t list_hi,
                                Arena* arena);
/// format(): %s, %I, %L with positions and widths. Failure: 22023, 22003, 22004, 22P02, 54000.
StringValue formatText(uint64_t lo, uint64_t hi, uint64_t list_lo, uint64_t list_hi, Arena* arena);
StringValue quoteIdentifier(uint64_t lo, uint64_t hi, Arena* arena);
/// As a literal; with E before it when it has backslashes.
StringValue quoteLiteral(uint64_t lo, uint64_t hi, Arena* arena);
/// Characters of `from` become those at the same place of `to`, or nothing.
StringValue translateText(uint64_t lo, uint64_t hi, uint64_t from_lo, uint64_t from_hi, uint64_t to_lo, uint64_t to_hi,
                          Arena* arena);
StringValue hexadecimalOf(uint64_t number, Arena* arena);

}  // namespace gnomon::codegen::rt
