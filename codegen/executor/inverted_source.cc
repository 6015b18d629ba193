#include "codegen/executor/inverted_source.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "codegen/executor/execution_state.h"
#include "txn/key_extractor.h"

namespace gnomon::codegen {

using storage::EncodedKey;
using storage::KeyBound;
using storage::TupleId;

namespace {

/// Entries of each list that are read before it is looked whether one has ended; then four times as many.
constexpr size_t kFirstPiece = 256;
constexpr size_t kPieceGrowth = 4;
/// What a longer list may have more than the shortest, to be read to its end: reading an entry is so much cheaper than
/// looking at a tuple.
constexpr size_t kLongerListsMax = 8;

}  // namespace

/// The tuples of keys that begin with one of some prefixes.
class InvertedSource::List {
 public:
  void add(EncodedKey prefix) { prefixes_.push_back(std::move(prefix)); }
  [[nodiscard]] std::vector<TupleId>& ids() { return ids_; }
  /// The entries at hand; null: there are no more.
  storage::IndexCursor* cursor(storage::IndexTree& tree) {
    if (cursor_) return &*cursor_;
    if (next_ == prefixes_.size()) return nullptr;
    EncodedKey end = prefixes_[next_];
    storage::KeyRange range;
    range.low = {KeyBound::Kind::Inclusive, prefixes_[next_].view()};
    if (end.makePrefixEnd()) range.high = {KeyBound::Kind::Exclusive, end.view()};
    ++next_;
    return &cursor_.emplace(tree, range);
  }
  /// The cursor is at its end.
  void leaveCursor() { cursor_.reset(); }
  [[nodiscard]] bool hasEnded() const { return !cursor_ && next_ == prefixes_.size(); }
  /// Each tuple once, in their order.
  void sort() {
    if (!std::ranges::is_sorted(ids_)) std::ranges::sort(ids_);
    const auto repeated = std::ranges::unique(ids_);
    ids_.erase(repeated.begin(), repeated.end());
  }

 private:
  std::vector<EncodedKey> prefixes_;
  size_t next_ = 0;
  std::optional<storage::IndexCursor> cursor_;
  std::vector<TupleId> ids_;
};

InvertedSource::InvertedSource(txn::Table& table, const txn::Snapshot& snapshot, std::shared_ptr<txn::TableIndex> index,
                               IndexRangeShape shape, double estimated_rows, std::vector<uint32_t> columns,
                               const CancelToken& cancel, MemoryAccount& memory)
    : BoundedSource(table, snapshot, std::move(index), std::move(shape), estimated_rows, std::move(columns)),
      cancel_(cancel),
      memory_(memory) {}

InvertedSource::~InvertedSource() = default;

bool InvertedSource::park() {
  is_open_ = false;
  found_.release();
  return true;
}

/// Of one search. False: no tuple satisfies it.
bool InvertedSource::addLists(size_t number, std::vector<std::unique_ptr<List>>& lists) {
  const auto& search = shape().searches[number];
  sql::SoughtKeys keys = sql::InvertedKeys::of(index()).part(search.part).sought(search.how, values()[number].datum);
  std::ranges::sort(keys.hashes);
  const auto repeated = std::ranges::unique(keys.hashes);
  keys.hashes.erase(repeated.begin(), repeated.end());
  const bool is_any = keys.rows == sql::SoughtKeys::Rows::Any;
  if (keys.rows == sql::SoughtKeys::Rows::None) return false;
  if (keys.rows == sql::SoughtKeys::Rows::Unknown) return true;
  for (size_t i = 0; i < keys.hashes.size(); ++i) {
    if (i == 0 || !is_any) lists.push_back(std::make_unique<List>());
    EncodedKey prefix;
    txn::encodeInvertedKey(search.part, keys.hashes[i], prefix);
    lists.back()->add(std::move(prefix));
  }
  return true;
}

/// Until the list has so many tuples, or is at its end, which is what it returns.
bool InvertedSource::readUpTo(List& list, size_t count) {
  while (list.ids().size() < count) {
    cancel_.poll();
    storage::IndexCursor* const cursor = list.cursor(index().tree());
    if (cursor == nullptr) break;
    const size_t before = list.ids().size();
    if (!take(*cursor, std::min(count, before + kTuplesPerClaim), list.ids())) list.leaveCursor();
    found_.charge(memory_, (list.ids().size() - before) * sizeof(TupleId));
  }
  return list.hasEnded();
}

/// Leaves the tuples that are in all lists that end soon enough.
void InvertedSource::read(std::vector<std::unique_ptr<List>>& lists) {
  bool has_end = false;
  for (size_t count = kFirstPiece; !has_end; count *= kPieceGrowth)
    for (const auto& list : lists) has_end = readUpTo(*list, count) || has_end;
  List* shortest = nullptr;
  for (const auto& list : lists)
    if (list->hasEnded() && (shortest == nullptr || list->ids().size() < shortest->ids().size())) shortest = list.get();
  shortest->sort();
  std::vector<TupleId>& result = found_.ids();
  result = std::move(shortest->ids());
  const size_t count_max = kFirstPiece + result.size() * kLongerListsMax;
  for (const auto& list : lists) {
    if (result.empty()) return;
    if (list.get() == shortest || !readUpTo(*list, count_max)) continue;
    list->sort();
    std::vector<TupleId> common;
    std::ranges::set_intersection(result, list->ids(), std::back_inserter(common));
    result = std::move(common);
  }
}

void InvertedSource::open() {
  is_open_ = true;
  countScan();
  if (hasNull()) return;
  std::vector<std::unique_ptr<List>> lists;
  for (size_t i = 0; i < shape().searches.size(); ++i)
    if (!addLists(i, lists)) return;
  if (lists.empty()) {
    // All tuples with a value in a part that is searched.
    EncodedKey prefix;
    txn::encodeInvertedPart(shape().searches.front().part, prefix);
    lists.push_back(std::make_unique<List>());
    lists.back()->add(std::move(prefix));
  }
  read(lists);
}

bool InvertedSource::claim(std::vector<TupleId>& ids) {
  if (!is_open_) open();
  return found_.claim(kTuplesPerClaim, ids);
}

std::unique_ptr<BoundedSource> makeBoundedSource(txn::Table& table, std::shared_ptr<txn::TableIndex> index,
                                                 const IndexRangeShape& shape, double estimated_rows,
                                                 std::vector<uint32_t> columns, ExecutionState& state) {
  const txn::Snapshot& snapshot = state.context.snapshot;
  if (shape.searches.empty())
    return std::make_unique<IndexSource>(table, snapshot, std::move(index), shape, estimated_rows, std::move(columns));
  return std::make_unique<InvertedSource>(table, snapshot, std::move(index), shape, estimated_rows, std::move(columns),
                                          state.context.cancel, state.context.memory);
}

}  // namespace gnomon::codegen
