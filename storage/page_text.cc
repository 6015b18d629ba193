#include "storage/page_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/double_write.h"
#include "storage/index/index_page.h"
#include "storage/relation/inner_node.h"
#include "storage/relation/leaf.h"

namespace gnomon::storage {

namespace {

constexpr size_t kKeyBytesShown = 32;

std::string keyText(KeyView key) {
  std::string text;
  for (const char byte : key.substr(0, kKeyBytesShown)) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return key.size() > kKeyBytesShown ? text + fmt::format("... ({} bytes)", key.size()) : text;
}

std::string pageName(PageId id) {
  return fmt::format("{}:{}", id.sizeClass().index, id.number());
}

void describeRelationLeaf(const std::byte* page, PageId id, PageText& text) {
  const auto& header = *reinterpret_cast<const LeafHeader*>(page);
  const uint64_t bytes = pageBytes(id.sizeClass());
  text.summary += fmt::format(
      ", first tuple {}, {} tuples of {}, {} flagged, schema version {}, arrays end at {}, strings from {}, {} bytes "
      "dead",
      header.first_tuple_id.value, header.tuple_count, header.capacity, header.flagged_count, header.schema_version,
      header.fixed_end, header.variable_begin, header.variable_dead);
  if (header.tuple_count > header.capacity || header.fixed_end > header.variable_begin ||
      header.variable_begin > bytes || header.fixed_end < LeafLayout::kTupleIdsOffset ||
      uint64_t{header.capacity} * sizeof(uint64_t) > header.fixed_end)
    text.problems.emplace_back("has a damaged header");
}

void describeRelationInner(const std::byte* page, PageText& text) {
  const auto& node = *reinterpret_cast<const InnerNode*>(page);
  text.summary += fmt::format(", level {}, {} children", node.level, node.entry_count);
  if (node.entry_count == 0 || node.entry_count > InnerNode::kEntriesMax || node.level == 0)
    return text.problems.emplace_back("has a wrong level or number of entries"), void();
  text.summary += fmt::format(", tuples from {}", node.first_ids[0]);
  for (uint32_t index = 0; index < node.entry_count; ++index) {
    const Swip swip = Swip::fromBits(node.swips[index]);
    if (!swip.isCold()) return text.problems.emplace_back("has damaged swips"), void();
    if (index > 0 && node.first_ids[index] <= node.first_ids[index - 1])
      text.problems.emplace_back("has entries out of order");
    text.children.push_back(swip.coldPage());
    text.entries.push_back(fmt::format("tuples from {}: page {}", node.first_ids[index], pageName(swip.coldPage())));
  }
}

void describeIndexPage(const std::byte* bytes, PageText& text) {
  const IndexPage page(bytes);
  const IndexPageHeader& header = page.header();
  text.summary += fmt::format(", level {}, {} entries, {} bytes free, {} of them dead", header.level,
                              header.entry_count, page.freeBytes(), header.dead_bytes);
  if (const char* problem = findPageProblem(bytes, true)) return text.problems.emplace_back(problem), void();
  text.summary += fmt::format(", keys from [{}] to [{}], {} bytes in common", keyText(page.lowerFence()),
                              keyText(page.upperFence()), header.prefix_bytes);
  for (uint32_t index = 0; index < page.count(); ++index) {
    EncodedKey key;
    page.appendKey(index, key);
    if (page.isLeaf()) {
      text.entries.push_back(fmt::format("[{}]: tuple {}", keyText(key.view()), page.tupleId(index)));
      continue;
    }
    const PageId child = Swip::fromBits(page.swipWord(index)).coldPage();
    text.children.push_back(child);
    text.entries.push_back(fmt::format("keys from [{}]: page {}", keyText(key.view()), pageName(child)));
  }
}

const char* kindName(PageType type) {
  constexpr const char* kNames[] = {"unused", "relation leaf", "relation inner page", "index leaf", "index inner page"};
  const auto index = static_cast<size_t>(type);
  return index < std::size(kNames) ? kNames[index] : "page of an unknown type";
}

}  // namespace

PageText describePage(const std::byte* page, PageId id) {
  const auto& header = *reinterpret_cast<const PageHeader*>(page);
  PageText text;
  text.summary =
      fmt::format("page {}: {} of relation {}", pageName(id), kindName(header.type), header.relation_id.value);
  if (header.checksum != checksumOf(page, pageBytes(id.sizeClass())))
    text.problems.emplace_back("has a wrong checksum");
  if (header.page_id != id) text.problems.push_back("says it is page " + pageName(header.page_id));
  const bool is_smallest = id.sizeClass() == SizeClass{0};
  if (header.type == PageType::RelationLeaf)
    describeRelationLeaf(page, id, text);
  else if (header.type == PageType::RelationInner && is_smallest)
    describeRelationInner(page, text);
  else if ((header.type == PageType::IndexLeaf || header.type == PageType::IndexInner) && is_smallest)
    describeIndexPage(page, text);
  else
    text.problems.emplace_back("has an impossible type");
  return text;
}

}  // namespace gnomon::storage
