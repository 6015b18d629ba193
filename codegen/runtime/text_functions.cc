#include "codegen/runtime/text_functions.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/sql_error.h"
#include "codegen/runtime/text_format.h"
#include "sql/parse/identifier.h"
#include "sql/types/bytea.h"
#include "sql/types/text.h"
#include "sql/types/text_list.h"

namespace gnomon::codegen::rt {
namespace {

StringValue checked(const std::string& text, Arena* arena) {
  if (text.size() > sql::kStringBytesMax) throw SqlError(sqlstate::kProgramLimitExceeded, "requested length too large");
  return copied(text, arena);
}

std::string_view firstCharacter(std::string_view text) {
  return text.substr(0, sql::characterBytes(static_cast<unsigned char>(text.front())));
}

std::vector<std::string_view> charactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  for (; !text.empty(); text.remove_prefix(characters.back().size())) characters.push_back(firstCharacter(text));
  return characters;
}

}  // namespace

StringValue listEntry(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  return checked(sql::listEntryHead(text).append(text), arena);
}

StringValue concatWithSeparator(uint64_t separator_lo, uint64_t separator_hi, uint64_t list_lo, uint64_t list_hi,
                                Arena* arena) {
  const StringValue separator(separator_lo, separator_hi);
  const StringValue list(list_lo, list_hi);
  std::string result;
  bool is_first = true;
  for (const auto& text : sql::listTexts(list.view())) {
    if (!text) continue;
    if (!is_first) result += separator.view();
    is_first = false;
    result += *text;
  }
  return checked(result, arena);
}

StringValue formatText(uint64_t lo, uint64_t hi, uint64_t list_lo, uint64_t list_hi, Arena* arena) {
  const StringValue format(lo, hi);
  const StringValue list(list_lo, list_hi);
  return checked(formattedText(format.view(), sql::listTexts(list.view())), arena);
}

StringValue quoteIdentifier(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  return checked(sql::quotedIdentifier(value.view()), arena);
}

StringValue quoteLiteral(uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  return checked(quotedLiteral(value.view()), arena);
}

StringValue translateText(uint64_t lo, uint64_t hi, uint64_t from_lo, uint64_t from_hi, uint64_t to_lo, uint64_t to_hi,
                          Arena* arena) {
  const StringValue value(lo, hi);
  const StringValue from_value(from_lo, from_hi);
  const StringValue to_value(to_lo, to_hi);
  const std::vector<std::string_view> from = charactersOf(from_value.view());
  const std::vector<std::string_view> to = charactersOf(to_value.view());
  std::string result;
  for (std::string_view rest = value.view(); !rest.empty();) {
    const std::string_view character = firstCharacter(rest);
    rest.remove_prefix(character.size());
    size_t place = 0;
    while (place < from.size() && from[place] != character) ++place;
    if (place == from.size())
      result += character;
    else if (place < to.size())
      result += to[place];
  }
  return checked(result, arena);
}

StringValue hexadecimalOf(uint64_t number, Arena* arena) {
  return copied(fmt::format("{:x}", number), arena);
}

}  // namespace gnomon::codegen::rt
