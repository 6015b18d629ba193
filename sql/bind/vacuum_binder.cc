#include "sql/bind/vacuum_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/sql_error.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/option_value.h"
#include "sql/catalog/access.h"
#include "sql/pg_catalog/facts.h"

namespace gnomon::sql {
namespace {

/// How many workers are wanted: that is a hint, and not taken.
void checkParallel(const ast::Option& option) {
  constexpr int kWorkersMax = 1024;
  if (!option.value)
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("parallel option requires a value between 0 and {}", kWorkersMax))
        .position(option.position);
  const std::string& text = *option.value;
  int workers = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), workers);
  if (error != std::errc() || end != text.data() + text.size())
    throw SqlError(sqlstate::kSyntaxError, "parallel requires an integer value");
  if (workers < 0 || workers > kWorkersMax)
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("parallel workers for vacuum must be between 0 and {}", kWorkersMax))
        .position(option.position);
}

/// Takes the options one after the other; later ones of a name win.
class VacuumOptions {
 public:
  explicit VacuumOptions(VacuumStatement& statement) : statement_(statement) {}

  void read(const ast::Option& option) {
    const std::string& name = option.name;
    if (name == "verbose") {
      statement_.is_verbose = booleanOption(option);
    } else if (name == "skip_locked") {
      statement_.skips_locked = booleanOption(option);
    } else if (!statement_.vacuums) {
      throw SqlError(sqlstate::kSyntaxError, fmt::format("unrecognized ANALYZE option \"{}\"", name))
          .position(option.position);
    } else {
      readOfVacuum(option);
    }
  }
  void finish() const {
    if (statement_.is_full && is_parallel_)
      throw SqlError(sqlstate::kFeatureNotSupported, "VACUUM FULL cannot be performed in parallel");
    if (statement_.is_full && disables_skipping_)
      throw SqlError(sqlstate::kFeatureNotSupported, "VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL");
    if (statement_.is_full && !processes_toast_)
      throw SqlError(sqlstate::kFeatureNotSupported, "PROCESS_TOAST required with VACUUM FULL");
  }

 private:
  void readOfVacuum(const ast::Option& option) {
    const std::string& name = option.name;
    if (name == "analyze") {
      statement_.analyzes = booleanOption(option);
    } else if (name == "full") {
      statement_.is_full = booleanOption(option);
    } else if (name == "freeze" || name == "truncate") {
      booleanOption(option);
    } else if (name == "disable_page_skipping") {
      disables_skipping_ = booleanOption(option);
    } else if (name == "process_toast") {
      processes_toast_ = booleanOption(option);
    } else if (name == "index_cleanup") {
      // A deleted tuple leaves its table after its index entries, whatever is said.
      if (!option.value || loweredOption(*option.value) != "auto") booleanOption(option);
    } else if (name == "parallel") {
      checkParallel(option);
      is_parallel_ = *option.value != "0";
    } else {
      throw SqlError(sqlstate::kSyntaxError, fmt::format("unrecognized VACUUM option \"{}\"", name))
          .position(option.position);
    }
  }

  VacuumStatement& statement_;
  bool is_parallel_ = false;
  bool disables_skipping_ = false;
  bool processes_toast_ = true;
};

/// Columns that ANALYZE names: what is known of the others becomes new, too.
void requireColumns(const TableEntry& table, const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(table.columns, names[i], &ColumnEntry::name) == table.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", names[i], table.name));
    const auto before = names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(names.begin(), before, names[i]) != before)
      throw SqlError(sqlstate::kDuplicateColumn,
                     fmt::format("column \"{}\" of relation \"{}\" appears more than once", names[i], table.name));
  }
}

constexpr SqlState kWarning("01000");

}  // namespace

VacuumStatement bindVacuum(BindState& state, const ast::Vacuum& vacuum) {
  VacuumStatement result;
  result.vacuums = vacuum.is_vacuum;
  result.analyzes = !vacuum.is_vacuum;
  VacuumOptions options(result);
  for (const ast::Option& option : vacuum.options) options.read(option);
  options.finish();
  const bool has_columns = std::ranges::any_of(vacuum.columns, [](const auto& names) { return !names.empty(); });
  if (has_columns && !result.analyzes)
    throw SqlError(sqlstate::kFeatureNotSupported, "ANALYZE option must be specified when a column list is provided");
  result.is_of_all = vacuum.relations.empty();
  FromBinder binder(state);
  for (size_t i = 0; i < vacuum.relations.size(); ++i) {
    const ast::RelationName& relation = vacuum.relations[i];
    const ast::RelationName name{relation.schema, relation.name, -1};
    const FoundRelation found = binder.find(name);
    if (!found && !pg_catalog::isMissingRelation(name.schema, name.name))
      raiseNoRelation(state.context.catalog, {name.schema, name.name});
    if (!found.system && !found.index && !binder.findStored(name)->sequence) {
      requireColumns(*found.table, vacuum.columns[i]);
      if (mayMaintain(state.context.catalog, *found.table)) continue;
      result.warnings.push_back(
          SqlError(kWarning, fmt::format("skipping \"{}\" --- only table or database owner can {} it", relation.name,
                                         vacuum.is_vacuum ? "vacuum" : "analyze")));
      continue;
    }
    result.warnings.push_back(
        SqlError(kWarning, fmt::format("skipping \"{}\" --- cannot {} non-tables or special system tables",
                                       relation.name, vacuum.is_vacuum ? "vacuum" : "analyze")));
  }
  result.tables = state.tables;
  std::erase_if(result.tables, [&](const TablePtr& table) { return !mayMaintain(state.context.catalog, *table); });
  std::erase_if(result.tables, [](const TablePtr& table) { return table->sequence != nullptr; });
  return result;
}

}  // namespace gnomon::sql
