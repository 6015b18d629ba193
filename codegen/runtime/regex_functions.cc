#include "codegen/runtime/regex_functions.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/sql_error.h"
#include "sql/functions/regex_values.h"
#include "sql/types/bytea.h"
#include "sql/types/text.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;
using sql::RegexScan;
using Wanted = RegexScan::Wanted;
using Span = RegexScan::Span;

std::string_view nameOf(FunctionId function) {
  switch (function) {
    case FunctionId::RegexLike:
      return "regexp_like";
    case FunctionId::RegexCount:
      return "regexp_count";
    case FunctionId::RegexPosition:
      return "regexp_instr";
    case FunctionId::RegexMatchArray:
      return "regexp_match";
    case FunctionId::RegexSplitArray:
      return "regexp_split_to_array";
    default:
      return "regexp_substr";
  }
}

}  // namespace

sql::RegexOptions regexOptionsOf(FunctionId function, std::string_view flags) {
  if (function == FunctionId::RegexReplace && !flags.empty() && flags[0] >= '0' && flags[0] <= '9')
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid regular expression option: \"{}\"", flags.substr(0, 1)))
        .hint(
            "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer "
            "explicitly.");
  const sql::RegexOptions options = sql::parseRegexFlags(flags);
  if (options.is_global && function != FunctionId::RegexReplace) {
    SqlError error(sqlstate::kInvalidParameterValue,
                   fmt::format("{}() does not support the \"global\" option", nameOf(function)));
    if (function == FunctionId::RegexMatchArray) error.hint("Use the regexp_matches function instead.");
    throw error;
  }
  return options;
}

namespace rt {
namespace {

void requireAtLeast(int32_t value, int32_t minimum, const char* name) {
  if (value >= minimum) return;
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid value for parameter \"{}\": {}", name, value));
}

/// The byte of a character counted from 1; nothing: beyond the end.
std::optional<size_t> byteOf(std::string_view text, int32_t start) {
  const auto before = static_cast<size_t>(start) - 1;
  if (before > text.size() || before > sql::countCharacters(text)) return {};
  return sql::characterOffset(text, before);
}

/// Whether there is a match with this number, from 1, at or behind `at`.
bool findOccurrence(RegexScan& scan, std::optional<size_t> at, int32_t occurrence) {
  for (; at && scan.find(*at); at = scan.nextStart())
    if (--occurrence == 0) return true;
  return false;
}

Wanted wantedFor(int32_t group) {
  return group > 0 ? Wanted::Groups : Wanted::Extent;
}

/// Of the whole match, or of a group.
Span spanOf(const Regex& regex, const RegexScan& scan, int32_t group) {
  if (static_cast<uint32_t>(group) > regex.groupCount()) return {};
  return scan.group(static_cast<size_t>(group));
}

StringValue pieceOf(const StringValue& text, const RegexScan& scan, Span span) {
  return span.isSet() ? part(text, scan.textOf(span)) : StringValue(kNoMatch, 0);
}

/// The replacement with \1 to \9, \& and \\ taken for what they mean.
void appendReplacement(std::string& result, std::string_view replacement, const Regex& regex, const RegexScan& scan) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    const char next = i + 1 < replacement.size() ? replacement[i + 1] : '\0';
    if (replacement[i] != '\\' || (next != '\\' && next != '&' && (next < '1' || next > '9'))) {
      result += replacement[i];
      continue;
    }
    ++i;
    if (next == '\\') {
      result += '\\';
      continue;
    }
    const Span span = spanOf(regex, scan, next == '&' ? 0 : next - '0');
    if (span.isSet()) result += scan.textOf(span);
  }
}

bool readsGroups(std::string_view replacement) {
  for (size_t i = 0; i + 1 < replacement.size(); ++i) {
    if (replacement[i] != '\\') continue;
    ++i;
    if (replacement[i] >= '1' && replacement[i] <= '9') return true;
  }
  return false;
}

}  // namespace

const Regex* compiledRegex(uint64_t lo, uint64_t hi, uint64_t flags_lo, uint64_t flags_hi, uint16_t function) {
  const StringValue pattern(lo, hi);
  const StringValue flags(flags_lo, flags_hi);
  return &sql::recentRegex(pattern.view(), regexOptionsOf(static_cast<FunctionId>(function), flags.view()));
}

bool regexMatches(const Regex* regex, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return regex->isMatch(text.view());
}

