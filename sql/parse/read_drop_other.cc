#include <algorithm>

#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

using Kind = ast::DropOther::Kind;

struct DroppedKind {
  PgQuery__ObjectType type;
  Kind kind;
  std::string_view what;
};

constexpr DroppedKind kKinds[] = {
    {PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE, Kind::ForeignTable, "foreign table"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_TSCONFIGURATION, Kind::TextSearch, "text search configuration"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_TSDICTIONARY, Kind::TextSearch, "text search dictionary"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_TSPARSER, Kind::TextSearch, "text search parser"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_TSTEMPLATE, Kind::TextSearch, "text search template"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION, Kind::Collation, "collation"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_CONVERSION, Kind::Conversion, "conversion"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT, Kind::Statistics, "statistics object"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_ACCESS_METHOD, Kind::Named, "access method"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER, Kind::Named, "event trigger"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_FDW, Kind::Named, "foreign-data wrapper"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER, Kind::Named, "server"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE, Kind::Named, "language"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION, Kind::Named, "publication"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_RULE, Kind::Rule, "rule"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_POLICY, Kind::Policy, "policy"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS, Kind::OfMethod, "operator class"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY, Kind::OfMethod, "operator family"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE, Kind::Aggregate, "aggregate"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR, Kind::Operator, "operator"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_CAST, Kind::Cast, "cast"},
    {PG_QUERY__OBJECT_TYPE__OBJECT_TRANSFORM, Kind::Transform, "transform"},
};

/// (type, NONE).
bool isPostfix(const PgQuery__ObjectWithArgs& signature) {
  return signature.n_objargs == 2 &&
         (signature.objargs[1] == nullptr || signature.objargs[1]->node_case != PG_QUERY__NODE__NODE_TYPE_NAME);
}

}  // namespace

std::optional<ast::DropOther> TreeReader::readDropOther(const PgQuery__DropStmt& node) {
  const auto* const found = std::ranges::find(kKinds, node.remove_type, &DroppedKind::type);
  if (found == std::end(kKinds)) return std::nullopt;
  ast::DropOther drop{
      .kind = found->kind, .what = std::string(found->what), .objects = {}, .if_exists = node.missing_ok != 0};
  for (size_t i = 0; i < node.n_objects; ++i) {
    const PgQuery__Node& written = *node.objects[i];
    ast::DropOther::Object& object = drop.objects.emplace_back();
    if (written.node_case == PG_QUERY__NODE__NODE_STRING) {
      object.name.name = textOf(written);
      continue;
    }
    if (written.node_case == PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS) {
      if (!drop.if_exists && found->kind == Kind::Operator && isPostfix(*written.object_with_args))
        throw SqlError(sqlstate::kSyntaxError, "postfix operators are not supported");
      ast::RoutineName signature = readRoutineName(*written.object_with_args);
      object.name = std::move(signature.name);
      object.types = std::move(signature.arguments);
      continue;
    }
    const PgQuery__List& list = *written.list;
    switch (found->kind) {
      case Kind::Cast:
        for (size_t side = 0; side < 2; ++side) object.types.push_back(readType(*list.items[side]->type_name));
        break;
      case Kind::Transform:
        object.types.push_back(readType(*list.items[0]->type_name));
        object.of = textOf(*list.items[1]);
        break;
      case Kind::OfMethod:
        object.of = textOf(*list.items[0]);
        object.name = readTypeNameList(list.n_items - 1, list.items + 1);
        break;
      case Kind::Rule:
      case Kind::Policy:
        object.of = textOf(*list.items[list.n_items - 1]);
        object.name = relationNamed(list.n_items - 1, list.items);
        break;
      case Kind::ForeignTable:
        object.name = relationNamed(list.n_items, list.items);
        break;
      default:
        object.name = readTypeNameList(list.n_items, list.items);
    }
  }
  return drop;
}

}  // namespace gnomon::sql
