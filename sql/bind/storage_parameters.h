#pragma once

#include <string>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/parse/ast_definition.h"

namespace gnomon::sql {

/// WITH (...) of CREATE TABLE, SET (...) of ALTER TABLE. Those of TOAST tables, which are not there, are only looked
/// at. Failure: 22023 for unknown parameters, repeated ones and bad values.
void setStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options);

/// fillfactor in WITH (...) of CREATE INDEX; 0: it is not said. Failure: likewise.
int16_t indexFillfactor(const std::vector<ast::Option>& parameters);
/// Parameters of a gin index, which change nothing, as pg_class.reloptions has them. Failure: likewise.
std::vector<std::string> ginParameters(const std::vector<ast::Option>& parameters);

/// The parameters that are set, as pg_class.reloptions has them.
std::vector<std::string> storageParameterTexts(const TableOptions& options);

/// RESET (...) of ALTER TABLE: back to the defaults. Unknown parameters are none that could be set. Failure: 42601 for
/// one with a value.
void resetStorageParameters(const std::vector<ast::Option>& parameters, TableOptions& options);

}  // namespace gnomon::sql
