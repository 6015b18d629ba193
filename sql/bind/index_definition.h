#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sql/algebra/index_expressions.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// CREATE INDEX with its columns, expressions and predicate resolved. Whether the name is taken is seen when it is
/// executed.
/// Failure: 42P01, 42703, 54011; 42P17 for what depends on settings or the session; 42803, 42804, 42P02.
CreateIndexStatement bindCreateIndex(BindState& state, const ast::CreateIndex& create);

/// The expressions and the predicate of an index, bound anew from their texts; null: there are none. `catalog` has the
/// routines that they call, whose bodies become parts of them. Failure: as bindCreateIndex, when the table's columns,
/// or the routines, are no longer those that the texts were written for.
std::shared_ptr<const IndexExpressions> bindIndexExpressions(const std::vector<ColumnEntry>& columns,
                                                             const IndexSpecification& index,
                                                             const CatalogView& catalog);

/// What ON CONFLICT says of the indexes that it means, over units of its own. Failure: as bindCreateIndex.
IndexExpressions bindInference(BindState& state, const TableEntry& table, const ast::OnConflict& conflict);

/// The columns that a row's entry depends on, ascending: those of the key, of its expressions and of the predicate.
std::vector<uint32_t> dependedColumns(const IndexEntry& index);
/// Puts the new name of a column into the texts of expressions and predicate; bindIndexExpressions is to follow.
void renameColumn(IndexSpecification& index, std::string_view from, std::string_view to);

/// What an operator class that is named says; empty: none is. Failure: 42704 where there is no such class, 42804 where
/// it is none for values of the type.
OperatorClass operatorClass(const std::string& name, Type type, IndexMethod method);

/// Failure: 54011.
void requirePartCount(size_t count);

}  // namespace gnomon::sql
