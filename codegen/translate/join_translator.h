#pragma once

#include <utility>
#include <vector>

#include "codegen/runtime/join_table.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/spill_slots.h"
#include "codegen/translate/tuple_layout.h"

namespace gnomon::codegen {

/// One join's translation: a pipeline that materialises the build side, a step that chains its rows, and the probe code
/// inside the pipeline of the other side. Where rows of the build side must know whether they were matched, a last
/// pipeline goes over them.
class JoinTranslator {
 public:
  JoinTranslator(PlanTranslator& translator, const sql::Join& join, const UnitSet& required);
  void produce(const Consumer& consumer);

 private:
  using JoinKind = sql::Join::JoinKind;

  /// The loop over the build rows that a probe row may match.
  struct Candidates {
    ir::Block header, mismatch, exhausted;
    ir::Value position;  ///< a row's address in a chain, or its number in the list
    ir::Value row;       ///< valid in the block of a candidate
    ir::Value state;     ///< I1, false at first; invalid: the kind of join needs none
  };

  /// Build rows note that they were matched: those of a preserved or tested left side.
  [[nodiscard]] bool keepsBuildRows() const { return isFull() || (build_left_ && join_.join_kind != JoinKind::Inner); }
  /// It is found out per probe row whether there was a match, and rows without one go on with NULLs.
  [[nodiscard]] bool extendsProbeRows() const { return !build_left_ && join_.extendsWithNulls(); }
  /// It is found out per probe row whether there is a match, which goes no further.
  [[nodiscard]] bool testsProbeRows() const { return !build_left_ && join_.testsLeftRows(); }
  [[nodiscard]] bool isFull() const { return join_.join_kind == JoinKind::FullOuter; }
  [[nodiscard]] bool isHash() const { return !join_.keys.empty(); }
  /// NULL in the key makes the mark NULL.
  [[nodiscard]] bool comparesKey() const { return isHash() && join_.keys[0].is_compared; }
  [[nodiscard]] const sql::Expression& buildKey(size_t i) const {
    return build_left_ ? *join_.keys[i].left : *join_.keys[i].right;
  }
  [[nodiscard]] const sql::Expression& probeKey(size_t i) const {
    return build_left_ ? *join_.keys[i].right : *join_.keys[i].left;
  }
  [[nodiscard]] bool isKeyField(size_t field) const;
  [[nodiscard]] std::string probeText() const;

  // join_translator.cc: the build side
  void planLayout();
  void planLookup();
  void addLookupStep();
  void storeLookupKey(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value arena);
  void addBuildPipeline();
  void addBuildStep();
  void materialise(Pipeline& pipeline);
  void requireKey(Pipeline& pipeline, size_t number, SqlValue& key, ir::Block skip);
  size_t addFinalSource();
  void addFinalPipeline(const Consumer& consumer);
  void bindFinalUnits(Pipeline& pipeline, ir::Value row, ir::Value is_matched);

  // join_spill.cc: the other side when this one has found no room
  [[nodiscard]] bool isSpilled() const { return translator_.program().spilled_joins.contains(&join_); }
  void produceSpilled(const Consumer& consumer);
  void addProbeSlots();
  void storeProbeRow(Pipeline& pipeline);
  void addPartitionStep();
  void probeStored(const Consumer& consumer);
  size_t addSpilledFinalSource();
  ir::Value tableAddress(Pipeline& pipeline);

  // join_probe.cc
  void filterProbeScan();
  void probe(Pipeline& pipeline, const Consumer& consumer);
  [[nodiscard]] bool isStaged(Pipeline& pipeline) const;
  [[nodiscard]] std::vector<sql::Iu> stagedUnits() const;
  void stageProbe(Pipeline& pipeline, const Consumer& consumer);
  void probeRow(Pipeline& pipeline, const Consumer& consumer);
  Candidates beginChain(Pipeline& pipeline);
  Candidates beginList(Pipeline& pipeline);
  std::vector<SqlValue> probeKeys(Pipeline& pipeline, ir::Value& has_null);
  void checkKeys(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value hash, const Candidates& candidates);
  void advance(Pipeline& pipeline, const Candidates& candidates, ir::Value next_state);
  void emitMatches(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer);
  void emitExtended(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer);
  void emitTested(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer);
  void emitMarked(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer);
  ir::Value unknownMark(Pipeline& pipeline, const Candidates& candidates);
  void checkCandidate(Pipeline& pipeline, const Candidates& candidates);
  void bindBuildUnits(Pipeline& pipeline, ir::Value row);
  void bindAbove(Pipeline& pipeline, ir::Value row, ir::Value is_extended);
  void bindProbeUnitsAbove(Pipeline& pipeline, const std::vector<std::pair<sql::Iu, sql::Iu>>& extended);
  ir::Value firstOfChain(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value& hash);
  std::pair<ir::Value, ir::Value> windowOfList(Pipeline& pipeline, ir::Value table);
  [[nodiscard]] SqlValue comparableKey(const SqlValue& key, size_t number) const;
  ir::Value hashOfKeys(Pipeline& pipeline, const std::vector<SqlValue>& keys) const;

  PlanTranslator& translator_;
  const sql::Join& join_;
  const UnitSet required_;
  const bool build_left_;
  UnitSet build_required_, probe_required_;
  TupleLayout layout_{JoinTable::kRowHeaderBytes};
  std::vector<size_t> key_fields_;
  std::vector<std::pair<sql::Iu, size_t>> unit_fields_;
  size_t table_slot_ = 0;
  size_t builder_slot_ = 0;
  size_t matched_field_ = 0;
  ir::Value staged_row_;                                 ///< that is probed; invalid: it was not staged
  ir::Value probe_has_null_;                             ///< of the keys of the row that is probed; invalid: never
  const sql::TableScan* lookup_scan_ = nullptr;          ///< the probe side, when it is read by the build side's keys
  const sql::TableScan::IndexLookup* lookup_ = nullptr;  ///< of it
  size_t lookup_keys_slot_ = 0;
  size_t lookup_source_slot_ = 0;
  SpillSlots spill_;
  // Of a join that has spilled:
  TupleLayout probe_layout_{JoinTable::kRowHeaderBytes};
  std::vector<std::pair<sql::Iu, size_t>> probe_fields_;
  SpillSlots probe_spill_;
  size_t probe_rows_slot_ = 0;      ///< local: PartitionedRows
  size_t spilled_source_slot_ = 0;  ///< global: SpilledJoinSource
  size_t local_table_slot_ = 0;     ///< local: the JoinTable::Shared of a worker's partition
};

}  // namespace gnomon::codegen
