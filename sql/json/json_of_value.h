#pragma once

#include <string>

#include "sql/types/jsonb_builder.h"
#include "sql/types/text_io.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// SQL values as JSON: as PostgreSQL's to_json and to_jsonb. Values that are not NULL.
/// Failure: 22P02 and others of a json that becomes a jsonb, 54000, 54001.
void appendValueAsJson(Type type, RegisterPair value, std::string& out);
void addValueAsJsonb(Type type, RegisterPair value, JsonbBuilder& builder);

/// Of an array with one line for each element, where that is wanted.
void appendArrayAsJson(Type element, StringValue array, bool has_lines, std::string& out);

/// The same of a record, with one line for each field.
void appendRecordAsJson(StringValue record, bool has_lines, std::string& out);

/// The value as a key of an object. Failure: 22023 of arrays and JSON.
std::string jsonKeyText(Type type, RegisterPair value);

}  // namespace gnomon::sql
