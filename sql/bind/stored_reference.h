#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::sql {

/// What stands for a routine or a type in a text that is stored, so that it means the same whatever it is called, and
/// whatever the search path is, later: "@oid".name.
std::string namedByOid(uint32_t oid, const std::string& name);
/// The part of it before the dot.
std::string schemaOfOid(uint32_t oid);
/// The oid that stands in the place of a schema; none: it is a schema's name.
std::optional<uint32_t> oidOf(std::string_view schema);
/// Says what is there for the routine or the type with the oid; `name` is what it was called.
using ShowObject = std::function<std::string(uint32_t oid, const std::string& name)>;
/// The text with what `show` says in the places of routines and types.
std::string withObjects(std::string_view text, const ShowObject& show);

/// What the name of a relation in a stored query means, so that it means the same whatever the search path is, and
/// whatever the relation and its columns are called, later.
struct StoredReference {
  uint32_t oid = 0;
  uint32_t column_count = 0;                       ///< that it had when the query was written
  std::string schema;                              ///< likewise
  std::map<uint32_t, std::string> old_names = {};  ///< of columns that were renamed since, by column, from 0

  /// What the query calls the column, which is called `now`; empty: it was not there.
  [[nodiscard]] std::string nameOf(uint32_t column, const std::string& now) const;
};

/// The references of a stored query. It is kept as a text: in front how many there are, and each of them; behind that
/// SQL in which "@n".name, for n from 0, stands for each.
class StoredReferences {
 public:
  StoredReferences() = default;
  /// Of a stored query, which outlives this. Failure: XX001.
  explicit StoredReferences(std::string_view stored);

  [[nodiscard]] std::string_view sql() const { return sql_; }
  /// Null: a schema's name.
  [[nodiscard]] const StoredReference* find(std::string_view schema) const;
  /// Adds one; what stands for it in the place of a schema.
  std::string add(StoredReference reference);
  /// The stored query.
  [[nodiscard]] std::string with(std::string_view sql) const;
  /// A column of a relation gets another name: the query goes on calling it as it did.
  void renameColumn(uint32_t oid, uint32_t column, const std::string& old_name);

  /// The relations have other oids: `oid_of` says which.
  void renumber(const std::function<uint32_t(uint32_t)>& oid_of);

  /// What is shown for a name, and behind a name for it that follows without names of columns.
  struct Shown {
    std::string text;
    std::string behind_alias = {};
  };
  /// Says what is shown for a reference and the name behind it. `has_alias`: a name for it follows.
  using Show = std::function<Shown(const StoredReference& reference, const std::string& name, bool has_alias)>;
  /// The SQL with what `show` says in their places, and `show_object` in those of routines and types.
  [[nodiscard]] std::string shown(const Show& show, const ShowObject& show_object) const;

 private:
  std::string_view sql_;
  std::vector<StoredReference> references_;
};

}  // namespace gnomon::sql
