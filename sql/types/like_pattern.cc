#include "sql/types/like_pattern.h"

#include <algorithm>
#include <cstring>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

constexpr char toLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

/// The first unit of a text that is not empty.
std::string_view firstCharacter(std::string_view text, LikeUnit unit) {
  return text.substr(0, unit == LikeUnit::Byte ? 1 : characterBytes(static_cast<unsigned char>(text.front())));
}

/// Offset of the unit `count` units before the end; false when there are fewer.
bool offsetFromEnd(std::string_view text, size_t count, LikeUnit unit, size_t& offset) {
  if (unit == LikeUnit::Byte) {
    offset = text.size() - std::min(count, text.size());
    return count <= text.size();
  }
  offset = text.size();
  for (; count > 0; --count) {
    if (offset == 0) return false;
    do --offset;
    while (offset > 0 && (static_cast<unsigned char>(text[offset]) & 0xc0) == 0x80);
  }
  return true;
}

}  // namespace

bool LikePattern::Piece::isAllWildcards() const {
  return !bytes.empty() && std::find(wildcards.begin(), wildcards.end(), false) == wildcards.end() && hasWildcard();
}

void LikePattern::Piece::addLiteral(std::string_view character) {
  bytes += character;
  if (hasWildcard()) wildcards.resize(bytes.size(), false);
  ++characters;
}

void LikePattern::Piece::addWildcard() {
  wildcards.resize(bytes.size(), false);
  bytes += '_';
  wildcards.push_back(true);
  ++characters;
}

bool LikePattern::Piece::matchesAt(std::string_view text, size_t offset, size_t& end) const {
  if (!hasWildcard()) {
    end = offset + bytes.size();
    return end <= text.size() && std::memcmp(text.data() + offset, bytes.data(), bytes.size()) == 0;
  }
  end = offset;
  for (size_t index = 0; index < bytes.size(); ++index) {
    if (end >= text.size()) return false;
    if (wildcards[index])
      end += firstCharacter(text.substr(end), unit).size();
    else if (text[end++] != bytes[index])
      return false;
  }
  return end <= text.size();
}

bool LikePattern::Piece::find(std::string_view text, size_t offset, size_t& end) const {
  if (!hasWildcard()) {
    const void* found = memmem(text.data() + offset, text.size() - offset, bytes.data(), bytes.size());
    if (!found) return false;
    end = static_cast<size_t>(static_cast<const char*>(found) - text.data()) + bytes.size();
    return true;
  }
  while (offset <= text.size()) {
    if (matchesAt(text, offset, end)) return true;
    if (offset == text.size()) return false;
    offset += firstCharacter(text.substr(offset), unit).size();
  }
  return false;
}

bool LikePattern::Piece::matchesEnd(std::string_view text, size_t offset) const {
  if (!hasWildcard()) return text.size() - offset >= bytes.size() && text.ends_with(bytes);
  size_t start;
  size_t end;
  return offsetFromEnd(text, characters, unit, start) && start >= offset && matchesAt(text, start, end) &&
         end == text.size();
}

LikePattern::LikePattern(std::string_view pattern, std::string_view escape, LikeUnit unit) : unit_(unit) {
  if (!escape.empty() && firstCharacter(escape, unit).size() != escape.size())
    throw SqlError(sqlstate::kInvalidEscapeSequence, "invalid escape string")
        .hint("Escape string must be empty or one character.");
  const auto addPiece = [&] { pieces_.emplace_back().unit = unit; };
  addPiece();
  while (!pattern.empty()) {
    std::string_view character = firstCharacter(pattern, unit);
    pattern.remove_prefix(character.size());
    if (!escape.empty() && character == escape) {
      if (pattern.empty()) {
        ends_with_escape_ = true;
        break;
      }
      character = firstCharacter(pattern, unit);
      pattern.remove_prefix(character.size());
    } else if (character == "%") {
      // Neighbouring % are one.
      if (pieces_.size() == 1 || !pieces_.back().bytes.empty()) addPiece();
      continue;
    } else if (character == "_") {
      pieces_.back().addWildcard();
      continue;
    }
    const char folded = unit == LikeUnit::CaselessCharacter ? toLower(character.front()) : character.front();
    pieces_.back().addLiteral(character.size() == 1 ? std::string_view(&folded, 1) : character);
  }
}

bool LikePattern::matches(std::string_view text) const {
  if (unit_ != LikeUnit::CaselessCharacter) return matchesCase(text);
  constexpr size_t kLocalBytes = 512;
  char local[kLocalBytes];
  std::string large;
  char* folded = local;
  if (text.size() > kLocalBytes) {
    large.resize(text.size());
    folded = large.data();
  }
  std::transform(text.begin(), text.end(), folded, toLower);
  return matchesCase({folded, text.size()});
}

bool LikePattern::matchesCase(std::string_view text) const {
  if (ends_with_escape_) [[unlikely]]
    return matchesUpToEscape(text);
  size_t offset;
  if (!pieces_.front().matchesAt(text, 0, offset)) return false;
  if (pieces_.size() == 1) return offset == text.size();
  for (size_t index = 1; index + 1 < pieces_.size(); ++index)
    if (!pieces_[index].find(text, offset, offset)) return false;
  return pieces_.back().matchesEnd(text, offset);
}

/// No text matches a pattern that ends with the escape character; PostgreSQL says so when the match arrives there.
bool LikePattern::matchesUpToEscape(std::string_view text) const {
  size_t offset;
  if (!pieces_.front().matchesAt(text, 0, offset)) return false;
  bool arrives = offset < text.size();
  for (size_t index = 1; index < pieces_.size() && arrives; ++index) {
    const Piece& piece = pieces_[index];
    if (!piece.find(text, offset, offset)) return false;
    arrives = piece.bytes.empty() || piece.isAllWildcards() || offset < text.size();
  }
  if (arrives) throw SqlError(sqlstate::kInvalidEscapeSequence, "LIKE pattern must not end with escape character");
  return false;
}

std::string_view LikePattern::prefix() const {
  if (unit_ == LikeUnit::CaselessCharacter || ends_with_escape_) return {};
  const Piece& first = pieces_.front();
  const auto wildcard = std::find(first.wildcards.begin(), first.wildcards.end(), true);
  const size_t length =
      first.hasWildcard() ? static_cast<size_t>(wildcard - first.wildcards.begin()) : first.bytes.size();
  return std::string_view(first.bytes).substr(0, length);
}

bool LikePattern::isExact() const {
  return pieces_.size() == 1 && unit_ != LikeUnit::CaselessCharacter && !ends_with_escape_ &&
         !pieces_.front().hasWildcard();
}

}  // namespace gnomon::sql
