#include "sql/types/record_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/sql_error.h"
#include "sql/catalog/user_types.h"
#include "sql/types/array_value.h"
#include "sql/types/hash.h"
#include "sql/types/packed_value.h"

namespace gnomon::sql {
namespace {

constexpr size_t kHeaderBytes = 12;

uint32_t loadWord(const char* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

void appendWord(uint32_t word, std::string& out) {
  out.append(reinterpret_cast<const char*>(&word), sizeof(word));
}

}  // namespace

RecordView::RecordView(StringValue record) : record_(record) {
  const char* const bytes = record_.view().data();
  count_ = loadWord(bytes);
  definition_ = loadWord(bytes + 4);
  names_ = {bytes + kHeaderBytes, loadWord(bytes + 8)};
  types_ = bytes + kHeaderBytes + names_.size();
  ends_ = types_ + sizeof(Type) * count_;
  fields_ = ends_ + 4 * count_;
}

Type RecordView::type(size_t field) const {
  Type type;
  std::memcpy(&type, types_ + sizeof(Type) * field, sizeof(type));
  return type;
}

uint32_t RecordView::endWord(size_t field) const {
  return loadWord(ends_ + 4 * field);
}

RegisterPair RecordView::at(size_t field) const {
  const uint32_t begin = field == 0 ? 0 : endWord(field - 1) & ~kNullBit;
  const uint32_t end = endWord(field) & ~kNullBit;
  const Type own = type(field);
  if (packedWidth(own) > 0) return loadPacked(own, fields_ + begin);
  const auto storage = record_.isInline() ? StringValue::Storage::Temporary : record_.storage();
  const StringValue text = StringValue::refer({fields_ + begin, end - begin}, storage);
  return {text.lo(), text.hi()};
}

std::vector<std::string> RecordView::names() const {
  std::vector<std::string> names;
  if (definition_ != 0)
    for (RecordField& field : recordFields(definition_)) names.push_back(std::move(field.name));
  for (std::string_view rest = names_; !rest.empty();) {
    const size_t end = rest.find('\0');
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  while (names.size() < count_) names.push_back(fmt::format("f{}", names.size() + 1));
  return names;
}

void RecordBuilder::add(Type type, RegisterPair value) {
  if (fields_.size() > kArrayBytesMax) throw SqlError(sqlstate::kProgramLimitExceeded, "row is too big");
  types_.append(reinterpret_cast<const char*>(&type), sizeof(type));
  if (packedWidth(type) > 0) {
    appendPacked(type, value, fields_);
  } else {
    const StringValue text(value.lo, value.hi);
    fields_ += text.view();
  }
  appendWord(static_cast<uint32_t>(fields_.size()), ends_);
}

void RecordBuilder::addNull(Type type) {
  types_.append(reinterpret_cast<const char*>(&type), sizeof(type));
  appendWord(static_cast<uint32_t>(fields_.size()) | RecordView::kNullBit, ends_);
}

std::string RecordBuilder::finish() const {
  std::string out;
  out.reserve(kHeaderBytes + names_.size() + types_.size() + ends_.size() + fields_.size());
  appendWord(static_cast<uint32_t>(types_.size() / sizeof(Type)), out);
  appendWord(definition_, out);
  appendWord(static_cast<uint32_t>(names_.size()), out);
  return out.append(names_).append(types_).append(ends_).append(fields_);
}

int compareRecords(StringValue left, StringValue right) {
  // A NULL has no bytes, and nobody looks at what comes of it here.
  if (left.view().empty() || right.view().empty()) return 0;
  const RecordView a(left);
  const RecordView b(right);
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const Type type = a.type(i);
    if (!type.isSameAs(b.type(i)))
      throw SqlError(sqlstate::kDatatypeMismatch,
                     fmt::format("cannot compare dissimilar column types {} and {} at record column {}",
                                 type.baseName(), b.type(i).baseName(), i + 1));
    if (type.kind == TypeKind::Unknown)
      throw SqlError(sqlstate::kUndefinedFunction, "could not identify an equality operator for type unknown");
    if (a.isNull(i) || b.isNull(i)) {
      if (a.isNull(i) && b.isNull(i)) continue;
      return a.isNull(i) ? 1 : -1;
    }
    if (const int order = compareElements(type, a.at(i), b.at(i)); order != 0) return order;
  }
  if (a.size() != b.size())
    throw SqlError(sqlstate::kDatatypeMismatch, "cannot compare record types with different numbers of columns");
  return 0;
}

uint64_t hashRecord(StringValue record) {
  constexpr uint64_t kNullHash = 0x6e756c6c6e756c6c;
  const RecordView view(record);
  uint64_t hash = mixHash(view.size());
  for (size_t i = 0; i < view.size(); ++i)
    hash = combineHash(hash, view.isNull(i) ? kNullHash : hashElement(view.type(i), view.at(i)));
  return hash;
}

}  // namespace gnomon::sql
