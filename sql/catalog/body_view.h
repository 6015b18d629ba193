#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_style.h"
#include "base/time_zone.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/user_types.h"

namespace gnomon::sql {

/// What the bodies of routines mean that become parts of expressions which the catalog keeps: the same for every
/// session, and for none. Names without a schema are looked for in the schemas of the routines that are called, then in
/// public. While it lives, this thread looks for types there, and reads literals of dates and times in ISO style and
/// UTC. `below` outlives it. Threads: one.
class BodyView final : public CatalogView, public UserTypeSource {
 public:
  /// `called`: the oids of the routines that the expressions call.
  BodyView(const CatalogView& below, const std::vector<uint32_t>& called);
  ~BodyView() override;

  [[nodiscard]] TablePtr findEntry(const ObjectPath& path) const override { return below_.findEntry(path); }
  [[nodiscard]] TablePtr findEntry(uint32_t oid) const override { return below_.findEntry(oid); }
  [[nodiscard]] std::vector<TablePtr> entries() const override { return below_.entries(); }
  [[nodiscard]] std::vector<TablePtr> routinesNamed(std::string_view schema, std::string_view name) const override {
    return below_.routinesNamed(schema, name);
  }
  [[nodiscard]] TablePtr findType(std::string_view schema, std::string_view name) const override {
    return CatalogView::findType(schema, name);
  }
  [[nodiscard]] TablePtr findIndexTable(const ObjectPath& path) const override { return below_.findIndexTable(path); }
  [[nodiscard]] VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const override {
    return below_.findVirtual(schema, name);
  }
  [[nodiscard]] const std::vector<VirtualRelationPtr>& virtualRelations() const override {
    return below_.virtualRelations();
  }
  [[nodiscard]] std::vector<SchemaPtr> schemas() const override { return below_.schemas(); }
  [[nodiscard]] SchemaPtr findSchema(std::string_view name) const override { return below_.findSchema(name); }
  using CatalogView::findSchema;
  [[nodiscard]] const SearchPath& searchPath() const override { return path_; }
  [[nodiscard]] DatabasePtr database() const override { return below_.database(); }
  [[nodiscard]] std::vector<DatabasePtr> databases() const override { return below_.databases(); }
  [[nodiscard]] std::vector<TablePtr> entriesOf(uint32_t database) const override { return below_.entriesOf(database); }
  [[nodiscard]] std::vector<RolePtr> roles() const override { return below_.roles(); }
  [[nodiscard]] RolePtr findRole(uint32_t oid) const override { return below_.findRole(oid); }
  using CatalogView::findRole;
  [[nodiscard]] Actors actors() const override { return below_.actors(); }
  [[nodiscard]] bool isNewLabel(uint32_t oid) const override { return below_.isNewLabel(oid); }

 private:
  const CatalogView& below_;
  SearchPath path_;
  const TextStyleScope style_;
  const SessionTimeZone zone_;
  UserTypeScope types_;
};

}  // namespace gnomon::sql
