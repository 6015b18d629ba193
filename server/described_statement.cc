#include "server/described_statement.h"

#include "server/portals.h"
#include "server/prepared_statements.h"

namespace gnomon::server {

bool asksSession(const sql::BoundStatement& bound) {
  if (std::holds_alternative<sql::FetchStatement>(bound.body)) return true;
  const auto* execute = std::get_if<sql::ExecuteStatement>(&bound.body);
  return execute != nullptr && execute->use == sql::ExecuteStatement::Use::Run;
}

ResultShape resultShape(const SessionContext& session, const sql::BoundStatement& bound) {
  const DescribedStatement* answering = nullptr;
  if (const auto* fetch = std::get_if<sql::FetchStatement>(&bound.body)) {
    if (fetch->is_move) return {};
    if (const BoundPortal* place = session.portals.find(fetch->cursor); place != nullptr && place->portal)
      answering = place->source.statement.get();
  } else if (asksSession(bound)) {
    const PreparedStatement* prepared = session.statements.peek(std::get<sql::ExecuteStatement>(bound.body).name);
    if (prepared != nullptr) answering = prepared->statement.get();
  } else {
    return {returnsRows(bound), resultColumns(bound)};
  }
  if (answering == nullptr) return {};
  return {answering->returns_rows, answering->columns()};
}

void DescribedStatement::describe(MessageWriter& writer, const std::vector<int16_t>& formats) {
  if (!description_.empty() && described_formats_ == formats) return writer.write(description_);
  writeRowDescription(writer, columns_, formats);
  described_formats_ = formats;
  description_ = writer.lastMessage();
}

}  // namespace gnomon::server
