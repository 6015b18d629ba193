#include "sql/catalog/acl_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/roles.h"

namespace gnomon::sql {
namespace {

using enum Privilege;

struct Named {
  Privilege right;
  std::string_view name;
  char letter;
};
/// In the order of their bits.
constexpr std::array<Named, 14> kNames{{{Insert, "INSERT", 'a'},
                                        {Select, "SELECT", 'r'},
                                        {Update, "UPDATE", 'w'},
                                        {Delete, "DELETE", 'd'},
                                        {Truncate, "TRUNCATE", 'D'},
                                        {References, "REFERENCES", 'x'},
                                        {Trigger, "TRIGGER", 't'},
                                        {Execute, "EXECUTE", 'X'},
                                        {Usage, "USAGE", 'U'},
                                        {Create, "CREATE", 'C'},
                                        {Temporary, "TEMPORARY", 'T'},
                                        {Connect, "CONNECT", 'c'},
                                        {Set, "SET", 's'},
                                        {AlterSystem, "ALTER SYSTEM", 'A'}}};

/// A role's name as an ACL shows it.
std::string shownRole(const CatalogView& catalog, uint32_t role) {
  const RolePtr entry = catalog.findRole(role);
  const std::string name = entry ? entry->name : std::to_string(role);
  const bool is_plain =
      std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
  if (is_plain) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

/// Reads PostgreSQL's text of an item. Source: its aclparse.
class AclItemReader {
 public:
  AclItemReader(const CatalogView& catalog, std::string_view text) : catalog_(catalog), rest_(text) {}

  AclItem read() {
    std::string name = readName();
    if (!rest_.starts_with('=')) {
      if (name != "group" && name != "user")
        throw SqlError(sqlstate::kInvalidTextRepresentation, fmt::format("unrecognized key word: \"{}\"", name))
            .hint("ACL key word must be \"group\" or \"user\".");
      name = readName();
      if (name.empty())
        throw SqlError(sqlstate::kInvalidTextRepresentation, "missing name")
            .hint("A name must follow the \"group\" or \"user\" key word.");
    }
    if (!rest_.starts_with('=')) throw SqlError(sqlstate::kInvalidTextRepresentation, "missing \"=\" sign");
    rest_.remove_prefix(1);
    AclItem item;
    readRights(item);
    item.grantee = name.empty() ? kPublicGrantee : roleOf(name);
    item.grantor = kRoleOid;
    if (rest_.starts_with('/')) {
      rest_.remove_prefix(1);
      const std::string grantor = readName();
      if (grantor.empty()) throw SqlError(sqlstate::kInvalidTextRepresentation, "a name must follow the \"/\" sign");
      item.grantor = roleOf(grantor);
    }
    skipBlanks();
    if (!rest_.empty())
      throw SqlError(sqlstate::kInvalidTextRepresentation, "extra garbage at the end of the ACL specification");
    return item;
  }

 private:
  void skipBlanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
  }

  std::string readName() {
    skipBlanks();
    std::string name;
    bool is_quoted = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      const bool is_plain =
          std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
      if (c == '"' && rest_.starts_with("\"\"")) {
        name += '"';
        rest_.remove_prefix(1);
      } else if (c == '"') {
        is_quoted = !is_quoted;
      } else if (is_plain || is_quoted) {
        name += c;
      } else {
        break;
      }
      rest_.remove_prefix(1);
    }
    skipBlanks();
    return name;
  }

  void readRights(AclItem& item) {
    for (Privilege last = None; !rest_.empty(); rest_.remove_prefix(1)) {
      const char c = rest_.front();
      if (c == '*') {
        item.grantable = item.grantable | last;
        continue;
      }
      if (std::isalpha(static_cast<unsigned char>(c)) == 0) return;
      const auto* const found = std::ranges::find(kNames, c, &Named::letter);
      if (found == kNames.end())
        throw SqlError(sqlstate::kInvalidTextRepresentation,
                       "invalid mode character: must be one of \"arwdDxtXUCTcsA\"");
      last = found->right;
      item.rights = item.rights | last;
    }
  }

  [[nodiscard]] uint32_t roleOf(const std::string& name) const {
    if (const RolePtr role = catalog_.findRole(std::string_view(name))) return role->oid;
    uint32_t oid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), oid);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) return oid;
    return requireRole(catalog_, std::string_view(name))->oid;
  }

  const CatalogView& catalog_;
  std::string_view rest_;
};

}  // namespace

std::string_view privilegeName(Privilege right) {
  return std::ranges::find(kNames, right, &Named::right)->name;
}

Privilege findPrivilege(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (upper == "TEMP") return Temporary;
  const auto* const found = std::ranges::find(kNames, upper, &Named::name);
  return found == kNames.end() ? None : found->right;
}

std::string privilegeLetters(Privilege rights, Privilege grantable) {
  std::string letters;
  for (const Named& each : kNames) {
    if (overlaps(rights, each.right)) letters += each.letter;
    if (overlaps(grantable, each.right)) letters += '*';
  }
  return letters;
}

std::string aclItemText(const CatalogView& catalog, const AclItem& item) {
  const std::string grantee = item.grantee == kPublicGrantee ? std::string() : shownRole(catalog, item.grantee);
  return fmt::format("{}={}/{}", grantee, privilegeLetters(item.rights, item.grantable),
                     shownRole(catalog, item.grantor));
}

std::vector<std::string> aclTexts(const CatalogView& catalog, const Acl& acl) {
  std::vector<std::string> texts;
  for (const AclItem& item : acl) texts.push_back(aclItemText(catalog, item));
  return texts;
}

AclItem parseAclItem(const CatalogView& catalog, std::string_view text) {
  return AclItemReader(catalog, text).read();
}

std::string canonicalAclItem(std::string_view text) {
  const CatalogView& catalog = requiredCatalogSession().catalog;
  return aclItemText(catalog, parseAclItem(catalog, text));
}

}  // namespace gnomon::sql
