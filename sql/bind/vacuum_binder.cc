#include "sql/bind/vacuum_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/sql_error.h"
#include "sql/bind/from_binder.h"

namespace gnomon::sql {
namespace {

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

bool booleanOf(const ast::Option& option) {
  if (!option.value && !option.is_list) return true;
  const std::string text = lowered(option.value.value_or(""));
  if (text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  throw SqlError(sqlstate::kSyntaxError, fmt::format("{} requires a Boolean value", option.name));
}

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
      statement_.is_verbose = booleanOf(option);
    } else if (name == "skip_locked") {
      statement_.skips_locked = booleanOf(option);
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
      statement_.analyzes = booleanOf(option);
    } else if (name == "full") {
      statement_.is_full = booleanOf(option);
    } else if (name == "freeze" || name == "truncate") {
      booleanOf(option);
    } else if (name == "disable_page_skipping") {
      disables_skipping_ = booleanOf(option);
    } else if (name == "process_toast") {
      processes_toast_ = booleanOf(option);
    } else if (name == "index_cleanup") {
      const bool is_auto = option.value && lowered(*option.value) == "auto";
      // A deleted tuple leaves its table after its index entries, always.
      if (!is_auto && !booleanOf(option)) throwNotSupported("VACUUM option INDEX_CLEANUP OFF", option.position);
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

}  // namespace

VacuumStatement bindVacuum(BindState& state, const ast::Vacuum& vacuum) {
  VacuumStatement result;
  result.vacuums = vacuum.is_vacuum;
  result.analyzes = !vacuum.is_vacuum;
  VacuumOptions options(result);
  for (const ast::Option& option : vacuum.options) options.read(option);
  options.finish();
  if (vacuum.has_columns && !result.analyzes)
    throw SqlError(sqlstate::kFeatureNotSupported, "ANALYZE option must be specified when a column list is provided");
  if (vacuum.has_columns) throwNotSupported("ANALYZE of some columns");
  result.is_of_all = vacuum.relations.empty();
  FromBinder binder(state);
  for (const ast::RelationName& relation : vacuum.relations) {
    const ast::RelationName name{relation.schema, relation.name, -1};
    if (binder.findVirtual(name) == nullptr && !binder.findStored(name)->sequence) continue;

    static constexpr SqlState kWarning("01000");
    result.warnings.push_back(
        SqlError(kWarning, fmt::format("skipping \"{}\" --- cannot {} non-tables or special system tables",
                                       relation.name, vacuum.is_vacuum ? "vacuum" : "analyze")));
  }
  result.tables = state.tables;
  std::erase_if(result.tables, [](const TablePtr& table) { return table->sequence != nullptr; });
  return result;
}

}  // namespace gnomon::sql
