#include "sql/catalog/comment_rows.h"

#include <algorithm>
#include <array>

#include "base/sql_error.h"
#include "sql/catalog/catalog_row.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

enum CommentField : uint32_t {
  kCommentOwner,
  kCommentKind,
  kCommentNumber,
  kCommentName,
  kCommentText,
  kCommentFields
};

enum class Kind : uint8_t { Relation, Column, Index, Key, ForeignKey, Check, Trigger };

[[noreturn]] void raiseDamaged() {
  throw SqlError(sqlstate::kDataCorrupted, "the catalog has a comment on something that is not there");
}

/// Appends those of one table.
class CommentAppender {
 public:
  CommentAppender(uint32_t owner, txn::WriteStatement& rows) : owner_(owner), rows_(rows) {}

  void add(Kind kind, uint32_t of, const std::string& comment, const std::string& name = {}) {
    if (comment.empty()) return;
    const std::array<Datum, kCommentFields> values{number(owner_), number(static_cast<int64_t>(kind)), number(of),
                                                   text(name), text(comment)};
    std::array<uint8_t, kCommentFields> nulls{};
    nulls[kCommentName] = name.empty();
    rows_.append(values.data(), nulls.data());
  }

 private:
  const uint32_t owner_;
  txn::WriteStatement& rows_;
};

void give(TableEntry& table, Kind kind, uint32_t of, const std::string& name, std::string comment) {
  if (kind == Kind::Relation) {
    table.comment = std::move(comment);
  } else if (kind == Kind::Column) {
    if (of == 0 || of > table.columns.size()) raiseDamaged();
    table.columns[of - 1].comment = std::move(comment);
  } else if (kind == Kind::Index || kind == Kind::Key) {
    const auto index = std::ranges::find(table.indexes, of, &IndexEntry::oid);
    if (index == table.indexes.end()) raiseDamaged();
    auto commented = std::make_shared<IndexEntry>(**index);
    (kind == Kind::Index ? commented->comment : commented->constraint_comment) = std::move(comment);
    *index = std::move(commented);
  } else if (kind == Kind::ForeignKey) {
    const auto key = std::ranges::find(table.foreign_keys, of, &ForeignKeyEntry::number);
    if (key == table.foreign_keys.end()) raiseDamaged();
    key->comment = std::move(comment);
  } else if (kind == Kind::Trigger) {
    const auto trigger = std::ranges::find(table.triggers, of, &TriggerEntry::oid);
    if (trigger == table.triggers.end()) raiseDamaged();
    trigger->comment = std::move(comment);
  } else {
    const auto check = std::ranges::find(table.checks, name, &CheckEntry::name);
    if (check == table.checks.end()) raiseDamaged();
    check->comment = std::move(comment);
  }
}

}  // namespace

txn::RelationSchema commentsSchema() {
  return {{StoredKind::Int32, false},
          {StoredKind::Int16, false},
          {StoredKind::Int32, false},
          {StoredKind::String, true},
          {StoredKind::String, false}};
}

void appendComments(const TableEntry& table, txn::WriteStatement& rows) {
  CommentAppender appender(table.oid, rows);
  appender.add(Kind::Relation, 0, table.comment);
  for (uint32_t i = 0; i < table.columns.size(); ++i)
    if (!table.columns[i].isDropped()) appender.add(Kind::Column, i + 1, table.columns[i].comment);
  for (const IndexPtr& index : table.indexes) {
    appender.add(Kind::Index, index->oid, index->comment);
    appender.add(Kind::Key, index->oid, index->constraint_comment);
  }
  for (const ForeignKeyEntry& key : table.foreign_keys) appender.add(Kind::ForeignKey, key.number, key.comment);
  for (const TriggerEntry& trigger : table.triggers) appender.add(Kind::Trigger, trigger.oid, trigger.comment);
  for (const CheckEntry& check : table.checks) appender.add(Kind::Check, 0, check.comment, check.name);
}

void loadComments(txn::Table& relation, std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  storage::RowCursor row(relation.relation(), relation.readBound());
  while (row.next()) {
    const auto table = tables.find(static_cast<uint32_t>(readNumber(row, kCommentOwner)));
    if (table == tables.end()) raiseDamaged();
    give(*table->second, static_cast<Kind>(readNumber(row, kCommentKind)),
         static_cast<uint32_t>(readNumber(row, kCommentNumber)), readText(row, kCommentName),
         readText(row, kCommentText));
  }
}

}  // namespace gnomon::sql
