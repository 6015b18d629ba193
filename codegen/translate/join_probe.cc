#include <algorithm>

#include "codegen/runtime/staged_rows.h"
#include "codegen/translate/join_translator.h"
#include "codegen/translate/row_staging.h"
#include "codegen/translate/scan_filter.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

std::string_view kindText(sql::Join::JoinKind kind) {
  switch (kind) {
    case sql::Join::JoinKind::Inner:
      return "";
    case sql::Join::JoinKind::LeftOuter:
      return " (left join)";
    case sql::Join::JoinKind::FullOuter:
      return " (full join)";
    case sql::Join::JoinKind::Single:
      return " (single join)";
    case sql::Join::JoinKind::Semi:
      return " (semi join)";
    case sql::Join::JoinKind::Anti:
      return " (anti join)";
    case sql::Join::JoinKind::Mark:
      return " (mark join)";
    case sql::Join::JoinKind::Gate:
      break;
  }
  return "";
}

/// Fewer rows are not worth a test of whole columns.
constexpr double kFilteredRowsMin = 20'000;

bool hasUnit(const sql::Operator& op, sql::Iu unit) {
  const std::vector<sql::Iu> units = op.units();
  return std::ranges::find(units, unit) != units.end();
}

/// The scan that the unit comes from, if nothing is lost when its rows go that nobody wants at `op`: each row of `op`
/// has the unit of one row of the scan, and none depends on whether there are other rows. Null: not so.
const sql::TableScan* scanBelow(const sql::Operator& op, sql::Iu unit) {
  switch (op.kind) {
    case sql::Operator::Kind::TableScan:
      return hasUnit(op, unit) ? &static_cast<const sql::TableScan&>(op) : nullptr;
    case sql::Operator::Kind::Selection:
    case sql::Operator::Kind::Map:
      return scanBelow(*op.inputs[0], unit);
    case sql::Operator::Kind::Join: {
      const auto kind = static_cast<const sql::Join&>(op).join_kind;
      if (kind != sql::Join::JoinKind::FullOuter && hasUnit(*op.inputs[0], unit)) return scanBelow(*op.inputs[0], unit);
      if (kind == sql::Join::JoinKind::Inner && hasUnit(*op.inputs[1], unit)) return scanBelow(*op.inputs[1], unit);
      return nullptr;
    }
    default:
      return nullptr;
  }
}

}  // namespace

/// Rows of the probe side without a match go no further: where its key is a column of a scan, that looks them up first,
/// many at a time.
void JoinTranslator::filterProbeScan() {
  const bool drops_rows = build_left_ ? join_.join_kind != JoinKind::Mark
                                      : join_.join_kind == JoinKind::Inner || join_.join_kind == JoinKind::Semi;
  // In a loop a scan may be emitted before it, and the table in it.
  if (!drops_rows || join_.keys.size() != 1 || join_.keys[0].is_null_safe || translator_.isInLoop()) return;
  const sql::Expression& key = probeKey(0);
  if (key.kind != sql::Expression::Kind::Column || !ScanFilter::canJoin(key.type)) return;
  const sql::TableScan* const scan = scanBelow(*join_.inputs[build_left_ ? 1 : 0], key.iu);
  if (scan == nullptr || scan->estimated_rows < kFilteredRowsMin) return;
  const double probed = std::max(1.0, join_.inputs[build_left_ ? 1 : 0]->estimated_rows);
  const bool is_known = join_.join_kind == JoinKind::Inner || !build_left_;
  translator_.addFilter(*scan, {key.iu, table_slot_, is_known ? std::min(1.0, join_.estimated_rows / probed) : 1});
}

void JoinTranslator::bindBuildUnits(Pipeline& pipeline, ir::Value row) {
  for (const auto& [unit, field] : unit_fields_)
    pipeline.scope.bindLazy(
        unit, [this, &pipeline, row, number = field] { return layout_.load(pipeline.context, number, row); });
}

void JoinTranslator::bindAbove(Pipeline& pipeline, ir::Value row, ir::Value is_extended) {
  for (const auto& [below, above] : join_.null_extended) {
    const auto found = std::find_if(unit_fields_.begin(), unit_fields_.end(),
                                    [unit = below](const auto& entry) { return entry.first == unit; });
    if (found == unit_fields_.end() || !required_.contains(above)) continue;
    pipeline.scope.bindLazy(above, [this, &pipeline, row, is_extended, number = found->second] {
      ir::Builder& b = pipeline.builder;
      SqlValue value = layout_.load(pipeline.context, number, row);
      value.is_null = value.isNullable() ? b.bitOr(value.is_null, is_extended) : is_extended;
      return value;
    });
  }
}

