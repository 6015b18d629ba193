#include "storage/page_change.h"

#include <cstring>

#include "base/failpoint.h"
#include "storage/relation/leaf.h"

namespace gnomon::storage {

namespace {

/// A page's bytes are looked at in units of this: those of zeros are not in its image.
constexpr uint64_t kImageUnit = 64;

bool isUndoable(wal::RecordType type) {
  return type != record_types::kPages && type != record_types::kRelations;
}

bool isZero(const std::byte* unit) {
  uint64_t words[kImageUnit / sizeof(uint64_t)];
  std::memcpy(words, unit, sizeof(words));
  uint64_t bits = 0;
  for (const uint64_t word : words) bits |= word;
  return bits == 0;
}

}  // namespace

/// A record while it is put together; the memory is used again.
struct PageChange::Scratch {
  /// Bytes of the body: copied ones, or where they lie.
  struct Piece {
    const std::byte* lying = nullptr;  ///< null: in `bytes`, at `offset`
    uint64_t offset = 0;
    uint64_t count = 0;
  };
  std::unique_ptr<std::byte[]> bytes;
  uint64_t size = 0;
  uint64_t capacity = 0;
  uint64_t piece_begin = 0;  ///< what lies behind is in no piece yet
  std::vector<Piece> pieces;
  std::vector<wal::Bytes> spans;
  std::vector<Frame*> changed;
  std::vector<Frame*> images;
  std::vector<wal::RecordStamp> stamps;
  uint64_t lying_bytes = 0;  ///< of pieces that are not in `bytes`
  uint64_t part_begin = 0;   ///< where in `bytes` the part's head is
  uint64_t part_total = 0;   ///< total() behind it
  bool is_part_open = false;
  bool is_used = false;

