#include <algorithm>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/tuple_layout.h"
#include "sql/algebra/virtual_scan.h"

namespace gnomon::codegen {

namespace {

/// A column that somebody reads: where the relation has it, and in which field of the rows in memory it lies.
struct ReadColumn {
  sql::Iu unit;
  uint32_t index;
  size_t field;
};

/// Has the relation make its rows, and lays them out as generated code reads them.
const char* materialise(const sql::VirtualRelation& relation, const std::vector<ReadColumn>& columns,
                        const TupleLayout& layout, Arena& arena, uint64_t& row_count) {
  const sql::VirtualRows rows = relation.rows();
  row_count = rows.size();
  // Not null without rows either: such a source is made anew for each run.
  auto* const memory = static_cast<char*>(arena.allocate(std::max<size_t>(rows.size() * layout.bytes(), 1)));
  char* target = memory;
  for (const std::vector<sql::Value>& row : rows) {
    CHECK(row.size() == relation.columns.size(), "a virtual relation's row has a value for each column");
    for (const ReadColumn& column : columns) layout.store(row[column.index], column.field, target, arena);
    target += layout.bytes();
  }
  return memory;
}

}  // namespace

void produceVirtualScan(PlanTranslator& translator, const sql::VirtualScan& scan, const UnitSet& required,
                        const Consumer& consumer) {
  TupleLayout layout(0);
  std::vector<ReadColumn> columns;
  for (const auto& column : scan.columns)
    if (required.contains(column.iu))
      columns.push_back({column.iu, column.index, layout.addField(column.iu->type, column.iu->nullable)});
  layout.finish();

  QueryProgram& program = translator.program();
  const size_t source = program.addGlobal([relation = scan.relation, columns, layout](ExecutionState& state) {
    uint64_t row_count = 0;
    const char* rows = materialise(*relation, columns, layout, state.workers[0]->arena, row_count);
    auto made = std::make_unique<CountedSource>(rows, row_count);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  Pipeline pipeline(program, source, "scan " + scan.relation->name);
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = pipeline.builder.ptrIndex(pipeline.data, number, layout.bytes());
    for (const ReadColumn& column : columns)
      pipeline.scope.bindLazy(column.unit, [&layout, &pipeline, row, field = column.field] {
        return layout.load(pipeline.context, field, row);
      });
    consumer(pipeline);
  });
  pipeline.finish();
}

}  // namespace gnomon::codegen
