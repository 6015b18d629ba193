#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

std::string_view constraintName(PgQuery__ConstrType type) {
  switch (type) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
      return "EXCLUDE constraints";
    case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
      return "generated columns";
    default:
      return "deferrable constraints";
  }
}

/// The words that qualify the constraint before them; empty: it is a constraint.
std::string_view attributeName(PgQuery__ConstrType type) {
  switch (type) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE:
      return "DEFERRABLE";
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
      return "NOT DEFERRABLE";
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED:
      return "INITIALLY DEFERRED";
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
      return "INITIALLY IMMEDIATE";
    default:
      return {};
  }
}

/// What the words behind a column's constraint say of it.
class Deferral {
 public:
  void begin(PgQuery__ConstrType type) {
    *this = {};
    type_ = type;
  }
  [[nodiscard]] bool isOfForeignKey() const { return type_ == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN; }
  [[nodiscard]] bool isOfKey() const {
    return type_ == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY || type_ == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE;
  }
  template <typename Constraint>
  void apply(Constraint& constraint) const {
    constraint.is_deferrable = is_deferrable_.value_or(false);
    constraint.is_deferred = is_deferred_.value_or(false);
  }

  void read(const PgQuery__Constraint& node) {
    const bool is_of_time = node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED ||
                            node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE;
    const auto refuse = [&](const std::string& message) {
      throw SqlError(sqlstate::kSyntaxError, message).position(node.location);
    };
    if (!isOfForeignKey() && !isOfKey() && type_ != PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION)
      refuse("misplaced " + std::string(attributeName(node.contype)) + " clause");
    if (is_of_time) {
      if (is_deferred_) refuse("multiple INITIALLY IMMEDIATE/DEFERRED clauses not allowed");
      is_deferred_ = node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED;
      if (*is_deferred_ && !is_deferrable_) is_deferrable_ = true;
    } else {
      if (is_deferrable_) refuse("multiple DEFERRABLE/NOT DEFERRABLE clauses not allowed");
      is_deferrable_ = node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE;
    }
    if (is_deferred_.value_or(false) && !is_deferrable_.value_or(false))
      refuse("constraint declared INITIALLY DEFERRED must be DEFERRABLE");
  }

 private:
  PgQuery__ConstrType type_ = PG_QUERY__CONSTR_TYPE__CONSTR_NULL;
  std::optional<bool> is_deferrable_, is_deferred_;
};

ReferentialAction referentialAction(const char* code) {
  switch (code[0]) {
    case 'r':
      return ReferentialAction::Restrict;
    case 'c':
      return ReferentialAction::Cascade;
    case 'n':
      return ReferentialAction::SetNull;
    case 'd':
      return ReferentialAction::SetDefault;
    default:
      return ReferentialAction::NoAction;
  }
}

}  // namespace

ast::KeyConstraint TreeReader::readKey(const PgQuery__Constraint& node) {
  const bool is_primary = node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY;
  if (!is_primary && node.contype != PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE)
    throwNotSupported(constraintName(node.contype), node.location);
  if (node.indexspace[0] != 0) throwNotSupported("TABLESPACE", node.location);
  ast::KeyConstraint key{node.conname, {}, is_primary, node.location};
  for (size_t i = 0; i < node.n_keys; ++i) key.columns.push_back(textOf(*node.keys[i]));
  key.is_deferrable = node.deferrable != 0;
  key.is_deferred = node.initdeferred != 0;
  key.nulls_are_equal = node.nulls_not_distinct != 0;
  key.included = textsOf(node.n_including, node.including);
  key.parameters = readOptions(node.n_options, node.options);
  key.index = node.indexname;
  return key;
}

ast::CheckConstraint TreeReader::readCheck(const PgQuery__Constraint& node) {
  ast::CheckConstraint check;
  check.name = node.conname;
  in_check_ = true;
  check.expression = readExpression(node.raw_expr);
  in_check_ = false;
  check.expression_text = deparseExpression(*node.raw_expr);
  check.is_not_valid = node.skip_validation;
  check.is_no_inherit = node.is_no_inherit;
  return check;
}