ir::Value JoinTranslator::firstOfChain(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value& hash) {
  ir::Builder& b = pipeline.builder;
  if (staged_row_.isValid()) {
    hash = b.load(ir::Type::I64, staged_row_, 0);
    return b.load(ir::Type::I64, staged_row_, 8);
  }
  hash = hashOfKeys(pipeline, keys);
  const ir::Value table = tableAddress(pipeline);
  const ir::Value directory =
      pipeline.hoist([&] { return b.load(ir::Type::Ptr, table, offsetof(JoinTable::Shared, directory)); });
  const ir::Value shift =
      pipeline.hoist([&] { return b.load(ir::Type::I64, table, offsetof(JoinTable::Shared, shift)); });
  const ir::Value entry = b.load(ir::Type::I64, b.ptrIndex(directory, b.lshr(hash, shift), 8));
  const ir::Value tag_bit = b.add(b.bitAnd(hash, b.constI64(15)), b.constI64(JoinTable::kTagShift));
  const ir::Value may_match = b.trunc(b.lshr(entry, tag_bit), ir::Type::I1);
  const ir::Value first = b.bitAnd(entry, b.constU64(JoinTable::kAddressMask));
  return b.select(may_match, first, b.constI64(0));
}

void JoinTranslator::checkCandidate(Pipeline& pipeline, const Candidates& candidates) {
  if (join_.conditions.empty() && !join_.compared) return;
  bindBuildUnits(pipeline, candidates.row);
  pipeline.expressions().requireAll(join_.conditions, candidates.mismatch);
}

std::string JoinTranslator::probeText() const {
  return std::string(isHash() ? "probe" : "nested loop").append(kindText(join_.join_kind));
}

/// The table is large, and so is the number of rows that are looked up in it.
bool JoinTranslator::isStaged(Pipeline& pipeline) const {
  if (!isHash() || lookup_ != nullptr || isSpilled()) return false;
  const sql::Operator& probed = *join_.inputs[build_left_ ? 1 : 0];
  const sql::Operator& built = *join_.inputs[build_left_ ? 0 : 1];
  if (!RowStaging::pays(probed.estimated_rows, built.estimated_rows, layout_.bytes())) return false;
  for (size_t i = 0; i < join_.keys.size(); ++i)
    if (!RowStaging::isCheap(probeKey(i))) return false;
  return RowStaging::canStage(pipeline, stagedUnits());
}

std::vector<sql::Iu> JoinTranslator::stagedUnits() const {
  return RowStaging::unitsOf(*join_.inputs[build_left_ ? 1 : 0], probe_required_);
}

void JoinTranslator::probe(Pipeline& pipeline, const Consumer& consumer) {
  isStaged(pipeline) ? stageProbe(pipeline, consumer) : probeRow(pipeline, consumer);
}

void JoinTranslator::stageProbe(Pipeline& pipeline, const Consumer& consumer) {
  const Scope::Level level(pipeline.scope);
  ir::Value has_null;
  const std::vector<SqlValue> keys = probeKeys(pipeline, has_null);
  RowStaging::stage(translator_, pipeline, stagedUnits(), hashOfKeys(pipeline, keys), has_null, {true, table_slot_},
                    [&](Pipeline& rest, ir::Value row) {
                      staged_row_ = row;
                      probeRow(rest, consumer);
                      staged_row_ = {};
                    });
}

void JoinTranslator::probeRow(Pipeline& pipeline, const Consumer& consumer) {
  pipeline.describe(probeText());
  const Scope::Level level(pipeline.scope);
  const Candidates candidates = isHash() ? beginChain(pipeline) : beginList(pipeline);
  if (extendsProbeRows()) return emitExtended(pipeline, candidates, consumer);
  if (!testsProbeRows()) return emitMatches(pipeline, candidates, consumer);
  join_.mark ? emitMarked(pipeline, candidates, consumer) : emitTested(pipeline, candidates, consumer);
}

/// Keys that are char(n) of one n on both sides are compared as they lie.
SqlValue JoinTranslator::comparableKey(const SqlValue& key, size_t number) const {
  const bool same_width = join_.keys[number].left->type == join_.keys[number].right->type;
  return same_width ? comparableBytes(key) : key;
}

ir::Value JoinTranslator::hashOfKeys(Pipeline& pipeline, const std::vector<SqlValue>& keys) const {
  ir::Value hash = pipeline.builder.constU64(kHashSeed);
  for (size_t i = 0; i < keys.size(); ++i) hash = hashValue(pipeline.context, hash, comparableKey(keys[i], i));
  return hash;
}

