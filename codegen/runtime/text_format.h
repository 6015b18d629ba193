#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gnomon::codegen::rt {

/// PostgreSQL's format(format, ...). Failure: 22023, 22003, 22004; 22P02 for a width that is no integer; 54000.
std::string formattedText(std::string_view format, std::span<const std::optional<std::string_view>> arguments);
/// The text as a literal of SQL; with E before it when it has backslashes.
std::string quotedLiteral(std::string_view text);

}  // namespace gnomon::codegen::rt
