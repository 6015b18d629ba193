#include "server/copy/copy_splitter.h"

#include <emmintrin.h>

#include <bit>

#include "sql/types/text.h"

namespace gnomon::server {
namespace {

constexpr size_t kBlockBytes = 64;

[[noreturn]] void badFormat(const char* message, const char* hint = nullptr) {
  SqlError error(sqlstate::kBadCopyFileFormat, message);
  if (hint) error.hint(hint);
  throw error;
}

bool isOctal(char c) {
  return c >= '0' && c <= '7';
}
int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

CopySplitter::CopySplitter(const sql::CopyOptions& options, size_t column_count)
    : is_csv_(options.format == sql::CopyOptions::Format::Csv),
      delimiter_(options.delimiter),
      quote_(options.quote),
      escape_(options.escape),
      null_text_(options.null_text),
      column_count_(column_count),
      fields_(column_count) {}

void CopySplitter::loadBlock(const char* position, const char* end) {
  block_ = position;
  const __m128i delimiter = _mm_set1_epi8(delimiter_);
  const __m128i line_feed = _mm_set1_epi8('\n');
  const __m128i carriage_return = _mm_set1_epi8('\r');
  const __m128i first = _mm_set1_epi8(is_csv_ ? quote_ : '\\');
  const __m128i second = _mm_set1_epi8(is_csv_ ? escape_ : '\\');
  uint64_t special = 0;
  uint64_t suspicious = 0;
  for (size_t i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(position + i * 16));
    __m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), _mm_cmpeq_epi8(bytes, line_feed));
    found = _mm_or_si128(found, _mm_or_si128(_mm_cmpeq_epi8(bytes, carriage_return), _mm_cmpeq_epi8(bytes, first)));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, second));
    special |= static_cast<uint64_t>(static_cast<uint16_t>(_mm_movemask_epi8(found))) << (i * 16);
    // Signed comparison with 1: true for NUL and for every byte with the high bit.
    const __m128i odd = _mm_cmplt_epi8(bytes, _mm_set1_epi8(1));
    suspicious |= static_cast<uint64_t>(static_cast<uint16_t>(_mm_movemask_epi8(odd))) << (i * 16);
  }
  const auto bytes_left = static_cast<size_t>(end - position);
  const uint64_t valid = bytes_left >= kBlockBytes ? ~uint64_t{0} : (uint64_t{1} << bytes_left) - 1;
  special_mask_ = special & valid;
  block_is_suspicious_ = (suspicious & valid) != 0;
  row_is_suspicious_ |= block_is_suspicious_;
}

inline const char* CopySplitter::nextSpecial(const char* position, const char* end) {
  while (true) {
    while (special_mask_ == 0) {
      const char* next = block_ + kBlockBytes;
      if (next >= end) return end;
      loadBlock(next, end);
    }
    const char* found = block_ + std::countr_zero(special_mask_);
    special_mask_ &= special_mask_ - 1;
    // What a backslash or a quote made ordinary is passed over.
    if (found >= position) return found;
  }
}

inline void CopySplitter::beginRow(const char* cursor, const char* end) {
  kept_count_ = field_count_ = 0;
  quoted_lines_ = 0;
  row_is_suspicious_ = false;
  if (!block_ || cursor < block_ || cursor > block_ + kBlockBytes) {
    loadBlock(cursor, end);
  } else {
    row_is_suspicious_ = block_is_suspicious_;
  }
}

inline void CopySplitter::addField(const char* begin, const char* end, bool has_escape, bool is_quoted) {
  if (field_count_++ >= column_count_) return;
  fields_[kept_count_++] = {begin, static_cast<uint32_t>(end - begin), has_escape, is_quoted};
}

CopySplitter::Outcome CopySplitter::finishRow(const char*& cursor, const char* row_end, const char* next_row) {
  line_ = {cursor, static_cast<size_t>(row_end - cursor)};
  cursor = next_row;
  line_number_ += 1 + quoted_lines_;
  if (row_is_suspicious_) [[unlikely]]
    sql::checkUtf8(line_);
  return Outcome::Row;
}

