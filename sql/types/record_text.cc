#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/domain_fields.h"
#include "sql/catalog/domain_tester.h"
#include "sql/catalog/user_types.h"
#include "sql/types/binary_reader.h"
#include "sql/types/record_value.h"

/// Records as texts and in the binary format.
namespace gnomon::sql {
namespace {

bool isBlank(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/// Takes the fields of a text, one after the other; nothing stands for NULL.
class RecordReader {
 public:
  explicit RecordReader(std::string_view text) : text_(text) {}

  void open() {
    skipBlanks();
    if (peek() != '(') fail("Missing left parenthesis.");
    ++next_;
  }
  std::optional<std::string> field(bool is_first) {
    if (!is_first) {
      if (peek() != ',') fail("Too few columns.");
      ++next_;
    }
    if (peek() == ',' || peek() == ')') return std::nullopt;
    std::string field;
    bool is_quoted = false;
    while (is_quoted || (peek() != ',' && peek() != ')')) {
      char byte = take();
      if (byte == '\\') {
        field += take();
      } else if (byte != '"') {
        field += byte;
      } else if (is_quoted && peek() == '"') {
        field += take();
      } else {
        is_quoted = !is_quoted;
      }
    }
    return field;
  }
  void close() {
    if (peek() != ')') fail("Too many columns.");
    ++next_;
    skipBlanks();
    if (next_ != text_.size()) fail("Junk after right parenthesis.");
  }

 private:
  [[noreturn]] void fail(const char* detail) const {
    throw SqlError(sqlstate::kInvalidTextRepresentation, fmt::format("malformed record literal: \"{}\"", text_))
        .detail(detail);
  }
  [[nodiscard]] char peek() const { return next_ == text_.size() ? '\0' : text_[next_]; }
  char take() {
    if (next_ == text_.size()) fail("Unexpected end of input.");
    return text_[next_++];
  }
  void skipBlanks() {
    while (isBlank(peek())) ++next_;
  }

  const std::string_view text_;
  size_t next_ = 0;
};

void appendField(std::string_view text, std::string& out) {
  const bool is_quoted =
      text.empty() || std::ranges::any_of(text, [](char byte) {
        return byte == '"' || byte == '\\' || byte == '(' || byte == ')' || byte == ',' || isBlank(byte);
      });
  if (!is_quoted) {
    out += text;
    return;
  }
  out += '"';
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') out += byte;
    out += byte;
  }
  out += '"';
}

std::vector<RecordField> fieldsOf(Type type) {
  if (type.definition() == 0)
    throw SqlError(sqlstate::kFeatureNotSupported, "input of anonymous composite types is not implemented");
  return recordFields(type.definition());
}

Value required(Value value, const RecordField& field) {
  if (field.domain == 0) return value;
  const CatalogSession* const session = catalogSession();
  if (session == nullptr || session->domains == nullptr) throwNotSupported("input of rows with domains here");
  session->domains->require(value, field.domain);
  return value;
}

/// As the binary format names it.
uint32_t oidOf(const RecordField& field) {
  return field.domain != 0 ? field.domain : field.type.oid();
}

}  // namespace

std::string parseRecordText(Type type, std::string_view text) {
  const std::vector<RecordField> fields = fieldsOf(type);
  RecordReader reader(text);
  reader.open();
  RecordBuilder builder(type.definition());
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::optional<std::string> field = reader.field(i == 0);
    builder.add(required(field ? parseText(fields[i].type, *field) : Value::null(fields[i].type), fields[i]));
  }
  reader.close();
  return builder.finish();
}

void appendRecordText(StringValue record, std::string& out, ByteaOutput bytea_output) {
  const RecordView view(record);
  out += '(';
  std::string field;
  for (size_t i = 0; i < view.size(); ++i) {
    if (i > 0) out += ',';
    if (view.isNull(i)) continue;
    const RegisterPair value = view.at(i);
    field.clear();
    appendText(view.type(i), value.lo, value.hi, field, bytea_output);
    appendField(field, out);
  }
  out += ')';
}

std::string parseRecordBinary(Type type, std::string_view bytes, unsigned parameter) {
  const std::vector<RecordField> fields = fieldsOf(type);
  BinaryReader reader(bytes, parameter);
  const int32_t count = reader.integer();
  if (count != static_cast<int32_t>(fields.size()))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("wrong number of columns: {}, expected {}", count, fields.size()));
  RecordBuilder builder(type.definition());
  for (size_t i = 0; i < fields.size(); ++i) {
    const Type wanted = fields[i].type;
    const auto oid = static_cast<uint32_t>(reader.integer());
    if (oid != oidOf(fields[i]))
      throw SqlError(sqlstate::kDatatypeMismatch,
                     fmt::format("binary data has type {} instead of expected {} ({}) in record column {}", oid,
                                 oidOf(fields[i]), shownName(wanted, fields[i].domain), i + 1));
    const int32_t length = reader.integer();
    if (length < -1) throw SqlError(sqlstate::kInvalidBinaryRepresentation, "insufficient data left in message");
    Value value = Value::null(wanted);
    if (length >= 0) {
      const std::string_view given = reader.take(static_cast<size_t>(length));
      value = wanted.isArray() && fields[i].domain != 0
                  ? parseBinary(wanted, withoutElementDomain(given, fields[i].domain, wanted.element()), parameter)
                  : parseBinary(wanted, given, parameter);
    }
    builder.add(required(std::move(value), fields[i]));
  }
  reader.finish();
  return builder.finish();
}

void appendRecordBinary(StringValue record, std::string& out) {
  const RecordView view(record);
  appendBigEndian(static_cast<int32_t>(view.size()), out);
  const std::vector<RecordField> fields =
      view.definition() == 0 ? std::vector<RecordField>{} : recordFields(view.definition());
  std::string field;
  for (size_t i = 0; i < view.size(); ++i) {
    const uint32_t oid = i < fields.size() ? oidOf(fields[i]) : view.type(i).oid();
    appendBigEndian(static_cast<int32_t>(oid), out);
    if (view.isNull(i)) {
      appendBigEndian(-1, out);
      continue;
    }
    const RegisterPair value = view.at(i);
    field.clear();
    appendBinary(view.type(i), value.lo, value.hi, field);
    if (i < fields.size() && fields[i].domain != 0 && view.type(i).isArray())
      field = withElementDomain(field, fields[i].domain, view.type(i).element());
    appendBigEndian(static_cast<int32_t>(field.size()), out);
    out += field;
  }
}

}  // namespace gnomon::sql
