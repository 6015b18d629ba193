#include "sql/catalog/foreign_key_violation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "sql/catalog/access.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/partitioning.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {
namespace {

/// "Key (a, b)=(1, x)", or no more than "Key" for who may not read it.
std::string describeKey(const TableEntry& table, const std::vector<uint32_t>& columns, const storage::Datum* values) {
  std::string names, texts;
  const auto isShown = [&](uint32_t column) { return mayBeShown(table, column); };
  if (!std::ranges::all_of(columns, isShown)) return "Key";
  for (size_t i = 0; i < columns.size(); ++i) {
    const ColumnEntry& column = table.columns[columns[i]];
    names += (i == 0 ? "" : ", ") + column.name;
    if (i > 0) texts += ", ";
    appendText(column.type, values[i].lo, values[i].hi, texts);
  }
  return fmt::format("Key ({})=({})", names, texts);
}

SqlError childViolation(const TableEntry& child, const ForeignKeyEntry& key) {
  return SqlError(sqlstate::kForeignKeyViolation,
                  fmt::format("insert or update on table \"{}\" violates foreign key constraint \"{}\"", child.name,
                              key.name))
      .table(child.schema, child.name)
      .constraint(key.name);
}

}  // namespace

SqlError missingParent(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                       const storage::Datum* values) {
  return childViolation(child, key)
      .detail(fmt::format("{} is not present in table \"{}\".", describeKey(child, key.columns, values), parent.name));
}

SqlError mixedNulls(const TableEntry& child, const ForeignKeyEntry& key) {
  return childViolation(child, key).detail("MATCH FULL does not allow mixing of null and nonnull key values.");
}

SqlError stillReferenced(const TableEntry& parent, const ForeignKeyEntry& key, const TableEntry& child,
                         const storage::Datum* values) {
  return SqlError(sqlstate::kForeignKeyViolation,
                  fmt::format("update or delete on table \"{}\" violates foreign key constraint \"{}\" on table \"{}\"",
                              parent.name, key.name, child.name))
      .detail(fmt::format("{} is still referenced from table \"{}\".", describeKey(parent, key.parent_columns, values),
                          child.name))
      .table(child.schema, child.name)
      .constraint(key.name);
}

SqlError removedPartition(const TableEntry& partition, const ForeignKeyEntry& key, const TableEntry& child,
                          const storage::Datum* values) {
  return SqlError(
             sqlstate::kForeignKeyViolation,
             fmt::format("removing partition \"{}\" violates foreign key constraint \"{}\"", partition.name, key.name))
      .detail(fmt::format("{} is still referenced from table \"{}\".",
                          describeKey(partition, key.parent_columns, values), child.name))
      .table(child.schema, child.name)
      .constraint(key.name);
}

SqlError forbiddenMove(const TableEntry& root, const TableEntry& child, const ForeignKeyEntry& part) {
  const ForeignKeyEntry* const whole = findKey(child, part.part_of);
  CHECK(whole != nullptr, "parts of a key go with it");
  std::string ancestor;
  for (const TablePtr& below : root.partitioning->descendants())
    if (below->oid == whole->parent) ancestor = below->name;
  return SqlError(sqlstate::kFeatureNotSupported,
                  "cannot move tuple across partitions when a non-root ancestor of the source partition is directly "
                  "referenced in a foreign key")
      .detail(
          fmt::format("A foreign key points to ancestor \"{}\" but not the root ancestor \"{}\".", ancestor, root.name))
      .hint(fmt::format("Consider defining the foreign key on table \"{}\".", root.name));
}

}  // namespace gnomon::sql
