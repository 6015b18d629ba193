#pragma once

#include <cstdint>

#include "codegen/runtime/register_value.h"

namespace gnomon::codegen::rt {

StringValue concatStrings(uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi, Arena* arena);
/// substring(text from start [for count]), characters counted from 1. Failure: 22011 for a negative count.
StringValue substringFrom(uint64_t lo, uint64_t hi, int32_t start);
StringValue substringFor(uint64_t lo, uint64_t hi, int32_t start, int32_t count);
/// left and right with PostgreSQL's meaning of negative counts.
StringValue leftString(uint64_t lo, uint64_t hi, int32_t count);
StringValue rightString(uint64_t lo, uint64_t hi, int32_t count);
/// The C locale's: ASCII letters only.
StringValue upperString(uint64_t lo, uint64_t hi, Arena* arena);
StringValue lowerString(uint64_t lo, uint64_t hi, Arena* arena);
StringValue initcapString(uint64_t lo, uint64_t hi, Arena* arena);
/// Characters; of char(n) without the trailing blanks; bytes.
int32_t lengthString(uint64_t lo, uint64_t hi);
int32_t lengthChar(uint64_t lo, uint64_t hi);
int32_t octetLengthString(uint64_t lo, uint64_t hi);
/// First position of part in text, from 1; 0 when absent.
int32_t positionString(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi);
/// trim of the characters of a set, and of blanks.
StringValue trimBothSet(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi);
StringValue trimLeftSet(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi);
StringValue trimRightSet(uint64_t lo, uint64_t hi, uint64_t set_lo, uint64_t set_hi);
StringValue trimBoth(uint64_t lo, uint64_t hi);
StringValue trimLeft(uint64_t lo, uint64_t hi);
StringValue trimRight(uint64_t lo, uint64_t hi);
StringValue replaceString(uint64_t lo, uint64_t hi, uint64_t from_lo, uint64_t from_hi, uint64_t to_lo, uint64_t to_hi,
                          Arena* arena);
/// `count` characters from `start` on, or as many as the part has, are replaced by the part. Failure: 22011 for a start
/// below 1; 22003.
StringValue overlayString(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, Arena* arena);
StringValue overlayStringFor(uint64_t lo, uint64_t hi, uint64_t part_lo, uint64_t part_hi, int32_t start, int32_t count,
                             Arena* arena);
StringValue padLeft(uint64_t lo, uint64_t hi, int32_t length, uint64_t fill_lo, uint64_t fill_hi, Arena* arena);
StringValue padRight(uint64_t lo, uint64_t hi, int32_t length, uint64_t fill_lo, uint64_t fill_hi, Arena* arena);
/// Failure of padding and repeating: 54000 "requested length too large".
StringValue repeatString(uint64_t lo, uint64_t hi, int32_t count, Arena* arena);
StringValue reverseString(uint64_t lo, uint64_t hi, Arena* arena);
bool startsWith(uint64_t lo, uint64_t hi, uint64_t prefix_lo, uint64_t prefix_hi);
/// Field `index` from 1, from the end when negative. Failure: 22023 for 0.
StringValue splitPart(uint64_t lo, uint64_t hi, uint64_t delimiter_lo, uint64_t delimiter_hi, int32_t index);
/// Code point of the first character, 0 for ''.
int32_t asciiString(uint64_t lo, uint64_t hi);
/// Failure: 54000 beyond Unicode, for 0, and for surrogates; 22023 for negative numbers.
StringValue characterOf(int32_t code_point);

/// varchar(n) and char(n): see sql/types/text.h. typmod as in sql::Type.
StringValue fitVarchar(uint64_t lo, uint64_t hi, int32_t typmod, bool is_explicit);
/// As name and "char" hold it.
StringValue fitName(uint64_t lo, uint64_t hi);
StringValue fitInternalChar(uint64_t lo, uint64_t hi);
/// The number of a "char", of none 0; and the other way around, 22003.
int32_t internalCharToInteger(uint64_t lo, uint64_t hi);
StringValue integerToInternalChar(int32_t number);
StringValue fitChar(uint64_t lo, uint64_t hi, int32_t typmod, bool is_explicit, Arena* arena);
/// char(n) as text: without trailing blanks.
StringValue charToText(uint64_t lo, uint64_t hi);
/// Bytes into the arena, for values that must outlive a page.
StringValue materialiseString(uint64_t lo, uint64_t hi, Arena* arena);

}  // namespace gnomon::codegen::rt
