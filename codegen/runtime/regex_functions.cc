#include "codegen/runtime/regex_functions.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/sql_error.h"
#include "sql/types/array_value.h"
#include "sql/types/bytea.h"
#include "sql/types/text.h"

namespace gnomon::codegen {
namespace {

using sql::FunctionId;

RE2::Options optionsOf() {
  RE2::Options options;
  options.set_longest_match(true);
  options.set_log_errors(false);
  return options;
}

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

sql::RegexOptions optionsOf(std::string_view flags, FunctionId function) {
  if (function == FunctionId::RegexReplace && !flags.empty() && flags[0] >= '0' && flags[0] <= '9')
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid regular expression option: \"{}\"", flags.substr(0, 1)))
        .hint(
            "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer "
            "explicitly.");
  const sql::RegexOptions options = sql::parseRegexFlags(flags);
  if (options.is_global && function != FunctionId::RegexReplace)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("{}() does not support the \"global\" option", nameOf(function)));
  return options;
}

}  // namespace

Regex::Regex(std::string_view pattern, std::string_view flags, FunctionId function)
    : options_(optionsOf(flags, function)),
      syntax_(sql::translateRegex(pattern, options_)),
      compiled_(syntax_.pattern, optionsOf()) {
  if (!compiled_.ok()) throwNotSupported("this regular expression (" + compiled_.error() + ")");
}

bool Regex::search(std::string_view text, size_t start, re2::StringPiece* captures, int count) const {
  return compiled_.Match({text.data(), text.size()}, start, text.size(), RE2::UNANCHORED, captures, count);
}

void Regex::requireExtent() const {
  if (syntax_.has_shortest) throwNotSupported("the extent of matches of non-greedy regular expressions");
}

void Regex::requireCaptures() const {
  requireExtent();
  if (syntax_.has_free_groups)
    throwNotSupported("parts of matches of regular expressions with alternatives or repeated groups");
}

namespace rt {
namespace {

using Captures = std::array<re2::StringPiece, Regex::kCapturesMax>;

void requireAtLeast(int32_t value, int32_t minimum, const char* name) {
  if (value >= minimum) return;
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid value for parameter \"{}\": {}", name, value));
}

size_t offsetOf(std::string_view text, const re2::StringPiece& piece) {
  return static_cast<size_t>(piece.data() - text.data());
}

/// Where the search for the next match begins: behind this one, or a character on when it is empty. npos: nowhere.
size_t nextStart(std::string_view text, const re2::StringPiece& match) {
  const size_t end = offsetOf(text, match) + match.size();
  if (!match.empty()) return end;
  if (end >= text.size()) return std::string_view::npos;
  return end + sql::characterBytes(static_cast<unsigned char>(text[end]));
}

/// The byte of a character counted from 1; npos: beyond the end.
size_t byteOf(std::string_view text, int32_t start) {
  const auto before = static_cast<size_t>(start) - 1;
  if (before > text.size() || before > sql::countCharacters(text)) return std::string_view::npos;
  return sql::characterOffset(text, before);
}

/// The occurrence (from 1) of a match. False: there are fewer.
bool findOccurrence(const Regex& regex, std::string_view text, int32_t start, int32_t occurrence, Captures& captures) {
  size_t at = byteOf(text, start);
  for (; at != std::string_view::npos && regex.search(text, at, captures.data(), Regex::kCapturesMax);
       at = nextStart(text, captures[0]))
    if (--occurrence == 0) return true;
  return false;
}

/// The whole match, or a group of it; data() null: that took no part.
re2::StringPiece groupOf(const Regex& regex, const Captures& captures, int32_t group) {
  if (group == 0) return captures[0];
  if (static_cast<uint32_t>(group) > regex.groupCount()) return {};
  if (group >= Regex::kCapturesMax) throwNotSupported("more than nine parts of a match");
  return captures[static_cast<size_t>(group)];
}

StringValue pieceOf(const StringValue& text, const re2::StringPiece& piece) {
  if (piece.data() == nullptr) return StringValue(kNoMatch, 0);
  return part(text, {piece.data(), piece.size()});
}

/// The replacement with \1 to \9, \& and \\ taken for what they mean.
void appendReplacement(std::string& result, std::string_view replacement, const Captures& captures) {
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
    const re2::StringPiece& piece = captures[next == '&' ? 0 : static_cast<size_t>(next - '0')];
    if (piece.data() != nullptr) result.append(piece.data(), piece.size());
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
  constexpr size_t kKeptMax = 32;
  thread_local std::unordered_map<std::string, std::unique_ptr<const Regex>> kept;
  const StringValue pattern(lo, hi);
  const StringValue flags(flags_lo, flags_hi);
  std::string key = std::to_string(function) + ':';
  key.append(flags.view()).append(":").append(pattern.view());
  if (const auto found = kept.find(key); found != kept.end()) return found->second.get();
  auto made = std::make_unique<const Regex>(pattern.view(), flags.view(), static_cast<FunctionId>(function));
  if (kept.size() >= kKeptMax) kept.clear();
  return kept.emplace(std::move(key), std::move(made)).first->second.get();
}

bool regexMatches(const Regex* regex, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return regex->search(text.view(), 0, nullptr, 0);
}

StringValue regexSubstring(const Regex* regex, uint64_t lo, uint64_t hi) {
  const bool has_group = regex->groupCount() > 0;
  has_group ? regex->requireCaptures() : regex->requireExtent();
  const StringValue text(lo, hi);
  Captures captures;
  if (!regex->search(text.view(), 0, captures.data(), has_group ? 2 : 1)) return StringValue(kNoMatch, 0);
  return pieceOf(text, captures[has_group ? 1 : 0]);
}

