#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/pgwire/message_writer.h"
#include "sql/bound_statement.h"
#include "sql/statement.h"

namespace gnomon::server {

/// A column of a statement's result as RowDescription tells it.
struct ResultColumn {
  std::string name;
  uint32_t table_oid = 0;  ///< 0: computed
  int16_t attribute = 0;
  sql::Type type;

  /// Whether a client sees the same column: the representation of a numeric is not its business.
  [[nodiscard]] bool looksLike(const ResultColumn& other) const {
    return name == other.name && type.oid() == other.type.oid() && type.typmod == other.type.typmod;
  }
};

/// The columns of a statement's rows; none when it returns no rows.
std::vector<ResultColumn> resultColumns(const sql::BoundStatement& statement);
/// Whether the statement answers with rows at all (a SELECT may have none of columns).
bool returnsRows(const sql::BoundStatement& statement);
/// Whether it changes what tables and indexes there are, or all rows at once.
bool isDefining(const sql::BoundStatement& statement);

/// Writes RowDescription. `formats`: one per column, or empty: all text.
void writeRowDescription(MessageWriter& writer, std::span<const ResultColumn> columns,
                         std::span<const int16_t> formats);
/// Writes CommandComplete. `rows`: stands behind the tag.
void writeCommandComplete(MessageWriter& writer, std::string_view tag, std::optional<uint64_t> rows = {});
/// Writes a DataRow of texts.
void writeTextRow(MessageWriter& writer, std::span<const std::string> values);

}  // namespace gnomon::server
