#include "base/custom_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon {
namespace {

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool isSimpleIdentifier(std::string_view text) {
  return !text.empty() && isLetter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '$'; });
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool isSame(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lowered, lowered);
}

}  // namespace

void CustomSettings::checkName(std::string_view name) {
  for (std::string_view rest = name;;) {
    const size_t dot = rest.find('.');
    if (!isSimpleIdentifier(rest.substr(0, dot)))
      throw SqlError(sqlstate::kInvalidName, fmt::format("invalid configuration parameter name \"{}\"", name))
          .detail("Custom parameter names must be two or more simple identifiers separated by dots.");
    if (dot == std::string_view::npos) return;
    rest.remove_prefix(dot + 1);
  }
}

const std::string* CustomSettings::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (isSame(entry.name, name)) return &entry.value;
  return nullptr;
}

std::string_view CustomSettings::shownName(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (isSame(entry.name, name)) return entry.name;
  return name;
}

CustomSettings::Entry& CustomSettings::made(std::string_view name) {
  for (Entry& entry : entries_)
    if (isSame(entry.name, name)) return entry;
  checkName(name);
  return entries_.emplace_back(Entry{.name = std::string(name), .value = {}, .reset_value = {}});
}

uint64_t CustomSettings::changeOf(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (isSame(entry.name, name)) return entry.change;
  return 0;
}

void CustomSettings::set(std::string_view name, std::string_view value, bool is_kept, uint64_t change) {
  Entry& entry = made(name);
  entry.value = value;
  entry.change = change;
  if (is_kept) entry.reset_value = value;
}

void CustomSettings::reset(std::string_view name, uint64_t change) {
  Entry& entry = made(name);
  entry.value = entry.reset_value;
  entry.change = change;
}

void CustomSettings::resetAll(uint64_t change) {
  for (Entry& entry : entries_) {
    entry.value = entry.reset_value;
    entry.change = change;
  }
}

void CustomSettings::addNamesOf(const CustomSettings& other) {
  for (const Entry& entry : other.entries_) made(entry.name);
}

}  // namespace gnomon