StringValue regexReplaceByFlags(const Regex* regex, uint64_t lo, uint64_t hi, uint64_t by_lo, uint64_t by_hi,
                                Arena* arena) {
  return regexReplace(regex, lo, hi, by_lo, by_hi, 1, regex->isGlobal() ? 0 : 1, arena);
}

StringValue regexReplace(const Regex* regex, uint64_t lo, uint64_t hi, uint64_t by_lo, uint64_t by_hi, int32_t start,
                         int32_t occurrence, Arena* arena) {
  requireAtLeast(start, 1, "start");
  requireAtLeast(occurrence, 0, "n");
  const StringValue value(lo, hi);
  const StringValue by(by_lo, by_hi);
  const std::string_view text = value.view();
  readsGroups(by.view()) ? regex->requireCaptures() : regex->requireExtent();
  std::string result;
  size_t copied_to = 0;
  Captures captures;
  int32_t seen = 0;
  for (size_t at = byteOf(text, start);
       at != std::string_view::npos && regex->search(text, at, captures.data(), Regex::kCapturesMax);
       at = nextStart(text, captures[0])) {
    if (++seen != occurrence && occurrence > 0) continue;
    const size_t match = offsetOf(text, captures[0]);
    result.append(text.substr(copied_to, match - copied_to));
    appendReplacement(result, by.view(), captures);
    copied_to = match + captures[0].size();
    if (result.size() > sql::kStringBytesMax)
      throw SqlError(sqlstate::kProgramLimitExceeded, "requested length too large");
    if (occurrence > 0) break;
  }
  if (copied_to == 0 && result.empty()) return value;
  return copied(result.append(text.substr(copied_to)), arena);
}

int32_t regexCount(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start) {
  requireAtLeast(start, 1, "start");
  regex->requireExtent();
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  int32_t count = 0;
  Captures captures;
  for (size_t at = byteOf(text, start); at != std::string_view::npos && regex->search(text, at, captures.data(), 1);
       at = nextStart(text, captures[0]))
    ++count;
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
  group > 0 ? regex->requireCaptures() : regex->requireExtent();
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  Captures captures;
  if (!findOccurrence(*regex, text, start, occurrence, captures)) return 0;
  const re2::StringPiece piece = groupOf(*regex, captures, group);
  if (piece.data() == nullptr) return 0;
  const size_t byte = offsetOf(text, piece) + (end_option == 1 ? piece.size() : 0);
  return static_cast<int32_t>(sql::countCharacters(text.substr(0, byte))) + 1;
}

StringValue regexSubstr(const Regex* regex, uint64_t lo, uint64_t hi, int32_t start, int32_t occurrence,
                        int32_t group) {
  requireAtLeast(start, 1, "start");
  requireAtLeast(occurrence, 1, "n");
  requireAtLeast(group, 0, "subexpr");
  group > 0 ? regex->requireCaptures() : regex->requireExtent();
  const StringValue value(lo, hi);
  Captures captures;
  if (!findOccurrence(*regex, value.view(), start, occurrence, captures)) return StringValue(kNoMatch, 0);
  return pieceOf(value, groupOf(*regex, captures, group));
}

StringValue regexMatchArray(const Regex* regex, uint64_t lo, uint64_t hi, Arena* arena) {
  const uint32_t groups = regex->groupCount();
  groups > 0 ? regex->requireCaptures() : regex->requireExtent();
  if (groups >= Regex::kCapturesMax) throwNotSupported("more than nine parts of a match");
  const StringValue value(lo, hi);
  Captures captures;
  if (!regex->search(value.view(), 0, captures.data(), static_cast<int>(groups) + 1)) return StringValue(kNoMatch, 0);
  sql::ArrayBuilder builder(sql::Type::of(sql::TypeKind::Text));
  for (uint32_t group = groups > 0 ? 1 : 0; group <= groups; ++group) {
    const re2::StringPiece& piece = captures[group];
    if (piece.data() == nullptr) {
      builder.addNull();
      continue;
    }
    const StringValue text = part(value, {piece.data(), piece.size()});
    builder.add(text.lo(), text.hi());
  }
  return copied(builder.finish(), arena);
}

StringValue regexSplitArray(const Regex* regex, uint64_t lo, uint64_t hi, Arena* arena) {
  regex->requireExtent();
  const StringValue value(lo, hi);
  const std::string_view text = value.view();
  sql::ArrayBuilder builder(sql::Type::of(sql::TypeKind::Text));
  const auto add = [&](size_t begin, size_t end) {
    const StringValue piece = part(value, text.substr(begin, end - begin));
    builder.add(piece.lo(), piece.hi());
  };
  size_t begin = 0;
  Captures captures;
  for (size_t at = 0; at != std::string_view::npos && regex->search(text, at, captures.data(), 1);
       at = nextStart(text, captures[0])) {
    const size_t match = offsetOf(text, captures[0]);
    const bool splits = !captures[0].empty() || (match > begin && match < text.size());
    if (!splits) continue;
    add(begin, match);
    begin = match + captures[0].size();
  }
  add(begin, text.size());
  return copied(builder.finish(), arena);
}

StringValue similarPattern(uint64_t lo, uint64_t hi, uint64_t escape_lo, uint64_t escape_hi, Arena* arena) {
  const StringValue pattern(lo, hi);
  const StringValue escape(escape_lo, escape_hi);
  if (sql::countCharacters(escape.view()) > 1)
    throw SqlError(sqlstate::kInvalidEscapeSequence, "invalid escape string")
        .hint("Escape string must be empty or one character.");
  return copied(sql::similarPattern(pattern.view(), escape.view()), arena);
}

}  // namespace rt

}  // namespace gnomon::codegen
