#include "base/assert.h"
#include "codegen/translate/row_store_translator.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::codegen {

namespace {

/// Its rows come in an order that scans keep.
bool isOrdered(const sql::Operator& op) {
  switch (op.kind) {
    case sql::Operator::Kind::Sort:
      return true;
    case sql::Operator::Kind::Output:
    case sql::Operator::Kind::Map:
    case sql::Operator::Kind::Selection:
    case sql::Operator::Kind::Limit:
      return isOrdered(*op.inputs[0]);
    default:
      return false;
  }
}

}  // namespace

void PlanTranslator::storeShared(const sql::SharedPlan& shared) {
  const auto& output = static_cast<const sql::Output&>(*shared.root);
  UnitSet required;
  std::vector<RowStoreTranslator::Field> fields;
  for (const sql::Output::Column& column : output.columns) {
    required.insert(column.iu);
    fields.push_back({column.iu->type, column.iu->nullable});
  }
  auto store = std::make_unique<RowStoreTranslator>(*this, fields);
  produce(*output.inputs[0], required, [&](Pipeline& pipeline) {
    pipeline.describe("store " + shared.name);
    std::vector<SqlValue> values;
    for (const sql::Output::Column& column : output.columns) values.push_back(pipeline.scope.get(column.iu));
    store->append(pipeline, values);
  });
  shared_[&shared] = std::move(store);
}

void PlanTranslator::produceShared(const sql::SharedScan& scan, const UnitSet& required, const Consumer& consumer) {
  const auto store = shared_.find(scan.source);
  CHECK(store != shared_.end(), "a shared plan is executed before it is scanned");
  std::vector<std::pair<sql::Iu, size_t>> units;
  for (const sql::SharedScan::Column& column : scan.columns)
    if (required.contains(column.iu)) units.emplace_back(column.iu, column.index);
  store->second->scan(units, "scan " + scan.source->name, isOrdered(*scan.source->root), consumer);
}

}  // namespace gnomon::codegen
