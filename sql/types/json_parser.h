#pragma once

#include <string>
#include <string_view>

#include "sql/types/jsonb_builder.h"

namespace gnomon::sql {

/// Reads JSON text. Failure: 22P02, 22P05, 54001, with PostgreSQL's details (sql/types/json_scanner.h); of values also
/// 22003 and the builder's.
void checkJson(std::string_view text);
void parseJsonb(std::string_view text, JsonbBuilder& builder);
std::string parseJsonb(std::string_view text);
/// Before the text of a jsonb and a jsonpath on the wire.
inline constexpr char kJsonWireVersion = 1;
/// The text behind that byte. Failure: XX000 for another version, 08P01.
std::string_view jsonWireText(std::string_view bytes, std::string_view type_name);

}  // namespace gnomon::sql
