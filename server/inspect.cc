#include "server/inspect.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "base/sql_error.h"
#include "codegen/executor/key_evaluator.h"
#include "server/memory_limit.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/system_tables.h"
#include "storage/control_file.h"
#include "storage/page_files.h"
#include "storage/page_text.h"
#include "txn/database_storage.h"
#include "txn/sequence.h"

namespace gnomon::server {

namespace {

using storage::PageId;
using storage::SizeClass;

/// Reads the page files beside the buffer manager, which refuses damaged pages.
class Inspector {
 public:
  explicit Inspector(const InspectOptions& options) : options_(options) {}

  ExitCode run() {
    if (!options_.page.empty()) {
      const storage::ControlFile lock(options_.data_directory);
      printPage(parsePage(options_.page));
    } else if (!options_.log.log.empty()) {
      const storage::ControlFile lock(options_.data_directory);
      problems_ += printLog(options_.data_directory, options_.log);
    } else {
      try {
        runOpened();
      } catch (const SqlError& error) {
        if (!(error.state() == sqlstate::kDataCorrupted)) throw;
        report(error.message());
      }
    }
    return problems_ == 0 ? ExitCode::Clean : ExitCode::DirectoryDamaged;
  }

 private:
  /// What needs the registry of relations, and perhaps the catalog.
  void runOpened() {
    storage_ = txn::DatabaseStorage::openReadOnly(options_.data_directory, {.pool_bytes = usableMemoryBytes() / 2});
    if (options_.relation)
      printRelation(txn::RelationId{*options_.relation});
    else if (options_.shows_catalog)
      printCatalog();
    else
      printOverview();
  }

  static PageId parsePage(const std::string& text) {
    unsigned size_class = 0;
    uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, size_class);
    const bool has_colon = first.ec == std::errc() && first.ptr != end && *first.ptr == ':';
    const auto second = has_colon ? std::from_chars(first.ptr + 1, end, number) : first;
    if (!has_colon || second.ec != std::errc() || second.ptr != end || size_class >= storage::kSizeClassCount ||
        number == 0 || number >> PageId::kNumberBits != 0)
      throw std::invalid_argument(fmt::format("\"{}\" is not a page: CLASS:NUMBER, as in 0:17", text));
    return {number, SizeClass{static_cast<uint8_t>(size_class)}};
  }

  void report(const std::string& problem) {
    fmt::print("  problem: {}\n", problem);
    ++problems_;
  }

  /// Null: the file has no such page, which was reported.
  std::unique_ptr<std::byte[]> read(PageId id) {
    const uint64_t bytes = storage::pageBytes(id.sizeClass());
    std::ifstream file(storage::pageFilePath(options_.data_directory, id.sizeClass()), std::ios::binary);
    auto page = std::make_unique_for_overwrite<std::byte[]>(bytes);
    file.seekg(0, std::ios::end);
    const bool is_there = file && static_cast<uint64_t>(file.tellg()) / bytes >= id.number();
    if (is_there)
      file.seekg(static_cast<std::streamoff>((id.number() - 1) * bytes))
          .read(reinterpret_cast<char*>(page.get()), static_cast<std::streamsize>(bytes));
    if (is_there && file) return page;
    report(fmt::format("page {}:{} is not in the file", id.sizeClass().index, id.number()));
    return nullptr;
  }

  storage::PageText describe(const std::byte* page, PageId id) {
    storage::PageText text = storage::describePage(page, id);
    fmt::print("{}\n", text.summary);
    for (const std::string& problem : text.problems) report(problem);
    return text;
  }

  void printPage(PageId id) {
    const auto page = read(id);
    if (!page) return;
    for (const std::string& entry : describe(page.get(), id).entries) fmt::print("  {}\n", entry);
    if (!options_.shows_bytes) return;
    constexpr uint64_t kRow = 32;
    for (uint64_t row = 0; row < storage::pageBytes(id.sizeClass()); row += kRow) {
      fmt::print("{:08x} ", row);
      for (uint64_t at = row; at < row + kRow; ++at) fmt::print(" {:02x}", static_cast<uint8_t>(page[at]));
      fmt::print("\n");
    }
  }

  void printRelation(txn::RelationId id) {
    const auto relations = storage_->relations();
    const auto found = relations.find(id);
    if (found == relations.end()) throw std::invalid_argument(fmt::format("there is no relation {}", id.value));
    printTree(found->second.root);
  }

  void printTree(PageId root) {
    // A page that is in the tree twice is printed once, so a circle ends.
    std::set<PageId> seen;
    std::vector<PageId> open{root};
    while (!open.empty()) {
      const PageId page_id = open.back();
      open.pop_back();
      if (page_id.isNone() || page_id.sizeClass().index >= storage::kSizeClassCount || !seen.insert(page_id).second) {
        report(fmt::format("a swip leads to page {}:{}", page_id.sizeClass().index, page_id.number()));
        continue;
      }
      const auto page = read(page_id);
      if (!page) continue;
      const std::vector<PageId> children = describe(page.get(), page_id).children;
      open.insert(open.end(), children.rbegin(), children.rend());
    }
  }

