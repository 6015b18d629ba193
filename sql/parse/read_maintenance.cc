#include "sql/parse/tree_reader.h"

namespace gnomon::sql {

ast::Vacuum TreeReader::readVacuum(const PgQuery__VacuumStmt& node) {
  ast::Vacuum vacuum;
  vacuum.is_vacuum = node.is_vacuumcmd != 0;
  vacuum.options = readOptions(node.n_options, node.options);
  for (size_t i = 0; i < node.n_rels; ++i) {
    const PgQuery__VacuumRelation& relation = *node.rels[i]->vacuum_relation;
    vacuum.columns.push_back(textsOf(relation.n_va_cols, relation.va_cols));
    vacuum.relations.push_back(readRelation(*relation.relation));
  }
  return vacuum;
}

ast::CreateExtension TreeReader::readCreateExtension(const PgQuery__CreateExtensionStmt& node) const {
  ast::CreateExtension create{.name = node.extname, .if_not_exists = node.if_not_exists != 0};
  for (size_t i = 0; i < node.n_options; ++i) {
    const PgQuery__DefElem& option = *node.options[i]->def_elem;
    const std::string_view name(option.defname);
    if (name == "schema") create.schema = textOf(*option.arg);
    if (name == "new_version") create.version = textOf(*option.arg);
    // CASCADE: none of what there is needs another one.
  }
  return create;
}

ast::Reindex TreeReader::readReindex(const PgQuery__ReindexStmt& node) {
  using What = ast::Reindex::What;
  static constexpr std::pair<PgQuery__ReindexObjectType, What> kWhat[] = {
      {PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_INDEX, What::Index},
      {PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_TABLE, What::Table},
      {PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_SCHEMA, What::Schema},
      {PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_DATABASE, What::Database},
      {PG_QUERY__REINDEX_OBJECT_TYPE__REINDEX_OBJECT_SYSTEM, What::System}};
  ast::Reindex reindex;
  for (const auto& [kind, what] : kWhat)
    if (kind == node.kind) reindex.what = what;
  if (node.relation != nullptr) reindex.relation = readRelation(*node.relation);
  reindex.name = node.name;
  reindex.options = readOptions(node.n_params, node.params);
  return reindex;
}

}  // namespace gnomon::sql