void JoinTranslator::bindProbeUnitsAbove(Pipeline& pipeline, const std::vector<std::pair<sql::Iu, sql::Iu>>& extended) {
  for (const auto& [below, above] : extended)
    if (required_.contains(above)) pipeline.scope.bindAlias(above, below);
}

std::vector<SqlValue> JoinTranslator::probeKeys(Pipeline& pipeline, ir::Value& has_null) {
  std::vector<SqlValue> keys;
  for (size_t i = 0; i < join_.keys.size(); ++i) {
    SqlValue key = pipeline.expressions().translate(probeKey(i));
    if (key.isNullable() && !join_.keys[i].is_null_safe) {
      has_null = has_null.isValid() ? pipeline.builder.bitOr(has_null, key.is_null) : key.is_null;
      key.is_null = {};
    }
    keys.push_back(key);
  }
  return keys;
}

/// Leaves the builder where a row of the chain has the probe row's keys.
JoinTranslator::Candidates JoinTranslator::beginChain(Pipeline& pipeline) {
  ir::Builder& b = pipeline.builder;
  probe_has_null_ = {};
  const std::vector<SqlValue> keys = probeKeys(pipeline, probe_has_null_);
  ir::Value hash;
  ir::Value first = firstOfChain(pipeline, keys, hash);
  if (probe_has_null_.isValid()) first = b.select(probe_has_null_, b.constI64(0), first);

  Candidates candidates{b.createBlock("chain"), b.createBlock("mismatch"), b.createBlock("exhausted"), {}, {}, {}};
  const ir::Block candidate = b.createBlock("candidate");
  const ir::Block before = b.currentBlock();
  b.br(candidates.header);
  b.setBlock(candidates.header);
  candidates.position = b.phi(ir::Type::I64);
  b.addIncoming(candidates.position, first, before);
  if (extendsProbeRows() || join_.compared) {
    candidates.state = b.phi(ir::Type::I1);
    b.addIncoming(candidates.state, b.constI1(false), before);
  }
  b.condBr(b.eq(candidates.position, b.constI64(0)), candidates.exhausted, candidate);
  b.setBlock(candidate);
  candidates.row = b.bitcast(candidates.position, ir::Type::Ptr);
  checkKeys(pipeline, keys, hash, candidates);
  return candidates;
}

void JoinTranslator::checkKeys(Pipeline& pipeline, const std::vector<SqlValue>& keys, ir::Value hash,
                               const Candidates& candidates) {
  ir::Builder& b = pipeline.builder;
  const ir::Block same_hash = b.createBlock("");
  b.condBr(b.eq(b.load(ir::Type::I64, candidates.row, 8), hash), same_hash, candidates.mismatch);
  b.setBlock(same_hash);
  for (size_t i = 0; i < keys.size(); ++i) {
    const SqlValue key = comparableKey(keys[i], i);
    const SqlValue stored = comparableKey(layout_.load(pipeline.context, key_fields_[i], candidates.row), i);
    const ir::Block equal = b.createBlock("");
    ir::Value same;
    if (join_.keys[i].is_null_safe) {
      same = notDistinctValues(pipeline.context, key, stored);
    } else {
      same = equalValues(pipeline.context, key, stored);
      if (stored.isNullable()) same = b.bitAnd(same, b.bitNot(stored.is_null));
    }
    b.condBr(same, equal, candidates.mismatch);
    b.setBlock(equal);
  }
}

/// First and end row of the list for this call: the pipeline's first nested loop goes over a window that the driver
/// sets, so that one call cannot make an unbounded result; other joins than inner ones must see the whole list to know
/// what matched, and a LIMIT below must see each row once.
std::pair<ir::Value, ir::Value> JoinTranslator::windowOfList(Pipeline& pipeline, ir::Value table) {
  ir::Builder& b = pipeline.builder;
  if (join_.join_kind != JoinKind::Inner || pipeline.description.has_window ||
      !pipeline.description.limit_slots.empty())
    return {b.constI64(0),
            pipeline.hoist([&] { return b.load(ir::Type::I64, table, offsetof(JoinTable::Shared, row_count)); })};
  const size_t slot = translator_.program().addLocal([](ExecutionState&, unsigned) {
    auto made = std::make_unique<NestedWindow>();
    void* address = made->shared();
    return QueryProgram::Made{std::move(made), address};
  });
  pipeline.description.has_window = true;
  pipeline.description.window_slot = slot;
  pipeline.description.window_table_slot = table_slot_;
  const ir::Value window = pipeline.hoist([&] { return pipeline.context.localSlot(slot); });
  return {pipeline.hoist([&] { return b.load(ir::Type::I64, window, offsetof(NestedWindow::Shared, begin)); }),
          pipeline.hoist([&] { return b.load(ir::Type::I64, window, offsetof(NestedWindow::Shared, end)); })};
}

