#include "storage/index/index_tree.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "storage/fresh_page.h"
#include "storage/index/index_cursor.h"
#include "storage/relation_registry.h"

namespace gnomon::storage {

namespace {

/// Called for pages that are written or evicted. One that nobody has checked is as it was read: its bytes may be
/// anything, and it has no swip that is not cold.
void visitSwips(std::byte* page, const std::function<bool(uint64_t&)>& visit) {
  auto& header = *reinterpret_cast<IndexPageHeader*>(page);
  if (header.checked_by != kIndexRun) return;
  const uint32_t count = std::min<uint32_t>(header.entry_count, kIndexEntriesMax);
  for (uint32_t index = 0; index < count; ++index) {
    const uint32_t offset = header.slots()[index].offset;
    if (offset % 8 != 0 || offset < sizeof(IndexPageHeader) || offset + 8 > kIndexPageBytes) continue;
    if (!visit(*reinterpret_cast<uint64_t*>(page + offset))) return;
  }
}

/// The page's search fields and hints, asked for together, and before its frame has come.
void prefetchSearch(const std::byte* page) {
  for (size_t offset = 0; offset < sizeof(IndexPageHeader); offset += 64) __builtin_prefetch(page + offset);
}

}  // namespace

IndexTree::IndexTree(BufferManager& buffers, RelationId relation, bool is_unique)
    : buffers_(buffers), relation_(relation), is_unique_(is_unique) {
  buffers_.registerSwips(PageType::IndexInner, visitSwips);
  FreshPage root(buffers_, relation, PageType::IndexLeaf);
  IndexPage(root.guard().page()).initialise(0, is_unique, {}, nullptr);
  root_id_ = root.guard().frame().page_id.load();
  root_.store(&root.guard().frame());
  buffers_.registry().createTree(buffers_, root.guard(),
                                 {relation, is_unique ? TreeKind::UniqueIndex : TreeKind::Index});
  root.keep();
}

IndexTree::IndexTree(BufferManager& buffers, RelationId relation, bool is_unique, PageId root)
    : buffers_(buffers), relation_(relation), is_unique_(is_unique), root_id_(root) {
  buffers_.registerSwips(PageType::IndexInner, visitSwips);
}

Frame& IndexTree::readRoot() {
  const std::scoped_lock lock(root_mutex_);
  if (root_.load() == nullptr) root_.store(&buffers_.fixRoot(root_id_, relation_));
  return *root_.load();
}

void IndexTree::raiseDamaged(const Frame& frame, const char* problem) const {
  const PageId id = frame.page_id.load();
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("damaged page {} in file \"{}\" (index {})", id.number(),
                                                       buffers_.file(id.sizeClass()).path().string(), relation_.value))
      .detail(fmt::format("It {}.", problem));
}

const char* IndexTree::problemOf(const ExclusiveGuard& page) const {
  const IndexPage content(page.page());
  if (content.header().checked_by == kIndexRun) return nullptr;
  if (const char* problem = findPageProblem(page.page(), true)) return problem;
  if (content.isUnique() != is_unique_) return "is of the other kind of index";
  content.header().checked_by = kIndexRun;
  return nullptr;
}

void IndexTree::requireChecked(const ExclusiveGuard& page) const {
  if (const char* problem = problemOf(page)) raiseDamaged(page.frame(), problem);
}

void IndexTree::checkPage(const OptimisticGuard& page) {
  ExclusiveGuard guard = page.tryUpgrade();
  if (!guard.holds()) return;
  requireChecked(guard);
  guard.releaseUnchanged();
}

bool IndexTree::Descent::isStillRight() const {
  // Whoever splits, merges or evicts the page changes its parent; a root only changes its level.
  return parent.holds() ? parent.isValid() : IndexPage(page.page()).header().level == level;
}

Frame* IndexTree::tryFindChild(const OptimisticGuard& page, const Target& target) {
  IndexChild child;
  const bool is_found =
      target.is_last ? lastChild(page.page(), child) : findChild(page.page(), target.key, target.side, child);
  if (!page.isValid()) return nullptr;
  if (!is_found) raiseDamaged(page.frame());
  if (child.swip.isHot()) {
    __builtin_prefetch(child.swip.frame());
    if (const std::byte* const bytes = buffers_.pageOf(*child.swip.frame()).data()) prefetchSearch(bytes);
  }
  return buffers_.resolve(page, child.where, child.swip, relation_);
}