ast::ForeignKey TreeReader::readForeignKey(const PgQuery__Constraint& node) {
  ast::ForeignKey key;
  key.is_deferrable = node.deferrable != 0;
  key.is_deferred = node.initdeferred != 0;
  key.name = node.conname;
  key.columns = textsOf(node.n_fk_attrs, node.fk_attrs);
  key.parent = readRelation(*node.pktable);
  key.parent_columns = textsOf(node.n_pk_attrs, node.pk_attrs);
  key.on_delete = referentialAction(node.fk_del_action);
  key.on_update = referentialAction(node.fk_upd_action);
  key.set_columns = textsOf(node.n_fk_del_set_cols, node.fk_del_set_cols);
  key.is_full = node.fk_matchtype[0] == 'f';
  key.is_not_valid = node.skip_validation;
  return key;
}

void readCollation(const PgQuery__CollateClause& clause, ast::TypeName& type) {
  type.collation = textsOf(clause.n_collname, clause.collname);
  type.collation_position = clause.location;
}

ast::ColumnDefinition TreeReader::readColumnDefinition(const PgQuery__ColumnDef& node, const std::string& table,
                                                       ast::Constraints& constraints) {
  ast::ColumnDefinition column;
  column.name = node.colname;
  column.position = node.location;
  // Of a partition: the type is that of the table.
  if (node.type_name != nullptr) column.type = readType(*node.type_name);
  if (node.coll_clause != nullptr) readCollation(*node.coll_clause, column.type);
  if (node.compression[0] != 0) throwNotSupported("COMPRESSION", node.location);
  Deferral deferral;
  for (size_t i = 0; i < node.n_constraints; ++i) {
    const PgQuery__Constraint& constraint = *node.constraints[i]->constraint;
    const std::string_view attribute = attributeName(constraint.contype);
    if (attribute.empty())
      deferral.begin(constraint.contype);
    else
      deferral.read(constraint);
    if (attribute.empty()) readColumnConstraint(constraint, table, column, constraints);
    if (deferral.isOfForeignKey())
      deferral.apply(constraints.foreign_keys.back());
    else if (deferral.isOfKey())
      deferral.apply(constraints.keys.back());
    if (column.generated && (column.identity || column.default_value))
      throw SqlError(sqlstate::kSyntaxError, std::string("both ") + (column.identity ? "identity" : "default") +
                                                 " and generation expression specified for column \"" + column.name +
                                                 "\" of table \"" + table + "\"")
          .position(constraint.location);
    if (column.identity && column.default_value)
      throw SqlError(sqlstate::kSyntaxError, "both default and identity specified for column \"" + column.name +
                                                 "\" of table \"" + table + "\"")
          .position(constraint.location);
  }
  return column;
}

void TreeReader::readColumnConstraint(const PgQuery__Constraint& node, const std::string& table,
                                      ast::ColumnDefinition& column, ast::Constraints& constraints) {
  const auto refuse = [&](const char* what) {
    throw SqlError(sqlstate::kSyntaxError,
                   std::string(what) + " for column \"" + column.name + "\" of table \"" + table + "\"")
        .position(node.location);
  };
  switch (node.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      constraints.keys.push_back(readKey(node));
      constraints.keys.back().columns = {column.name};
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
      constraints.checks.push_back(readCheck(node));
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
      constraints.foreign_keys.push_back(readForeignKey(node));
      constraints.foreign_keys.back().columns = {column.name};
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
      (node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_NULL ? column.nullable_stated : column.not_null) = true;
      if (column.not_null && column.nullable_stated) refuse("conflicting NULL/NOT NULL declarations");
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
      if (column.default_value) refuse("multiple default values specified");
      column.default_value = readExpression(node.raw_expr);
      column.default_text = deparseExpression(*node.raw_expr);
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
      if (column.identity) refuse("multiple identity specifications");
      column.identity = readIdentity(node);
      if (column.nullable_stated) refuse("conflicting NULL/NOT NULL declarations");
      column.not_null = true;
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
      if (column.generated) refuse("multiple generation clauses specified");
      column.generated = readExpression(node.raw_expr);
      column.generated_text = deparseExpression(*node.raw_expr);
      return;
    default:
      throwNotSupported(constraintName(node.contype), node.location);
  }
}

}  // namespace gnomon::sql