/// Leaves the builder where there is a row of the list.
JoinTranslator::Candidates JoinTranslator::beginList(Pipeline& pipeline) {
  ir::Builder& b = pipeline.builder;
  const ir::Value table = pipeline.hoist([&] { return pipeline.context.globalSlot(table_slot_); });
  const ir::Value rows =
      pipeline.hoist([&] { return b.load(ir::Type::Ptr, table, offsetof(JoinTable::Shared, rows)); });
  const auto [from, count] = windowOfList(pipeline, table);
  Candidates candidates{b.createBlock("inner"), b.createBlock("mismatch"), b.createBlock("exhausted"), {}, {}, {}};
  const ir::Block candidate = b.createBlock("candidate");
  const ir::Block before = b.currentBlock();
  b.br(candidates.header);
  b.setBlock(candidates.header);
  candidates.position = b.phi(ir::Type::I64);
  b.addIncoming(candidates.position, from, before);
  if (extendsProbeRows() || join_.compared) {
    candidates.state = b.phi(ir::Type::I1);
    b.addIncoming(candidates.state, b.constI1(false), before);
  }
  b.condBr(b.slt(candidates.position, count), candidate, candidates.exhausted);
  b.setBlock(candidate);
  candidates.row = b.load(ir::Type::Ptr, b.ptrIndex(rows, candidates.position, 8));
  return candidates;
}

/// Ends the current block: the next row of the chain or the list.
void JoinTranslator::advance(Pipeline& pipeline, const Candidates& candidates, ir::Value next_state) {
  ir::Builder& b = pipeline.builder;
  pipeline.pollCancel();
  const ir::Value next = isHash() ? b.load(ir::Type::I64, b.bitcast(candidates.position, ir::Type::Ptr), 0)
                                  : b.add(candidates.position, b.constI64(1));
  const ir::Block here = b.currentBlock();
  b.addIncoming(candidates.position, next, here);
  if (candidates.state.isValid()) b.addIncoming(candidates.state, next_state, here);
  b.br(candidates.header);
}

/// Every match goes on, or is noted in the build row.
void JoinTranslator::emitMatches(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer) {
  ir::Builder& b = pipeline.builder;
  {
    const Scope::Level level(pipeline.scope);
    checkCandidate(pipeline, candidates);
    if (keepsBuildRows()) b.store(b.constI8(1), candidates.row, layout_.offset(matched_field_));
    if (!join_.testsLeftRows()) {
      bindBuildUnits(pipeline, candidates.row);
      if (keepsBuildRows()) bindProbeUnitsAbove(pipeline, join_.null_extended);
      consumer(pipeline);
    }
  }
  b.br(candidates.mismatch);
  b.setBlock(candidates.mismatch);
  advance(pipeline, candidates, {});
  b.setBlock(candidates.exhausted);
}

/// A match and the row without one share the consumer's code: the latter reads a row of zeroes.
void JoinTranslator::emitExtended(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer) {
  ir::Builder& b = pipeline.builder;
  {
    const Scope::Level level(pipeline.scope);
    checkCandidate(pipeline, candidates);
  }
  if (join_.join_kind == JoinKind::Single) {
    const ir::Block first = b.createBlock("");
    const ir::Block second = b.createBlock("second");
    b.condBr(candidates.state, second, first, ir::BranchWeight::Unlikely);
    b.setBlock(second);
    b.trap(TrapCode::SeveralRows);
    b.setBlock(first);
  }
  if (keepsBuildRows()) b.store(b.constI8(1), candidates.row, layout_.offset(matched_field_));
  const ir::Block found = b.currentBlock();
  const ir::Block match = b.createBlock("match");
  const ir::Block done = b.createBlock("done");
  const ir::Block next = b.createBlock("advance");
  const ir::Value zero_row = b.constPtr(pipeline.context.resources.keepZeroes(layout_.bytes()));
  b.br(match);
  b.setBlock(candidates.exhausted);
  b.condBr(candidates.state, done, match);
  b.setBlock(match);
  const ir::Value shown = b.phi(ir::Type::Ptr, {{candidates.row, found}, {zero_row, candidates.exhausted}});
  const ir::Value is_extended =
      b.phi(ir::Type::I1, {{b.constI1(false), found}, {b.constI1(true), candidates.exhausted}});
  {
    const Scope::Level level(pipeline.scope);
    bindBuildUnits(pipeline, shown);
    bindAbove(pipeline, shown, is_extended);
    bindProbeUnitsAbove(pipeline, join_.left_extended);
    consumer(pipeline);
  }
  const ir::Block emitted = b.currentBlock();
  b.condBr(is_extended, done, next);
  b.setBlock(candidates.mismatch);
  b.br(next);
  b.setBlock(next);
  const ir::Value state = b.phi(ir::Type::I1, {{b.constI1(true), emitted}, {candidates.state, candidates.mismatch}});
  advance(pipeline, candidates, state);
  b.setBlock(done);
}

