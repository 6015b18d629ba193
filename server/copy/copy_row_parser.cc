#include "server/copy/copy_row_parser.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/string_value.h"
#include "codegen/executor/key_evaluator.h"
#include "codegen/runtime/partition_writer.h"
#include "sql/algebra/trigger_work.h"
#include "sql/bind/generated_column.h"
#include "sql/catalog/violation.h"
#include "sql/types/boolean.h"
#include "sql/types/bytea.h"
#include "sql/types/cast.h"
#include "sql/types/date.h"
#include "sql/types/decimal.h"
#include "sql/types/floating.h"
#include "sql/types/integer.h"
#include "sql/types/interval.h"
#include "sql/types/text.h"
#include "sql/types/text_io.h"
#include "sql/types/timestamp.h"

namespace gnomon::server {

using sql::TypeKind;
using storage::Datum;

namespace {

Datum fromNumber(int64_t number) {
  return {static_cast<uint64_t>(number), number < 0 ? ~uint64_t{0} : 0};
}
Datum fromDouble(double number) {
  return {std::bit_cast<uint64_t>(number), 0};
}
Datum fromText(std::string_view text) {
  const StringValue value = StringValue::refer(text, StringValue::Storage::Transient);
  return {value.lo(), value.hi()};
}

/// Digits with an optional minus, short enough not to overflow; everything else is left to the type's own function.
bool parsePlainInteger(std::string_view text, int64_t& number) {
  constexpr size_t kDigitsMax = 18;
  const bool is_negative = !text.empty() && text.front() == '-';
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (digits.empty() || digits.size() > kDigitsMax) return false;
  int64_t value = 0;
  for (char c : digits) {
    const auto digit = static_cast<unsigned char>(c - '0');
    if (digit > 9) return false;
    value = value * 10 + digit;
  }
  number = is_negative ? -value : value;
  return true;
}

/// "-123.45" of at most 18 digits and at most `scale` of them after the point, as the scaled integer.
bool parsePlainDecimal(std::string_view text, unsigned scale, int64_t& number) {
  constexpr size_t kDigitsMax = 18;
  const bool is_negative = !text.empty() && text.front() == '-';
  int64_t value = 0;
  size_t digits = 0;
  unsigned fraction_digits = 0;
  bool has_point = false;
  for (char c : text.substr(is_negative ? 1 : 0)) {
    const auto digit = static_cast<unsigned char>(c - '0');
    if (digit <= 9) {
      value = value * 10 + digit;
      ++digits;
      fraction_digits += has_point;
      if (digits > kDigitsMax) return false;
    } else if (c == '.' && !has_point) {
      has_point = true;
    } else {
      return false;
    }
  }
  if (digits == 0 || fraction_digits > scale || digits + scale - fraction_digits > kDigitsMax) return false;
  for (; fraction_digits < scale; ++fraction_digits) value *= 10;
  number = is_negative ? -value : value;
  return true;
}

/// A value as PostgreSQL's error contexts show it: at most 100 bytes of it, cut between characters.
std::string shortened(std::string_view text) {
  constexpr size_t kShownBytesMax = 100;
  if (text.size() <= kShownBytesMax) return std::string(text);
  size_t bytes = kShownBytesMax;
  while (bytes > 0 && (text[bytes] & 0xc0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "...";
}

}  // namespace

/// One function for each way a type is read.
struct CopyRowParser::Parsers {
  static Datum parseBoolean(const Column&, std::string_view text) { return fromNumber(sql::parseBoolean(text)); }
  static Datum parseSmallint(const Column&, std::string_view text) {
    int64_t number = 0;
    if (parsePlainInteger(text, number) && number == static_cast<int16_t>(number)) return fromNumber(number);
    return fromNumber(sql::parseSmallint(text));
  }
  static Datum parseInteger(const Column&, std::string_view text) {
    int64_t number = 0;
    if (parsePlainInteger(text, number) && number == static_cast<int32_t>(number)) return fromNumber(number);
    return fromNumber(sql::parseInteger(text));
  }
  static Datum parseBigint(const Column&, std::string_view text) {
    int64_t number = 0;
    return fromNumber(parsePlainInteger(text, number) ? number : sql::parseBigint(text));
  }
  static Datum parseSmallDecimal(const Column& column, std::string_view text) {
    int64_t number = 0;
    if (parsePlainDecimal(text, column.scale, number)) {
      const auto limit = static_cast<int64_t>(sql::powerOfTen(column.precision));
      if (number < limit && number > -limit) return fromNumber(number);
    }
    return fromNumber(sql::parseSmallDecimal(text, column.precision, column.scale));
  }
  static Datum parseWideDecimal(const Column& column, std::string_view text) {
    const int128 number = sql::parseWideDecimal(text, column.precision, column.scale);
    return {static_cast<uint64_t>(number), static_cast<uint64_t>(number >> 64)};
  }
  static Datum parseReal(const Column&, std::string_view text) {
    return fromDouble(static_cast<double>(sql::parseReal(text)));
  }
  static Datum parseDouble(const Column&, std::string_view text) { return fromDouble(sql::parseDouble(text)); }
  static Datum parseDate(const Column&, std::string_view text) { return fromNumber(sql::parseDate(text)); }
  static Datum parseTimestamp(const Column& column, std::string_view text) {
    return fromNumber(sql::parseTimestamp(text, column.type.typmod));
  }
  static Datum parseInterval(const Column& column, std::string_view text) {
    const sql::Interval interval = sql::parseInterval(text, column.type.typmod);
    return {interval.lo(), interval.hi()};
  }
  static Datum parseText(const Column&, std::string_view text) { return fromText(text); }
  static Datum parseVarchar(const Column& column, std::string_view text) {
    // As many bytes are at least as few characters.
    if (static_cast<int64_t>(text.size()) <= sql::characterLimit(column.type.typmod)) return fromText(text);
    return fromText(sql::fitVarchar(text, column.type.typmod, false));
  }
  static Datum parseChar(const Column& column, std::string_view text) {
    const sql::PaddedText fitted = sql::fitChar(text, column.type.typmod, false);
    if (fitted.blanks == 0) return fromText(fitted.kept);
    const size_t bytes = fitted.kept.size() + fitted.blanks;
    auto* padded = static_cast<char*>(column.strings->allocate(bytes));
    std::memcpy(padded, fitted.kept.data(), fitted.kept.size());
    std::memset(padded + fitted.kept.size(), ' ', fitted.blanks);
    return fromText({padded, bytes});
  }
  /// Any type, by way of its input function.
  static Datum parseAny(const Column& column, std::string_view text) {
    const sql::Value value = sql::parseText(column.type, text);
    if (value.type.physical() == sql::Physical::String) return fromText(column.strings->copy(value.bytes));
    return {value.lo, value.hi};
  }
  static Datum parseBytea(const Column& column, std::string_view text) {
    auto* const bytes = static_cast<char*>(column.strings->allocate(sql::byteaBytesMax(text)));
    const char* const end = sql::parseBytea(text, bytes);
    return fromText({bytes, static_cast<size_t>(end - bytes)});
  }
};

CopyRowParser::FieldParser CopyRowParser::parserOf(const sql::Type& type) {
  switch (type.kind) {
    case TypeKind::Boolean:
      return Parsers::parseBoolean;
    case TypeKind::Smallint:
      return Parsers::parseSmallint;
    case TypeKind::Integer:
      return Parsers::parseInteger;
    case TypeKind::Bigint:
      return Parsers::parseBigint;
    case TypeKind::Numeric:
      if (type.form == sql::NumericForm::Small) return Parsers::parseSmallDecimal;
      if (type.form == sql::NumericForm::Wide) return Parsers::parseWideDecimal;
      return Parsers::parseAny;
    case TypeKind::Real:
      return Parsers::parseReal;
    case TypeKind::Double:
      return Parsers::parseDouble;
    case TypeKind::Date:
      return Parsers::parseDate;
    case TypeKind::Timestamp:
      return Parsers::parseTimestamp;
    case TypeKind::Interval:
      return Parsers::parseInterval;
    case TypeKind::Text:
      return Parsers::parseText;
    case TypeKind::Varchar:
      return Parsers::parseVarchar;
    case TypeKind::Char:
      return Parsers::parseChar;
    case TypeKind::Bytea:
      return Parsers::parseBytea;
    case TypeKind::TimestampTz:
    case TypeKind::Time:
    default:
      break;
  }
  return Parsers::parseAny;
}

CopyRowParser::CopyRowParser(const sql::CopyFromStatement& statement, std::vector<sql::Value> defaults,
                             std::vector<RowDefault> row_defaults, sql::ByteaOutput bytea_output, Arena& strings,
                             sql::RowChecker* checker, sql::RowChecker* where, std::vector<DomainTest> domains,
                             codegen::SessionFunctions& session)
    : statement_(statement),
      default_values_(std::move(defaults)),
      row_defaults_(std::move(row_defaults)),
      bytea_output_(bytea_output),
      strings_(strings),
      checker_(checker),
      where_(where),
      domains_(std::move(domains)) {
  const auto& columns = statement.table->columns;
  std::vector<bool> is_given(columns.size(), false);
  for (uint32_t index : statement.columns) {
    const sql::ColumnEntry& column = columns[index];
    is_given[index] = true;
    columns_.push_back({.parse = parserOf(column.type),
                        .type = column.type,
                        .strings = &strings_,
                        .index = index,
                        .precision = column.type.precision,
                        .scale = column.type.scale,
                        .name = &column.name,
                        .domain = nullptr});
    for (const DomainTest& domain : domains_)
      if (domain.column() == index) columns_.back().domain = &domain;
  }
  // What triggers may change is completed and tested behind them.
  const bool is_whole = !statement.triggers || !statement.triggers->has_before_rows;
  if (is_whole) generated_columns_ = sql::generatedColumnNumbers(*statement.table);
  generated_values_.resize(generated_columns_.size());
  generated_nulls_.resize(generated_columns_.size());
  if (!generated_columns_.empty())
    generated_ = codegen::compileRowExpressions(sql::generatedExpressions(*statement.table), &session);
  for (uint32_t index = 0; index < columns.size(); ++index) {
    if (is_whole && columns[index].not_null) not_null_.push_back(index);
    if (!is_given[index]) addDefault(index);
  }
}

void CopyRowParser::addDefault(uint32_t index) {
  const sql::Value& value = default_values_[index];
  const bool has_bytes = value.type.physical() == sql::Physical::String;
  defaults_.push_back({index, has_bytes ? fromText(value.bytes) : Datum{value.lo, value.hi}, value.is_null});
}

std::string CopyRowParser::lineContext(uint64_t line_number, std::string_view line) const {
  std::string text = fmt::format("COPY {}, line {}", statement_.table->name, line_number);
  if (!line.empty()) text += fmt::format(": \"{}\"", shortened(line));
  return text;
}

std::string CopyRowParser::binaryContext(uint64_t row_number, std::optional<size_t> column) const {
  std::string text = lineContext(row_number);
  if (column) text += fmt::format(", column {}", *columns_[*column].name);
  return text;
}

std::string CopyRowParser::columnContext(const CopySplitter& splitter, size_t column) const {
  const std::string where =
      fmt::format("COPY {}, line {}, column {}", statement_.table->name, splitter.lineNumber(), *columns_[column].name);
  const CopyField& field = splitter.fields()[column];
  std::string_view text = field.raw();
  if (field.has_escape) text = splitter.decode(field, strings_);
  return fmt::format("{}: \"{}\"", where, shortened(text));
}

void CopyRowParser::checkFieldCount(const CopySplitter& splitter, size_t column) const {
  if (splitter.fieldCount() > columns_.size()) {
    throw SqlError(sqlstate::kBadCopyFileFormat, "extra data after last expected column")
        .context(lineContext(splitter.lineNumber(), splitter.line()));
  }
  if (column >= splitter.fieldCount()) {
    throw SqlError(sqlstate::kBadCopyFileFormat, fmt::format("missing data for column \"{}\"", *columns_[column].name))
        .context(lineContext(splitter.lineNumber(), splitter.line()));
  }
}

std::optional<std::string_view> CopyRowParser::textOf(const CopySplitter& splitter, const CopyField& field,
                                                      size_t column) const {
  const sql::CopyOptions& options = statement_.options;
  if (splitter.isNull(field)) {
    if (options.force_not_null.empty() || options.force_not_null[column] == 0) return std::nullopt;
    return options.null_text;
  }
  const std::string_view text = field.has_escape ? splitter.decode(field, strings_) : field.raw();
  if (!options.force_null.empty() && options.force_null[column] != 0 && text == options.null_text) return std::nullopt;
  return text;
}

bool CopyRowParser::parse(const CopySplitter& splitter, Datum* values, uint8_t* null_flags) {
  const std::span<const CopyField> fields = splitter.fields();
  if (splitter.fieldCount() > columns_.size()) [[unlikely]]
    checkFieldCount(splitter, 0);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (i >= fields.size()) [[unlikely]]
      checkFieldCount(splitter, i);
    const Column& column = columns_[i];
    try {
      const std::optional<std::string_view> text = textOf(splitter, fields[i], i);
      null_flags[column.index] = text ? 0 : 1;
      values[column.index] = text ? column.parse(column, *text) : Datum{};
      if (text && column.domain != nullptr) column.domain->require(values[column.index], false);
    } catch (SqlError& error) {
      error.context(columnContext(splitter, i));
      throw;
    }
    if (null_flags[column.index] != 0 && column.domain != nullptr) requireNull(splitter, column);
  }
  return finish(splitter.lineNumber(), splitter.line(), values, null_flags);
}

Datum CopyRowParser::parseBinary(const Column& column, std::string_view bytes) const {
  const bool is_string = column.type.isString();
  if (is_string && column.type.kind != TypeKind::Bytea) sql::checkUtf8(bytes);
  sql::Value value = sql::parseBinary(column.type, bytes, static_cast<unsigned>(&column - columns_.data()) + 1);
  if (is_string && column.type.typmod != -1) {
    value.type = sql::Type::of(TypeKind::Text);
    value = sql::castValue(value, column.type, false);
  }
  if (value.type.physical() == sql::Physical::String) return fromText(strings_.copy(value.bytes));
  return {value.lo, value.hi};
}

bool CopyRowParser::parse(const CopyBinaryCutter& cutter, Datum* values, uint8_t* null_flags) {
  const std::span<const CopyBinaryCutter::Field> fields = cutter.fields();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    try {
      null_flags[column.index] = fields[i].is_null ? 1 : 0;
      values[column.index] = fields[i].is_null ? Datum{} : parseBinary(column, fields[i].bytes);
      if (column.domain != nullptr) column.domain->require(values[column.index], fields[i].is_null);
    } catch (SqlError& error) {
      // The messages are those of parameters.
      const bool is_form = error.message().starts_with("incorrect binary data format");
      const std::string context = binaryContext(cutter.rowNumber(), i);
      if (is_form) throw SqlError(error.state(), "incorrect binary data format").context(context);
      error.context(context);
      throw;
    }
  }
  return finish(cutter.rowNumber(), {}, values, null_flags);
}

bool CopyRowParser::finish(uint64_t line_number, std::string_view line, Datum* values, uint8_t* null_flags) {
  try {
    return complete(values, null_flags);
  } catch (SqlError& error) {
    error.context(lineContext(line_number, line));
    throw;
  }
}

bool CopyRowParser::complete(Datum* values, uint8_t* null_flags) {
  for (const Default& entry : defaults_) {
    values[entry.index] = entry.value;
    null_flags[entry.index] = entry.is_null;
  }
  if (!row_defaults_.empty()) computeDefaults(values, null_flags);
  if (generated_) computeGenerated(values, null_flags);
  if (where_ != nullptr && where_->firstViolation(values, null_flags) != sql::RowChecker::kNone) return false;
  for (uint32_t index : not_null_)
    if (null_flags[index]) [[unlikely]]
      throw sql::notNullViolation(sql::tableOfRow(*statement_.table, values, null_flags), index, values, null_flags,
                                  bytea_output_, statement_.table.get());
  if (checker_ != nullptr) check(values, null_flags);
  return true;
}

/// The column's domain lets NULL in.
void CopyRowParser::requireNull(const CopySplitter& splitter, const Column& column) const {
  try {
    column.domain->require({}, true);
  } catch (SqlError& error) {
    error.context(fmt::format("COPY {}, line {}, column {}: null input", statement_.table->name, splitter.lineNumber(),
                              *column.name));
    throw;
  }
}

void CopyRowParser::computeGenerated(Datum* values, uint8_t* null_flags) {
  generated_->evaluate(values, null_flags, generated_values_.data(), generated_nulls_.data(), strings_);
  for (size_t i = 0; i < generated_columns_.size(); ++i) {
    values[generated_columns_[i]] = generated_values_[i];
    null_flags[generated_columns_[i]] = generated_nulls_[i];
  }
}

void CopyRowParser::computeDefaults(Datum* values, uint8_t* null_flags) {
  for (const RowDefault& entry : row_defaults_) {
    const sql::Value value = entry.next();
    const bool has_bytes = value.type.physical() == sql::Physical::String;
    null_flags[entry.index] = value.is_null ? 1 : 0;
    values[entry.index] = value.is_null ? Datum{}
                          : has_bytes   ? fromText(strings_.copy(value.bytes))
                                        : Datum{value.lo, value.hi};
  }
}

void CopyRowParser::check(const Datum* values, const uint8_t* null_flags) const {
  const uint32_t violated = checker_->firstViolation(values, null_flags);
  if (violated == sql::RowChecker::kNone) return;
  const sql::TableEntry& table = sql::tableOfRow(*statement_.table, values, null_flags);
  throw sql::checkViolation(table, codegen::checkOfLeaf(*statement_.table, table, violated), values, null_flags,
                            bytea_output_, statement_.table.get());
}

void CopyRowParser::checkHeader(const CopySplitter& splitter) {
  const auto fail = [&](std::string message) {
    throw SqlError(sqlstate::kBadCopyFileFormat, std::move(message)).context(lineContext(splitter.lineNumber()));
  };
  if (splitter.fieldCount() != columns_.size())
    fail(fmt::format("wrong number of fields in header line: got {}, expected {}", splitter.fieldCount(),
                     columns_.size()));
  for (size_t i = 0; i < columns_.size(); ++i) {
    const CopyField& field = splitter.fields()[i];
    const std::string& name = *columns_[i].name;
    if (splitter.isNull(field))
      fail(fmt::format("column name mismatch in header line field {}: got null value (\"{}\"), expected \"{}\"", i + 1,
                       statement_.options.null_text, name));
    const std::string_view text = field.has_escape ? splitter.decode(field, strings_) : field.raw();
    if (text != name)
      fail(fmt::format("column name mismatch in header line field {}: got \"{}\", expected \"{}\"", i + 1, text, name));
  }
}

}  // namespace gnomon::server
