#include "server/sequence_view.h"

#include "server/view_columns.h"
#include "txn/sequence.h"

namespace gnomon::server {
namespace {

using enum sql::TypeKind;

constexpr uint32_t kSequencesViewOid = 16005;

std::vector<sql::Value> sequenceRow(const sql::TableEntry& entry) {
  const sql::SequenceEntry& sequence = *entry.sequence;
  const txn::SequenceRange& range = sequence.range;
  const txn::SequenceState state = sequence.counter->state();
  return {viewText(entry.schema),
          viewText(entry.name),
          viewText("postgres"),
          viewText(sql::Type::of(sequence.type).baseName()),
          viewNumber(Bigint, sequence.start),
          viewNumber(Bigint, range.minimum),
          viewNumber(Bigint, range.maximum),
          viewNumber(Bigint, range.increment),
          viewFlag(range.is_cycle),
          viewNumber(Bigint, range.cache),
          state.is_called ? viewNumber(Bigint, state.last_value) : viewNull(Bigint)};
}

}  // namespace

sql::VirtualRelation sequencesView(const sql::Catalog& catalog) {
  sql::VirtualRelation view;
  view.oid = kSequencesViewOid;
  view.name = "pg_sequences";
  view.columns = viewColumns({{"schemaname", Text},
                              {"sequencename", Text},
                              {"sequenceowner", Text},
                              {"data_type", Text},
                              {"start_value", Bigint},
                              {"min_value", Bigint},
                              {"max_value", Bigint},
                              {"increment_by", Bigint},
                              {"cycle", Boolean},
                              {"cache_size", Bigint},
                              {"last_value", Bigint}});
  view.rows_expected = 20;
  view.rows = [&catalog] {
    sql::VirtualRows rows;
    for (const sql::TablePtr& table : catalog.tables())
      if (table->sequence) rows.push_back(sequenceRow(*table));
    return rows;
  };
  return view;
}

}  // namespace gnomon::server
