#include "storage/relation/schema_bytes.h"

#include "base/sql_error.h"
#include "storage/page_record.h"

namespace gnomon::storage {

namespace {

enum class Missing : uint8_t { Null = 0, Datum = 1, Text = 2 };
constexpr uint8_t kNullable = 1, kGreatestIsNan = 2;
/// In the place of a size class.
constexpr uint8_t kGrowingLeaves = 0xff;

template <typename Plain>
void append(std::string& bytes, const Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

StoredColumn parseColumn(RecordReader& reader) {
  const auto kind = reader.plain<StoredKind>();
  const auto flags = reader.plain<uint8_t>();
  StoredColumn column{kind, (flags & kNullable) != 0};
  column.greatest_is_nan = (flags & kGreatestIsNan) != 0;
  column.since = reader.plain<uint32_t>();
  column.nullable_since = reader.plain<uint32_t>();
  switch (reader.plain<Missing>()) {
    case Missing::Null:
      break;
    case Missing::Datum:
      column.missing = std::make_shared<const OwnedValue>(column.kind, reader.plain<Datum>());
      break;
    case Missing::Text:
      column.missing = std::make_shared<const OwnedValue>(std::string(reader.text(reader.plain<uint32_t>())));
      break;
  }
  return column;
}

}  // namespace

std::string serialiseSchema(const RelationSchema& schema) {
  std::string bytes;
  append(bytes, static_cast<uint8_t>(schema.holdsNan() ? 1 : 0));
  const std::optional<SizeClass> leaf_class = schema.leafClass();
  append(bytes, leaf_class ? leaf_class->index : kGrowingLeaves);
  append(bytes, static_cast<uint32_t>(schema.size()));
  for (const StoredColumn& column : schema) {
    append(bytes, column.kind);
    append(bytes,
           static_cast<uint8_t>((column.nullable ? kNullable : 0) | (column.greatest_is_nan ? kGreatestIsNan : 0)));
    append(bytes, column.since);
    append(bytes, column.nullable_since);
    if (!column.missing) {
      append(bytes, Missing::Null);
    } else if (column.kind != StoredKind::String) {
      append(bytes, Missing::Datum);
      append(bytes, column.missing->datum());
    } else {
      append(bytes, Missing::Text);
      append(bytes, static_cast<uint32_t>(column.missing->text().size()));
      bytes += column.missing->text();
    }
  }
  return bytes;
}

RelationSchema parseSchema(std::string_view bytes) {
  RecordReader reader(std::as_bytes(std::span(bytes)));
  const bool holds_nan = reader.plain<uint8_t>() != 0;
  std::optional<SizeClass> leaf_class = SizeClass{reader.plain<uint8_t>()};
  if (leaf_class->index == kGrowingLeaves) leaf_class.reset();
  std::vector<StoredColumn> columns;
  for (auto count = reader.plain<uint32_t>(); count > 0 && reader.isSound(); --count)
    columns.push_back(parseColumn(reader));
  if (!reader.isSound() || !reader.isAtEnd() || (leaf_class && leaf_class->index >= kSizeClassCount))
    throw SqlError(sqlstate::kDataCorrupted, "the schema of a relation is damaged");
  RelationSchema schema(std::move(columns), leaf_class);
  if (holds_nan) schema.noteNan();
  return schema;
}

}  // namespace gnomon::storage
