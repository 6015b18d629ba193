#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/virtual_relation.h"
#include "sql/parse/parser.h"
#include "sql/statement.h"

namespace gnomon::sql {

class VariableNames;
struct BoundStatement;  // sql/bound_statement.h

/// The level of that name, in lower case. Failure: 0A000 for serializable.
IsolationLevel isolationLevel(std::string_view name);
[[nodiscard]] std::string_view isolationName(IsolationLevel level);

/// What a statement is bound against, and by whom. Outlives the call only.
struct BindContext {
  const CatalogView& catalog;
  /// Types of $1, $2, ... as the client declared them; Unknown or missing: inferred from their use.
  std::vector<Type> parameter_types;
  /// Every numeric that may need more than 38 digits is Big: for binding again after a DecimalOverflow.
  bool unlimited_numerics = false;
  std::string user;  ///< what current_user answers
  std::string database;
  std::string version;  ///< what version() answers
  /// The statement's text, for the names of defaults (DEFAULT expressions are stored as they were written).
  std::string_view text;
  /// Of CREATE TABLE AS and CREATE or REFRESH MATERIALIZED VIEW the INSERT into the table, which is there; of ALTER
  /// TABLE ... TYPE that of the rows of `rewritten`.
  bool fills = false;
  TablePtr rewritten = {};            ///< the table as it was
  AlterPart part = AlterPart::Whole;  ///< of ALTER TABLE, as the part before has said
  std::string session_user = {};
  /// The statement is one of its body, and its parameters are the routine's inputs; null: it is a client's.
  TablePtr routine = {};
  const VariableNames* variables = nullptr;  ///< of the routine that the statement is a part of; null: there are none
  /// Transition tables of the trigger whose function it is a part of; null: there are none.
  const std::vector<VirtualRelationPtr>* transitions = nullptr;
  /// It is a cursor's query: Output::positions are wanted.
  bool is_positioned = false;
  /// Subqueries are computed only where an expression asks for their values: for binding again after an error, which
  /// may be one of a subquery whose value nobody wants.
  bool subqueries_on_demand = false;
  /// Oids of functions that are called, whatever their bodies are. bind() adds those whose bodies turn out to be no
  /// part of the statement.
  std::vector<uint32_t> called = {};
};

/// Resolves names and types: the canonical, not yet optimised, statement.
///
/// Failure: SqlError as PostgreSQL 15 gives it, with position where PostgreSQL has one; 0A000 for what Gnomon lacks.
/// Threads: any; the tables found stay valid through the statement's `tables`.
BoundStatement bind(const ParsedStatement& statement, BindContext& context);

}  // namespace gnomon::sql
