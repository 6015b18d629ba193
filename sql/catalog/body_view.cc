#include "sql/catalog/body_view.h"

#include "sql/catalog/search_path.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

SearchPath pathOf(const CatalogView& below, const std::vector<uint32_t>& called) {
  std::string names;
  for (const uint32_t oid : called)
    if (const TablePtr routine = below.findEntry(oid)) names += quotedIdentifier(routine->schema) + ", ";
  return makeSearchPath(names + "public", {}, {});
}

}  // namespace

BodyView::BodyView(const CatalogView& below, const std::vector<uint32_t>& called)
    : below_(below),
      path_(pathOf(below, called)),
      style_({}, textMoment()),
      zone_(*TimeZone::ofOffset(0)),
      types_(*this) {}

BodyView::~BodyView() = default;

}  // namespace gnomon::sql