std::optional<IndexTree::Descent> IndexTree::tryDescend(const Target& target, uint32_t level) {
  Descent result{{}, OptimisticGuard(rootFrame()), 0};
  uint32_t level_above = UINT32_MAX;
  for (;;) {
    const IndexPageShape shape = readShape(result.page.page());
    if (shape.checked_by != kIndexRun) [[unlikely]] {
      checkPage(result.page);
      return std::nullopt;
    }
    if (level_above != UINT32_MAX && shape.level + 1 != level_above) [[unlikely]] {
      if (result.page.isValid() && result.parent.isValid()) raiseDamaged(result.page.frame());
      return std::nullopt;
    }
    result.level = shape.level;
    if (shape.level <= level) return result;
    Frame* frame = tryFindChild(result.page, target);
    if (!frame) return std::nullopt;
    const OptimisticGuard child(*frame);
    if (!result.page.isValid()) return std::nullopt;
    result.parent = result.page;
    result.page = child;
    level_above = shape.level;
  }
}

IndexTree::Descent IndexTree::descend(const Target& target, uint32_t level) {
  for (;;)
    if (const std::optional<Descent> found = tryDescend(target, level)) return *found;
}

void IndexTree::makeFullKey(KeyView key, TupleId id, EncodedKey& full_key) const {
  CHECK(key.size() <= kKeyBytesMax, "K1");
  full_key.assign(key);
  if (is_unique_) return;
  const uint64_t big_endian = std::byteswap(id.value);
  std::memcpy(full_key.extend(kTupleIdBytes), &big_endian, kTupleIdBytes);
}

std::optional<TupleId> IndexTree::lookup(KeyView key) {
  CHECK(is_unique_, "X1");
  for (;;) {
    const Descent found = descend({key}, 0);
    bool is_found = false;
    uint64_t id = 0;
    const bool is_sound = findTuple(found.page.page(), key, is_found, id);
    if (!found.page.isValid()) continue;
    if (!is_sound) raiseDamaged(found.page.frame());
    if (!is_found) return std::nullopt;
    return TupleId{id};
  }
}

std::optional<TupleId> IndexTree::findFirst(KeyView key) {
  CHECK(!is_unique_, "X1");
  PrefixRun run;
  findRun(key, run);
  if (run.count > 0) return TupleId{run.tuple_ids[0]};
  if (run.is_whole) return std::nullopt;
  const KeyBound bound{KeyBound::Kind::Inclusive, key};
  IndexCursor cursor(*this, {bound, bound});
  IndexEntry entry;
  if (!cursor.next(entry)) return std::nullopt;
  return entry.id;
}

void IndexTree::findRun(KeyView prefix, PrefixRun& run, LeafHint* hint) {
  if (hint && hint->leaf_.holds()) {
    // A leaf that has not changed still has the keys between its fences.
    const std::byte* const page = hint->leaf_.page();
    bool is_within = false;
    if (liesWithin(page, prefix, is_within) && is_within && findPrefix(page, prefix, run) && hint->leaf_.isValid())
      return;
  }
  for (;;) {
    const Descent found = descend({prefix}, 0);
    const bool is_sound = findPrefix(found.page.page(), prefix, run);
    if (!found.page.isValid()) continue;
    if (!is_sound) raiseDamaged(found.page.frame());
    if (hint) hint->leaf_ = found.page;
    return;
  }
}

bool IndexTree::contains(KeyView key, TupleId id) {
  if (is_unique_) return lookup(key) == id;
  EncodedKey full_key;
  makeFullKey(key, id, full_key);
  for (;;) {
    const Descent found = descend({full_key.view()}, 0);
    IndexPosition position;
    const bool is_sound = findPosition(found.page.page(), full_key.view(), position);
    if (!found.page.isValid()) continue;
    if (!is_sound) raiseDamaged(found.page.frame());
    return position.is_equal;
  }
}

