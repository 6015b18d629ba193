#include "sql/catalog/violation.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/algebra/index_expressions.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/column_order.h"
#include "sql/parse/identifier.h"
#include "sql/types/failing_row.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {

namespace {

/// Of a row only what may be read is shown; empty: nothing.
std::string failingRow(const TableEntry& table, const storage::Datum* values, const uint8_t* null_flags,
                       ByteaOutput bytea_output) {
  std::string row, names;
  bool is_whole = true;
  for (const uint32_t i : columnsInOrder(table)) {
    if (!mayBeShown(table, i)) {
      is_whole = false;
      continue;
    }
    names.append(names.empty() ? "" : ", ").append(table.columns[i].name);
    if (!row.empty()) row += ", ";
    if (null_flags[i])
      row += "null";
    else
      appendFailingValue(table.columns[i].type, values[i].lo, values[i].hi, bytea_output, row);
  }
  if (is_whole) return fmt::format("Failing row contains ({}).", row);
  return names.empty() ? std::string() : fmt::format("Failing row contains ({}) = ({}).", names, row);
}

bool isKeyShown(const ObjectPath& table, const IndexSpecification& index) {
  const CatalogSession* const session = catalogSession();
  const TablePtr entry = session == nullptr ? nullptr : session->catalog.findEntry(table);
  return !entry || std::ranges::all_of(index.columns, [&](const IndexColumn& part) {
    return mayBeShown(*entry, part.column == IndexColumn::kExpression ? UINT32_MAX : part.column);
  });
}

}  // namespace

SqlError notNullViolation(const TableEntry& table, uint32_t column, const storage::Datum* values,
                          const uint8_t* null_flags, ByteaOutput bytea_output, const TableEntry* target) {
  return SqlError(sqlstate::kNotNullViolation,
                  fmt::format("null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                              table.columns[column].name, table.name))
      .detail(failingRow(target != nullptr ? *target : table, values, null_flags, bytea_output))
      .table(table.schema, table.name)
      .column(table.columns[column].name);
}

SqlError checkViolation(const TableEntry& table, uint32_t check, const storage::Datum* values,
                        const uint8_t* null_flags, ByteaOutput bytea_output, const TableEntry* target) {
  const std::string& name = table.checks[check].name;
  return SqlError(sqlstate::kCheckViolation,
                  fmt::format("new row for relation \"{}\" violates check constraint \"{}\"", table.name, name))
      .detail(failingRow(target != nullptr ? *target : table, values, null_flags, bytea_output))
      .table(table.schema, table.name)
      .constraint(name);
}

SqlError viewViolation(const TableEntry& table, const std::string& view, const storage::Datum* values,
                       const uint8_t* null_flags, ByteaOutput bytea_output) {
  static constexpr SqlState kWithCheckOptionViolation("44000");
  return SqlError(kWithCheckOptionViolation, fmt::format("new row violates check option for view \"{}\"", view))
      .detail(failingRow(table, values, null_flags, bytea_output));
}

SqlError partitionViolation(const TableEntry& partition, const storage::Datum* values, const uint8_t* null_flags,
                            ByteaOutput bytea_output) {
  return SqlError(sqlstate::kCheckViolation,
                  fmt::format("new row for relation \"{}\" violates partition constraint", partition.name))
      .detail(failingRow(partition, values, null_flags, bytea_output))
      .table(partition.schema, partition.name);
}

SqlError uniqueViolation(const ObjectPath& table, const std::vector<ColumnEntry>& columns,
                         const IndexSpecification& index, const IndexExpressions* expressions,
                         const storage::Datum* values, const uint8_t* null_flags, bool is_new) {
  std::string names, key;
  for (size_t i = 0; i < index.columns.size(); ++i) {
    const uint32_t column = index.columns[i].column;
    if (i > 0) names += ", ";
    names += expressions != nullptr ? expressions->texts[i] : quotedIdentifier(columns[column].name);
    if (i > 0) key += ", ";
    if (null_flags[i])
      key += "null";
    else
      appendText(expressions != nullptr ? expressions->parts[i]->type : columns[column].type, values[i].lo,
                 values[i].hi, key);
  }
  const std::string message = is_new ? fmt::format("could not create unique index \"{}\"", index.name)
                                     : fmt::format("duplicate key value violates unique constraint \"{}\"", index.name);
  return SqlError(sqlstate::kUniqueViolation, message)
      .detail(!isKeyShown(table, index)
                  ? std::string(is_new ? "Duplicate keys exist." : "")
                  : fmt::format("Key ({})=({}) {}.", names, key, is_new ? "is duplicated" : "already exists"))
      .table(table.schema, table.name)
      .constraint(index.name);
}

}  // namespace gnomon::sql
