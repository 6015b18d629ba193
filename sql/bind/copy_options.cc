#include "sql/bind/copy_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

std::string lowerCase(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::optional<bool> parseBoolean(const ast::Option& option) {
  if (!option.value) return true;
  const std::string text = lowerCase(*option.value);
  if (text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  return std::nullopt;
}

/// Collects the options as given, then checks them against one another.
class CopyOptionReader {
 public:
  explicit CopyOptionReader(bool is_from) : is_from_(is_from) {}

  void read(const ast::Option& option) {
    const std::string& name = option.name;
    if (name == "format") return readFormat(option);
    if (name == "delimiter") return once(delimiter_, option, requireText(option));
    if (name == "null") return once(null_, option, requireText(option));
    if (name == "quote") return once(quote_, option, requireText(option));
    if (name == "escape") return once(escape_, option, requireText(option));
    if (name == "header") return readHeader(option);
    if (name == "encoding") return readEncoding(option);
    if (name == "freeze") return readFreeze(option);
    if (name == "force_quote") return once(force_quote_, option, readColumns(option, true));
    if (name == "force_not_null") return once(force_not_null_, option, readColumns(option, false));
    if (name == "force_null") return once(force_null_, option, readColumns(option, false));
    throw SqlError(sqlstate::kSyntaxError, fmt::format("option \"{}\" not recognized", name)).position(option.position);
  }

  CopyOptions finish(ForcedColumns& forced) {
    CopyOptions result;
    const bool is_binary = format_ == CopyOptions::Format::Binary;
    if (is_binary && delimiter_) throwSyntax("cannot specify DELIMITER in BINARY mode");
    if (is_binary && null_) throwSyntax("cannot specify NULL in BINARY mode");
    const bool is_csv = format_ == CopyOptions::Format::Csv;
    result.format = format_.value_or(CopyOptions::Format::Text);
    const std::string delimiter = delimiter_.value_or(is_csv ? "," : "\t");
    result.null_text = null_.value_or(is_csv ? "" : "\\N");
    const std::string quote = quote_.value_or("\"");
    const std::string escape = escape_.value_or(quote);
    result.header = header_.value_or(false);
    result.header_match = header_match_;
    result.freezes = freeze_.value_or(false);
    checkDelimiter(delimiter, result.null_text, is_csv);
    if (is_binary && result.header) throwNotPossible("cannot specify HEADER in BINARY mode");
    if (!is_csv && quote_) throwNotPossible("COPY quote available only in CSV mode");
    if (is_csv) {
      if (quote.size() != 1) throwNotPossible("COPY quote must be a single one-byte character");
      if (delimiter[0] == quote[0]) throwInvalid("COPY delimiter and quote must be different");
    }
    if (!is_csv && escape_) throwNotPossible("COPY escape available only in CSV mode");
    if (is_csv && escape.size() != 1) throwNotPossible("COPY escape must be a single one-byte character");
    checkForced(force_quote_, "force quote", is_csv, !is_from_, "COPY TO");
    checkForced(force_not_null_, "force not null", is_csv, is_from_, "COPY FROM");
    checkForced(force_null_, "force null", is_csv, is_from_, "COPY FROM");
    if (result.null_text.contains(delimiter[0]))
      throwNotPossible("COPY delimiter must not appear in the NULL specification");
    if (is_csv && result.null_text.contains(quote[0]))
      throwNotPossible("CSV quote character must not appear in the NULL specification");
    result.delimiter = delimiter[0];
    result.quote = quote[0];
    result.escape = escape[0];
    forced = {std::move(force_quote_), std::move(force_not_null_), std::move(force_null_)};
    return result;
  }

 private:
  using Columns = ForcedColumns::Columns;

  [[noreturn]] static void throwSyntax(const char* message) { throw SqlError(sqlstate::kSyntaxError, message); }
  [[noreturn]] static void throwNotPossible(const char* message) {
    throw SqlError(sqlstate::kFeatureNotSupported, message);
  }
  [[noreturn]] static void throwInvalid(const std::string& message) {
    throw SqlError(sqlstate::kInvalidParameterValue, message);
  }

  template <typename T>
  static void once(std::optional<T>& slot, const ast::Option& option, T value) {
    if (slot) throw SqlError(sqlstate::kSyntaxError, "conflicting or redundant options").position(option.position);
    slot = std::move(value);
  }
  static std::string requireText(const ast::Option& option) {
    if (option.value) return *option.value;
    throw SqlError(sqlstate::kSyntaxError, fmt::format("{} requires a parameter", option.name));
  }

  void readFormat(const ast::Option& option) {
    const std::string format = requireText(option);
    if (format == "text") return once(format_, option, CopyOptions::Format::Text);
    if (format == "csv") return once(format_, option, CopyOptions::Format::Csv);
    if (format == "binary") return once(format_, option, CopyOptions::Format::Binary);
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("COPY format \"{}\" not recognized", format))
        .position(option.position);
  }

  static Columns readColumns(const ast::Option& option, bool may_be_all) {
    if (!option.is_list || (option.is_star && !may_be_all))
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("argument to option \"{}\" must be a list of column names", option.name))
          .position(option.position);
    return {option.names, option.is_star};
  }

  static void checkForced(const std::optional<Columns>& columns, std::string_view what, bool is_csv, bool is_possible,
                          std::string_view where) {
    if (!columns) return;
    if (!is_csv) throwNotPossible(fmt::format("COPY {} available only in CSV mode", what).c_str());
    if (!is_possible) throwNotPossible(fmt::format("COPY {} only available using {}", what, where).c_str());
  }

  void readFreeze(const ast::Option& option) {
    const auto value = parseBoolean(option);
    if (!value) throw SqlError(sqlstate::kSyntaxError, "freeze requires a Boolean value");
    once(freeze_, option, *value);
  }

  void readHeader(const ast::Option& option) {
    if (const auto value = parseBoolean(option)) return once(header_, option, *value);
    if (!option.value || lowerCase(*option.value) != "match")
      throw SqlError(sqlstate::kSyntaxError, "header requires a Boolean value or \"match\"");
    if (!is_from_) throw SqlError(sqlstate::kFeatureNotSupported, "cannot use \"match\" with HEADER in COPY TO");
    once(header_, option, true);
    header_match_ = true;
  }

  static void readEncoding(const ast::Option& option) {
    std::string name = lowerCase(requireText(option));
    std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
    if (name != "utf8" && name != "unicode")
      throwNotSupported("COPY with an encoding other than UTF8", option.position);
  }

  static void checkDelimiter(const std::string& delimiter, const std::string& null_text, bool is_csv) {
    if (delimiter.size() != 1) throwNotPossible("COPY delimiter must be a single one-byte character");
    if (delimiter[0] == '\r' || delimiter[0] == '\n')
      throwInvalid("COPY delimiter cannot be newline or carriage return");
    if (null_text.contains('\r') || null_text.contains('\n'))
      throwInvalid("COPY null representation cannot use newline or carriage return");
    static constexpr std::string_view kReserved = "\\.abcdefghijklmnopqrstuvwxyz0123456789";
    if (!is_csv && kReserved.contains(delimiter[0]))
      throwInvalid(fmt::format("COPY delimiter cannot be \"{}\"", delimiter));
  }

  const bool is_from_;
  std::optional<CopyOptions::Format> format_;
  std::optional<std::string> delimiter_, null_, quote_, escape_;
  std::optional<bool> header_;
  std::optional<bool> freeze_;
  std::optional<Columns> force_quote_, force_not_null_, force_null_;
  bool header_match_ = false;
};

