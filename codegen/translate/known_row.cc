#include "codegen/translate/known_row.h"

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

class RowMemory final : public RuntimeObject {
 public:
  explicit RowMemory(uint32_t bytes) : bytes_(std::make_unique<std::byte[]>(bytes)) {}
  [[nodiscard]] void* row() { return bytes_.get(); }
  bool park() override { return true; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

/// The right input's code behind the row.
class Reading {
 public:
  Reading(QueryProgram& program, std::shared_ptr<const KnownRow> row) : rows_(program.known_rows) {
    rows_.push_back(std::move(row));
  }
  ~Reading() { rows_.pop_back(); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  std::vector<std::shared_ptr<const KnownRow>>& rows_;
};

}  // namespace

void KnownRow::bind(Pipeline& pipeline) const {
  for (const auto& [unit, field] : units)
    pipeline.scope.bindLazy(unit, [this, &pipeline, number = field] {
      const ir::Value row = pipeline.hoist([&] { return pipeline.context.globalSlot(slot); });
      return layout.load(pipeline.context, number, row);
    });
}

void produceDependent(PlanTranslator& translator, const sql::Join& join, const UnitSet& required,
                      const Consumer& consumer) {
  CHECK(join.join_kind == sql::Join::JoinKind::Inner && join.keys.empty() && join.conditions.empty(),
        "other dependent joins are unnested");
  const sql::Operator& left = *join.inputs[0];
  auto row = std::make_shared<KnownRow>();
  UnitSet units;
  for (const sql::Iu unit : left.units()) {
    row->units.emplace_back(unit, row->layout.addField(unit->type, unit->nullable));
    units.insert(unit);
  }
  row->layout.finish();
  QueryProgram& program = translator.program();
  translator.emitOutsideLoop(left, [&] {
    row->slot = program.addGlobal([bytes = row->layout.bytes()](ExecutionState&) {
      auto made = std::make_unique<RowMemory>(bytes);
      void* address = made->row();
      return QueryProgram::Made{std::move(made), address};
    });
    translator.produce(left, units, [&](Pipeline& pipeline) {
      pipeline.describe("keep row");
      CodeContext& context = pipeline.context;
      const ir::Value memory = pipeline.hoist([&] { return context.globalSlot(row->slot); });
      for (const auto& [unit, field] : row->units)
        row->layout.store(context, field, copyValue(context, pipeline.scope.get(unit), context.executionArena()),
                          memory);
    });
  });
  const Reading reading(program, row);
  translator.produce(*join.inputs[1], required, consumer);
}

}  // namespace gnomon::codegen
