#include "storage/relation/schema.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/assert.h"
#include "base/string_value.h"

namespace gnomon::storage {

OwnedValue::OwnedValue(StoredKind kind, Datum datum) : datum_(datum), stored_(datum) {
  CHECK(kind != StoredKind::String, "texts bring their bytes");
  if (kind == StoredKind::Float32)
    stored_ = {std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(datum.lo))), 0};
}

OwnedValue::OwnedValue(std::string text) : text_(std::move(text)) {
  const StringValue header = StringValue::refer(text_, StringValue::Storage::Persistent);
  datum_ = stored_ = {header.lo(), header.hi()};
}

namespace {

uint64_t nextIdentity() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

RelationSchema::RelationSchema(std::vector<StoredColumn> columns, std::optional<SizeClass> leaf_class)
    : columns_(std::move(columns)), identity_(nextIdentity()), leaf_class_(leaf_class) {
  CHECK(std::ranges::is_sorted(columns_, {}, &StoredColumn::since), "columns added later are last");
  for (uint32_t column = 0; column < columns_.size(); ++column)
    if (columns_[column].kind == StoredKind::String) string_columns_.push_back(column);
  for (uint32_t column = 0; column < columns_.size(); ++column)
    if (columns_[column].greatest_is_nan) nan_columns_.push_back(column);
  for (const StoredColumn& column : columns_) {
    CHECK(column.since >= 1 && column.nullable_since >= 1, "versions begin with 1");
    CHECK(column.missing != nullptr || column.since == 1 || column.hasNulls(column.since), "NULL has a bitmap");
    version_ = std::max(version_, column.since);
    if (column.nullable) version_ = std::max(version_, column.nullable_since);
  }
}

uint32_t RelationSchema::columnCount(uint32_t version) const {
  if (version >= version_) return static_cast<uint32_t>(columns_.size());
  const auto end = std::ranges::upper_bound(columns_, version, {}, &StoredColumn::since);
  return static_cast<uint32_t>(end - columns_.begin());
}

}  // namespace gnomon::storage