/// A flag for each of `columns`, which are copied.
std::vector<uint8_t> flagsOf(const std::optional<ForcedColumns::Columns>& forced, std::string_view option,
                             std::span<const std::string> columns, const TableEntry* table) {
  if (!forced) return {};
  std::vector<uint8_t> flags(columns.size(), forced->are_all ? 1 : 0);
  for (const std::string& name : forced->names) {
    const auto found = std::ranges::find(columns, name);
    if (found != columns.end()) {
      flags[static_cast<size_t>(found - columns.begin())] = 1;
      continue;
    }
    if (table == nullptr) throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", name));
    if (std::ranges::none_of(table->columns, [&](const ColumnEntry& column) { return column.name == name; }))
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", name, table->name));
    throw SqlError(sqlstate::kInvalidColumnReference,
                   fmt::format("{} column \"{}\" not referenced by COPY", option, name));
  }
  return flags;
}

}  // namespace

CopyOptions readCopyOptions(const std::vector<ast::Option>& options, bool is_from, ForcedColumns& forced) {
  CopyOptionReader reader(is_from);
  for (const ast::Option& option : options) reader.read(option);
  return reader.finish(forced);
}

void forceColumns(CopyOptions& options, const ForcedColumns& forced, std::span<const std::string> columns,
                  const TableEntry* table) {
  options.force_quote = flagsOf(forced.quote, "FORCE_QUOTE", columns, table);
  options.force_not_null = flagsOf(forced.not_null, "FORCE_NOT_NULL", columns, table);
  options.force_null = flagsOf(forced.null, "FORCE_NULL", columns, table);
}

}  // namespace gnomon::sql
