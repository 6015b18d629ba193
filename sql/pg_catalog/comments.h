#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"

namespace gnomon::sql::pg_catalog {

inline constexpr uint32_t kClassClass = 1259;
inline constexpr uint32_t kConstraintClass = 2606;
inline constexpr uint32_t kNamespaceClass = 2615;
inline constexpr uint32_t kTypeClass = 1247;
inline constexpr uint32_t kProcedureClass = 1255;
inline constexpr uint32_t kExtensionClass = 3079;
inline constexpr uint32_t kLanguageClass = 2612;
inline constexpr uint32_t kMethodClass = 2601;
inline constexpr uint32_t kCollationClass = 3456;

/// What COMMENT says of an object, or PostgreSQL of one of the system's.
struct ObjectComment {
  uint32_t oid = 0;
  uint32_t catalog = 0;  ///< the oid of the catalog that has it
  int32_t part = 0;      ///< a column's number; 0: the object
  const std::string* text = nullptr;
};

/// Those of a catalog, which outlives them.
class ObjectComments {
 public:
  explicit ObjectComments(const CatalogView& catalog);
  [[nodiscard]] const std::vector<ObjectComment>& all() const { return comments_; }

 private:
  void add(uint32_t oid, uint32_t catalog, int32_t part, const std::string& text);
  void addTable(const TableEntry& table);
  void addType(const TableEntry& type);

  const std::vector<TablePtr> tables_;
  const std::vector<TablePtr> types_, routines_, extensions_;
  const std::vector<SchemaPtr> schemas_;
  std::vector<ObjectComment> comments_;
};

/// None: nothing is said of it. `catalog` 0: whatever it is.
std::optional<std::string> commentOn(const CatalogView& catalog, uint32_t oid, uint32_t in_catalog, int32_t part);

}  // namespace gnomon::sql::pg_catalog
