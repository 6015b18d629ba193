#include "codegen/runtime/spilled_join.h"

#include <algorithm>

namespace gnomon::codegen {

namespace {

constexpr uint64_t kBatchRows = 1024;
constexpr uint64_t kBatchBytes = uint64_t{256} << 10;
constexpr uint64_t kPollRows = 1024;
/// The directory is entered by the bits above.
constexpr unsigned kShiftMax = 46;

/// The next rows, as addresses in `list`.
void readRows(SpillReader& reader, RowBuffer& rows, std::vector<char*>& list) {
  rows.clear();
  rows.arena->clear();
  list.clear();
  while (list.size() < kBatchRows && rows.arena->reservedBytes() < kBatchBytes && reader.advance())
    list.push_back(reader.copyTo(rows));
}

}  // namespace

void SpilledJoinSource::open(const JoinTable::Shared& whole, const std::vector<PartitionedRows*>& build,
                             const std::vector<PartitionedRows*>& probe) {
  whole_ = whole;
  build_area_ = build[0]->area();
  probe_area_ = probe[0]->area();
  for (size_t partition = 0; partition < HashPartitioning::kPartitions; ++partition) {
    Task task{{}, {}, PartitionedRows::kFirstPartitioning.shift, true};
    const auto gather = [partition](const std::vector<PartitionedRows*>& side, SpilledRun& run) {
      for (const PartitionedRows* rows : side)
        if (rows->hasSpilled()) run.insert(run.end(), rows->runs()[partition].begin(), rows->runs()[partition].end());
    };
    gather(build, task.build);
    gather(probe, task.probe);
    whole_.row_count += rowCountOf(task.build);
    row_count_ += rowCountOf(task.probe);
    if (isWanted(task)) tasks_.push_back(std::move(task));
  }
}

/// What has no probe rows, or no build rows, may be over before it begins.
bool SpilledJoinSource::isWanted(const Task& task) {
  if (task.probe.empty()) {
    if (shape_.keeps_build_rows) finished_.insert(finished_.end(), task.build.begin(), task.build.end());
    return false;
  }
  return !task.build.empty() || shape_.emits_unmatched;
}

void SpilledJoinSource::openPart(Part& part) {
  if (part.build_arena) return;
  part.build_rows.open(&part.build_arena.emplace(&build_area_->memory().account()), build_area_->format().row_bytes);
  part.probe_rows.open(&part.probe_arena.emplace(&probe_area_->memory().account()), probe_area_->format().row_bytes);
  part.build_pieces.emplace(build_area_->memory(), build_area_->format());
  part.probe_pieces.emplace(probe_area_->memory(), probe_area_->format());
}

bool SpilledJoinSource::takeTask(Task& task) {
  const std::scoped_lock guard(mutex_);
  if (tasks_.empty()) return false;
  task = std::move(tasks_.back());
  tasks_.pop_back();
  return true;
}

bool SpilledJoinSource::next(Morsel& morsel) {
  Part& part = parts_[morsel.worker];
  openPart(part);
  while (!part.reader || !readBatch(part)) {
    Task task;
    if (!takeTask(task)) return false;
    const bool is_small = bytesOf(task.build) <= build_area_->memory().shareBytes();
    is_small || !task.is_cuttable || task.shift >= kShiftMax ? load(task, part) : cut(task, part);
  }
  morsel.data = part.list.data();
  morsel.begin = 0;
  morsel.end = part.list.size();
  return true;
}

bool SpilledJoinSource::readBatch(Part& part) {
  cancel_.poll();
  readRows(*part.reader, part.probe_rows, part.list);
  if (!part.list.empty()) return true;
  finish(part);
  return false;
}

void SpilledJoinSource::load(const Task& task, Part& part) {
  SpillReader reader(task.build, build_area_->format(), build_area_->memory().account());
  for (uint64_t row = 0; reader.advance(); ++row) {
    if (row % kPollRows == 0) cancel_.poll();
    reader.copyTo(part.build_rows);
  }
  JoinTable& directory = part.directory.emplace(build_area_->memory().account());
  directory.addBuilder(&part.build_rows);
  directory.buildDirectoryAlone();
  part.table = *directory.shared();
  part.table.row_count = whole_.row_count;
  part.table.has_null_key = whole_.has_null_key;
  part.reader.emplace(task.probe, probe_area_->format(), probe_area_->memory().account());
}

/// The partition's last probe row has been there.
void SpilledJoinSource::finish(Part& part) {
  part.reader.reset();
  part.directory.reset();
  if (shape_.keeps_build_rows && part.build_rows.rowCount() > 0) {
    std::vector<char*> rows;
    part.build_rows.listInto(rows);
    SpillFile& file = part.build_pieces->file();
    for (const char* row : rows) file.add(row);
    file.finish();
    const SpilledSegment segment = file.endSegment();
    const std::scoped_lock guard(mutex_);
    finished_.push_back(segment);
  }
  part.build_rows.clear();
  part.build_arena->clear();
}

PartitionRuns SpilledJoinSource::cutSide(const SpilledRun& run, HashPartitioning partitioning, RowBuffer& rows,
                                         SpillArea& pieces) {
  PartitionRuns runs(HashPartitioning::kPartitions);
  SpillReader reader(run, pieces.format(), pieces.memory().account());
  std::vector<char*> list;
  const auto flush = [&] {
    cancel_.poll();
    spillPartitions(list, partitioning, pieces.file(), runs);
    list.clear();
    rows.clear();
    rows.arena->clear();
  };
  while (reader.advance()) {
    list.push_back(reader.copyTo(rows));
    if (rows.arena->reservedBytes() >= pieces.memory().shareBytes()) flush();
  }
  flush();
  return runs;
}

void SpilledJoinSource::cut(const Task& task, Part& part) {
  const HashPartitioning partitioning{task.shift + HashPartitioning::kBits};
  part.probe_rows.clear();
  part.probe_arena->clear();
  PartitionRuns build = cutSide(task.build, partitioning, part.build_rows, *part.build_pieces);
  PartitionRuns probe = cutSide(task.probe, partitioning, part.probe_rows, *part.probe_pieces);
  const uint64_t bytes_before = bytesOf(task.build);
  const std::scoped_lock guard(mutex_);
  for (size_t i = 0; i < build.size(); ++i) {
    const bool is_cuttable = bytesOf(build[i]) < bytes_before;
    Task piece{std::move(build[i]), std::move(probe[i]), partitioning.shift, is_cuttable};
    if (isWanted(piece)) tasks_.push_back(std::move(piece));
  }
}

void SpilledRunSource::open(SpilledRun run, SpillArea& area) {
  run_ = std::move(run);
  area_ = &area;
  row_count_ = rowCountOf(run_);
}

bool SpilledRunSource::next(Morsel& morsel) {
  cancel_.poll();
  Part& part = parts_[morsel.worker];
  if (area_ == nullptr) return false;
  if (!part.arena) part.rows.open(&part.arena.emplace(&area_->memory().account()), area_->format().row_bytes);
  part.list.clear();
  while (part.list.empty()) {
    if (part.reader) readRows(*part.reader, part.rows, part.list);
    if (!part.list.empty()) break;
    const std::scoped_lock guard(mutex_);
    if (run_.empty()) return false;
    part.reader.emplace(SpilledRun{run_.back()}, area_->format(), area_->memory().account());
    run_.pop_back();
  }
  morsel.data = part.list.data();
  morsel.begin = 0;
  morsel.end = part.list.size();
  return true;
}

}  // namespace gnomon::codegen
