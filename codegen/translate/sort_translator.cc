#include "codegen/translate/sorted_rows.h"

namespace gnomon::codegen {

void produceSort(PlanTranslator& translator, const sql::Sort& sort, const UnitSet& required, const Consumer& consumer) {
  SortedRows rows(translator);
  for (const sql::SortKey& key : sort.keys) rows.addKey(*key.expression, key.descending, key.nulls_first);
  for (const sql::Iu unit : sort.units())
    if (required.contains(unit)) rows.addUnit(unit);
  rows.setLimit(sort.limit.get(), sort.offset.get());
  rows.allowSpill();
  rows.produce(*sort.inputs[0]);
  rows.read({}, true, consumer);
}

}  // namespace gnomon::codegen