/// A semi join goes on with the first match, an anti join where there is none.
void JoinTranslator::emitTested(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer) {
  ir::Builder& b = pipeline.builder;
  const ir::Block found = b.createBlock("found");
  const ir::Block done = b.createBlock("done");
  const bool wants_match = join_.join_kind == JoinKind::Semi;
  {
    const Scope::Level level(pipeline.scope);
    checkCandidate(pipeline, candidates);
  }
  b.br(wants_match ? found : done);
  b.setBlock(candidates.mismatch);
  advance(pipeline, candidates, {});
  b.setBlock(candidates.exhausted);
  b.br(wants_match ? done : found);
  b.setBlock(found);
  {
    const Scope::Level level(pipeline.scope);
    consumer(pipeline);
  }
  b.br(done);
  b.setBlock(done);
}

/// Whether a row without a TRUE comparison has an unknown mark. In the block behind the last candidate.
ir::Value JoinTranslator::unknownMark(Pipeline& pipeline, const Candidates& candidates) {
  ir::Builder& b = pipeline.builder;
  if (!comparesKey()) return candidates.state;
  const ir::Value table = tableAddress(pipeline);
  const ir::Value has_null_key = pipeline.hoist(
      [&] { return b.ne(b.load(ir::Type::I64, table, offsetof(JoinTable::Shared, has_null_key)), b.constI64(0)); });
  if (!probe_has_null_.isValid()) return has_null_key;
  const ir::Value has_rows = pipeline.hoist(
      [&] { return b.ne(b.load(ir::Type::I64, table, offsetof(JoinTable::Shared, row_count)), b.constI64(0)); });
  return b.bitOr(has_null_key, b.bitAnd(has_rows, probe_has_null_));
}

void JoinTranslator::emitMarked(Pipeline& pipeline, const Candidates& candidates, const Consumer& consumer) {
  ir::Builder& b = pipeline.builder;
  const ir::Block verdict = b.createBlock("verdict");
  ir::Value state = candidates.state;
  std::vector<std::pair<ir::Value, ir::Block>> next_states;
  ir::Block found;
  const ir::Block next = b.createBlock("advance");
  {
    const Scope::Level level(pipeline.scope);
    checkCandidate(pipeline, candidates);
    if (join_.compared) {
      const SqlValue compared = pipeline.expressions().translate(*join_.compared);
      const ir::Value is_true = compared.isNullable() ? b.bitAnd(compared.lo, b.bitNot(compared.is_null)) : compared.lo;
      if (compared.isNullable()) state = b.bitOr(state, compared.is_null);
      found = b.currentBlock();
      next_states.emplace_back(state, found);
      b.condBr(is_true, verdict, next);
    } else {
      found = b.currentBlock();
      b.br(verdict);
    }
  }
  b.setBlock(candidates.mismatch);
  b.br(next);
  next_states.emplace_back(candidates.state, candidates.mismatch);
  b.setBlock(next);
  ir::Value next_state;
  if (candidates.state.isValid()) {
    next_state = b.phi(ir::Type::I1);
    for (const auto& [value, block] : next_states) b.addIncoming(next_state, value, block);
  }
  advance(pipeline, candidates, next_state);
  b.setBlock(candidates.exhausted);
  const ir::Value is_unknown = unknownMark(pipeline, candidates);
  const ir::Block last = b.currentBlock();
  b.br(verdict);
  b.setBlock(verdict);
  SqlValue mark;
  mark.type = join_.mark->type;
  mark.lo = b.phi(ir::Type::I1, {{b.constI1(true), found}, {b.constI1(false), last}});
  if (is_unknown.isValid() && join_.mark->nullable)
    mark.is_null = b.phi(ir::Type::I1, {{b.constI1(false), found}, {is_unknown, last}});
  const Scope::Level level(pipeline.scope);
  pipeline.scope.bind(join_.mark, mark);
  consumer(pipeline);
}

}  // namespace gnomon::codegen
