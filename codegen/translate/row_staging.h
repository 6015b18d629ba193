#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/translate/plan_translator.h"
#include "codegen/translate/tuple_layout.h"

namespace gnomon::codegen {

/// Where a pipeline looks its rows up in a large hash table: their rows wait in runtime/staged_rows.h, and the rest of
/// the pipeline becomes a function of its own that gets them in batches.
class RowStaging {
 public:
#ifdef GNOMON_DEBUG
  /// So that tests with small tables go both ways.
  static constexpr double kTableBytesMin = 256, kRowsMin = 8;
#else
  /// A hash table of so many bytes does not stay in a processor's own cache.
  static constexpr double kTableBytesMin = 512 * 1024;
  /// With fewer rows another function to be compiled is not worth it.
  static constexpr double kRowsMin = 20'000;
#endif

  /// Rows of `rows` bytes in a table that about `probes` rows are looked up in.
  [[nodiscard]] static bool pays(double probes, double rows, uint32_t row_bytes) {
    constexpr double kDirectoryBytesPerRow = 12;
    return probes >= kRowsMin && rows * (row_bytes + kDirectoryBytesPerRow) >= kTableBytesMin;
  }
  /// Whether all of the units may be read where the rows are staged: nothing is computed before it is needed.
  [[nodiscard]] static bool canStage(Pipeline& pipeline, const std::vector<sql::Iu>& units);
  /// A key that may be computed in both parts: a column, or a cast of one.
  [[nodiscard]] static bool isCheap(const sql::Expression& key);
  /// Those of the operator's units that are required.
  [[nodiscard]] static std::vector<sql::Iu> unitsOf(const sql::Operator& op, const UnitSet& required);

  /// What the rows are looked up in.
  struct Table {
    bool is_join;  ///< a JoinTable in a global slot; otherwise a LocalAggregation in a local one
    size_t slot;
  };
  /// Emits the end of the pipeline's function: the row's `units`, in their order, and its hash are stored. `is_lost`,
  /// if valid: the row has no match, whatever the table holds. Then `body` emits what happens to each row in the
  /// second function, with the units bound.
  static void stage(PlanTranslator& translator, Pipeline& pipeline, const std::vector<sql::Iu>& units, ir::Value hash,
                    ir::Value is_lost, Table table, const std::function<void(Pipeline&, ir::Value row)>& body);
};

}  // namespace gnomon::codegen