unsigned CopySplitter::lineEndBytes(const char* position, const char* end, bool is_last) {
  if (*position == '\n') {
    if (line_end_ == LineEnd::CarriageReturn || line_end_ == LineEnd::Both) {
      ++line_number_;
      if (is_csv_) badFormat("unquoted newline found in data", "Use quoted CSV field to represent newline.");
      badFormat("literal newline found in data", "Use \"\\n\" to represent newline.");
    }
    line_end_ = LineEnd::LineFeed;
    return 1;
  }
  const bool is_both_possible = line_end_ == LineEnd::Unknown || line_end_ == LineEnd::Both;
  if (is_both_possible && position + 1 == end && !is_last) return 0;
  if (is_both_possible && position + 1 < end && position[1] == '\n') {
    line_end_ = LineEnd::Both;
    return 2;
  }
  if (line_end_ == LineEnd::LineFeed || line_end_ == LineEnd::Both) {
    ++line_number_;
    if (is_csv_)
      badFormat("unquoted carriage return found in data", "Use quoted CSV field to represent carriage return.");
    badFormat("literal carriage return found in data", "Use \"\\r\" to represent carriage return.");
  }
  line_end_ = LineEnd::CarriageReturn;
  return 1;
}

CopySplitter::Step CopySplitter::endMarker(const char* position, const char* end, bool is_last, bool& is_marker) {
  is_marker = false;
  const size_t bytes_left = static_cast<size_t>(end - position);
  if (bytes_left < 2) return is_last ? Step::Continue : Step::NeedMore;
  if (position[1] != '.') return Step::Continue;
  if (bytes_left < 4 && !is_last) return Step::NeedMore;
  const char third = bytes_left > 2 ? position[2] : '\0';
  const char fourth = bytes_left > 3 ? position[3] : '\0';
  const char* mismatch = "end-of-copy marker does not match previous newline style";
  const char* corrupt = "end-of-copy marker corrupt";
  const char* problem = nullptr;
  if (line_end_ == LineEnd::Both) {
    if (third == '\n')
      problem = mismatch;
    else if (third != '\r' || (fourth != '\r' && fourth != '\n'))
      problem = corrupt;
    else if (fourth != '\n')
      problem = mismatch;
  } else if (third != '\r' && third != '\n') {
    problem = corrupt;
  } else if ((line_end_ == LineEnd::LineFeed && third != '\n') ||
             (line_end_ == LineEnd::CarriageReturn && third != '\r')) {
    problem = mismatch;
  }
  if (problem && is_csv_) return Step::Continue;
  if (problem) {
    ++line_number_;
    badFormat(problem);
  }
  is_marker = true;
  return Step::RowEnd;
}

CopySplitter::Outcome CopySplitter::next(const char*& cursor, const char* end, bool is_last) {
  if (is_finished_ || (cursor == end && is_last)) return Outcome::End;
  if (cursor == end) return Outcome::NeedMore;
  beginRow(cursor, end);
  const Outcome outcome = is_csv_ ? nextCsv(cursor, end, is_last) : nextText(cursor, end, is_last);
  // The row will be cut again, so the block must be classified again.
  if (outcome == Outcome::NeedMore) inputChanged();
  return outcome;
}

CopySplitter::Outcome CopySplitter::nextText(const char*& cursor, const char* end, bool is_last) {
  const char* field = cursor;
  const char* position = cursor;
  bool has_escape = false;
  while (true) {
    const char* special = nextSpecial(position, end);
    if (special == end) {
      if (!is_last) return Outcome::NeedMore;
      addField(field, end, has_escape, false);
      return finishRow(cursor, end, end);
    }
    if (*special == delimiter_) {
      addField(field, special, has_escape, false);
      field = position = special + 1;
      has_escape = false;
    } else if (*special == '\\') {
      bool is_marker = false;
      if (endMarker(special, end, is_last, is_marker) == Step::NeedMore) return Outcome::NeedMore;
      if (is_marker) {
        is_finished_ = true;
        if (special == cursor) return Outcome::End;
        addField(field, special, has_escape, false);
        return finishRow(cursor, special, end);
      }
      has_escape = true;
      position = special + 2;
    } else {
      const unsigned bytes = lineEndBytes(special, end, is_last);
      if (bytes == 0) return Outcome::NeedMore;
      addField(field, special, has_escape, false);
      return finishRow(cursor, special, special + bytes);
    }
  }
}

