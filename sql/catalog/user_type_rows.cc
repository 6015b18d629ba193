#include "sql/catalog/user_type_rows.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum TypeField : uint32_t {
  kTypeOid,
  kTypeForm,
  kTypeBase,
  kTypeLabel,
  kTypeKey,
  kTypeLabelOid,
  kTypeSortOrder,
  kTypeFields
};

}  // namespace

txn::RelationSchema userTypesSchema() {
  return {{StoredKind::Int32, false},  {StoredKind::Int16, false}, {StoredKind::Int32, false},
          {StoredKind::String, true},  {StoredKind::Int64, false}, {StoredKind::Int32, false},
          {StoredKind::Float32, false}};
}

void appendUserType(const TableEntry& entry, txn::WriteStatement& rows) {
  if (!entry.type) return;
  const TypeEntry& type = *entry.type;
  const auto append = [&](const TypeEntry::Label& label, bool is_there) {
    const std::array<Datum, kTypeFields> values{number(entry.oid),
                                                number(static_cast<int64_t>(type.form)),
                                                number(type.base_domain),
                                                text(label.name),
                                                number(label.key),
                                                number(label.oid),
                                                Datum{std::bit_cast<uint64_t>(double{label.sort_order}), 0}};
    std::array<uint8_t, kTypeFields> nulls{};
    nulls[kTypeLabel] = !is_there;
    rows.append(values.data(), nulls.data());
  };
  for (const TypeEntry::Label& label : type.labels) append(label, true);
  if (type.labels.empty()) append({}, false);
}

void loadUserTypes(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  std::map<uint32_t, std::shared_ptr<TypeEntry>> types;
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next()) {
    const auto oid = static_cast<uint32_t>(readNumber(row, kTypeOid));
    const int32_t form = readNumber(row, kTypeForm);
    if (!tables.contains(oid) || form < static_cast<int32_t>(TypeEntry::Form::Enum) ||
        form > static_cast<int32_t>(TypeEntry::Form::Composite))
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a type without a name, or of an unknown form");
    auto& type = types[oid];
    if (!type) type = std::make_shared<TypeEntry>();
    type->form = static_cast<TypeEntry::Form>(form);
    type->base_domain = static_cast<uint32_t>(readNumber(row, kTypeBase));
    if (row.isNull(kTypeLabel)) continue;
    type->labels.push_back({readText(row, kTypeLabel), static_cast<int64_t>(row.value(kTypeKey).lo),
                            static_cast<uint32_t>(readNumber(row, kTypeLabelOid)),
                            static_cast<float>(std::bit_cast<double>(row.value(kTypeSortOrder).lo))});
  }
  for (auto& [oid, type] : types) {
    std::ranges::sort(type->labels, {}, &TypeEntry::Label::key);
    tables[oid]->type = std::move(type);
  }
}

}  // namespace gnomon::sql
