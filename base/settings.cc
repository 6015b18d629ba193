// Table data: more than half of this file is kSettings, one entry for each setting. It is one table, because its length
// is checked against SettingId and an entry names the functions before it that make a value canonical; the code around
// it has 350 lines.
#include "base/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <vector>

#include "base/assert.h"
#include "base/language_settings.h"
#include "base/name_list.h"
#include "base/sql_error.h"
#include "base/time_zone.h"
#include "base/white_space.h"

namespace gnomon {
namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::vector<std::string_view> splitList(std::string_view list, char separator = ',') {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = list.find(separator);
    parts.push_back(trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

/// Position of `value` in a list such as "vm, llvm, auto"; -1: not in it.
int64_t positionInList(std::string_view list, std::string_view value) {
  const std::string wanted = lowered(value);
  int64_t position = 0;
  for (std::string_view part : splitList(list)) {
    if (!part.empty() && lowered(part) == wanted) return position;
    ++position;
  }
  return -1;
}

SqlError invalidValue(const SettingDescription& setting, std::string_view value) {
  return {sqlstate::kInvalidParameterValue,
          fmt::format("invalid value for parameter \"{}\": \"{}\"", setting.name, value)};
}

[[noreturn]] void refuseValue(const SettingDescription& setting, std::string_view value) {
  throwNotSupported(fmt::format("setting parameter \"{}\" to \"{}\"", setting.name, value));
}

/// PostgreSQL keeps printable ASCII and writes '?' for the rest.
std::string cleanAscii(const SettingDescription&, std::string_view value) {
  std::string result(value.substr(0, 63));
  for (char& c : result)
    if (c < 32 || c > 126) c = '?';
  return result;
}

std::string canonicalEncoding(const SettingDescription& setting, std::string_view value) {
  std::string name;
  for (char c : value)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  name = lowered(name);
  if (name == "utf8" || name == "unicode") return "UTF8";
  // A client of encoding SQL_ASCII gets the server's bytes unconverted, which is what every client gets.
  if (name == "sqlascii") return "SQL_ASCII";
  for (std::string_view known : {"latin", "win", "iso8859", "euc", "sjis", "shiftjis", "big5", "gb", "koi8", "uhc",
                                 "johab", "mule", "windows", "alt", "abc", "tcvn", "vscii"})
    if (name.starts_with(known)) refuseValue(setting, value);
  throw invalidValue(setting, value);
}

/// The words of a list set style and order, each once; what it does not say is left empty.
std::string canonicalDateStyle(const SettingDescription& setting, std::string_view value) {
  std::string_view style, order;
  bool has_style = false, has_order = false;
  const auto set = [&](std::string_view& part, bool& is_set, std::string_view to) {
    if (is_set && part != to) throw invalidValue(setting, value).detail("Conflicting \"datestyle\" specifications.");
    part = to;
    is_set = true;
  };
  for (std::string_view word : splitList(value)) {
    const std::string key = lowered(word);
    if (key == "iso") {
      set(style, has_style, "ISO");
    } else if (key == "sql") {
      set(style, has_style, "SQL");
    } else if (key.starts_with("postgres")) {
      set(style, has_style, "Postgres");
    } else if (key == "german") {
      set(style, has_style, "German");
      if (!has_order) order = "DMY";
    } else if (key == "ymd") {
      set(order, has_order, "YMD");
    } else if (key == "dmy" || key.starts_with("euro")) {
      set(order, has_order, "DMY");
    } else if (key == "mdy" || key == "us" || key.starts_with("noneuro")) {
      set(order, has_order, "MDY");
    } else if (key == "default") {
      if (!has_style) style = "ISO";
      if (!has_order) order = "MDY";
    } else {
      throw invalidValue(setting, value).detail(fmt::format("Unrecognized key word: \"{}\".", word));
    }
  }
  return fmt::format("{}, {}", style, order);
}

/// What a canonical style leaves empty is as it was before.
std::string completedDateStyle(std::string_view style, std::string_view before) {
  const auto parts = splitList(style), parts_before = splitList(before);
  return fmt::format("{}, {}", parts[0].empty() ? parts_before[0] : parts[0],
                     parts[1].empty() ? parts_before[1] : parts[1]);
}

std::string canonicalSearchPath(const SettingDescription& setting, std::string_view value) {
  if (!splitNameList(value)) throw invalidValue(setting, value).detail("List syntax is invalid.");
  return std::string(value);
}

/// Whether what is called so counts leap seconds. Those in the database's folder are no zones here, and what has an
/// offset with seconds at the begin of 2000 looks like one to PostgreSQL.
bool countsLeapSeconds(std::string_view name, const TimeZone* zone) {
  constexpr std::string_view kLeapFolder = "right/";
  constexpr int64_t kBeginOf2000 = 946'684'800;
  if (zone != nullptr) return zone->offsetAt(kBeginOf2000) % 60 != 0;
  return lowered(name).starts_with(kLeapFolder) && TimeZone::find(name.substr(kLeapFolder.size())) != nullptr;
}

/// A zone's name, or hours east of UTC.
std::string canonicalTimeZone(const SettingDescription& setting, std::string_view value) {
  if (lowered(value) == "default") return "UTC";
  const std::string text(value);
  char* end = nullptr;
  const double hours = std::strtod(text.c_str(), &end);
  const bool is_offset = end != text.c_str() && *end == '\0';
  constexpr double kHoursMax = 168;
  const TimeZone* zone = nullptr;
  if (!is_offset) zone = TimeZone::find(value);
  if (is_offset && hours > -kHoursMax && hours < kHoursMax)
    zone = TimeZone::ofOffset(static_cast<int32_t>(hours * 3600));
  if (!is_offset && countsLeapSeconds(value, zone))
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("time zone \"{}\" appears to use leap seconds", value))
        .detail("PostgreSQL does not support leap seconds.");
  if (zone != nullptr) return zone->name();
  if (is_offset) throw invalidValue(setting, value).detail("UTC timezone offset is out of range.");
  throw invalidValue(setting, value);
}

/// The tablespaces that data may be in: that of the database.
std::string canonicalTablespace(const SettingDescription& setting, std::string_view value) {
  if (value.empty() || value == "pg_default") return std::string(value);
  throw invalidValue(setting, value).detail(fmt::format("Tablespace \"{}\" does not exist.", value));
}

/// Messages are in English, numbers as in C.
std::string canonicalLocale(const SettingDescription& setting, std::string_view value) {
  if (value == "C" || value == "POSIX") return std::string(value);
  throw invalidValue(setting, value);
}

constexpr int64_t kIntMax = INT32_MAX;
using enum SettingContext;
using Kind = SettingKind;

constexpr SettingDescription kSettings[] = {
    {.id = SettingId::ApplicationName,
     .name = "application_name",
     .kind = Kind::Text,
     .is_reported = true,
     .default_text = "",
     .description = "Sets the application name to be reported in statistics and logs.",
     .canonicalise = cleanAscii},
    {.id = SettingId::AutoBulkRows,
     .name = "auto_bulk_rows",
     .kind = Kind::Integer,
     .default_text = "1000000",
     .minimum = 0,
     .maximum = INT64_MAX,
     .description = "Rows from which on a statement that is all of its transaction becomes a bulk operation, if nobody "
                    "else is writing; 0: none does."},
    {.id = SettingId::BufferPool,
     .name = "buffer_pool",
     .kind = Kind::Integer,
     .unit = SettingUnit::Bytes,
     .context = Start,
     .default_text = "134217728",
     .minimum = int64_t{16} << 20,
     .maximum = INT64_MAX,
     .description = "Memory for pages; by default half of what the process may use."},
    {.id = SettingId::BulkWrite,
     .name = "bulk_write",
     .kind = Kind::Boolean,
     .default_text = "off",
     .description = "Makes transactions that write bulk operations, as SET TRANSACTION BULK WRITE does."},
    {.id = SettingId::ByteaOutput,
     .name = "bytea_output",
     .kind = Kind::Enumeration,
     .default_text = "hex",
     .choices = "escape, hex",
     .description = "Sets the output format for bytea."},
    {.id = SettingId::CheckFunctionBodies,
     .name = "check_function_bodies",
     .kind = Kind::Boolean,
     .default_text = "on",
     .description = "Checks routine bodies during CREATE FUNCTION and CREATE PROCEDURE."},
    {.id = SettingId::ClientEncoding,
     .name = "client_encoding",
     .kind = Kind::Text,
     .is_reported = true,
     .default_text = "UTF8",
     .description = "Sets the client's character set encoding.",
     .canonicalise = canonicalEncoding},
    {.id = SettingId::ClientMinMessages,
     .name = "client_min_messages",
     .kind = Kind::Enumeration,
     .default_text = "notice",
     .choices = "debug5, debug4, debug3, debug2, debug1, log, notice, warning, error",
     .description = "Sets the message levels that are sent to the client."},
    {.id = SettingId::DataDirectory,
     .name = "data_directory",
     .kind = Kind::Text,
     .context = Start,
     .default_text = "",
     .description = "Sets the server's data directory."},
    {.id = SettingId::DateStyle,
     .name = "DateStyle",
     .kind = Kind::Text,
     .is_reported = true,
     .default_text = "ISO, MDY",
     .description = "Sets the display format for date and time values.",
     .canonicalise = canonicalDateStyle},
    {.id = SettingId::DeadlockTimeout,
     .name = "deadlock_timeout",
     .kind = Kind::Integer,
     .unit = SettingUnit::Milliseconds,
     .default_text = "1000",
     .minimum = 1,
     .maximum = kIntMax,
     .description = "Sets the time to wait on a lock before checking for deadlock."},
    {.id = SettingId::DefaultTableAccessMethod,
     .name = "default_table_access_method",
     .kind = Kind::Enumeration,
     .default_text = "heap",
     .choices = "heap",
     .description = "Sets the default table access method for new tables."},
    {.id = SettingId::DefaultTablespace,
     .name = "default_tablespace",
     .kind = Kind::Text,
     .default_text = "",
     .description = "Sets the default tablespace to create tables and indexes in.",
     .canonicalise = canonicalTablespace},
    {.id = SettingId::DefaultToastCompression,
     .name = "default_toast_compression",
     .kind = Kind::Enumeration,
     .default_text = "pglz",
     .choices = "pglz, lz4",
     .description = "Sets the default compression method for compressible values."},
    {.id = SettingId::DefaultTransactionDeferrable,
     .name = "default_transaction_deferrable",
     .kind = Kind::Boolean,
     .default_text = "off",
     .description = "Sets the default deferrable status of new transactions, which has no effect below SERIALIZABLE."},
    {.id = SettingId::DefaultTransactionIsolation,
     .name = "default_transaction_isolation",
     .kind = Kind::Enumeration,
     .default_text = "read committed",
     .choices = "read committed, repeatable read, read uncommitted",
     .unsupported = "serializable",
     .description = "Sets the transaction isolation level of each new transaction."},
    {.id = SettingId::DefaultTransactionReadOnly,
     .name = "default_transaction_read_only",
     .kind = Kind::Boolean,
     .is_reported = true,
     .default_text = "off",
     .description = "Sets the default read-only status of new transactions."},
    {.id = SettingId::DoubleWrite,
     .name = "double_write",
     .kind = Kind::Boolean,
     .context = Start,
     .default_text = "on",
     .description =
         "Writes pages twice, so that a crash leaves no torn page; off for devices whose writes are atomic."},
    {.id = SettingId::ExecutionMode,
     .name = "execution_mode",
     .kind = Kind::Enumeration,
     .default_text = "auto",
     .choices = "vm, llvm, auto",
     .description = "Says whether statements run as bytecode, as machine code, or as whichever pays."},
    {.id = SettingId::ExtraFloatDigits,
     .name = "extra_float_digits",
     .kind = Kind::Integer,
     .default_text = "1",
     .minimum = -15,
     .maximum = 3,
     .description = "Sets the number of digits displayed for floating-point values."},
    {.id = SettingId::IdleInTransactionSessionTimeout,
     .name = "idle_in_transaction_session_timeout",
     .kind = Kind::Integer,
     .unit = SettingUnit::Milliseconds,
     .default_text = "0",
     .maximum = kIntMax,
     .description = "Sets the maximum allowed idle time between queries, when in a transaction; 0 turns this off."},
    {.id = SettingId::IdleSessionTimeout,
     .name = "idle_session_timeout",
     .kind = Kind::Integer,
     .unit = SettingUnit::Milliseconds,
     .default_text = "0",
     .minimum = 0,
     .maximum = kIntMax,
     .description = "Sets the maximum allowed idle time between queries, when not in a transaction."},
    {.id = SettingId::InHotStandby,
     .name = "in_hot_standby",
     .kind = Kind::Boolean,
     .context = Internal,
     .is_reported = true,
     .default_text = "off",
     .description = "Shows whether hot standby is currently active."},
    {.id = SettingId::IntegerDatetimes,
     .name = "integer_datetimes",
     .kind = Kind::Boolean,
     .context = Internal,
     .is_reported = true,
     .default_text = "on",
     .description = "Shows whether datetimes are integer based."},
    {.id = SettingId::IntervalStyle,
     .name = "IntervalStyle",
     .kind = Kind::Enumeration,
     .is_reported = true,
     .default_text = "postgres",
     .choices = "postgres, postgres_verbose, sql_standard, iso_8601",
     .description = "Sets the display format for interval values."},
    {.id = SettingId::IoMethod,
     .name = "io_method",
     .kind = Kind::Enumeration,
     .context = Start,
     .default_text = "auto",
     .choices = "auto, io_uring, pread",
     .description = "How pages are read and written; auto: io_uring where the kernel allows it."},
    {.id = SettingId::IsSuperuser,
     .name = "is_superuser",
     .kind = Kind::Boolean,
     .context = Internal,
     .is_reported = true,
     .default_text = "on",
     .description = "Shows whether the current user is a superuser."},
    {.id = SettingId::Jit,
     .name = "jit",
     .kind = Kind::Boolean,
     .default_text = "on",
     .description = "Allow JIT compilation."},
    {.id = SettingId::LastStatementCompileUs,
     .name = "last_statement_compile_us",
     .kind = Kind::Integer,
     .context = Internal,
     .default_text = "0",
     .maximum = INT64_MAX,
     .description = "Microseconds from receiving the previous query to its first morsel."},
    {.id = SettingId::LcCollate,
     .name = "lc_collate",
     .kind = Kind::Text,
     .context = Internal,
     .default_text = "C",
     .description = "Shows the collation order locale."},
    {.id = SettingId::LcCtype,
     .name = "lc_ctype",
     .kind = Kind::Text,
     .context = Internal,
     .default_text = "C",
     .description = "Shows the character classification and case conversion locale."},
    {.id = SettingId::LcMessages,
     .name = "lc_messages",
     .kind = Kind::Text,
     .default_text = "C",
     .description = "Sets the language in which messages are displayed.",
     .canonicalise = canonicalLocale},
    {.id = SettingId::LcMonetary,
     .name = "lc_monetary",
     .kind = Kind::Text,
     .default_text = "C",
     .description = "Sets the locale for formatting monetary amounts.",
     .canonicalise = canonicalLocale},
    {.id = SettingId::LcNumeric,
     .name = "lc_numeric",
     .kind = Kind::Text,
     .default_text = "C",
     .description = "Sets the locale for formatting numbers.",
     .canonicalise = canonicalLocale},
    {.id = SettingId::LcTime,
     .name = "lc_time",
     .kind = Kind::Text,
     .default_text = "C",
     .description = "Sets the locale for formatting date and time values.",
     .canonicalise = canonicalLocale},
    {.id = SettingId::ListenAddresses,
     .name = "listen_addresses",
     .kind = Kind::Text,
     .context = Start,
     .default_text = "127.0.0.1",
     .description = "Sets the address to listen to."},
    {.id = SettingId::LlvmOptimisation,
     .name = "llvm_optimisation",
     .kind = Kind::Enumeration,
     .default_text = "auto",
     .choices = "auto, quick, full",
     .description = "Says whether machine code is made quickly, optimised fully, or the one and later the other."},
    {.id = SettingId::LoCompatPrivileges,
     .name = "lo_compat_privileges",
     .kind = Kind::Boolean,
     .default_text = "off",
     .description = "Lets everybody read, change and drop large objects, as before there were rights on them."},
    {.id = SettingId::LockTimeout,
     .name = "lock_timeout",
     .kind = Kind::Integer,
     .unit = SettingUnit::Milliseconds,
     .default_text = "0",
     .maximum = kIntMax,
     .description = "Sets the maximum allowed duration of any wait for a lock; 0 turns this off."},
    {.id = SettingId::LogMinDurationStatement,
     .name = "log_min_duration_statement",
     .kind = Kind::Integer,
     .unit = SettingUnit::Milliseconds,
     .default_text = "-1",
     .minimum = -1,
     .maximum = kIntMax,
     .description = "Sets the minimum execution time above which statements will be logged; 0 logs all, -1 none."},
    {.id = SettingId::MaxConnections,
     .name = "max_connections",
     .kind = Kind::Integer,
     .context = Start,
     .default_text = "300",
     .minimum = 1,
     .maximum = 10000,
     .description = "Sets the maximum number of concurrent connections."},
    {.id = SettingId::MaxIdentifierLength,
     .name = "max_identifier_length",
     .kind = Kind::Integer,
     .context = Internal,
     .default_text = "63",
     .maximum = 63,
     .description = "Shows the maximum identifier length."},
    {.id = SettingId::MaxIndexKeys,
     .name = "max_index_keys",
     .kind = Kind::Integer,
     .context = Internal,
     .default_text = "32",
     .maximum = 32,
     .description = "Shows the maximum number of index keys."},
    {.id = SettingId::MaxWalSize,
     .name = "max_wal_size",
     .kind = Kind::Integer,
     .unit = SettingUnit::Bytes,
     .context = Start,
     .default_text = "1073741824",
     .minimum = int64_t{4} << 20,
     .maximum = int64_t{1} << 50,
     .description = "Sets the size of the write-ahead log that recovery may have to read: pages are written to keep it "
                    "below."},
    {.id = SettingId::MetricsListenAddress,
     .name = "metrics_listen_address",
     .kind = Kind::Text,
     .context = Start,
     .default_text = "",
     .description = "Sets the address and port at which metrics are served over HTTP; empty: they are not."},
    {.id = SettingId::PasswordEncryption,
     .name = "password_encryption",
     .kind = Kind::Enumeration,
     .default_text = "scram-sha-256",
     .choices = "scram-sha-256",
     .unsupported = "md5",
     .description = "Says what is stored of passwords."},
    {.id = SettingId::PlanCacheMode,
     .name = "plan_cache_mode",
     .kind = Kind::Enumeration,
     .default_text = "auto",
     .choices = "auto, force_generic_plan, force_custom_plan",
     .description = "Controls the planner's selection of custom or generic plan."},
    {.id = SettingId::Port,
     .name = "port",
     .kind = Kind::Integer,
     .context = Start,
     .default_text = "5432",
     .minimum = 0,
     .maximum = 65535,
     .description = "Sets the TCP port the server listens on."},
    {.id = SettingId::QueryMemory,
     .name = "query_memory",
     .kind = Kind::Integer,
     .unit = SettingUnit::Bytes,
     .default_text = "1073741824",
     .minimum = int64_t{1} << 20,
     .maximum = INT64_MAX,
     .description = "The most memory one statement may use; past it the statement fails with 53200."},
    {.id = SettingId::Role,
     .name = "role",
     .kind = Kind::Text,
     .context = Internal,
     .default_text = "none",
     .description = "Sets the current role."},
    {.id = SettingId::RowSecurity,
     .name = "row_security",
     .kind = Kind::Boolean,
     .default_text = "on",
     .description = "Enable row security."},
    {.id = SettingId::SearchPath,
     .name = "search_path",
     .kind = Kind::Text,
     .default_text = "\"$user\", public",
     .description = "Sets the schema search order for names that are not schema-qualified.",
     .canonicalise = canonicalSearchPath},
    {.id = SettingId::ServerEncoding,
     .name = "server_encoding",
     .kind = Kind::Text,
     .context = Internal,
     .is_reported = true,
     .default_text = "UTF8",
     .description = "Shows the server (database) character set encoding."},
    {.id = SettingId::ServerVersion,
     .name = "server_version",
     .kind = Kind::Text,
     .context = Internal,
     .is_reported = true,
     .default_text = "15.0 (Gnomon)",
     .description = "Shows the server version."},
    {.id = SettingId::ServerVersionNum,
     .name = "server_version_num",
     .kind = Kind::Integer,
     .context = Internal,
     .default_text = "150000",
     .maximum = kIntMax,
     .description = "Shows the server version as an integer."},
    {.id = SettingId::SessionAuthorization,
     .name = "session_authorization",
     .kind = Kind::Text,
     .context = Internal,
     .is_reported = true,
     .default_text = "",
     .description = "Shows the session user name."},
    {.id = SettingId::StandardConformingStrings,
     .name = "standard_conforming_strings",
     .kind = Kind::Boolean,
     .is_reported = true,
     .default_text = "on",
     .unsupported = "off",
     .description = "Causes '...' strings to treat backslashes literally."},
    {.id = SettingId::StatementTimeout,
     .name = "statement_timeout",
     .kind = Kind::Integer,
     .unit = SettingUnit::Milliseconds,
     .default_text = "0",
     .maximum = kIntMax,
     .description = "Sets the maximum allowed duration of any statement; 0 turns this off."},
    {.id = SettingId::SynchronizeSeqscans,
     .name = "synchronize_seqscans",
     .kind = Kind::Boolean,
     .default_text = "on",
     .description = "Enable synchronized sequential scans."},
    {.id = SettingId::SynchronousCommit,
     .name = "synchronous_commit",
     .kind = Kind::Enumeration,
     .default_text = "on",
     .choices = "on, off, local, remote_write, remote_apply",
     .description = "Says whether a transaction's commit waits for the disk; every value but off does."},
    {.id = SettingId::TempFileLimit,
     .name = "temp_file_limit",
     .kind = Kind::Integer,
     .unit = SettingUnit::Kilobytes,
     .default_text = "-1",
     .minimum = -1,
     .maximum = kIntMax,
     .description = "Limits what a statement may keep in temporary files; -1 means no limit."},
    {.id = SettingId::TimeZone,
     .name = "TimeZone",
     .kind = Kind::Text,
     .is_reported = true,
     .default_text = "UTC",
     .description = "Sets the time zone for displaying and interpreting time stamps.",
     .canonicalise = canonicalTimeZone},
    {.id = SettingId::TransactionDeferrable,
     .name = "transaction_deferrable",
     .kind = Kind::Boolean,
     .default_text = "off",
     .description = "Sets the current transaction's deferrable status, which has no effect below SERIALIZABLE."},
    {.id = SettingId::TransactionIsolation,
     .name = "transaction_isolation",
     .kind = Kind::Enumeration,
     .default_text = "read committed",
     .choices = "read committed, repeatable read, read uncommitted",
     .unsupported = "serializable",
     .description = "Sets the current transaction's isolation level."},
    {.id = SettingId::TransactionReadOnly,
     .name = "transaction_read_only",
     .kind = Kind::Boolean,
     .default_text = "off",
     .description = "Sets the current transaction's read-only status."},
    {.id = SettingId::UnixSocketDirectories,
     .name = "unix_socket_directories",
     .kind = Kind::Text,
     .context = Start,
     .default_text = "",
     .description = "Sets the directory where the Unix-domain socket is."},
    {.id = SettingId::VersionMemoryLimit,
     .name = "version_memory_limit",
     .kind = Kind::Integer,
     .unit = SettingUnit::Bytes,
     .context = Start,
     .default_text = "1073741824",
     .minimum = int64_t{1} << 20,
     .maximum = INT64_MAX,
     .description = "Memory for row versions of all transactions; by default a quarter of what the process may use."},
    {.id = SettingId::WalSyncMethod,
     .name = "wal_sync_method",
     .kind = Kind::Enumeration,
     .context = Start,
     .default_text = "fdatasync",
     .choices = "fdatasync, fsync, open_datasync, open_sync",
     .description = "Selects how the write-ahead log is brought to the disk."},
    {.id = SettingId::WorkMem,
     .name = "work_mem",
     .kind = Kind::Integer,
     .unit = SettingUnit::Kilobytes,
     .default_text = "262144",
     .minimum = 64,
     .maximum = kIntMax,
     .description = "Memory that one sort, grouping or join of a statement may use before it goes on in temporary "
                    "files; by default a quarter of query_memory."},
    {.id = SettingId::WorkerCount,
     .name = "worker_count",
     .kind = Kind::Integer,
     .context = Start,
     .default_text = "1",
     .minimum = 1,
     .maximum = 1024,
     .description = "Threads that work on parallel steps at a time; by default one per core."},
    {.id = SettingId::XmlOption,
     .name = "xmloption",
     .kind = Kind::Enumeration,
     .default_text = "content",
     .choices = "content, document",
     .description = "Sets whether XML data in implicit parsing and serialization operations is to be considered as "
                    "documents or content fragments."},
};
static_assert(std::size(kSettings) == static_cast<size_t>(SettingId::Count));

int64_t parseInteger(const SettingDescription& setting, std::string_view value) {
  int64_t number = 0;
  if (!parseQuantity(value, setting.unit, number)) {
    SqlError error = invalidValue(setting, value);
    const size_t digit = value.find_first_of("0123456789");
    const bool has_number = digit < value.size() && value.find_first_not_of(" +-.") == digit;
    if (!has_number) throw error;
    if (setting.unit == SettingUnit::Bytes || setting.unit == SettingUnit::Kilobytes)
      error.hint("Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".");
    else if (setting.unit != SettingUnit::None)
      error.hint("Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".");
    throw error;
  }
  if (number < setting.minimum || number > setting.maximum) {
    const std::string_view unit = unitName(setting.unit);
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("{}{}{} is outside the valid range for parameter \"{}\" ({} .. {})", number,
                               unit.empty() ? "" : " ", unit, setting.name, setting.minimum, setting.maximum));
  }
  return number;
}

void checkMayChange(const SettingDescription& setting, SettingSource source) {
  if (setting.context == SettingContext::Session) return;
  if (setting.context == SettingContext::Start && source == SettingSource::CommandLine) return;
  const char* suffix = setting.context == SettingContext::Start ? " without restarting the server" : "";
  throw SqlError(sqlstate::kCantChangeRuntimeParam,
                 fmt::format("parameter \"{}\" cannot be changed{}", setting.name, suffix));
}

}  // namespace

bool parseBoolean(std::string_view text, bool& value) {
  const std::string word = lowered(text);
  const auto is_prefix = [&](std::string_view full, size_t characters_min) {
    return word.size() >= characters_min && full.starts_with(word);
  };
  value = is_prefix("true", 1) || is_prefix("yes", 1) || word == "on" || word == "1";
  return value || is_prefix("false", 1) || is_prefix("no", 1) || is_prefix("off", 2) || word == "0";
}

std::span<const SettingDescription> settingDescriptions() {
  return kSettings;
}

const SettingDescription& findSetting(std::string_view name) {
  // PostgreSQL's older name for the zone.
  const std::string wanted = lowered(name) == "time zone" ? "timezone" : lowered(name);
  for (const SettingDescription& setting : kSettings)
    if (lowered(setting.name) == wanted) return setting;
  throw SqlError(sqlstate::kUndefinedObject, fmt::format("unrecognized configuration parameter \"{}\"", name));
}

Settings::Settings() {
  for (const SettingDescription& setting : kSettings) {
    const size_t i = index(setting.id);
    CHECK(&kSettings[i] == &setting, "settings stand in the order of their ids");
    current_[i] = setting.kind == SettingKind::Text ? SettingValue{std::string(setting.default_text), 0}
                                                    : parse(setting, setting.default_text);
  }
  reset_ = current_;
  for (const LanguageSetting& setting : languageSettings()) custom_.set(setting.name, setting.default_text, true, 0);
}

Settings Settings::forSession() const {
  Settings settings(*this);
  settings.reset_ = settings.current_;
  return settings;
}

Settings::SettingValue Settings::parse(const SettingDescription& setting, std::string_view value) {
  if (positionInList(setting.unsupported, value) >= 0) refuseValue(setting, value);
  switch (setting.kind) {
    case SettingKind::Boolean: {
      bool flag = false;
      if (!parseBoolean(value, flag))
        throw SqlError(sqlstate::kInvalidParameterValue,
                       fmt::format("parameter \"{}\" requires a Boolean value", setting.name));
      const std::string_view canonical = flag ? "on" : "off";
      if (setting.unsupported == canonical) refuseValue(setting, canonical);
      return {std::string(canonical), flag};
    }
    case SettingKind::Integer: {
      const int64_t number = parseInteger(setting, value);
      std::string text = std::to_string(number);
      if (setting.canonicalise) text = setting.canonicalise(setting, text);
      return {std::move(text), number};
    }
    case SettingKind::Enumeration: {
      const int64_t position = positionInList(setting.choices, value);
      if (position < 0) throw invalidValue(setting, value).hint(fmt::format("Available values: {}.", setting.choices));
      return {std::string(splitList(setting.choices)[static_cast<size_t>(position)]), position};
    }
    case SettingKind::Text:
      break;
  }
  return {setting.canonicalise ? setting.canonicalise(setting, value) : std::string(value), 0};
}

void Settings::set(std::string_view name, std::string_view value, SettingSource source) {
  if (CustomSettings::hasDot(name)) {
    const std::string checked = checkedCustomValue(name, value);
    return custom_.set(name, checked, source != SettingSource::Session, noteChange());
  }
  const SettingDescription& setting = findSetting(name);
  checkMayChange(setting, source);
  SettingValue parsed = parse(setting, value);
  if (setting.id == SettingId::DateStyle) parsed.text = completedDateStyle(parsed.text, text(setting.id));
  if (source != SettingSource::Session) reset_[index(setting.id)] = parsed;
  parsed.change = noteChange();
  current_[index(setting.id)] = std::move(parsed);
}

void Settings::reset(std::string_view name) {
  if (CustomSettings::hasDot(name)) {
    if (custom_.find(name) == nullptr) CustomSettings::checkName(name);
    return custom_.reset(name, noteChange());
  }
  const SettingDescription& setting = findSetting(name);
  checkMayChange(setting, SettingSource::Session);
  current_[index(setting.id)] = reset_[index(setting.id)];
  current_[index(setting.id)].change = noteChange();
}

void Settings::resetAll() {
  const uint64_t change = noteChange();
  for (const SettingDescription& setting : kSettings)
    if (setting.context == SettingContext::Session) {
      current_[index(setting.id)] = reset_[index(setting.id)];
      current_[index(setting.id)].change = change;
    }
  custom_.resetAll(change);
}

void Settings::restore(const Settings& former) {
  CustomSettings made = std::move(custom_);
  *this = former;
  custom_.addNamesOf(made);
}

void Settings::setInternal(SettingId id, std::string_view value) {
  const SettingDescription& setting = kSettings[index(id)];
  SettingValue parsed = setting.kind == SettingKind::Text ? SettingValue{std::string(value), 0} : parse(setting, value);
  reset_[index(id)] = parsed;
  parsed.change = noteChange();
  current_[index(id)] = std::move(parsed);
}

void Settings::setMeasured(SettingId id, int64_t value) {
  SettingValue& current = current_[index(id)];
  if (current.number == value) return;
  current.number = value;
  current.text = std::to_string(value);
  reset_[index(id)] = current;
}

/// Numbers are never given twice: settings that were changed and then put back by a copy have the old one again.
uint64_t Settings::noteChange() {
  static std::atomic<uint64_t> last{0};
  return version_ = last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::string Settings::show(SettingId id) const {
  const SettingDescription& setting = kSettings[index(id)];
  if (setting.kind == SettingKind::Integer) return printQuantity(integer(id), setting.unit);
  return text(id);
}

std::string Settings::show(std::string_view name) const {
  if (const std::string* value = custom_.find(name)) return *value;
  return show(findSetting(name).id);
}

std::string Settings::shownName(std::string_view name) const {
  if (custom_.find(name) != nullptr) return std::string(custom_.shownName(name));
  return std::string(findSetting(name).name);
}

}  // namespace gnomon
