#include "wal/log_record.h"

#include <fmt/format.h>

namespace gnomon::wal {

OwnedRecord::OwnedRecord(const LogRecord& record)
    : claims_(record.claims.begin(), record.claims.end()),
      body_(record.body.begin(), record.body.end()),
      record_(record) {
  record_.claims = claims_;
  record_.body = body_;
}

std::string describe(const LogRecord& record, const BodyText& body_text) {
  std::string text = fmt::format("log {} at {}: gsn {}", record.log.value, record.position.value, record.gsn.value);
  if (record.transaction.value != 0) text += fmt::format(" transaction {}", record.transaction.value);
  if (record.previous.value != 0) text += fmt::format(" previous {}", record.previous.value);
  if (record.is_system) text += " system";
  if (record.is_compensation) text += fmt::format(" compensation, undo next {}", record.undo_next.value);
  if (record.relation != 0) text += fmt::format(" relation {}", record.relation);
  if (record.page != 0) text += fmt::format(" page {}", record.page);
  for (const LogClaim& claim : record.claims)
    text += fmt::format(" {} log {} gsn {}", claim.kind == LogClaim::Kind::Depends ? "depends on" : "knows stable",
                        claim.log.value, claim.gsn.value);
  if (record.type == kCommitRecord) text += " commit";
  if (record.type == kEndRecord) text += " end";
  if (body_text) return text + " " + body_text(record);
  if (record.type >= kFirstOfRooms) text += fmt::format(" type {}", record.type.value);
  if (!record.body.empty()) text += fmt::format(" {} bytes", record.body.size());
  return text;
}

}  // namespace gnomon::wal
