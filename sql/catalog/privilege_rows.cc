#include "sql/catalog/privilege_rows.h"

#include <algorithm>
#include <array>

#include "base/sql_error.h"
#include "sql/catalog/acl_row.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

constexpr txn::RelationId kPrivilegesId{18};

enum PrivilegeField : uint32_t {
  kPrivilegeObject,
  kPrivilegeKind,
  kPrivilegePart,
  kPrivilegeGrantee,
  kPrivilegeGrantor,
  kPrivilegeRights,
  kPrivilegeFields
};
enum class Kind : uint8_t { Entry, Column, Schema };

void append(txn::WriteStatement& rows, uint32_t object, Kind kind, uint32_t part, const AclPtr& acl) {
  if (!acl) return;
  forEachStored(*acl, [&](const AclItem& item) {
    const std::array<Datum, kPrivilegeFields> values{number(object),       number(static_cast<int64_t>(kind)),
                                                     number(part),         number(item.grantee),
                                                     number(item.grantor), number(storedRights(item))};
    const std::array<uint8_t, kPrivilegeFields> nulls{};
    rows.append(values.data(), nulls.data());
  });
}

[[noreturn]] void raiseDamaged() {
  throw SqlError(sqlstate::kDataCorrupted, "the catalog has rights on something that is not there");
}

}  // namespace

PrivilegeRelation::PrivilegeRelation(txn::DatabaseStorage& storage) {
  const txn::RelationSchema schema{{StoredKind::Int32, false}, {StoredKind::Int16, false}, {StoredKind::Int32, false},
                                   {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Int32, false}};
  rows_ = storage.isNew() ? storage.createSystemTable(kPrivilegesId, schema) : storage.openTable(kPrivilegesId);
}

void PrivilegeRelation::record(const TableEntry* before, const TableEntry* after, const txn::WriteContext& context) {
  txn::WriteStatement rows(*rows_, context);
  if (before) removeRows(*rows_, rows, {before->oid});
  if (after) {
    append(rows, after->oid, Kind::Entry, 0, after->acl);
    for (uint32_t i = 0; i < after->columns.size(); ++i)
      if (!after->columns[i].isDropped()) append(rows, after->oid, Kind::Column, i + 1, after->columns[i].acl);
  }
  rows.finish();
}

void PrivilegeRelation::record(const SchemaEntry* before, const SchemaEntry* after, const txn::WriteContext& context) {
  txn::WriteStatement rows(*rows_, context);
  if (before) removeRows(*rows_, rows, {before->oid});
  if (after) append(rows, after->oid, Kind::Schema, 0, after->acl);
  rows.finish();
}

void PrivilegeRelation::load(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables,
                             std::vector<SchemaPtr>& schemas) const {
  const auto add = [](AclPtr& acl, const AclItem& item) {
    auto more = acl ? std::make_shared<Acl>(*acl) : std::make_shared<Acl>();
    if (item.rights != Privilege::None) more->push_back(item);
    acl = std::move(more);
  };
  storage::RowCursor row(rows_->relation(), rows_->readBound());
  while (row.next()) {
    const auto object = static_cast<uint32_t>(readNumber(row, kPrivilegeObject));
    const auto kind = static_cast<Kind>(readNumber(row, kPrivilegeKind));
    const auto part = static_cast<uint32_t>(readNumber(row, kPrivilegePart));
    const AclItem item = readAclItem(row, kPrivilegeGrantee);
    if (kind == Kind::Schema) {
      const auto schema = std::ranges::find(schemas, object, [](const SchemaPtr& each) { return each->oid; });
      if (schema == schemas.end()) raiseDamaged();
      auto after = std::make_shared<SchemaEntry>(**schema);
      add(after->acl, item);
      *schema = std::move(after);
      continue;
    }
    const auto table = tables.find(object);
    if (table == tables.end()) raiseDamaged();
    if (kind == Kind::Entry)
      add(table->second->acl, item);
    else if (part >= 1 && part <= table->second->columns.size())
      add(table->second->columns[part - 1].acl, item);
    else
      raiseDamaged();
  }
}

}  // namespace gnomon::sql