  /// Bytes of the body so far.
  [[nodiscard]] uint64_t total() const { return size + lying_bytes; }
  [[nodiscard]] RecordHead& head() const { return *reinterpret_cast<RecordHead*>(bytes.get()); }
  /// Room for `count` bytes; the caller fills some of it and says so in `size`.
  std::byte* reserve(uint64_t count) {
    if (size + count > capacity) [[unlikely]]
      grow(size + count);
    return bytes.get() + size;
  }
  void grow(uint64_t needed) {
    constexpr uint64_t kFirstBytes = 4096;
    const uint64_t larger = std::max({needed, 2 * capacity, kFirstBytes});
    auto fresh = std::make_unique_for_overwrite<std::byte[]>(larger);
    if (size > 0) std::memcpy(fresh.get(), bytes.get(), size);
    bytes = std::move(fresh);
    capacity = larger;
  }
  void endPiece() {
    if (size > piece_begin) pieces.push_back({nullptr, piece_begin, size - piece_begin});
    piece_begin = size;
  }
  void clear() {
    // What a large change needed is not kept.
    constexpr uint64_t kKeptBytes = uint64_t{1} << 20;
    constexpr size_t kKeptPieces = size_t{1} << 12;
    if (capacity > kKeptBytes) {
      bytes.reset();
      capacity = 0;
    }
    if (pieces.capacity() > kKeptPieces) {
      pieces = {};
      spans = {};
    }
    size = piece_begin = lying_bytes = 0;
    pieces.clear();
    spans.clear();
    changed.clear();
    images.clear();
    stamps.clear();
    is_part_open = false;
  }
};

PageChange::Scratch& PageChange::scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

PageChange::PageChange(BufferManager& buffers, RelationId relation, wal::RecordType type)
    : buffers_(buffers), log_(buffers.log()), relation_(relation), type_(type), record_(scratch()) {
  CHECK(!record_.is_used, "a thread makes one change at a time");
  record_.is_used = true;
  if (!isOn()) return;
  const RecordHead head{};
  put(&head, sizeof(head));
}

PageChange::~PageChange() {
  finish();
  record_.clear();
  record_.is_used = false;
}

wal::LogWriter& PageChange::writer(const PageLog::Scope* scope) {
  if (scope) return scope->writer();
  if (!lease_) lease_ = log_.wal().lease();
  return *lease_;
}

void PageChange::prepare(uint64_t bytes) {
  if (!isOn()) return;
  constexpr uint64_t kHeadBytes = 4096;
  // Those draw on what the transaction has reserved, as long as it is enough.
  const PageLog::Scope* scope = log_.scope();
  if (scope && scope->isCompensating() && isUndoable(type_) && scope->writer().canCompensate(bytes)) return;
  writer(scope).prepare(bytes + rollback_bytes_ + kHeadBytes);
}

void PageChange::put(const void* bytes, size_t count) {
  if (count > 0) std::memcpy(record_.reserve(count), bytes, count);
  record_.size += count;
}

void PageChange::refer(const std::byte* bytes, uint64_t count, uint64_t copied_bytes_max) {
  if (count <= copied_bytes_max) return put(bytes, count);
  record_.endPiece();
  record_.pieces.push_back({bytes, 0, count});
  record_.lying_bytes += count;
}

void PageChange::putNumber(uint64_t number) {
  std::byte* const at = record_.reserve(kNumberBytesMax);
  record_.size += static_cast<uint64_t>(writeNumber(at, number) - at);
}

void PageChange::mean(wal::Bytes bytes) {
  if (!isOn()) return;
  put(bytes.data(), bytes.size());
  record_.head().meaning_bytes += static_cast<uint32_t>(bytes.size());
}

void PageChange::endMeaning(const std::byte* end) {
  record_.head().meaning_bytes += static_cast<uint32_t>(end - record_.bytes.get() - record_.size);
  endOperations(end);
}

void PageChange::beginPart(Frame& page, PartKind kind) {
  endPart();
  record_.part_begin = record_.size;
  const PageHeader& header = page.header();
  const PartHead head{header.page_id, header.gsn, header.relation_id, header.type, kind, 0, 0};
  put(&head, sizeof(head));
  record_.part_total = record_.total();
  record_.is_part_open = true;
  record_.stamps.push_back(page.stamp());
  ++record_.head().part_count;
}

void PageChange::endPart() {
  if (!record_.is_part_open) return;
  const auto bytes = static_cast<uint32_t>(record_.total() - record_.part_total);
  std::memcpy(record_.bytes.get() + record_.part_begin + offsetof(PartHead, bytes), &bytes, sizeof(bytes));
  record_.is_part_open = false;
}

void PageChange::change(Frame& page) {
  record_.changed.push_back(&page);
  if (isOn()) beginPart(page, PartKind::Change);
}

void PageChange::write(const void* at, uint64_t bytes, uint64_t copied_bytes_max) {
  if (!isOn() || bytes == 0) return;
  const auto* first = static_cast<const std::byte*>(at);
  if (bytes <= sizeof(Datum) && copied_bytes_max != 0) {
    std::byte* const begin = record_.reserve(kValueOperationBytesMax);
    return endOperations(writeValueOperation(begin, record_.changed.back()->page, first, bytes));
  }
  std::byte* const begin = record_.reserve(1 + 2 * kNumberBytesMax);
  std::byte* end = begin;
  *end++ = static_cast<std::byte>(PageOperation::Write);
  end = writeNumber(end, static_cast<uint64_t>(first - record_.changed.back()->page));
  end = writeNumber(end, bytes);
  endOperations(end);
  refer(first, bytes, copied_bytes_max);
}

std::byte* PageChange::beginOperations(uint64_t bytes_max) {
  return isOn() ? record_.reserve(bytes_max) : nullptr;
}

void PageChange::endOperations(const std::byte* end) {
  record_.size = static_cast<uint64_t>(end - record_.bytes.get());
}

void PageChange::tupleIds(uint32_t row, uint32_t count, uint64_t first_id) {
  operation(PageOperation::TupleIds, {row, count, first_id});
}

void PageChange::operation(PageOperation operation, std::initializer_list<uint64_t> operands) {
  if (!isOn()) return;
  put(&operation, sizeof(operation));
  for (const uint64_t operand : operands) putNumber(operand);
}

void PageChange::operation(PageOperation operation, std::initializer_list<uint64_t> operands, std::string_view bytes) {
  if (!isOn()) return;
  this->operation(operation, operands);
  putNumber(bytes.size());
  put(bytes.data(), bytes.size());
}

void PageChange::image(Frame& page) {
  record_.images.push_back(&page);
}

void PageChange::free(ExclusiveGuard page) {
  freed_.push_back(std::move(page));
}

/// The bytes that are not zero, swips as they are on disk.
void PageChange::writeImage(Frame& page) {
  beginPart(page, PartKind::Fresh);
  const uint64_t page_bytes = page.pageBytes();
  std::unique_ptr<std::byte[]> copy;
  const std::byte* source = page.page;
  if (buffers_.hasSwips(page.header().type)) {
    copy = std::make_unique_for_overwrite<std::byte[]>(page_bytes);
    buffers_.copyCold(page, copy.get());
    source = copy.get();
  }
  // What lies between the arrays of a leaf and its strings is nothing.
  uint64_t gap_begin = 0, gap_end = 0;
  if (page.header().type == PageType::RelationLeaf) {
    const auto& leaf = *reinterpret_cast<const LeafHeader*>(source);
    gap_begin = (uint64_t{leaf.fixed_end} + kImageUnit - 1) / kImageUnit * kImageUnit;
    gap_end = uint64_t{leaf.variable_begin} / kImageUnit * kImageUnit;
  }
  const auto isNothing = [&](uint64_t at) { return (at >= gap_begin && at < gap_end) || isZero(source + at); };
  for (uint64_t at = kImageUnit; at < page_bytes;) {
    if (isNothing(at)) {
      at += kImageUnit;
      continue;
    }
    uint64_t end = at + kImageUnit;
    while (end < page_bytes && !isNothing(end)) end += kImageUnit;
    const auto operation = PageOperation::Write;
    put(&operation, sizeof(operation));
    putNumber(at);
    putNumber(end - at);
    if (copy)
      put(source + at, end - at);
    else
      refer(source + at, end - at);
    at = end;
  }
  const auto operation = PageOperation::Write;
  put(&operation, sizeof(operation));
  putNumber(sizeof(PageHeader));
  putNumber(kImageUnit - sizeof(PageHeader));
  put(source + sizeof(PageHeader), kImageUnit - sizeof(PageHeader));
}

void PageChange::writeImages() {
  for (Frame* page : record_.images) writeImage(*page);
  endPart();
}

void PageChange::writeFreed() {
  if (freed_.empty() && freed_cold_.empty()) return;
  const auto bytes = static_cast<uint32_t>((freed_.size() + freed_cold_.size()) * sizeof(PageId));
  const PartHead head{PageId{}, Gsn{}, relation_, PageType::None, PartKind::Freed, bytes, 0};
  put(&head, sizeof(head));
  for (const ExclusiveGuard& page : freed_) {
    put(&page.frame().header().page_id, sizeof(PageId));
    record_.stamps.push_back(page.frame().stamp());
  }
  put(freed_cold_.data(), freed_cold_.size() * sizeof(PageId));
  ++record_.head().part_count;
}

wal::RecordStamp PageChange::append() {
  const PageLog::Scope* scope = log_.scope();
  wal::LogWriter& writer = this->writer(scope);
  const bool is_system = scope == nullptr || !isUndoable(type_);
  const bool is_compensation = !is_system && scope->isCompensating();
  wal::Bytes whole(record_.bytes.get(), record_.size);
  std::span<const wal::Bytes> body(&whole, 1);
  if (!record_.pieces.empty()) {
    record_.endPiece();
    for (const Scratch::Piece& piece : record_.pieces)
      record_.spans.emplace_back(piece.lying ? piece.lying : record_.bytes.get() + piece.offset, piece.count);
    body = record_.spans;
  }
  if (const auto dependence = PageLog::dependence(); !dependence.empty())
    record_.stamps.insert(record_.stamps.end(), dependence.begin(), dependence.end());
  const bool is_single = record_.changed.size() == 1 && record_.images.empty() && freed_.empty() && freed_cold_.empty();
  const wal::Appended appended = writer.append({.type = type_,
                                                .page = is_single ? record_.changed[0]->header().page_id.value : 0,
                                                .relation = relation_.value,
                                                .is_compensation = is_compensation,
                                                .is_system = is_system,
                                                .undo_next = is_compensation ? scope->undone() : wal::LogPosition{},
                                                .body = body,
                                                .rollback_bytes = rollback_bytes_},
                                               record_.stamps);
  return {appended.gsn, writer.log()};
}

/// What the record says is so from now on.
void PageChange::settle(wal::RecordStamp stamp) {
  for (Frame* page : record_.images) buffers_.confirmPage(page->header().page_id);
  if (isOn()) {
    for (Frame* page : record_.changed) page->setStamp(stamp);
    for (Frame* page : record_.images) {
      page->setStamp(stamp);
      page->dirty.store(DirtyState::WholeInLog);
    }
  }
  if (action_) action_();
  for (const PageId page : freed_cold_) buffers_.freeCold(page, stamp);
  for (ExclusiveGuard& page : freed_) buffers_.free(std::move(page), stamp);
}

void PageChange::finish() {
  if (std::exchange(is_finished_, true)) return;
  const bool says_pages = !record_.images.empty() || !freed_.empty() || !freed_cold_.empty();
  if (!says_pages && !action_ && record_.changed.empty()) return;
  const Gsn stable = log_.stable();
  for (Frame* page : record_.changed) page->markDirty(stable);
  for (Frame* page : record_.images) page->markDirty(stable);
  if (!isOn()) return settle({});
  endPart();
  if (says_pages) {
    writeImages();
    writeFreed();
  }
  std::shared_lock<std::shared_mutex> gate;
  if (says_pages || type_ == record_types::kRelations) gate = std::shared_lock(log_.gate());
  settle(append());
  if (says_pages) FAILPOINT("structure.changed");
  held_.clear();
}

}  // namespace gnomon::storage