StringValue regexSubstring(const Regex* regex, uint64_t lo, uint64_t hi) {
  const int32_t group = regex->groupCount() > 0 ? 1 : 0;
  const StringValue text(lo, hi);
  RegexScan scan(*regex, text.view(), wantedFor(group));
  return scan.find(0) ? pieceOf(text, scan, spanOf(*regex, scan, group)) : StringValue(kNoMatch, 0);
}

StringValue regexReplaceByFlags(const Regex* regex, uint64_t lo, uint64_t hi, uint64_t by_lo, uint64_t by_hi,
                                Arena* arena) {
  return regexReplace(regex, lo, hi, by_lo, by_hi, 1, regex->options().is_global ? 0 : 1, arena);
}

StringValue regexReplace(const Regex* regex, uint64_t lo, uint64_t hi, uint64_t by_lo, uint64_t by_hi, int32_t start,
                         int32_t occurrence, Arena* arena) {
  requireAtLeast(start, 1, "start");
  requireAtLeast(occurrence, 0, "n");
  const StringValue value(lo, hi);
  const StringValue by(by_lo, by_hi);
  const std::string_view text = value.view();
  RegexScan scan(*regex, text, readsGroups(by.view()) ? Wanted::Groups : Wanted::Extent);
  std::string result;
  size_t copied_to = 0;
  int32_t seen = 0;
  for (auto at = byteOf(text, start); at && scan.find(*at); at = scan.nextStart()) {
    if (++seen != occurrence && occurrence > 0) continue;
    const Span match = scan.group(0);
    result.append(text.substr(copied_to, match.begin - copied_to));
    appendReplacement(result, by.view(), *regex, scan);
    copied_to = match.end;
    if (result.size() > sql::kStringBytesMax)
      throw SqlError(sqlstate::kProgramLimitExceeded, "requested length too large");
    if (occurrence > 0) break;
  }
  if (copied_to == 0 && result.empty()) return value;
  return copied(result.append(text.substr(copied_to)), arena);
}

int32_t regexCount(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start) {
  requireAtLeast(start, 1, "start");
  const StringValue value(lo, hi);
  RegexScan scan(*regex, value.view(), Wanted::Extent);
  int32_t count = 0;
  for (auto at = byteOf(value.view(), start); at && scan.find(*at); at = scan.nextStart()) ++count;
  return count;
}

int32_t regexPosition(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start, int32_t occurrence,
                      int32_t end_option, int32_t group) {
  requireAtLeast(start, 1, "start");
  requireAtLeast(occurrence, 1, "n");
  if (end_option != 0 && end_option != 1)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid value for parameter \"endoption\": {}", end_option));
  requireAtLeast(group, 0, "subexpr");
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  RegexScan scan(*regex, text, wantedFor(group));
  if (!findOccurrence(scan, byteOf(text, start), occurrence)) return 0;
  const Span span = spanOf(*regex, scan, group);
  if (!span.isSet()) return 0;
  const size_t byte = end_option == 1 ? span.end : span.begin;
  return static_cast<int32_t>(sql::countCharacters(text.substr(0, byte))) + 1;
}

StringValue regexSubstr(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start, int32_t occurrence,
                        int32_t group) {
  requireAtLeast(start, 1, "start");
  requireAtLeast(occurrence, 1, "n");
  requireAtLeast(group, 0, "subexpr");
  const StringValue value(lo, hi);
  RegexScan scan(*regex, value.view(), wantedFor(group));
  if (!findOccurrence(scan, byteOf(value.view(), start), occurrence)) return StringValue(kNoMatch, 0);
  return pieceOf(value, scan, spanOf(*regex, scan, group));
}

StringValue regexMatchArray(const Regex* regex, uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue value(lo, hi);
  RegexScan scan(*regex, value.view(), Wanted::Groups);
  if (!scan.find(0)) return StringValue(kNoMatch, 0);
  return copied(sql::matchedGroups(*regex, scan), arena);
}

StringValue regexSplitArray(const Regex* regex, uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(sql::splitByRegex(*regex, StringValue(lo, hi).view()), arena);
}

StringValue similarPattern(uint64_t lo, uint64_t hi, uint64_t escape_lo, uint64_t escape_hi, Arena* arena) {
  const StringValue pattern(lo, hi);
  const StringValue escape(escape_lo, escape_hi);
  return copied(sql::checkedSimilarPattern(pattern.view(), escape.view()), arena);
}

}  // namespace rt

}  // namespace gnomon::codegen