CopySplitter::Outcome CopySplitter::nextCsv(const char*& cursor, const char* end, bool is_last) {
  if (*cursor == '\\') {
    bool is_marker = false;
    if (endMarker(cursor, end, is_last, is_marker) == Step::NeedMore) return Outcome::NeedMore;
    is_finished_ = is_marker;
    if (is_marker) return Outcome::End;
  }
  // A field that is one quoted stretch without escapes is handed out without its quotes; any other needs decoding.
  struct Field {
    const char* begin;
    const char* closing_quote = nullptr;
    bool is_quoted = false;
    bool has_escape = false;
  } field{cursor};
  const auto add = [&](const char* field_end) {
    if (!field.is_quoted) return addField(field.begin, field_end, false, false);
    if (!field.has_escape && field.closing_quote == field_end - 1)
      return addField(field.begin + 1, field_end - 1, false, true);
    addField(field.begin, field_end, true, true);
  };
  const char* position = cursor;
  bool in_quotes = false;
  while (true) {
    const char* special = nextSpecial(position, end);
    if (special == end) {
      if (!is_last) return Outcome::NeedMore;
      if (in_quotes) {
        ++line_number_;
        badFormat("unterminated CSV quoted field");
      }
      add(end);
      return finishRow(cursor, end, end);
    }
    position = special + 1;
    const char c = *special;
    if (in_quotes) {
      if (c == escape_) {
        if (position == end && !is_last) return Outcome::NeedMore;
        if (position < end && (*position == escape_ || *position == quote_)) {
          field.has_escape = true;
          ++position;
          continue;
        }
      }
      if (c == quote_) {
        in_quotes = false;
        field.closing_quote = special;
      } else if (c == (line_end_ == LineEnd::LineFeed || line_end_ == LineEnd::Unknown ? '\n' : '\r')) {
        ++quoted_lines_;
      }
    } else if (c == delimiter_) {
      add(special);
      field = {position};
    } else if (c == quote_) {
      in_quotes = true;
      if (special != field.begin) field.has_escape = true;
      field.is_quoted = true;
    } else if (c == '\n' || c == '\r') {
      const unsigned bytes = lineEndBytes(special, end, is_last);
      if (bytes == 0) return Outcome::NeedMore;
      add(special);
      return finishRow(cursor, special, special + bytes);
    }
  }
}

std::string_view CopySplitter::decode(const CopyField& field, Arena& arena) const {
  return is_csv_ ? decodeCsv(field.raw(), arena) : decodeText(field.raw(), arena);
}

std::string_view CopySplitter::decodeText(std::string_view raw, Arena& arena) const {
  auto* decoded = static_cast<char*>(arena.allocate(raw.size()));
  char* out = decoded;
  const char* in = raw.data();
  const char* end = in + raw.size();
  bool has_byte_escape = false;
  while (in < end) {
    char c = *in++;
    if (c != '\\') {
      *out++ = c;
      continue;
    }
    if (in == end) break;
    c = *in++;
    if (isOctal(c)) {
      int value = c - '0';
      for (int i = 0; i < 2 && in < end && isOctal(*in); ++i) value = value * 8 + (*in++ - '0');
      c = static_cast<char>(value & 0xff);
      has_byte_escape = true;
    } else if (c == 'x' && in < end && hexDigit(*in) >= 0) {
      int value = hexDigit(*in++);
      if (in < end && hexDigit(*in) >= 0) value = value * 16 + hexDigit(*in++);
      c = static_cast<char>(value);
      has_byte_escape = true;
    } else {
      constexpr std::string_view kLetters = "bfnrtv";
      constexpr std::string_view kControls = "\b\f\n\r\t\v";
      if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) c = kControls[letter];
    }
    *out++ = c;
  }
  const std::string_view text(decoded, static_cast<size_t>(out - decoded));
  if (has_byte_escape) sql::checkUtf8(text);
  return text;
}

std::string_view CopySplitter::decodeCsv(std::string_view raw, Arena& arena) const {
  auto* decoded = static_cast<char*>(arena.allocate(raw.size()));
  char* out = decoded;
  bool in_quotes = false;
  for (size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (in_quotes && c == escape_ && i + 1 < raw.size() && (raw[i + 1] == escape_ || raw[i + 1] == quote_)) {
      *out++ = raw[++i];
    } else if (c == quote_) {
      in_quotes = !in_quotes;
    } else {
      *out++ = c;
    }
  }
  return {decoded, static_cast<size_t>(out - decoded)};
}

}  // namespace gnomon::server
