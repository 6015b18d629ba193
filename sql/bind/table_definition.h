#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

inline constexpr size_t kColumnsMax = 1600;  ///< of a table, dropped ones included

/// Failure: 42701 for the names of PostgreSQL's system columns.
void requireNoSystemColumn(const std::string& name);

/// A column of the table with its type resolved, without its default and its sequence. Failure: 42601 for what cannot
/// be said of serial.
ColumnEntry bindColumnDefinition(const ast::ColumnDefinition& definition, const std::string& table);
/// Checks a DEFAULT expression and gives it to the column, with the oids of the sequences that it names. Failure: as
/// bindDefaultExpression.
void setDefault(BindState& state, const ast::ExpressionPtr& value, const std::string& text, ColumnEntry& column);
/// The index of a PRIMARY KEY, which makes its columns NOT NULL, or UNIQUE. Failure: 42703, 42701, 54011.
IndexSpecification bindKey(const ast::KeyConstraint& key, std::vector<ColumnEntry>& columns);

/// CREATE TABLE with its types resolved and its defaults checked. Whether the name is taken is seen when it is
/// executed. Failure: 42701, 54011, 3F000; the types' and the defaults' errors.
CreateTableStatement bindCreateTable(BindState& state, const ast::CreateTable& create);

/// CREATE TABLE AS: the table that the query's rows fit in. Failure: as bindCreateTable; those of the query; 42601 for
/// too many names; 42P16 for columns that cannot be stored.
CreateTableAsStatement bindCreateTableAs(BindState& state, const ast::CreateTableAs& create);
/// Failure: 42P01, 42809; of CONCURRENTLY 55000 without an index for it, 0A000 without rows.
RefreshViewStatement bindRefreshView(BindState& state, const ast::RefreshView& refresh);

DropTableStatement bindDropTable(const ast::DropTable& drop);

DropIndexStatement bindDropIndex(const ast::DropIndex& drop);

}  // namespace gnomon::sql