  void printOverview() {
    const storage::ControlData& control = storage_->control();
    fmt::print("format version {}, {}, next relation {}\n", control.format_version,
               control.state == storage::ControlData::State::Clean ? "shut down cleanly" : "running",
               storage_->buffers().registry().nextRelationId());
    for (uint8_t index = 0; index < storage::kSizeClassCount; ++index) {
      const SizeClass size_class{index};
      const uint64_t next = storage_->buffers().pageNumbers().nextNumber(size_class);
      if (next > 1)
        fmt::print("size class {}: {} pages given out, {} of them free\n", index, next - 1,
                   storage_->buffers().pageNumbers().freeNumbers(size_class).size());
    }
    const std::map<uint32_t, std::string> names = namesOf();
    for (const auto& [id, state] : storage_->relations()) {
      const auto name = names.find(id.value);
      fmt::print("relation {}{}: root {}:{}", id.value, name == names.end() ? "" : " " + name->second,
                 state.root.sizeClass().index, state.root.number());
      // Of an index only the root is kept.
      if (state.leaf_count > 0)
        fmt::print(", {} tuples, {} of them deleted, {} leaves, next tuple {}", state.tuple_count, state.deleted_count,
                   state.leaf_count, state.next_tuple_id);
      fmt::print("\n");
    }
  }

  static std::string describeColumn(const sql::ColumnEntry& column) {
    if (column.isDropped()) return fmt::format("dropped, {}", column.type.name());
    const std::string_view identity = column.identity == sql::Identity::Always ? " generated always as identity"
                                      : column.identity == sql::Identity::ByDefault
                                          ? " generated by default as identity"
                                          : "";
    return fmt::format("\"{}\" {}{}{}{}", column.name, column.type.name(), column.not_null ? " not null" : "", identity,
                       column.default_text.empty() ? "" : " default " + column.default_text);
  }

  static std::string describeIndex(const sql::TableEntry& table, const sql::IndexEntry& index) {
    std::string columns;
    for (const sql::IndexColumn& column : index.columns)
      columns += fmt::format(
          "{}{}{}{}", columns.empty() ? "" : ", ",
          column.column == sql::IndexColumn::kExpression ? "(" + column.expression + ")"
                                                         : '"' + table.columns[column.column].name + '"',
          column.descending ? " desc" : "",
          column.nulls_first == column.descending ? "" : (column.nulls_first ? " nulls first" : " nulls last"));
    const std::string_view kind = index.is_primary                        ? ", primary key"
                                  : index.is_constraint                   ? ", unique constraint"
                                  : index.is_unique                       ? ", unique"
                                  : index.method == sql::IndexMethod::Gin ? ", gin"
                                                                          : "";
    return fmt::format("index \"{}\", relation {}{} ({}){}{}", index.name, index.storage->id().value, kind, columns,
                       index.predicate.empty() ? "" : " where ", index.predicate);
  }

  static void printSequence(const sql::TableEntry& entry) {
    const sql::SequenceEntry& sequence = *entry.sequence;
    const txn::SequenceState state = sequence.counter->state();
    fmt::print("sequence \"{}\", relation {}, {} {}\n", entry.name, entry.storage->id().value,
               state.is_called ? "behind" : "at", state.last_value);
  }

  void printCatalog() {
    const auto opened = sql::Catalog::open(*storage_, codegen::compileKeyExpressions);
    for (const auto& catalog : opened->cluster().catalogs()) printDatabase(*catalog);
  }

  static void printDatabase(const sql::Catalog& catalog) {
    std::vector<sql::TablePtr> tables = catalog.tables();
    std::erase_if(tables, [](const sql::TablePtr& table) { return sql::isSystemTable(*table); });
    if (tables.empty()) return;
    fmt::print("database \"{}\"\n", catalog.database()->name);
    for (const sql::TablePtr& table : tables) {
      if (table->sequence) {
        printSequence(*table);
        continue;
      }
      fmt::print("table \"{}\", relation {}\n", table->name, table->storage->id().value);
      for (const sql::ColumnEntry& column : table->columns) fmt::print("  column {}\n", describeColumn(column));
      for (const sql::IndexPtr& index : table->indexes) fmt::print("  {}\n", describeIndex(*table, *index));
      for (const sql::CheckEntry& check : table->checks)
        fmt::print("  check \"{}\" ({}){}\n", check.name, check.expression, check.is_valid ? "" : " not valid");
      for (const sql::ForeignKeyEntry& key : table->foreign_keys)
        fmt::print("  foreign key \"{}\" to table \"{}\"{}\n", key.name, sql::findTable(catalog, key.parent)->name,
                   key.is_valid ? "" : " not valid");
    }
  }

  std::map<uint32_t, std::string> namesOf() {
    std::map<uint32_t, std::string> names;
    try {
      const auto opened = sql::Catalog::open(*storage_, codegen::compileKeyExpressions);
      for (const auto& catalog : opened->cluster().catalogs())
        for (const sql::TablePtr& table : catalog->tables()) {
          names[table->storage->id().value] = (table->sequence ? "sequence \"" : "table \"") + table->name + "\"";
          for (const sql::IndexPtr& index : table->indexes)
            names[index->storage->id().value] = "index \"" + index->name + "\"";
        }
    } catch (const SqlError& error) {
      report("the catalog cannot be read: " + error.message());
    }
    return names;
  }

  const InspectOptions& options_;
  std::unique_ptr<txn::DatabaseStorage> storage_;  ///< null: pages are read by themselves
  uint64_t problems_ = 0;
};

}  // namespace

ExitCode inspect(const InspectOptions& options) {
  return runCommand([&] {
    // Opening would make an empty folder a data directory.
    if (!std::filesystem::exists(std::filesystem::path(options.data_directory) / "gnomon.control"))
      throw storage::DirectoryError(storage::DirectoryError::Reason::NotOurs,
                                    fmt::format("\"{}\" is not a data directory of Gnomon", options.data_directory));
    return Inspector(options).run();
  });
}

}  // namespace gnomon::server