/// The leaf where the full key is or belongs, held exclusively, and the key's place in it.
ExclusiveGuard IndexTree::latchLeaf(KeyView full_key, Descent& found, IndexPosition& position) {
  for (;;) {
    found = descend({full_key}, 0);
    ExclusiveGuard leaf(found.page.frame());
    if (!found.isStillRight()) {
      leaf.releaseUnchanged();
      continue;
    }
    const bool is_sound = findPosition(leaf.page(), full_key, position);
    // A page in another's place: its prefix is not the key's.
    if (!is_sound) raiseDamaged(leaf.frame());
    return leaf;
  }
}

namespace {

/// In a record that undoes an entry's, beside the key.
constexpr uint64_t kHeadBytes = 96;

}  // namespace

/// Comes before the change: what fails leaves the leaf as it is.
void IndexTree::logEntry(const ExclusiveGuard& leaf, PageOperation operation, uint32_t index, KeyView full_key,
                         TupleId id) {
  PageChange change(
      buffers_, relation_,
      operation == PageOperation::EntryInsert ? record_types::kEntryInserted : record_types::kEntryErased);
  change.undoTakes(full_key.size() + kHeadBytes);
  change.change(leaf.frame());
  change.operation(operation, {index, id.value}, full_key);
  change.finish();
}

/// The same, of entries that stand side by side.
void IndexTree::logRun(const ExclusiveGuard& leaf, uint32_t index, std::span<const EncodedKey> full_keys,
                       TupleId first) {
  PageChange change(buffers_, relation_, record_types::kEntryInserted);
  // Each is undone by a record of its own.
  uint64_t undo_bytes = (full_keys.size() - 1) * wal::kCompensationBytes;
  for (const EncodedKey& full_key : full_keys) undo_bytes += full_key.size() + kHeadBytes;
  change.undoTakes(undo_bytes);
  change.change(leaf.frame());
  for (size_t i = 0; i < full_keys.size(); ++i)
    change.operation(PageOperation::EntryInsert, {index + i, first.value + i}, full_keys[i].view());
  change.finish();
}

/// False: there was no room, which has been made.
bool IndexTree::insertAt(ExclusiveGuard leaf, uint32_t index, KeyView full_key, TupleId id) {
  IndexPage page(leaf.page());
  const uint32_t bytes = page.entryBytes(full_key.size());
  if (bytes > page.freeBytes()) {
    leaf.releaseUnchanged();
    split(full_key, id, 0, bytes);
    return false;
  }
  logEntry(leaf, PageOperation::EntryInsert, index, full_key, id);
  page.insert(index, full_key, id.value);
  return true;
}

std::optional<TupleId> IndexTree::insert(KeyView key, TupleId id) {
  EncodedKey full_key;
  makeFullKey(key, id, full_key);
  for (;;) {
    Descent found;
    IndexPosition position;
    ExclusiveGuard leaf = latchLeaf(full_key.view(), found, position);
    if (position.is_equal) {
      const TupleId existing{IndexPage(leaf.page()).tupleId(position.index)};
      leaf.releaseUnchanged();
      return existing;
    }
    if (insertAt(std::move(leaf), position.index, full_key.view(), id)) return std::nullopt;
  }
}

/// Whether no entry has the key, which would stand at the index. One that is in another page has the fence between it
/// and this page, which begins so, too.
bool IndexTree::isAlone(const IndexPage& page, uint32_t index, KeyView key) {
  const bool is_first = index == 0, is_last = index == page.count();
  return !(is_first ? page.lowerFence().starts_with(key) : page.beginsWith(index - 1, key)) &&
         !(is_last ? page.hasUpperFence() && page.upperFence().starts_with(key) : page.beginsWith(index, key));
}

/// Whether a key above one that belongs in front of the entry at the index does so, too.
bool IndexTree::belongsBefore(const IndexPage& page, uint32_t index, KeyView full_key) {
  if (page.hasUpperFence() && full_key >= page.upperFence()) return false;
  return index == page.count() || full_key.substr(page.prefix().size()) < page.suffix(index);
}

