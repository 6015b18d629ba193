#include "storage/page_operations.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "storage/index/index_page.h"
#include "storage/relation/inner_node.h"
#include "storage/relation/leaf.h"

namespace gnomon::storage {

namespace {

/// The operations on one page, each checked against the page before it is done.
class Operations {
 public:
  Operations(std::byte* page, uint64_t page_bytes, wal::Bytes bytes)
      : page_(page), page_bytes_(page_bytes), reader_(bytes) {}

  void apply() {
    while (!reader_.isAtEnd()) applyNext();
    require(reader_.isSound());
  }

 private:
  void require(bool is_possible) const {
    if (is_possible) return;
    const auto& header = *reinterpret_cast<const PageHeader*>(page_);
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("a log record does not fit page {} of size class {}",
                                                         header.page_id.number(), header.page_id.sizeClass().index));
  }
  [[nodiscard]] PageType type() const { return reinterpret_cast<const PageHeader*>(page_)->type; }
  /// Bytes of the page behind its header.
  std::byte* bytesAt(uint64_t offset, uint64_t count) const {
    require(offset >= sizeof(PageHeader) && offset <= page_bytes_ && count <= page_bytes_ - offset);
    return page_ + offset;
  }
  LeafHeader& leaf() const {
    require(type() == PageType::RelationLeaf);
    return *reinterpret_cast<LeafHeader*>(page_);
  }
  InnerNode& inner() const {
    require(type() == PageType::RelationInner && innerOf(page_).entry_count <= InnerNode::kEntriesMax);
    return innerOf(page_);
  }
  IndexPage indexPage() const {
    require(type() == PageType::IndexLeaf || type() == PageType::IndexInner);
    return IndexPage(page_);
  }

  void applyNext();
  void flagRows(bool is_deleted);
  void insertEntry();

  std::byte* const page_;
  const uint64_t page_bytes_;
  RecordReader reader_;
};

void Operations::flagRows(bool is_deleted) {
  LeafHeader& header = leaf();
  const uint64_t row = reader_.number();
  const uint64_t count = reader_.number();
  require(row <= header.tuple_count && count <= header.tuple_count - row);
  auto* ids = reinterpret_cast<uint64_t*>(bytesAt(LeafLayout::kTupleIdsOffset, (row + count) * sizeof(uint64_t)));
  flagTuples(header, ids, static_cast<uint32_t>(row), static_cast<uint32_t>(count), is_deleted);
}

void Operations::insertEntry() {
  const IndexPage page = indexPage();
  const uint64_t index = reader_.number();
  const uint64_t value = reader_.number();
  const KeyView key = reader_.text(reader_.number());
  require(reader_.isSound() && index <= page.count() && key.starts_with(page.prefix()) &&
          (page.isLeaf() || index > 0 || page.count() == 0) && page.entryBytes(key.size()) <= page.freeBytes());
  IndexPage(page).insert(static_cast<uint32_t>(index), key, value);
}

void Operations::applyNext() {
  switch (reader_.plain<PageOperation>()) {
    case PageOperation::Write: {
      const uint64_t offset = reader_.number();
      const wal::Bytes bytes = reader_.take(reader_.number());
      if (!bytes.empty()) std::memcpy(bytesAt(offset, bytes.size()), bytes.data(), bytes.size());
      break;
    }
    case PageOperation::Move: {
      const uint64_t from = reader_.number();
      const uint64_t to = reader_.number();
      const uint64_t count = reader_.number();
      std::memmove(bytesAt(to, count), bytesAt(from, count), count);
      break;
    }
    case PageOperation::TupleIds: {
      const uint64_t row = reader_.number();
      const uint64_t count = reader_.number();
      const uint64_t first = reader_.number();
      require(row <= leaf().capacity && count <= leaf().capacity - row);
      std::byte* ids = bytesAt(LeafLayout::kTupleIdsOffset + row * sizeof(uint64_t), count * sizeof(uint64_t));
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t id = first + i;
        std::memcpy(ids + i * sizeof(id), &id, sizeof(id));
      }
      break;
    }
    case PageOperation::DeleteRows:
      return flagRows(true);
    case PageOperation::RestoreRows:
      return flagRows(false);
    case PageOperation::EntryInsert:
      return insertEntry();
    case PageOperation::EntryErase: {
      const uint64_t index = reader_.number();
      reader_.number();
      reader_.take(reader_.number());
      const IndexPage page = indexPage();
      require(reader_.isSound() && index < page.count() && (index > 0 || page.isLeaf()));
      IndexPage(page).erase(static_cast<uint32_t>(index));
      break;
    }
    case PageOperation::EntriesSplit: {
      const uint64_t count = reader_.number();
      const KeyView separator = reader_.text(reader_.number());
      IndexPage page = indexPage();
      require(reader_.isSound() && count <= page.count());
      page.keepFirst(static_cast<uint32_t>(count), separator);
      break;
    }
    case PageOperation::NodeAppend: {
      const uint64_t first_id = reader_.number();
      const uint64_t swip = reader_.number();
      InnerNode& node = inner();
      require(!node.isFull() && (node.entry_count == 0 || node.first_ids[node.entry_count - 1] < first_id));
      node.append(TupleId{first_id}, Swip::fromBits(swip));
      break;
    }
    case PageOperation::NodeErase: {
      const uint64_t index = reader_.number();
      require(index < inner().entry_count);
      inner().erase(static_cast<uint32_t>(index));
      break;
    }
    case PageOperation::NodeReplace: {
      const uint64_t index = reader_.number();
      require(index < inner().entry_count);
      inner().swips[index] = reader_.number();
      break;
    }
    default:
      require(false);
  }
}

}  // namespace

void applyOperations(std::byte* page, uint64_t page_bytes, wal::Bytes operations) {
  Operations(page, page_bytes, operations).apply();
}

}  // namespace gnomon::storage
