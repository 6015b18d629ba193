#include "storage/log_text.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/sql_error.h"
#include "storage/page_log.h"
#include "storage/page_record.h"
#include "storage/relation_registry.h"
#include "storage/row_record.h"

namespace gnomon::storage {
namespace {

constexpr size_t kOperations = static_cast<size_t>(PageOperation::Move) + 1;

std::string pageName(PageId id) {
  return fmt::format("{}:{}", id.sizeClass().index, id.number());
}

std::string_view typeName(wal::RecordType type) {
  static constexpr std::array<std::string_view, 8> kNames = {"pages changed", "rows appended",    "row updated",
                                                             "rows deleted",  "rows restored",    "entry inserted",
                                                             "entry erased",  "relations changed"};
  const uint64_t index = uint64_t{type.value} - wal::kFirstOfRooms.value;
  return type >= wal::kFirstOfRooms && index < kNames.size() ? kNames[index] : "something unknown";
}

std::string_view operationName(size_t operation) {
  static constexpr std::array<std::string_view, kOperations> kNames = {"",
                                                                       "write",
                                                                       "tuple ids",
                                                                       "delete rows",
                                                                       "restore rows",
                                                                       "insert entry",
                                                                       "erase entry",
                                                                       "split entries",
                                                                       "append node",
                                                                       "erase node",
                                                                       "replace node",
                                                                       "move"};
  return kNames[operation];
}

/// Passes over the operands. False: there is no such operation.
bool skipOperands(PageOperation operation, RecordReader& reader) {
  // Numbers, the last of which perhaps says how many bytes follow.
  struct Operands {
    int numbers;
    bool has_bytes;
  };
  static constexpr std::array<Operands, kOperations> kOperands = {{{0, false},
                                                                   {2, true},
                                                                   {3, false},
                                                                   {2, false},
                                                                   {2, false},
                                                                   {3, true},
                                                                   {3, true},
                                                                   {2, true},
                                                                   {2, false},
                                                                   {1, false},
                                                                   {2, false},
                                                                   {3, false}}};
  const auto index = static_cast<size_t>(operation);
  if (index == 0 || index >= kOperations) return false;
  uint64_t last = 0;
  for (int i = 0; i < kOperands[index].numbers; ++i) last = reader.number();
  if (kOperands[index].has_bytes) reader.take(last);
  return reader.isSound();
}

std::string describeOperations(wal::Bytes operations) {
  std::array<size_t, kOperations> counts{};
  RecordReader reader(operations);
  bool is_understood = true;
  while (is_understood && !reader.isAtEnd()) {
    const auto operation = reader.plain<PageOperation>();
    is_understood = skipOperands(operation, reader);
    if (is_understood) ++counts[static_cast<size_t>(operation)];
  }
  std::string text;
  for (size_t i = 0; i < kOperations; ++i)
    if (counts[i] > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], operationName(i));
  if (!is_understood || !reader.isSound()) text += text.empty() ? "damaged" : ", damaged";
  return text;
}

std::string describePart(const RecordPart& part) {
  switch (part.head.kind) {
    case PartKind::Change:
      return fmt::format("changes page {} after gsn {} ({})", pageName(part.head.page), part.head.before.value,
                         describeOperations(part.operations));
    case PartKind::Fresh:
      return fmt::format("makes page {} ({})", pageName(part.head.page), describeOperations(part.operations));
    case PartKind::Freed: {
      std::string text = "frees pages";
      RecordReader reader(part.operations);
      while (!reader.isAtEnd()) text += " " + pageName(reader.plain<PageId>());
      return text;
    }
  }
  return "has a part of an unknown kind";
}

std::string describeRelations(wal::Bytes meaning) {
  using Kind = RelationMeaning::Kind;
  std::string text;
  RecordReader reader(meaning);
  while (!reader.isAtEnd()) {
    switch (reader.plain<Kind>()) {
      case Kind::TreeCreated: {
        const auto root = reader.plain<PageId>();
        const auto relation = reader.plain<RelationId>();
        reader.plain<TreeKind>();
        text += fmt::format(", tree {} of relation {} created", pageName(root), relation.value);
        break;
      }
      case Kind::TreeDestroyed:
        text += fmt::format(", tree {} destroyed", pageName(reader.plain<PageId>()));
        break;
      case Kind::RelationSet: {
        const auto id = reader.plain<RelationId>();
        reader.plain<TreeKind>();
        const auto root = reader.plain<PageId>();
        const auto next_tuple_id = reader.plain<uint64_t>();
        reader.take(reader.plain<uint32_t>());
        text += fmt::format(", relation {} has tree {}, next tuple {}", id.value, pageName(root), next_tuple_id);
        break;
      }
      case Kind::RelationDropped:
        text += fmt::format(", relation {} dropped", reader.plain<RelationId>().value);
        break;
      case Kind::EpochsTaken:
        text += fmt::format(", bulk epochs below {} taken", reader.plain<uint64_t>());
        break;
      default:
        return text + ", something unknown";
    }
  }
  return reader.isSound() ? text : text + ", damaged";
}

std::string describeMeaning(wal::RecordType type, wal::Bytes meaning) {
  if (meaning.empty()) return {};
  if (type == record_types::kRelations) return describeRelations(meaning);
  if (type == record_types::kRowUpdated) {
    const RowBefore::Summary rows = RowBefore::summary(meaning);
    if (rows.row_count == 1) return fmt::format(", tuple {}, {} columns", rows.first.value, rows.column_count);
    return fmt::format(", {} tuples, {} to {}, {} columns", rows.row_count, rows.first.value, rows.last.value,
                       rows.column_count);
  }
  if (type == record_types::kRowsAppended || type == record_types::kRowsDeleted ||
      type == record_types::kRowsRestored) {
    const RowRange range = RowRange::read(meaning);
    if (range.count == 1) return fmt::format(", tuple {}", range.first.value);
    return fmt::format(", tuples {} to {}", range.first.value, range.first.value + range.count - 1);
  }
  return fmt::format(", {} bytes of meaning", meaning.size());
}

}  // namespace

std::string describeBody(const wal::LogRecord& record) {
  if (record.type < wal::kFirstOfRooms) return fmt::format("{} bytes", record.body.size());
  std::string text(typeName(record.type));
  try {
    PageRecord body(record.body);
    text += describeMeaning(record.type, body.meaning());
    for (RecordPart part; body.next(part);) text += "; " + describePart(part);
  } catch (const SqlError& error) {
    text += "; " + error.message();
  }
  return text + fmt::format("; {} bytes", record.body.size());
}

}  // namespace gnomon::storage