size_t IndexTree::insertRun(std::span<EncodedKey> keys, TupleId first, bool alone) {
  CHECK(!is_unique_, "K1");
  const auto complete = [&](size_t i) {
    CHECK(keys[i].size() <= kKeyBytesMax, "K1");
    const uint64_t big_endian = std::byteswap(first.value + i);
    std::memcpy(keys[i].extend(kTupleIdBytes), &big_endian, kTupleIdBytes);
    return keys[i].view();
  };
  const auto withoutId = [](KeyView full_key) { return full_key.substr(0, full_key.size() - kTupleIdBytes); };
  Descent found;
  IndexPosition position;
  const KeyView first_key = complete(0);
  ExclusiveGuard leaf = latchLeaf(first_key, found, position);
  IndexPage page(leaf.page());
  uint32_t room = page.freeBytes();
  size_t count = 0;
  if (!position.is_equal && (!alone || isAlone(page, position.index, withoutId(first_key))) &&
      page.entryBytes(first_key.size()) <= room) {
    room -= page.entryBytes(first_key.size());
    for (count = 1; count < keys.size(); ++count) {
      const KeyView key = complete(count);
      const uint32_t bytes = page.entryBytes(key.size());
      if (bytes > room || !belongsBefore(page, position.index, key)) break;
      const bool is_last = position.index == page.count();
      const KeyView own = withoutId(key);
      if (alone &&
          (is_last ? page.hasUpperFence() && page.upperFence().starts_with(own) : page.beginsWith(position.index, own)))
        break;
      room -= bytes;
    }
  }
  if (count == 0) {
    leaf.releaseUnchanged();
    return 0;
  }
  logRun(leaf, position.index, keys.first(count), first);
  page.insertRun(position.index, keys.first(count), first.value);
  return count;
}

bool IndexTree::insertAlone(KeyView key, TupleId id) {
  EncodedKey full_key;
  makeFullKey(key, id, full_key);
  for (;;) {
    Descent found;
    IndexPosition position;
    ExclusiveGuard leaf = latchLeaf(full_key.view(), found, position);
    if (!isAlone(IndexPage(leaf.page()), position.index, key)) {
      leaf.releaseUnchanged();
      return false;
    }
    if (insertAt(std::move(leaf), position.index, full_key.view(), id)) return true;
  }
}

/// What hangs from the pages of a level, from left to right. One is held at a time, while nothing is read.
uint64_t IndexTree::childCount(uint32_t level) {
  uint64_t count = 0;
  EncodedKey key;
  for (;;) {
    const Descent found = descend({key.view()}, level);
    const SharedGuard guard(found.page.frame());
    if (!found.isStillRight()) continue;
    // The tree has become lower.
    if (found.level != level) return count;
    const IndexPage page(guard.page());
    count += page.count();
    if (!page.hasUpperFence()) return count;
    if (page.upperFence() <= key.view()) raiseDamaged(guard.frame());
    key.assign(page.upperFence());
  }
}

uint64_t IndexTree::pageCount() {
  const uint32_t root_level = descend({}, UINT32_MAX).level;
  uint64_t pages = 1;
  for (uint32_t level = 1; level <= root_level; ++level) pages += childCount(level);
  return pages;
}

void IndexTree::tryMerge(KeyView key) {
  try {
    merge(key);
  } catch (const SqlError&) {
    // A page cannot be read. Whoever needs it hears of it; the entry is erased, and a merge can wait.
  }
}

bool IndexTree::erase(KeyView key, TupleId id) {
  EncodedKey full_key;
  makeFullKey(key, id, full_key);
  Descent found;
  IndexPosition position;
  ExclusiveGuard leaf = latchLeaf(full_key.view(), found, position);
  IndexPage page(leaf.page());
  if (!position.is_equal || page.tupleId(position.index) != id.value) {
    leaf.releaseUnchanged();
    return false;
  }
  logEntry(leaf, PageOperation::EntryErase, position.index, full_key.view(), id);
  page.erase(position.index);
  // A merge may be impossible, so it is not tried each time.
  constexpr uint32_t kMergeTryInterval = 16;
  const bool is_sparse = page.usedBytes() < kIndexPageBytes / 4 && page.count() % kMergeTryInterval == 0;
  leaf.release();
  if (is_sparse && found.parent.holds()) tryMerge(full_key.view());
  return true;
}

}  // namespace gnomon::storage
