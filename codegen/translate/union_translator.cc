#include "codegen/translate/row_store_translator.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::codegen {

namespace {

/// What stands above is emitted once for each input, up to so many of them; the rows of more are stored first.
constexpr size_t kInlineInputsMax = 8;

void bindColumns(Pipeline& pipeline, const sql::Union& node, size_t input, const UnitSet& required) {
  for (size_t column = 0; column < node.columns.size(); ++column) {
    const sql::Expression* value = node.values[input][column].get();
    if (value->isVolatile()) {
      pipeline.scope.bind(node.columns[column], pipeline.expressions().translate(*value));
      continue;
    }
    if (required.contains(node.columns[column]))
      pipeline.scope.bindComputed(node.columns[column],
                                  [&pipeline, value] { return pipeline.expressions().translate(*value); });
  }
}

void produceInput(PlanTranslator& translator, const sql::Union& node, size_t input, const UnitSet& required,
                  const Consumer& consumer) {
  UnitSet below;
  for (size_t column = 0; column < node.columns.size(); ++column) {
    const sql::Expression& value = *node.values[input][column];
    if (required.contains(node.columns[column]) || value.isVolatile()) addUnits(value, below);
  }
  translator.produce(*node.inputs[input], below, [&](Pipeline& pipeline) {
    const Scope::Level level(pipeline.scope);
    bindColumns(pipeline, node, input, required);
    consumer(pipeline);
  });
}

void produceStored(PlanTranslator& translator, const sql::Union& node, const UnitSet& required,
                   const Consumer& consumer) {
  std::vector<RowStoreTranslator::Field> fields;
  std::vector<std::pair<sql::Iu, size_t>> units;
  for (const sql::Iu column : node.columns) {
    if (!required.contains(column)) continue;
    units.emplace_back(column, fields.size());
    fields.push_back({column->type, column->nullable});
  }
  const RowStoreTranslator store(translator, fields, true);
  for (size_t input = 0; input < node.inputs.size(); ++input)
    produceInput(translator, node, input, required, [&](Pipeline& pipeline) {
      pipeline.describe("append");
      std::vector<SqlValue> values;
      for (const auto& [unit, field] : units) values.push_back(pipeline.scope.get(unit));
      store.append(pipeline, values);
    });
  store.scan(units, "scan appended rows", false, consumer);
}

}  // namespace

void produceUnion(PlanTranslator& translator, const sql::Union& node, const UnitSet& required,
                  const Consumer& consumer) {
  if (node.inputs.size() > kInlineInputsMax) return produceStored(translator, node, required, consumer);
  for (size_t input = 0; input < node.inputs.size(); ++input) produceInput(translator, node, input, required, consumer);
}

}  // namespace gnomon::codegen
