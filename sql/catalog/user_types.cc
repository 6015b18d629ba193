#include "sql/catalog/user_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

thread_local const UserTypeSource* source_of_thread = nullptr;

}  // namespace

UserTypeScope::UserTypeScope(const UserTypeSource& source) : before_(std::exchange(source_of_thread, &source)) {}

UserTypeScope::~UserTypeScope() {
  source_of_thread = before_;
}

TablePtr findTypeEntry(uint32_t oid) {
  if (source_of_thread != nullptr) return source_of_thread->findEntry(oid & ~kArrayTypeBit);
  const CatalogSession* const session = catalogSession();
  return session == nullptr ? nullptr : session->catalog.findEntry(oid & ~kArrayTypeBit);
}

TablePtr findTypeEntry(std::string_view schema, std::string_view name) {
  if (source_of_thread != nullptr) return source_of_thread->findType(schema, name);
  const CatalogSession* const session = catalogSession();
  return session == nullptr ? nullptr : session->catalog.findType(schema, name);
}

std::string userTypeName(uint32_t entry) {
  const TablePtr found = findTypeEntry(entry);
  if (!found) return "???";
  const CatalogSession* const session = catalogSession();
  return session == nullptr ? quotedIdentifier(found->name) : session->catalog.shownName(*found);
}

Type typeOfEntry(const TableEntry& entry) {
  if (!entry.type || entry.type->form == TypeEntry::Form::Composite) return Type::recordOf(entry.oid);
  if (entry.type->form == TypeEntry::Form::Enum) return Type::enumOf(entry.oid);
  return entry.columns.front().type;
}

bool userTypeFromOid(uint32_t oid, Type& type, uint32_t& domain) {
  const TablePtr entry = findTypeEntry(oid & ~kRowTypeBit);
  if (!entry || entry->sequence) return false;
  const bool is_row = (oid & kRowTypeBit) != 0;
  const bool is_array = (oid & kArrayTypeBit) != 0;
  const bool has_rows = !entry->type || entry->type->form == TypeEntry::Form::Composite;
  const bool is_domain = entry->type && entry->type->form == TypeEntry::Form::Domain;
  type = typeOfEntry(*entry);
  if (is_row != has_rows || (is_array && type.isArray())) return false;
  if (is_array) type = type.array();
  domain = is_domain ? oid : 0;
  return true;
}

std::string shownName(Type type, uint32_t domain) {
  if (domain == 0) return type.name();
  return userTypeName(domainOid(domain)) + (isDomainArray(domain) ? "[]" : "");
}

std::vector<RecordField> recordFields(uint32_t relation) {
  const TablePtr entry = findTypeEntry(relation);
  if (!entry)
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("type with OID {} does not exist", relation | kRowTypeBit));
  std::vector<RecordField> fields;
  for (const uint32_t i : columnsInOrder(*entry)) {
    const ColumnEntry& column = entry->columns[i];
    const Type type = column.type.kind == TypeKind::Numeric ? Type::bigNumeric(column.type.typmod) : column.type;
    fields.push_back({column.name, type, i, column.domain});
  }
  return fields;
}

void requireUsable(uint32_t type, const TypeEntry::Label& label) {
  const CatalogSession* const session = catalogSession();
  if (session == nullptr || !session->catalog.isNewLabel(label.oid)) return;
  static constexpr SqlState kUnsafeNewEnumValueUsage("55P04");
  throw SqlError(kUnsafeNewEnumValueUsage,
                 fmt::format("unsafe use of new value \"{}\" of enum type {}", label.name, userTypeName(type)))
      .hint("New enum values must be committed before they can be used.");
}

int64_t parseEnum(uint32_t type, std::string_view label) {
  const TablePtr entry = findTypeEntry(type);
  if (entry && entry->type) {
    const auto& labels = entry->type->labels;
    const auto found = std::ranges::find(labels, label, &TypeEntry::Label::name);
    if (found != labels.end()) {
      requireUsable(type, *found);
      return found->key;
    }
  }
  throw SqlError(sqlstate::kInvalidTextRepresentation,
                 fmt::format("invalid input value for enum {}: \"{}\"", userTypeName(type), label));
}

void appendEnumText(uint32_t type, int64_t key, std::string& out) {
  const TablePtr entry = findTypeEntry(type);
  if (entry && entry->type) {
    const auto& labels = entry->type->labels;
    const auto found = std::ranges::lower_bound(labels, key, {}, &TypeEntry::Label::key);
    if (found != labels.end() && found->key == key) {
      out += found->name;
      return;
    }
  }
  throw SqlError(sqlstate::kInternalError, fmt::format("a value of enum {} has no label", userTypeName(type)));
}

}  // namespace gnomon::sql
