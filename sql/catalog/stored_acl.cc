#include "sql/catalog/stored_acl.h"

#include <fmt/format.h>

#include <charconv>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

/// The number at the beginning of the text, which goes with the mark behind it.
uint32_t takeNumber(std::string_view& text, char mark) {
  uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop == end || *stop != mark)
    throw SqlError(sqlstate::kDataCorrupted, "rights on a large object cannot be read");
  text.remove_prefix(static_cast<size_t>(stop - text.data()) + 1);
  return number;
}

}  // namespace

std::string storedAcl(const Acl& acl) {
  std::string text;
  for (const AclItem& item : acl)
    text += fmt::format("{},{},{},{};", item.grantee, item.grantor, static_cast<uint16_t>(item.rights),
                        static_cast<uint16_t>(item.grantable));
  return text;
}

Acl readStoredAcl(std::string_view text) {
  Acl acl;
  while (!text.empty()) {
    AclItem& item = acl.emplace_back();
    item.grantee = takeNumber(text, ',');
    item.grantor = takeNumber(text, ',');
    item.rights = static_cast<Privilege>(takeNumber(text, ','));
    item.grantable = static_cast<Privilege>(takeNumber(text, ';'));
  }
  return acl;
}

}  // namespace gnomon::sql
