#include "sql/pg_catalog/size_functions.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/settings.h"
#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"
#include "sql/pg_catalog/objects.h"
#include "sql/types/big_numeric.h"
#include "storage/index/index_page.h"
#include "txn/table.h"

namespace gnomon::sql::pg_catalog {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;

const CatalogView& catalog() {
  return requiredCatalogSession().catalog;
}

bool hasPages(const TableEntry& table) {
  return isPlainTable(table) && table.partitioning == nullptr;
}

/// Of its leaves.
int64_t tableBytes(const TableEntry& table) {
  return hasPages(table) ? static_cast<int64_t>(table.storage->relation().leafBytes()) : 0;
}

/// 0 of one that is just being dropped.
int64_t indexBytes(const TableEntry& table, const IndexEntry& index) {
  if (!hasPages(table)) return 0;
  return static_cast<int64_t>(index.storage->pageCount().value_or(0) * storage::kIndexPageBytes);
}

int64_t indexesBytes(const TableEntry& table) {
  int64_t bytes = 0;
  for (const IndexPtr& index : table.indexes) bytes += indexBytes(table, *index);
  return bytes;
}

/// What of a relation is counted. Those of PostgreSQL's forks that are not the first are no files of their own here.
enum class Part : uint8_t { Main, OtherFork, Indexes, All };

Value sizeOf(uint32_t oid, Part part, Type result) {
  const bool is_main = part == Part::Main || part == Part::All;
  int64_t bytes = 0;
  if (const TablePtr table = findTable(catalog(), oid)) {
    if (is_main) bytes += tableBytes(*table);
    if (part == Part::Indexes || part == Part::All) bytes += indexesBytes(*table);
  } else if (const FoundIndex found = findIndex(catalog(), oid); found.table != nullptr) {
    if (is_main) bytes += indexBytes(*found.table, *found.index);
  } else if (std::ranges::none_of(catalog().virtualRelations(), [&](const auto& each) { return each->oid == oid; })) {
    return Value::null(result);
  }
  return Value::fromInt(result, bytes);
}

template <Part part>
Value relationBytes(Arguments arguments, Type result) {
  return sizeOf(static_cast<uint32_t>(arguments[0].lo), part, result);
}

Value forkBytes(Arguments arguments, Type result) {
  constexpr std::string_view kForks[] = {"main", "fsm", "vm", "init"};
  const auto* const fork = std::ranges::find(kForks, arguments[1].bytes);
  if (fork == std::end(kForks))
    throw SqlError(sqlstate::kInvalidParameterValue, "invalid fork name")
        .hint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".");
  return sizeOf(static_cast<uint32_t>(arguments[0].lo), fork == kForks ? Part::Main : Part::OtherFork, result);
}

/// What the files of the data directory take on the disk.
Value dataBytes(Type result) {
  int64_t bytes = 0;
  const std::string& directory = requiredCatalogSession().settings.text(SettingId::DataDirectory);
  std::error_code error;
  constexpr int64_t kBlock = 512;
  for (std::filesystem::recursive_directory_iterator file(directory, error), end; !error && file != end;
       file.increment(error)) {
    struct stat status;
    // One that has just gone takes nothing.
    if (::lstat(file->path().c_str(), &status) == 0) bytes += status.st_blocks * kBlock;
  }
  return Value::fromInt(result, bytes);
}

/// Its tables and indexes: what is not in them is shared by all databases.
Value databaseBytes(Arguments arguments, Type result) {
  const Value& named = arguments[0];
  for (const DatabasePtr& each : catalog().databases()) {
    if (named.type.isString() ? each->name != named.bytes : each->oid != static_cast<uint32_t>(named.lo)) continue;
    int64_t bytes = 0;
    for (const TablePtr& table : catalog().entriesOf(each->oid)) bytes += tableBytes(*table) + indexesBytes(*table);
    return Value::fromInt(result, bytes);
  }
  if (named.type.isString()) raiseNoDatabase(named.bytes);
  return Value::null(result);
}

/// The default one has everything.
Value tablespaceBytes(Arguments arguments, Type result) {
  constexpr uint64_t kDefault = 1663, kGlobal = 1664;
  const Value& space = arguments[0];
  if (!space.type.isString()) {
    if (space.lo == kGlobal) return Value::fromInt(result, 0);
    return space.lo == kDefault ? dataBytes(result) : Value::null(result);
  }
  if (space.bytes == "pg_global") return Value::fromInt(result, 0);
  if (space.bytes == "pg_default") return dataBytes(result);
  throw SqlError(sqlstate::kUndefinedObject, fmt::format("tablespace \"{}\" does not exist", space.bytes));
}

/// As PostgreSQL: below ten thousand of a unit, halves of the next rounded away from zero.
constexpr int64_t kPrettyLimit = 10 * 1024;
std::string prettyText(int64_t size) {
  constexpr std::string_view kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  if (std::abs(size) < kPrettyLimit) return fmt::format("{} bytes", size);
  // One bit more than asked for, to round with.
  size /= 512;
  size_t unit = 1;
  while (std::abs(size) >= kPrettyLimit * 2 - 1 && unit + 1 < std::size(kUnits)) {
    size /= 1024;
    ++unit;
  }
  const int64_t rounded = (size + (size > 0 ? 1 : -1)) / 2;
  return fmt::format("{} {}", rounded, kUnits[unit]);
}

Value prettySize(Arguments arguments, Type result) {
  return Value::fromString(result, prettyText(arguments[0].asInt()));
}

Value prettyNumericSize(Arguments arguments, Type result) {
  const BigNumeric size = BigNumeric::decode(arguments[0].bytes);
  int64_t whole = 0;
  if (!size.isFinite() || !size.truncated(0).toInt64(whole)) throwNotSupported("a size of more than 63 bits");
  if (std::abs(whole) >= kPrettyLimit) return Value::fromString(result, prettyText(whole));
  std::string text;
  size.appendText(text);
  return Value::fromString(result, text + " bytes");
}

}  // namespace

void addSizeFunctions(std::vector<CatalogFunction>& functions) {
  for (const CatalogFunction& function : std::initializer_list<CatalogFunction>{
           {"pg_relation_size", {Regclass}, Bigint, relationBytes<Part::Main>},
           {"pg_relation_size", {Regclass, Text}, Bigint, forkBytes},
           {"pg_table_size", {Regclass}, Bigint, relationBytes<Part::Main>},
           {"pg_indexes_size", {Regclass}, Bigint, relationBytes<Part::Indexes>},
           {"pg_total_relation_size", {Regclass}, Bigint, relationBytes<Part::All>},
           {"pg_size_pretty", {Bigint}, Text, prettySize},
           {"pg_size_pretty", {Numeric}, Text, prettyNumericSize},
           {"pg_database_size", {Name}, Bigint, databaseBytes},
           {"pg_database_size", {Oid}, Bigint, databaseBytes},
           {"pg_tablespace_size", {Name}, Bigint, tablespaceBytes},
           {"pg_tablespace_size", {Oid}, Bigint, tablespaceBytes},
       })
    functions.push_back(function);
}

}  // namespace gnomon::sql::pg_catalog
