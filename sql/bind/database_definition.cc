#include "sql/bind/database_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sql/catalog/schema_entry.h"
#include "sql/types/encoding.h"

namespace gnomon::sql {
namespace {

using Options = std::vector<ast::DatabaseOption>;

constexpr int32_t kUtf8 = 6;
constexpr SqlState kWrongObject("42809");
constexpr SqlState kInvalidDefinition("42P17");

[[noreturn]] void raiseWithPosition(const ast::DatabaseOption& option, SqlState state, const std::string& message) {
  throw SqlError(state, message).position(option.position);
}

void requireKnown(const Options& options, std::initializer_list<std::string_view> known) {
  for (size_t i = 0; i < options.size(); ++i) {
    if (std::ranges::find(known, options[i].name) == known.end())
      raiseWithPosition(options[i], sqlstate::kSyntaxError,
                        fmt::format("option \"{}\" not recognized", options[i].name));
    for (size_t before = 0; before < i; ++before)
      if (options[before].name == options[i].name)
        raiseWithPosition(options[i], sqlstate::kSyntaxError, "conflicting or redundant options");
  }
}

/// Null: it is not said, or DEFAULT.
const ast::DatabaseOption* find(const Options& options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &ast::DatabaseOption::name);
  return found == options.end() || !found->value ? nullptr : &*found;
}

std::optional<std::string> textOption(const Options& options, std::string_view name) {
  const ast::DatabaseOption* const option = find(options, name);
  return option != nullptr ? option->value : std::nullopt;
}

std::optional<int64_t> readInteger(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<bool> flagOption(const Options& options, std::string_view name) {
  const ast::DatabaseOption* const option = find(options, name);
  if (option == nullptr) return std::nullopt;
  std::string text = *option->value;
  std::ranges::transform(text, text.begin(), [](char each) { return each >= 'A' && each <= 'Z' ? each + 32 : each; });
  if (text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  throw SqlError(sqlstate::kSyntaxError, fmt::format("{} requires a Boolean value", name));
}

DatabaseOptions readOptions(const Options& options) {
  DatabaseOptions result{.is_template = flagOption(options, "is_template"),
                         .allows_connections = flagOption(options, "allow_connections")};
  const ast::DatabaseOption* const limit = find(options, "connection_limit");
  if (limit == nullptr) return result;
  const std::optional<int64_t> number = readInteger(*limit->value);
  if (!number || *number > INT32_MAX)
    throw SqlError(sqlstate::kSyntaxError, "connection_limit requires an integer value");
  if (*number < -1)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid connection limit: {}", *number));
  result.connection_limit = static_cast<int32_t>(*number);
  return result;
}

/// Nothing: the server's.
std::optional<std::string> readEncoding(const Options& options) {
  constexpr int32_t kServerEncodings = 35;
  const ast::DatabaseOption* const option = find(options, "encoding");
  if (option == nullptr) return std::nullopt;
  const std::optional<int64_t> number = readInteger(*option->value);
  const Encoding* encoding = number ? nullptr : findEncoding(*option->value);
  for (const Encoding& each : encodings())
    if (number && each.number == *number) encoding = &each;
  if (encoding == nullptr || encoding->number >= kServerEncodings)
    raiseWithPosition(*option, sqlstate::kUndefinedObject,
                      fmt::format("{} is not a valid encoding {}", *option->value, number ? "code" : "name"));
  return encoding->number == kUtf8 ? std::nullopt : std::optional(std::string(encoding->name));
}

/// Nothing: that of all databases, C.
std::optional<std::string> readLocale(const Options& options, std::string_view name) {
  std::optional<std::string> locale = textOption(options, name);
  if (!locale) locale = textOption(options, "locale");
  if (!locale || *locale == "C" || *locale == "POSIX") return std::nullopt;
  // The other one that there is without files of its own.
  if (*locale == "C.UTF-8" || *locale == "C.utf8") return locale;
  throw SqlError(kWrongObject, fmt::format("invalid locale name: \"{}\"", *locale));
}

void requirePlace(const Options& options) {
  const std::optional<std::string> space = textOption(options, "tablespace");
  if (!space || *space == "pg_default") return;
  if (*space == "pg_global")
    throw SqlError(sqlstate::kInvalidParameterValue, "pg_global cannot be used as default tablespace");
  throw SqlError(sqlstate::kUndefinedObject, fmt::format("tablespace \"{}\" does not exist", *space));
}

/// Both strategies come to the same here.
void requireStrategy(const Options& options) {
  const std::optional<std::string> strategy = textOption(options, "strategy");
  if (!strategy || *strategy == "wal_log" || *strategy == "file_copy") return;
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("invalid create database strategy \"{}\"", *strategy))
      .hint("Valid strategies are \"wal_log\" and \"file_copy\".");
}

void requireLibc(const Options& options) {
  const std::string provider = textOption(options, "locale_provider").value_or("libc");
  const bool has_icu = find(options, "icu_locale") != nullptr;
  if (provider != "libc" && provider != "icu")
    throw SqlError(kInvalidDefinition, fmt::format("unrecognized locale provider: {}", provider));
  if (provider == "icu" && !has_icu) throw SqlError(sqlstate::kInvalidParameterValue, "ICU locale must be specified");
  if (provider == "icu") throwNotSupported("ICU as the locale provider of a database");
  if (has_icu) throw SqlError(kInvalidDefinition, "ICU locale cannot be specified unless locale provider is ICU");
}

std::optional<uint32_t> readOid(const Options& options) {
  const ast::DatabaseOption* const option = find(options, "oid");
  if (option == nullptr) return std::nullopt;
  const std::optional<int64_t> number = readInteger(*option->value);
  if (!number)
    throw SqlError(sqlstate::kInvalidTextRepresentation,
                   fmt::format("invalid input syntax for type oid: \"{}\"", *option->value));
  if (*number < 0 || *number > UINT32_MAX)
    throw SqlError(sqlstate::kNumericValueOutOfRange,
                   fmt::format("value \"{}\" is out of range for type oid", *option->value));
  if (*number < kFirstUserOid)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("OIDs less than {} are reserved for system objects", kFirstUserOid));
  return static_cast<uint32_t>(*number);
}

}  // namespace

CreateDatabaseStatement bindCreateDatabase(const ast::CreateDatabase& create) {
  const Options& options = create.options;
  requireKnown(options, {"tablespace", "owner", "template", "encoding", "locale", "lc_collate", "lc_ctype",
                         "icu_locale", "locale_provider", "is_template", "allow_connections", "connection_limit",
                         "collation_version", "oid", "strategy"});
  CreateDatabaseStatement result{.name = create.name};
  result.oid = readOid(options);
  result.encoding = readEncoding(options);
  result.options = readOptions(options);
  result.owner = textOption(options, "owner");
  if (const std::optional<std::string> from = textOption(options, "template")) result.from = *from;
  requireStrategy(options);
  requireLibc(options);
  result.collation = readLocale(options, "lc_collate");
  result.character_type = readLocale(options, "lc_ctype");
  requirePlace(options);
  return result;
}

AlterDatabaseStatement bindAlterDatabase(const ast::AlterDatabase& alter) {
  requireKnown(alter.options, {"is_template", "allow_connections", "connection_limit", "tablespace"});
  if (find(alter.options, "tablespace") != nullptr) throwNotSupported("ALTER DATABASE ... SET TABLESPACE");
  return {.name = alter.name, .options = readOptions(alter.options)};
}

}  // namespace gnomon::sql
