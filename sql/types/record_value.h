#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_value.h"
#include "sql/types/text_io.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// Records are strings with this layout, all numbers as the machine has them, nothing aligned:
///   4 bytes        number of fields
///   4              the catalog's entry whose rows they are (Type::definition()); 0: of none
///   4              bytes of the fields' names
///   names          of a record of no entry, where its fields have any: each with a zero byte behind it
///   8 a field      its Type
///   4 a field      end of its bytes behind the last of these; the top bit is set when it is NULL
///   fields         of fixed size: as arrays have their elements (sql/types/array_value.h); strings: their bytes
/// A numeric is Big. A record says itself what it is made of, so that its type need not.
class RecordView {
 public:
  /// The bytes must live as long.
  explicit RecordView(StringValue record);
  RecordView(uint64_t lo, uint64_t hi) : RecordView(StringValue(lo, hi)) {}
  RecordView(const RecordView&) = delete;
  RecordView& operator=(const RecordView&) = delete;

  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] uint32_t definition() const { return definition_; }
  [[nodiscard]] Type type(size_t field) const;
  [[nodiscard]] bool isNull(size_t field) const { return (endWord(field) & kNullBit) != 0; }
  /// As registers hold it; strings refer to the record's bytes, with its storage class.
  [[nodiscard]] RegisterPair at(size_t field) const;
  /// One for each field, f1 and so on where they have none of their own. Of an entry's rows: those of its columns now.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  friend class RecordBuilder;
  static constexpr uint32_t kNullBit = 0x8000'0000;
  [[nodiscard]] uint32_t endWord(size_t field) const;

  const StringValue record_;
  size_t count_ = 0;
  uint32_t definition_ = 0;
  std::string_view names_;
  const char* types_ = nullptr;
  const char* ends_ = nullptr;
  const char* fields_ = nullptr;
};

/// Collects fields and encodes the record.
class RecordBuilder {
 public:
  /// `names`: as the layout has them.
  explicit RecordBuilder(uint32_t definition, std::string_view names = {}) : definition_(definition), names_(names) {}

  void add(Type type, RegisterPair value);
  void addNull(Type type);
  void add(const Value& value) { value.is_null ? addNull(value.type) : add(value.type, toRegisters(value)); }
  [[nodiscard]] std::string finish() const;

 private:
  const uint32_t definition_;
  const std::string names_;
  std::string types_, ends_, fields_;
};

/// As records hold values of the type.
constexpr Type heldInRecord(Type type) {
  return type.kind == TypeKind::Numeric ? Type::bigNumeric(type.typmod) : type;
}
inline constexpr size_t kRecordFieldsMax = 1664;

/// The first field that differs decides; NULLs are last and equal. Failure: 42804 for fields of different types, or
/// another number of them.
int compareRecords(StringValue left, StringValue right);
/// Equal for equal records.
uint64_t hashRecord(StringValue record);

/// A record of the type from "(1,,\"a b\")". Failure: 22P02 "malformed record literal"; 0A000 for type record; the
/// fields' input functions'.
std::string parseRecordText(Type type, std::string_view text);
/// Appends what parseRecordText reads.
void appendRecordText(StringValue record, std::string& out, ByteaOutput bytea_output);
/// PostgreSQL's binary format. Failure: 42804, 0A000, 08P01, 22P03; the fields'. `parameter`: as parseBinary has it.
std::string parseRecordBinary(Type type, std::string_view bytes, unsigned parameter);
void appendRecordBinary(StringValue record, std::string& out);

}  // namespace gnomon::sql
