#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/catalog/type_entry.h"
#include "sql/types/type.h"

/// The types that users made, and those of tables' rows, as the session that this thread works for sees them
/// (sql/catalog/catalog_session.h).
namespace gnomon::sql {

/// Where they are found while there is no session: the catalog is being loaded.
class UserTypeSource {
 public:
  virtual ~UserTypeSource() = default;
  /// The entry with this oid; null: none.
  [[nodiscard]] virtual TablePtr findEntry(uint32_t oid) const = 0;
  /// The one that the name of a type means; null: none.
  [[nodiscard]] virtual TablePtr findType(std::string_view schema, std::string_view name) const = 0;
};
/// For as long as it lives, this thread looks there.
class UserTypeScope {
 public:
  explicit UserTypeScope(const UserTypeSource& source);
  ~UserTypeScope();
  UserTypeScope(const UserTypeScope&) = delete;
  UserTypeScope& operator=(const UserTypeScope&) = delete;

 private:
  const UserTypeSource* const before_;
};

/// What the type of a column, a parameter, a field has to do with a domain is one number: the domain's oid; of an array
/// whose elements are of the domain, that with kArrayTypeBit; 0: nothing.
constexpr uint32_t domainOid(uint32_t domain) {
  return domain & ~kArrayTypeBit;
}
constexpr bool isDomainArray(uint32_t domain) {
  return (domain & kArrayTypeBit) != 0;
}

/// The entry that defines types, that of an array's elements included; null: none, or there is no session.
TablePtr findTypeEntry(uint32_t oid);
/// The entry whose name is a type's, as its rows' or as its own; null: none.
TablePtr findTypeEntry(std::string_view schema, std::string_view name);
/// As format_type shows it.
std::string userTypeName(uint32_t entry);

/// The type that an entry defines, of a domain the one below it.
Type typeOfEntry(const TableEntry& entry);
/// The type with this oid, of a domain the one below it; false: there is none.
bool userTypeFromOid(uint32_t oid, Type& type, uint32_t& domain);
/// The name that messages give a domain, or an array of it, or else the type.
std::string shownName(Type type, uint32_t domain);

/// A field of records of a type that is defined.
struct RecordField {
  std::string name;
  Type type;            ///< as records hold it (sql/types/record_value.h)
  uint32_t column = 0;  ///< in TableEntry::columns
  uint32_t domain = 0;  ///< see domainOid()
};
/// Those of a relation's rows, or of a composite type. Failure: 42704.
std::vector<RecordField> recordFields(uint32_t relation);

/// Values of the enum that have this label may be made. Failure: 55P04 while the transaction that added it goes on.
void requireUsable(uint32_t type, const TypeEntry::Label& label);
/// The key of a label of the enum. Failure: 22P02 `invalid input value for enum x: "y"`; as requireUsable().
int64_t parseEnum(uint32_t type, std::string_view label);
/// Appends the label with the key. Failure: XX000.
void appendEnumText(uint32_t type, int64_t key, std::string& out);

}  // namespace gnomon::sql
